#include "record/meters/gpu/gpu_meters.h"

#include <gtest/gtest.h>

#include <thread>

#include "record/meters/meter_trial.h"

namespace tactus::meters {
namespace {

const std::string kLibrary = TACTUS_FAKE_NVML_FOLDER "/libnvidia-ml.so.1";

/// The driver's answers, as long as it lives.
class Script {
 public:
  explicit Script(const std::string& text) { set(text); }
  ~Script() { ::unsetenv("TACTUS_FAKE_NVML"); }
  void set(const std::string& text) { ::setenv("TACTUS_FAKE_NVML", text.c_str(), 1); }
};

/// A machine with process 100 as the recorded one, and 900 as a stranger.
class MetersOfGpus : public ::testing::Test {
 protected:
  void SetUp() override {
    trial.put_process(100, 1);
    trial.put_process(101, 100);
    trial.put_process(900, 1);
    own = std::make_shared<OwnProcesses>(trial.root(), std::vector<std::int64_t>{100});
    own->scan(trial.table);
  }
  /// Those of both threads.
  MeterReaders readers() {
    GpuMeters gpus(kLibrary);
    MeterReaders all = gpus.quick_readers(trial.table);
    MeterReaders more = gpus.activity_readers(trial.root(), own, trial.table);
    std::move(more.begin(), more.end(), std::back_inserter(all));
    return all;
  }
  MeterReaders slow_pcie_readers() { return GpuMeters(kLibrary).slow_pcie_readers(trial.table); }
  void read(const MeterReaders& all) {
    for (const auto& reader : all) trial.read(*reader);
  }
  bool has_issue(const std::string& what) const {
    const auto issues = trial.issues();
    return std::find(issues.begin(), issues.end(), what) != issues.end();
  }

  MeterTrial trial;
  std::shared_ptr<OwnProcesses> own;
};

TEST_F(MetersOfGpus, values_have_units_of_the_table_and_the_identity_of_their_device) {
  Script script(
      "gpus=2;sm=1980;memclock=2619;reasons=4;util=66;memutil=20;memused2=12620529664;"
      "f186=412500;temp=51;f82=60;sm.1=345");
  trial.put("/sys/bus/pci/devices/0000:3b:00.0/current_link_speed", "32.0 GT/s PCIe\n");
  trial.put("/sys/bus/pci/devices/0000:3b:00.0/current_link_width", "16\n");
  read(readers());
  auto samples = trial.samples();
  const std::map<std::string, double> expected = {{"gpu_sm_frequency of GPU 0", 1980},
                                                  {"gpu_sm_frequency of GPU 1", 345},
                                                  {"gpu_mem_frequency of GPU 0", 2619},
                                                  {"gpu_clock_reasons of GPU 0", 4},
                                                  {"gpu_usage of GPU 0", 66},
                                                  {"gpu_mem_usage of GPU 0", 20},
                                                  {"gpu_mem_used of GPU 0", 12620529664},
                                                  {"gpu_power of GPU 0", 412.5},
                                                  {"gpu_temp of GPU 0", 51},
                                                  {"gpu_mem_temp of GPU 0", 60},
                                                  {"pcie_link_speed of GPU 0", 32},
                                                  {"pcie_link_width of GPU 0", 16}};
  for (const auto& [name, value] : expected) {
    ASSERT_EQ(samples[name].size(), 1U) << name;
    EXPECT_EQ(samples[name][0].value, value) << name;
    EXPECT_EQ(samples[name][0].window_ns, 0) << name;
  }
  const std::vector<MeterDevice> devices = trial.table.devices();
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0].uuid, "GPU-0");
  EXPECT_EQ(devices[0].bus_id, "0000:3b:00.0");
  EXPECT_EQ(devices[0].model, "NVIDIA H200");
  EXPECT_EQ(devices[1].uuid, "GPU-1");
}

TEST_F(MetersOfGpus, own_and_foreign_processes_are_apart) {
  Script script("gpus=1;processes=100:1000,101:200,900:70;use=100:30,101:5,900:40");
  const MeterReaders all = readers();
  read(all);
  trial.samples();
  read(all);
  auto samples = trial.samples();
  EXPECT_EQ(samples["process_gpu_mem_usage of GPU 0"].at(0).value, 1200);
  EXPECT_EQ(samples["process_gpu_mem_usage_100 of GPU 0"].at(0).value, 1000);
  EXPECT_EQ(samples["process_gpu_mem_usage_101 of GPU 0"].at(0).value, 200);
  EXPECT_EQ(samples["gpu_mem_foreign of GPU 0"].at(0).value, 70);
  EXPECT_EQ(samples["process_gpu_usage of GPU 0"].at(0).value, 35);
  EXPECT_EQ(samples["gpu_foreign_usage of GPU 0"].at(0).value, 40);
  EXPECT_GT(samples["gpu_foreign_usage of GPU 0"].at(0).window_ns, 0);
  script.set("gpus=1;processes=100:1000;use=");
  read(all);
  samples = trial.samples();
  EXPECT_EQ(samples["gpu_mem_foreign of GPU 0"].at(0).value, 0);
  EXPECT_EQ(samples["process_gpu_usage of GPU 0"].at(0).value, 0);  // nothing ran
}

TEST_F(MetersOfGpus, numbers_of_another_namespace_are_not_taken_for_foreign_processes) {
  Script script("gpus=1;memused2=5;processes=777:1000;use=777:90");
  const MeterReaders all = readers();
  read(all);
  auto samples = trial.samples();
  EXPECT_FALSE(samples.contains("gpu_mem_foreign of GPU 0"));
  EXPECT_EQ(samples["gpu_mem_used of GPU 0"].at(0).value, 5);
  EXPECT_TRUE(has_issue("GPU 0: own and foreign use"));
  script.set("gpus=1;processes=777:1000,100:50;use=777:90");  // now they are seen to be the same
  read(all);
  samples = trial.samples();
  EXPECT_EQ(samples["gpu_mem_foreign of GPU 0"].at(0).value, 1000);
  EXPECT_EQ(samples["process_gpu_mem_usage of GPU 0"].at(0).value, 50);
  script.set("gpus=1;processes=777:1000;use=777:90");  // and stay so while the own one idles
  read(all);
  read(all);
  samples = trial.samples();
  EXPECT_EQ(samples["gpu_mem_foreign of GPU 0"].at(0).value, 1000);
  ASSERT_FALSE(samples["gpu_foreign_usage of GPU 0"].empty());
  EXPECT_EQ(samples["gpu_foreign_usage of GPU 0"].back().value, 90);
}

TEST_F(MetersOfGpus, more_processes_than_expected_find_room) {
  std::string list = "100:1";
  for (int pid = 2000; pid < 2300; ++pid) list += "," + std::to_string(pid) + ":1";
  Script script("gpus=1;processes=" + list + ";use=" + list);
  const MeterReaders all = readers();
  read(all);
  read(all);
  auto samples = trial.samples();
  EXPECT_EQ(samples["gpu_mem_foreign of GPU 0"].at(0).value, 300);
  EXPECT_EQ(samples["gpu_foreign_usage of GPU 0"].at(0).value, 100);  // at most all of it
}

TEST_F(MetersOfGpus, traffic_comes_from_totals_where_there_is_no_gpm) {
  Script script("gpus=1;f197=1000;f198=4294967290;f138=10;f139=20;f94=1;power=300000");
  const MeterReaders all = readers();
  read(all);
  script.set("gpus=1;f197=5000;f198=10;f138=12;f139=20;f94=4;power=300000");
  read(all);
  auto samples = trial.samples();
  EXPECT_NEAR(growth_of(samples["gpu_pcie_transmit of GPU 0"].at(0)), 4000, 1e-5);
  EXPECT_NEAR(growth_of(samples["gpu_pcie_receive of GPU 0"].at(0)), 16, 1e-5);  // it wrapped
  EXPECT_NEAR(growth_of(samples["gpu_link_transmit of GPU 0"].at(0)), 2048, 1e-5);
  EXPECT_EQ(samples["gpu_link_receive of GPU 0"].at(0).value, 0);
  EXPECT_NEAR(growth_of(samples["gpu_pcie_replays of GPU 0"].at(0)), 3, 1e-5);
  EXPECT_EQ(samples["gpu_power of GPU 0"].at(0).value, 300);  // the call stands in for the field
  EXPECT_TRUE(slow_pcie_readers().empty());
}

TEST_F(MetersOfGpus, the_slow_call_is_used_only_where_nothing_else_gives_the_traffic) {
  Script script("gpus=1;pcietx=100;pcierx=7");
  const MeterReaders slow = slow_pcie_readers();
  ASSERT_EQ(slow.size(), 1U);
  read(slow);
  auto samples = trial.samples();
  EXPECT_EQ(samples["gpu_pcie_transmit of GPU 0"].at(0).value, 100000);
  EXPECT_EQ(samples["gpu_pcie_receive of GPU 0"].at(0).value, 7000);
  script.set("gpus=1;gpm=1");
  EXPECT_TRUE(slow_pcie_readers().empty());
}

TEST_F(MetersOfGpus, gpm_gives_activity_over_the_time_between_its_samples) {
  Script script("gpus=1;gpm=1;g2=50;g3=25;g5=12;g10=80;g20=2;g21=1;g60=0;g61=0;f197=1;f198=1");
  const MeterReaders all = readers();
  read(all);
  read(all);  // too early for a second sample
  EXPECT_FALSE(trial.samples().contains("gpu_sm_util of GPU 0"));
  std::this_thread::sleep_for(std::chrono::milliseconds(110));
  script.set("gpus=1;gpm=1;g2=50;g3=25;g5=12;g10=80;g20=2;g21=1;g60=E3;g61=E3;f197=9;f198=9");
  read(all);
  auto samples = trial.samples();
  EXPECT_DOUBLE_EQ(samples["gpu_sm_util of GPU 0"].at(0).value, 0.5);
  EXPECT_DOUBLE_EQ(samples["gpu_sm_occupancy of GPU 0"].at(0).value, 0.25);
  EXPECT_DOUBLE_EQ(samples["gpu_tensor_util of GPU 0"].at(0).value, 0.12);
  EXPECT_DOUBLE_EQ(samples["gpu_dram_util of GPU 0"].at(0).value, 0.8);
  EXPECT_GT(samples["gpu_sm_util of GPU 0"].at(0).window_ns, 100 * kMillisecond);
  ASSERT_EQ(samples["gpu_pcie_transmit of GPU 0"].size(), 1U);  // not from the field as well
  EXPECT_EQ(samples["gpu_pcie_transmit of GPU 0"][0].value, 2097152);
  EXPECT_TRUE(has_issue("GPU 0: gpu_ctxsw_active"));
  EXPECT_TRUE(has_issue("GPU 0: gpu_link_transmit"));
}

TEST_F(MetersOfGpus, what_is_forbidden_is_listed_once_with_its_fix) {
  Script script("gpus=1;gpm=1;gpmsample=E4;sm=E4;util=E999");
  const MeterReaders all = readers();
  read(all);
  read(all);
  const std::vector<MeterIssue> issues = trial.table.issues(0);
  const auto found = std::count_if(issues.begin(), issues.end(), [](const MeterIssue& issue) {
    return issue.what == "GPU 0: activity (GPM)" &&
           issue.reason == "Insufficient Permissions (4)" &&
           issue.fix.find("NVreg_RestrictProfilingToAdminUsers=0") != std::string::npos;
  });
  EXPECT_EQ(found, 1);
  script.set("gpus=1;sm=1000;util=5");
  read(all);
  auto samples = trial.samples();
  EXPECT_FALSE(samples.contains("gpu_sm_frequency of GPU 0"));  // not tried again
  EXPECT_EQ(samples["gpu_usage of GPU 0"].size(), 1U);          // an accident is
}

TEST_F(MetersOfGpus, a_gpu_that_is_lost_is_left_alone_and_the_other_goes_on) {
  Script script("gpus=2;sm=1980;sm.0=E15;temp=50");
  const MeterReaders all = readers();
  read(all);
  auto samples = trial.samples();
  EXPECT_FALSE(samples.contains("gpu_temp of GPU 0"));
  EXPECT_EQ(samples["gpu_temp of GPU 1"].size(), 1U);
  EXPECT_TRUE(has_issue("GPU 0: all meters from here on"));
}

TEST_F(MetersOfGpus, no_library_no_start_and_no_gpu_are_issues) {
  for (const auto& [library, text, reason] :
       std::vector<std::array<std::string, 3>>{{"libno-such-nvml.so.1", "", "libno-such-nvml"},
                                               {kLibrary, "init=E9", "does not start"},
                                               {kLibrary, "gpus=0", "no GPU"}}) {
    Script script(text);
    MeterTable table;
    GpuMeters gpus(library);
    EXPECT_TRUE(gpus.quick_readers(table).empty());
    EXPECT_TRUE(gpus.activity_readers(trial.root(), own, table).empty());
    EXPECT_TRUE(gpus.slow_pcie_readers(table).empty());
    ASSERT_EQ(table.issues(0).size(), 1U) << reason;
    EXPECT_NE(table.issues(0)[0].reason.find(reason), std::string::npos)
        << table.issues(0)[0].reason;
  }
}

}  // namespace
}  // namespace tactus::meters

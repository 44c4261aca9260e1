#include "record/meters/host/host_meters.h"

#include <gtest/gtest.h>

#include <thread>

#include "record/meters/meter_trial.h"

namespace tactus::meters {
namespace {

void wait_a_little() {
  std::this_thread::sleep_for(std::chrono::milliseconds(25));
}

std::shared_ptr<OwnProcesses> own_of(const MeterTrial& trial, std::vector<std::int64_t> pids) {
  return std::make_shared<OwnProcesses>(trial.root(), std::move(pids));
}

TEST(OwnProcesses, children_and_theirs_are_own_and_others_are_not) {
  MeterTrial trial;
  trial.put_process(100, 1);
  trial.put_process(50, 100);  // a smaller number than its parent's: numbers start again
  trial.put_process(200, 50);
  trial.put_process(300, 1);
  trial.put("/proc/meminfo", "");
  trial.put("/proc/400/stat", "400 (cut");
  const auto own = own_of(trial, {100});
  own->scan(trial.table);
  EXPECT_EQ(own->pids(), (std::vector<std::int64_t>{50, 100, 200}));

  trial.remove("/proc/50");  // its child stays own
  trial.put_process(201, 200);
  own->scan(trial.table);
  EXPECT_EQ(own->pids(), (std::vector<std::int64_t>{100, 200, 201}));
  EXPECT_TRUE(trial.issues().empty());
}

TEST(OwnProcesses, a_number_that_is_used_again_is_another_process) {
  MeterTrial trial;
  trial.put_process(100, 1);
  trial.put_process(200, 100, 0, 5);
  const auto own = own_of(trial, {100});
  own->scan(trial.table);
  trial.put_process(200, 1, 0, 6);
  own->scan(trial.table);
  EXPECT_EQ(own->pids(), (std::vector<std::int64_t>{100}));
}

TEST(OwnProcesses, a_target_that_is_missing_is_listed_once) {
  MeterTrial trial;
  trial.put("/proc/meminfo", "");
  const auto own = own_of(trial, {100});
  own->scan(trial.table);
  own->scan(trial.table);
  EXPECT_EQ(trial.issues(), (std::vector<std::string>{"process 100"}));
  own->add(101);
  trial.put_process(101, 1);
  own->scan(trial.table);
  EXPECT_EQ(own->pids(), (std::vector<std::int64_t>{101}));
}

TEST(CpuMeter, own_and_foreign_use_are_apart) {
  MeterTrial trial;
  trial.put_process(100, 1, 1000);
  trial.put("/proc/stat", "cpu  100 0 0 100 0 0 0 0\ncpu0 1\ncpu1 1\nctxt 10\nprocs_running 2\n");
  const auto own = own_of(trial, {100});
  own->scan(trial.table);
  const auto meter = cpu_meter(trial.root(), own);
  trial.read(*meter);
  wait_a_little();
  trial.put_process(100, 1, 1001);
  trial.put("/proc/stat", "cpu  160 0 0 120 10 4 0 6\ncpu0 1\ncpu1 1\nctxt 30\nprocs_running 4\n");
  trial.read(*meter);
  auto samples = trial.samples();
  // 100 ticks: 60 busy, 20 idle, 10 waiting, 4 interrupts, 6 stolen
  EXPECT_DOUBLE_EQ(samples["host_cpu_usage of Host"].at(0).value, 70);
  EXPECT_DOUBLE_EQ(samples["host_cpu_iowait of Host"].at(0).value, 10);
  EXPECT_DOUBLE_EQ(samples["host_cpu_irq of Host"].at(0).value, 4);
  EXPECT_DOUBLE_EQ(samples["host_cpu_steal of Host"].at(0).value, 6);
  EXPECT_NEAR(growth_of(samples["context_switches of Host"].at(0)), 20, 1e-6);
  EXPECT_EQ(samples["procs_running of Host"].back().value, 4);
  const MeterSample& used = samples["process_cpu_usage of Host"].at(0);
  EXPECT_NEAR(growth_of(used), 1, 1e-6);  // % of a core times s: one tick of 10 ms
  EXPECT_NEAR(growth_of(samples["process_cpu_usage_100 of Host"].at(0)), 1, 1e-6);
  const MeterSample& foreign = samples["host_cpu_foreign of Host"].at(0);
  EXPECT_LT(foreign.value, 70);
  EXPECT_NEAR(foreign.value, 70 - 100 * 0.01 / (2e-9 * static_cast<double>(foreign.window_ns)),
              1e-6);
}

TEST(CpuMeter, totals_that_fall_and_bad_contents_give_no_wrong_value) {
  MeterTrial trial;
  trial.put("/proc/stat", "cpu  100 0 0 100 50 0 0 0\ncpu0 1\n");
  const auto meter = cpu_meter(trial.root(), own_of(trial, {}));
  trial.read(*meter);
  wait_a_little();
  trial.put("/proc/stat", "cpu  110 0 0 90 40 0 0 0\ncpu0 1\n");  // idle and iowait fell
  trial.read(*meter);
  EXPECT_DOUBLE_EQ(trial.samples()["host_cpu_usage of Host"].at(0).value, 100);
  for (const char* text : {"", "cpu", "cpu 1 2", "nonsense", "cpu  1 1 1 1 1 1 1 1\n"}) {
    wait_a_little();
    trial.put("/proc/stat", text);
    trial.read(*meter);
    EXPECT_TRUE(trial.samples().empty()) << text;
  }
  trial.remove("/proc/stat");
  wait_a_little();
  trial.read(*meter);
  EXPECT_EQ(trial.issues(), (std::vector<std::string>{"use of the host's cores"}));
}

TEST(CpuMeter, a_process_that_ends_is_left_out_and_the_rest_goes_on) {
  MeterTrial trial;
  trial.put_process(100, 1, 5);
  trial.put_process(101, 100, 5);
  const auto own = own_of(trial, {100});
  own->scan(trial.table);
  const auto meter = cpu_meter(trial.root(), own);
  trial.read(*meter);
  trial.put_process(100, 1, 6);
  trial.remove("/proc/101");
  trial.read(*meter);
  auto samples = trial.samples();
  EXPECT_NEAR(growth_of(samples["process_cpu_usage of Host"].at(0)), 1, 1e-6);
  EXPECT_FALSE(samples.contains("process_cpu_usage_101 of Host"));
  trial.remove("/proc/100");
  own->scan(trial.table);
  trial.read(*meter);
  EXPECT_TRUE(trial.samples().empty());
}

TEST(FrequencyMeter, a_core_that_goes_offline_is_left_out_until_it_is_back) {
  MeterTrial trial;
  const std::string cpu = "/sys/devices/system/cpu/";
  trial.put(cpu + "online", "0-1\n");
  trial.put(cpu + "cpu0/cpufreq/scaling_cur_freq", "2400000\n");
  trial.put(cpu + "cpu1/cpufreq/scaling_cur_freq", "3600000\n");
  const auto meter = frequency_meter(trial.root());
  trial.read(*meter);
  auto samples = trial.samples();
  EXPECT_EQ(samples["cpu_frequency_0 of Host"].at(0).value, 2400);
  EXPECT_EQ(samples["cpu_frequency_1 of Host"].at(0).value, 3600);
  trial.remove(cpu + "cpu1/cpufreq");
  trial.put(cpu + "cpu0/cpufreq/scaling_cur_freq", "-5\n");
  trial.read(*meter);
  EXPECT_TRUE(trial.samples().empty());
  trial.put(cpu + "cpu1/cpufreq/scaling_cur_freq", "1200000\n");
  trial.read(*meter);
  EXPECT_EQ(trial.samples()["cpu_frequency_1 of Host"].at(0).value, 1200);
  EXPECT_TRUE(trial.issues().empty());
}

TEST(FrequencyMeter, cpuinfo_stands_in_and_its_absence_is_listed) {
  MeterTrial trial;
  trial.put("/proc/cpuinfo", "processor : 0\ncpu MHz : 2000.5\nprocessor : 1\ncpu MHz : 1000\n");
  trial.read(*frequency_meter(trial.root()));
  EXPECT_EQ(trial.samples()["cpu_frequency_0 of Host"].at(0).value, 2000.5);
  trial.put("/proc/cpuinfo", "processor : 0\n");
  trial.read(*frequency_meter(trial.root()));
  EXPECT_EQ(trial.issues(), (std::vector<std::string>{"clock of the cores"}));
}

TEST(PressureMeter, is_the_growth_of_stalled_time) {
  MeterTrial trial;
  const auto put = [&](const char* total) {
    for (const char* kind : {"cpu", "memory", "io"}) {
      trial.put(std::string("/proc/pressure/") + kind,
                std::string("some avg10=0.00 avg60=0.00 avg300=0.00 total=") + total + "\n");
    }
  };
  put("1000");
  const auto meter = pressure_meter(trial.root());
  trial.read(*meter);
  put("4000");
  trial.read(*meter);
  put("10");  // fell
  trial.read(*meter);
  auto samples = trial.samples();
  for (const char* name : {"cpu_pressure", "memory_pressure", "io_pressure"}) {
    ASSERT_EQ(samples[std::string(name) + " of Host"].size(), 1U) << name;
    EXPECT_NEAR(growth_of(samples[std::string(name) + " of Host"][0]), 3000, 1e-6);
  }
  trial.remove("/proc/pressure");
  trial.read(*meter);
  EXPECT_EQ(trial.issues(), (std::vector<std::string>{"pressure stall information"}));
}

TEST(RunQueueMeter, is_the_longest_wait_of_a_main_thread) {
  MeterTrial trial;
  trial.put_process(100, 1);
  trial.put_process(101, 100);
  const auto put = [&](const char* pid, const char* text) {
    trial.put(std::string("/proc/") + pid + "/task/" + pid + "/schedstat", text);
  };
  put("100", "10 1000 1\n");
  put("101", "10 1000 1\n");
  const auto own = own_of(trial, {100});
  own->scan(trial.table);
  const auto meter = run_queue_meter(trial.root(), own);
  trial.read(*meter);
  put("100", "10 3000 1\n");
  put("101", "10 8000 1\n");
  trial.read(*meter);
  auto samples = trial.samples();
  ASSERT_EQ(samples["runq_wait of Host"].size(), 1U);
  EXPECT_NEAR(growth_of(samples["runq_wait of Host"][0]), 7, 1e-6);  // us
}

TEST(StopMeter, sees_a_stopped_process_and_a_frozen_container) {
  MeterTrial trial;
  trial.put_process(100, 1);
  trial.put_process(101, 100);
  trial.put("/proc/100/cgroup", "0::/pod\n");
  trial.put("/sys/fs/cgroup/pod/cgroup.events", "populated 1\nfrozen 0\n");
  const auto meter = stop_meter(trial.root(), own_of(trial, {100}));
  const auto look = [&] {
    trial.read(*meter);
    return trial.samples()["process_stopped of Host"].at(0).value;
  };
  EXPECT_EQ(look(), 0);
  trial.put_process(101, 100, 0, 100, 'T');
  EXPECT_EQ(look(), 0) << "a child that is not recorded";
  trial.put_process(100, 1, 0, 100, 'T');
  EXPECT_EQ(look(), 1e6) << "us per second";
  trial.put_process(100, 1, 0, 100, 't');
  EXPECT_EQ(look(), 1e6) << "by a debugger";
  trial.put_process(100, 1);
  trial.put("/sys/fs/cgroup/pod/cgroup.events", "populated 1\nfrozen 1\n");
  EXPECT_EQ(look(), 1e6) << "its container";
}

TEST(QuotaMeter, shows_how_long_the_group_was_stopped) {
  MeterTrial trial;
  trial.put_process(100, 1);
  trial.put("/proc/100/cgroup", "0::/pod\n");
  trial.put("/sys/fs/cgroup/pod/cpu.stat", "usage_usec 10\nthrottled_usec 100\n");
  const auto meter = quota_meter(trial.root(), own_of(trial, {100}));
  trial.read(*meter);
  trial.put("/sys/fs/cgroup/pod/cpu.stat", "usage_usec 20\nthrottled_usec 400\n");
  trial.read(*meter);
  auto samples = trial.samples();
  EXPECT_NEAR(growth_of(samples["container_cpu_throttled of Host"].at(0)), 300, 1e-6);
  EXPECT_EQ(samples["container_cpu_usage of Host"].size(), 1U);
  const auto none = quota_meter(trial.root(), own_of(trial, {101}));
  trial.read(*none);
  EXPECT_EQ(trial.issues(), (std::vector<std::string>{"CPU quota of the container"}));
}

TEST(MemoryMeters, host_and_processes) {
  MeterTrial trial;
  trial.put("/proc/meminfo", "MemTotal: 1000 kB\nMemFree: 100 kB\nMemAvailable: 250 kB\n");
  trial.read(*memory_meter(trial.root()));
  auto samples = trial.samples();
  EXPECT_EQ(samples["host_mem_available of Host"].at(0).value, 256000);
  EXPECT_DOUBLE_EQ(samples["host_mem_usage of Host"].at(0).value, 75);
  EXPECT_FALSE(samples.contains("host_mem_cache of Host"));

  trial.put_process(100, 1);
  trial.put_process(101, 100);
  trial.put("/proc/100/statm", "9 2 0");
  trial.put("/proc/101/statm", "9 3 0");
  trial.put("/proc/100/status", "VmSwap: 4 kB\n");
  const auto own = own_of(trial, {100});
  own->scan(trial.table);
  trial.read(*process_memory_meter(trial.root(), own));
  samples = trial.samples();
  const double page = samples["process_mem_rss_100 of Host"].at(0).value / 2;
  EXPECT_GT(page, 0);
  EXPECT_EQ(samples["process_mem_rss of Host"].at(0).value, 5 * page);
  EXPECT_EQ(samples["process_mem_swap of Host"].at(0).value, 4096);

  trial.put("/proc/vmstat", "pgfault 10\npgmajfault 1\npswpin 0\n");
  const auto paging = paging_meter(trial.root());
  trial.read(*paging);
  trial.put("/proc/vmstat", "pgfault 30\npgmajfault x\npswpin 0\n");
  trial.read(*paging);
  samples = trial.samples();
  EXPECT_NEAR(growth_of(samples["page_faults of Host"].at(0)), 20, 1e-6);
  EXPECT_EQ(samples["swap_in of Host"].at(0).value, 0);
  EXPECT_FALSE(samples.contains("major_faults of Host"));
}

TEST(MemoryMeters, a_total_of_nothing_is_an_issue) {
  MeterTrial trial;
  trial.put("/proc/meminfo", "MemTotal: x kB\n");
  trial.read(*memory_meter(trial.root()));
  trial.read(*paging_meter(trial.root()));
  EXPECT_EQ(trial.issues(), (std::vector<std::string>{"memory of the host",
                                                      "page faults and swapping of the host"}));
}

TEST(ProcessIoMeter, sums_over_own_processes) {
  MeterTrial trial;
  trial.put_process(100, 1);
  trial.put("/proc/100/io", "rchar: 9\nread_bytes: 1000\nwrite_bytes: 0\n");
  const auto own = own_of(trial, {100});
  own->scan(trial.table);
  const auto meter = process_io_meter(trial.root(), own);
  trial.read(*meter);
  trial.put("/proc/100/io", "rchar: 9\nread_bytes: 5000\nwrite_bytes: 700\n");
  trial.read(*meter);
  auto samples = trial.samples();
  EXPECT_NEAR(growth_of(samples["process_io_read of Host"].at(0)), 4000, 1e-5);
  EXPECT_NEAR(growth_of(samples["process_io_write of Host"].at(0)), 700, 1e-5);
}

TEST(DiskMeter, counts_whole_disks_and_each_byte_once) {
  MeterTrial trial;
  std::filesystem::create_directories(trial.root().path("/sys/block/sda"));
  std::filesystem::create_directories(trial.root().path("/sys/block/dm-0"));
  trial.put("/proc/diskstats",
            "8 0 sda 10 0 100 50 10 0 100 50 0 4294967290\n8 1 sda1 1 0 1 1 1 0 1 1 0 1\n"
            "253 0 dm-0 1 0 1 1 1 0 1 1 0 1\n");
  const auto meter = disk_meter(trial.root());
  trial.read(*meter);
  trial.put("/proc/diskstats",
            "8 0 sda 12 0 108 70 12 0 100 70 0 4\n8 1 sda1 9 0 9 9 9 0 9 9 0 9\n"
            "253 0 dm-0 9 0 9 9 9 0 9 9 0 9\n");
  trial.read(*meter);
  auto samples = trial.samples();
  EXPECT_EQ(samples.size(), 4U);
  EXPECT_NEAR(growth_of(samples["disk_read of sda"].at(0)), 8 * 512, 1e-5);
  EXPECT_EQ(samples["disk_write of sda"].at(0).value, 0);
  EXPECT_DOUBLE_EQ(samples["disk_await of sda"].at(0).value, 10);  // 40 ms for 4 requests
  EXPECT_GT(samples["disk_util of sda"].at(0).value, 0);           // the total wrapped
  EXPECT_LE(samples["disk_util of sda"].at(0).value, 100);
}

TEST(NetworkMeter, takes_cards_and_in_a_container_what_there_is) {
  MeterTrial trial;
  const auto line = [](const char* name, int bytes) {
    return fmt::format("{}: {} 0 0 0 0 0 0 0 {} 0 0 0 0 0 0 0\n", name, bytes, bytes);
  };
  const auto put = [&](int bytes) {
    trial.put("/proc/net/dev", line("lo", bytes) + line("eth0", bytes) + line("veth1", bytes));
  };
  put(10);
  const auto container = network_meter(trial.root());
  trial.put("/sys/class/net/veth1/device/x", "");
  const auto host = network_meter(trial.root());
  trial.remove("/sys/class/net");
  trial.read(*container);
  trial.put("/sys/class/net/veth1/device/x", "");
  trial.read(*host);
  put(30);
  trial.read(*container);
  auto samples = trial.samples();
  EXPECT_EQ(samples.size(), 3U);
  EXPECT_NEAR(growth_of(samples["net_rx_rate of eth0"].at(0)), 20, 1e-6);
  trial.read(*host);
  samples = trial.samples();
  EXPECT_EQ(samples.size(), 3U);
  EXPECT_NEAR(growth_of(samples["net_tx_rate of veth1"].at(0)), 20, 1e-6);
}

TEST(InfinibandMeter, counts_words_of_four_bytes) {
  MeterTrial trial;
  const std::string counters = "/sys/class/infiniband/mlx5_0/ports/1/counters/";
  trial.put(counters + "port_rcv_data", "100\n");
  trial.put(counters + "port_xmit_data", "100\n");
  const auto meter = infiniband_meter(trial.root());
  trial.read(*meter);
  trial.put(counters + "port_rcv_data", "150\n");
  trial.put(counters + "port_xmit_data", "N/A (no PMA)\n");
  trial.read(*meter);
  auto samples = trial.samples();
  EXPECT_EQ(samples.size(), 1U);
  EXPECT_NEAR(growth_of(samples["ib_rx_rate of mlx5_0/1"].at(0)), 200, 1e-6);
}

TEST(HostMeters, an_empty_machine_lists_what_is_missing_and_a_hostile_one_does_no_harm) {
  MeterTrial trial;
  const auto own = own_of(trial, {100});
  for (const auto& reader : host_readers(trial.root(), own)) trial.read(*reader);
  EXPECT_TRUE(trial.samples().empty());
  EXPECT_GE(trial.issues().size(), 6U);

  const std::string huge(9 << 20, '9');
  for (const char* path : {"/proc/stat", "/proc/meminfo", "/proc/vmstat", "/proc/diskstats",
                           "/proc/net/dev", "/proc/cpuinfo", "/proc/pressure/cpu"}) {
    trial.put(path, huge);
  }
  std::filesystem::create_directories(trial.root().path("/proc/pressure/io"));  // not a file
  for (const auto& reader : host_readers(trial.root(), own)) trial.read(*reader);
  EXPECT_TRUE(trial.samples().empty());
}

}  // namespace
}  // namespace tactus::meters

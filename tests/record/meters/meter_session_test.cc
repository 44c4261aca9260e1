#include "record/meters/meter_session.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <thread>

#include "base/progress.h"
#include "counters/counter_samples.h"
#include "run/builder.h"
#include "sources/counters/sample_writer.h"
#include "support/files.h"

namespace tactus::meters {
namespace {

const std::string kFakeNvml = TACTUS_FAKE_NVML_FOLDER "/libnvidia-ml.so.1";

/// A session with all that it gave until now.
struct Watched {
  explicit Watched(MeterOptions options) {
    auto started = MeterSession::start(std::move(options));
    EXPECT_TRUE(started) << (started ? "" : started.error().message);
    session = std::move(*started);
  }
  /// Drains until the counter has that many samples; false if that takes forever.
  bool wait_for(const std::string& name, std::size_t count) {
    for (int tries = 0; tries < 3000; ++tries) {
      session->drain(samples);
      if (values(name).size() >= count) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  MeterRate rate(const std::string& name) const {
    for (const MeterRate& rate : session->rates()) {
      if (rate.name == name) return rate;
    }
    return {};
  }
  std::vector<double> values(const std::string& name) const {
    const std::vector<MeterCounter> counters = session->counters();
    std::vector<double> found;
    for (const MeterSample& sample : samples) {
      if (counters.at(sample.counter).name == name) found.push_back(sample.value);
    }
    return found;
  }

  std::unique_ptr<MeterSession> session;
  std::vector<MeterSample> samples;
};

/// A child that computes until it is killed, or waits.
class Child {
 public:
  explicit Child(bool busy) : pid_(::fork()) {
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // also if the test does not get to end it
    volatile unsigned turns = 0;
    while (busy) turns = turns + 1;
    while (true) ::pause();
  }
  ~Child() { end(); }
  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

TEST(MeterSession, a_busy_process_uses_more_than_an_idle_one) {
  const Child busy(true);
  const Child idle(false);
  Watched watched({.pids = {busy.pid(), idle.pid()}, .hz = 50, .budget = 0, .gpu = false});
  const std::string name = "process_cpu_usage_";
  ASSERT_TRUE(watched.wait_for(name + std::to_string(busy.pid()), 20));
  ASSERT_TRUE(watched.wait_for(name + std::to_string(idle.pid()), 20));
  ASSERT_TRUE(watched.wait_for("host_cpu_usage", 5));
  const auto mean = [&](const std::string& counter) {
    const std::vector<double> values = watched.values(counter);
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  };
  EXPECT_GT(mean(name + std::to_string(busy.pid())), mean(name + std::to_string(idle.pid())));
  EXPECT_GT(mean("process_cpu_usage"), mean(name + std::to_string(idle.pid())));
  EXPECT_GT(mean("host_cpu_usage"), 0);
  EXPECT_LE(mean("host_cpu_usage"), 100);
}

TEST(MeterSession, samples_carry_both_clocks_and_every_name_is_known_to_compare) {
  const MeterTime before = meter_time();
  Watched watched({.pids = {::getpid()}, .hz = 50, .gpu = false});
  ASSERT_TRUE(watched.wait_for("host_cpu_usage", 3));
  watched.session->stop();
  const MeterTime after = meter_time();
  const std::vector<MeterCounter> counters = watched.session->counters();
  const std::vector<MeterDevice> devices = watched.session->devices();
  ASSERT_FALSE(watched.samples.empty());
  for (const MeterSample& sample : watched.samples) {
    EXPECT_GE(sample.time.raw_ns, before.raw_ns);
    EXPECT_LE(sample.time.raw_ns, after.raw_ns);
    EXPECT_GT(sample.time.real_ns, 0);
    ASSERT_LT(sample.counter, counters.size());
  }
  for (const MeterCounter& counter : counters) {
    const auto match = match_counter(counter.name, counter.unit);
    ASSERT_TRUE(match) << counter.name;
    EXPECT_EQ(match->fact->unit, counter.unit) << counter.name;
    EXPECT_EQ(match->scale, 1) << counter.name;
    EXPECT_FALSE(match->is_total) << counter.name;
    EXPECT_LT(counter.device, devices.size());
  }
}

TEST(MeterSession, what_it_cost_and_lost_is_counted) {
  MeterOptions options{.pids = {::getpid()}, .hz = 100, .budget = 0, .gpu = false};
  options.buffer_samples = 16;
  Watched watched(std::move(options));
  while (watched.session->stats()[0].lost == 0) {  // nobody drains
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  watched.session->stop();
  const SamplerStats stats = watched.session->stats()[0];
  EXPECT_EQ(stats.samples, 16U);
  EXPECT_GT(stats.turns, 0U);
  EXPECT_GT(stats.cpu_ns, 0);
  EXPECT_GT(stats.wall_ns, 0);
  watched.session->drain(watched.samples);
  EXPECT_EQ(watched.samples.size(), 16U);
}

TEST(MeterSession, a_budget_that_is_too_small_makes_readings_rare) {
  Watched watched({.pids = {::getpid()}, .hz = 100, .budget = 1e-6, .gpu = false});
  while (watched.rate("cpu").limit != MeterRate::Limit::kCost) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_LT(watched.rate("cpu").hz, watched.rate("cpu").wanted_hz);
}

TEST(MeterSession, a_dear_call_of_the_driver_slows_down_only_its_own_meter) {
  // The list of processes costs as much as ten readings per second may altogether.
  ::setenv("TACTUS_FAKE_NVML",
           "gpus=1;sm=1980;reasons=4;util=50;f186=400000;processes=1:5;cpu:processes=20000", 1);
  Watched watched({.pids = {::getpid()}, .hz = 20, .budget = 0.05, .nvml = kFakeNvml});
  // In the first second, it is not slowed down.
  ASSERT_TRUE(watched.wait_for("gpu_sm_frequency", 20));
  const std::uint64_t before = watched.rate("gpu process memory").readings;
  ASSERT_TRUE(watched.wait_for("gpu_sm_frequency", 80));
  const MeterRate dear = watched.rate("gpu process memory");
  EXPECT_EQ(dear.limit, MeterRate::Limit::kCost);
  EXPECT_EQ(dear.device, "GPU 0");
  EXPECT_GE(dear.cost_ns, 20e6);
  EXPECT_EQ(dear.wanted_hz, 10);
  for (const char* cheap : {"gpu clocks", "gpu use", "gpu power", "cpu", "pressure"}) {
    EXPECT_NE(watched.rate(cheap).limit, MeterRate::Limit::kCost) << cheap;
    EXPECT_GT(watched.rate(cheap).readings, 2 * (dear.readings - before)) << cheap;
  }
  watched.session->stop();
  ::unsetenv("TACTUS_FAKE_NVML");
}

TEST(MeterSession, a_call_that_waits_keeps_no_quick_meter_waiting) {
  ::setenv("TACTUS_FAKE_NVML",
           "gpus=1;sm=1980;processes=1:5;wait:processes=400000;pcietx=1;wait:pcietx=400000", 1);
  Watched watched({.pids = {::getpid()}, .hz = 50, .nvml = kFakeNvml});
  ASSERT_TRUE(watched.wait_for("gpu_sm_frequency", 100));
  EXPECT_GT(watched.rate("gpu clocks").readings, 4 * watched.rate("gpu process memory").readings);
  EXPECT_GT(watched.rate("gpu clocks").readings, 4 * watched.rate("gpu pcie (slow)").readings);
  EXPECT_EQ(watched.rate("gpu process memory").limit, MeterRate::Limit::kLate);
  watched.session->stop();
  ::unsetenv("TACTUS_FAKE_NVML");
}

TEST(MeterSession, a_process_that_ends_is_listed_and_the_host_goes_on) {
  Child child(false);
  Watched watched({.pids = {child.pid()}, .hz = 50, .gpu = false});
  ASSERT_TRUE(watched.wait_for("process_cpu_usage", 2));
  child.end();
  while (watched.session->issues().empty() ||
         watched.session->issues().back().what.find("process ") != 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const std::size_t before = watched.values("host_cpu_usage").size();
  EXPECT_TRUE(watched.wait_for("host_cpu_usage", before + 2));
}

TEST(MeterSession, a_process_can_be_added_later) {
  const Child child(false);
  Watched watched({.hz = 50, .gpu = false});
  ASSERT_TRUE(watched.wait_for("host_cpu_usage", 1));
  EXPECT_TRUE(watched.values("process_cpu_usage").empty());
  watched.session->add_process(child.pid());
  EXPECT_TRUE(watched.wait_for("process_cpu_usage", 1));
}

TEST(MeterSession, gpus_are_sampled_on_a_thread_of_their_own) {
  ::setenv("TACTUS_FAKE_NVML", "gpus=1;sm=1980;gpm=1;g2=50", 1);
  {
    Watched watched({.pids = {::getpid()}, .hz = 50, .nvml = kFakeNvml});
    EXPECT_TRUE(watched.wait_for("gpu_sm_frequency", 5));
    EXPECT_TRUE(watched.wait_for("gpu_sm_util", 1));
    EXPECT_TRUE(watched.wait_for("host_cpu_usage", 1));
  }
  ::unsetenv("TACTUS_FAKE_NVML");
}

TEST(MeterSession, a_driver_that_hangs_stops_neither_the_host_s_meters_nor_the_end) {
  ::setenv("TACTUS_FAKE_NVML", "gpus=1;sm=hang", 1);
  Watched watched({.pids = {::getpid()}, .hz = 50, .nvml = kFakeNvml});
  EXPECT_TRUE(watched.wait_for("host_cpu_usage", 5));
  watched.session->stop();
  std::set<std::string> issues;
  for (const MeterIssue& issue : watched.session->issues()) issues.insert(issue.what);
  EXPECT_TRUE(issues.contains("meters-gpu"));
  ::unsetenv("TACTUS_FAKE_NVML");
}

TEST(MeterSession, without_a_gpu_one_issue_says_so) {
  Watched watched({.hz = 50, .nvml = "libno-such-nvml.so.1"});
  ASSERT_TRUE(watched.wait_for("host_cpu_usage", 1));
  const std::vector<MeterIssue> issues = watched.session->issues();
  const auto found = std::count_if(issues.begin(), issues.end(), [](const MeterIssue& issue) {
    return issue.what == "all meters of GPUs";
  });
  EXPECT_EQ(found, 1);
}

TEST(MeterSession, options_that_make_no_sense_are_refused) {
  EXPECT_FALSE(MeterSession::start({.hz = 0}));
  EXPECT_FALSE(MeterSession::start({.hz = 1000}));
  EXPECT_FALSE(MeterSession::start({.budget = -1}));
  EXPECT_FALSE(MeterSession::start({.pids = {-5}}));
}

TEST(MeterSession, its_samples_are_counters_of_the_host_in_a_run) {
  Watched watched({.pids = {::getpid()}, .hz = 50, .gpu = false});
  ASSERT_TRUE(watched.wait_for("host_cpu_usage", 4));
  ASSERT_TRUE(watched.wait_for("process_mem_rss", 2));
  watched.session->stop();
  const std::vector<MeterCounter> table = watched.session->counters();
  const std::vector<MeterDevice> devices = watched.session->devices();
  RunBuilder builder;
  builder.begin_source("meters", "counters");
  counters::SampleWriter writer(builder, [](std::string_view) { return std::string_view(); });
  for (const MeterSample& sample : watched.samples) {
    const MeterCounter& counter = table[sample.counter];
    writer.add(counter.name, devices[counter.device].label, sample.time.real_ns,
               std::to_string(sample.value));
  }
  const auto run = builder.finish();
  std::set<std::string> found;
  for (const SampleSeries& series : counter_samples(run)) {
    EXPECT_EQ(series.place, "Host");
    found.insert(std::string(series.fact->name));
  }
  for (const char* name : {"host_cpu_usage", "host_cpu_foreign", "process_cpu_usage",
                           "process_mem_rss", "host_mem_available", "context_switches"}) {
    EXPECT_TRUE(found.contains(name)) << name;
  }
}

}  // namespace
}  // namespace tactus::meters

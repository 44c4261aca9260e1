#include "counters/counter_levels.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/hand_made_run.h"

namespace tactus {
namespace {

using testing::HandMadeRun;

TEST(SampleSeries, come_in_order_and_without_what_is_no_number) {
  HandMadeRun made;
  made.sample("gpu_usage", "GPU 0", 300, "30").sample("gpu_usage", "GPU 0", 100, "10");
  made.sample("gpu_usage", "GPU 0", 200, "NaN").sample("gpu_usage", "GPU 0", 100, "20");
  made.sample("weather", "GPU 0", 100, "1");
  const std::vector<SampleSeries> samples = counter_samples(made.run());
  ASSERT_EQ(samples.size(), 1U);
  EXPECT_EQ(samples[0].place, "GPU 0");
  EXPECT_EQ(samples[0].times_ns, (std::vector<std::int64_t>{100, 300}));
  EXPECT_EQ(samples[0].values, (std::vector<double>{15, 30}));
  EXPECT_EQ(samples[0].interval_ns, 200);
}

TEST(SampleSeries, a_series_of_unknown_numbers_is_none) {
  HandMadeRun made;
  made.sample("gpu_usage", "GPU 0", 100, "NaN").sample("gpu_usage", "GPU 0", 200, "nan");
  EXPECT_TRUE(counter_samples(made.run()).empty());
}

TEST(SampleSeries, cores_are_averaged_and_cards_added_up) {
  HandMadeRun made;
  made.sample("cpu_frequency", "CPU 0", 100, "3000").sample("cpu_frequency", "CPU 1", 100, "2000");
  made.sample("cpu_frequency", "CPU 0", 200, "1000").sample("cpu_frequency", "CPU 1", 200, "2000");
  made.sample("net_tx_rate", "eth0", 100, "5").sample("net_tx_rate", "eth1", 150, "7");
  made.sample("net_tx_rate", "eth0", 200, "1");
  const std::vector<SampleSeries> samples = counter_samples(made.run());
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(samples[0].place, "Host");
  EXPECT_EQ(samples[0].values, (std::vector<double>{2500, 1500}));
  EXPECT_EQ(samples[1].times_ns, (std::vector<std::int64_t>{100, 150, 200}));
  EXPECT_EQ(samples[1].values, (std::vector<double>{12, 12, 8}));
}

TEST(SampleSeries, gpus_and_processes_are_kept_apart) {
  HandMadeRun made;
  made.sample("gpu_usage", "GPU 1", 100, "10").sample("sm_clock", "cuda:0", 100, "1980");
  made.sample("gpu_usage", "gpu0", 100, "20");
  made.sample("process_gpu_usage_11", "GPU 0", 100, "1");
  made.sample("process_gpu_usage_12", "GPU 0", 100, "2");
  const std::vector<SampleSeries> samples = counter_samples(made.run());
  ASSERT_EQ(samples.size(), 5U);
  EXPECT_EQ(samples[0].fact->name, "gpu_sm_frequency");
  EXPECT_EQ(samples[0].place, "GPU 0");
  EXPECT_EQ(samples[1].place, "GPU 0");
  EXPECT_EQ(samples[1].values[0], 20);
  EXPECT_EQ(samples[2].place, "GPU 1");
  EXPECT_EQ(samples[3].pid, 11);
  EXPECT_EQ(samples[4].pid, 12);
}

TEST(SampleSeries, totals_become_rates_and_a_reset_is_left_out) {
  HandMadeRun made;
  constexpr std::int64_t kSecond = 1'000'000'000;
  made.sample("nvlink_tx_bytes", "GPU 0", 0, "0");
  made.sample("nvlink_tx_bytes", "GPU 0", 2 * kSecond, "5000");
  made.sample("nvlink_tx_bytes", "GPU 0", 3 * kSecond, "100");
  made.sample("nvlink_tx_bytes", "GPU 0", 4 * kSecond, "200");
  const std::vector<SampleSeries> samples = counter_samples(made.run());
  ASSERT_EQ(samples.size(), 1U);
  EXPECT_EQ(samples[0].fact->name, "gpu_link_transmit");
  EXPECT_EQ(samples[0].times_ns, (std::vector<std::int64_t>{kSecond, 7 * kSecond / 2}));
  EXPECT_EQ(samples[0].values, (std::vector<double>{2500, 100}));
}

TEST(CounterReading, is_real_with_three_samples_and_between_neighbours_with_fewer) {
  SampleSeries series;
  series.times_ns = {100, 200, 300, 400};
  series.values = {1, 2, 6, 4};
  const CounterReading real = read_counter(series, 200, 400, series.first_at(200));
  EXPECT_TRUE(real.is_real);
  EXPECT_DOUBLE_EQ(real.mean, 4);
  EXPECT_DOUBLE_EQ(real.spread, std::sqrt(8.0 / 3));

  const CounterReading between = read_counter(series, 150, 250, series.first_at(150));
  EXPECT_FALSE(between.is_real);
  EXPECT_DOUBLE_EQ(between.mean, (1.5 + 4) / 2);
  EXPECT_DOUBLE_EQ(between.spread, (4 - 1.5) / 2);

  const CounterReading on_samples = read_counter(series, 100, 200, series.first_at(100));
  EXPECT_DOUBLE_EQ(on_samples.mean, 1.5);
  const CounterReading before = read_counter(series, 10, 50, series.first_at(10));
  EXPECT_DOUBLE_EQ(before.mean, 1);
  EXPECT_DOUBLE_EQ(before.spread, 0);
  const CounterReading after = read_counter(series, 500, 600, series.first_at(500));
  EXPECT_DOUBLE_EQ(after.mean, 4);
}

TEST(CounterLevels, give_one_value_a_cycle) {
  HandMadeRun made;
  made.cycle(0, 100).cycle(100, 100).cycle(200, 100).cycle(900, 100);
  made.sample("gpu_power", "GPU 0", 10, "100").sample("gpu_power", "GPU 0", 50, "200");
  made.sample("gpu_power", "GPU 0", 250, "400");
  const std::vector<CounterLevels> levels = counter_levels(made.run(), made.cycles());
  ASSERT_EQ(levels.size(), 1U);
  ASSERT_EQ(levels[0].of_cycle.size(), 4U);
  EXPECT_EQ(levels[0].of_cycle[0].mean, 150);
  EXPECT_EQ(levels[0].of_cycle[0].samples, 2);
  EXPECT_EQ(levels[0].of_cycle[1].mean, 300);  // 250 at its begin, 350 at its end
  EXPECT_EQ(levels[0].of_cycle[1].samples, 0);
  EXPECT_EQ(levels[0].of_cycle[2].mean, 400);
  EXPECT_EQ(levels[0].of_cycle[3].mean, std::nullopt);  // the recorder had stopped
}

TEST(CounterLevels, coverage_counts_cycles_that_have_a_sample) {
  HandMadeRun made;
  made.cycle(0, 100).cycle(100, 100).cycle(200, 100).cycle(900, 100);
  made.sample("gpu_power", "GPU 0", 10, "100").sample("gpu_power", "GPU 0", 250, "400");
  made.sample("host_cpu_usage", "Host", 950, "3");
  const std::vector<CounterCoverage> coverage = coverage_of_counters(made.run(), made.cycles());
  ASSERT_EQ(coverage.size(), 2U);
  EXPECT_EQ(coverage[0].counter, "gpu_power");
  EXPECT_EQ(coverage[0].device, "GPU 0");
  EXPECT_EQ(coverage[0].share, 0.5);
  EXPECT_EQ(coverage[0].samples, 2);
  EXPECT_EQ(coverage[0].interpolated, 1);
  EXPECT_EQ(coverage[0].unknown, 1);  // the last one, long after the recorder had stopped
  EXPECT_EQ(coverage[1].share, 0.25);
}

}  // namespace
}  // namespace tactus

#include "record/meters/budget.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tactus::meters {
namespace {

constexpr std::int64_t kTenth = 100'000'000;  // [ns]: ten times per second

Demand demand(double cost_us, Usefulness use = Usefulness::kDetail) {
  return {.cost_ns = cost_us * 1e3, .wanted_ns = kTenth, .use = use};
}

/// The share of a core that these readings take.
double taken(const std::vector<Demand>& demands, const std::vector<std::int64_t>& periods) {
  double share = 0;
  for (std::size_t i = 0; i < demands.size(); ++i) {
    share += demands[i].cost_ns / static_cast<double>(periods[i]);
  }
  return share;
}

TEST(FitBudget, leaves_everything_as_asked_if_that_is_cheap_enough) {
  const std::vector<Demand> demands = {demand(100), demand(500), demand(0)};
  const std::vector<std::int64_t> asked(3, kTenth);
  EXPECT_EQ(fit_budget(demands, 0.01), asked);
  EXPECT_TRUE(fit_budget({}, 0.01).empty());
}

TEST(FitBudget, slows_down_only_what_is_dear_and_uses_all_that_it_may) {
  const std::vector<Demand> demands = {demand(50), demand(40), demand(30), demand(4000)};
  const std::vector<std::int64_t> periods = fit_budget(demands, 0.01);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(periods[i], kTenth) << i;
  EXPECT_GT(periods[3], 4 * kTenth);
  EXPECT_NEAR(taken(demands, periods), 0.01, 1e-6);
}

TEST(FitBudget, of_two_that_are_dear_the_more_useful_one_is_read_more_often) {
  const std::vector<Demand> demands = {demand(2000), demand(2000, Usefulness::kCause),
                                       demand(2000, Usefulness::kBackground)};
  const std::vector<std::int64_t> periods = fit_budget(demands, 0.02);
  // A third of a half is for each; the rest of what it needs, for the useful one.
  EXPECT_NEAR(static_cast<double>(periods[1]), 2e6 / (0.01 / 3 + 0.01), 1e3);
  EXPECT_NEAR(static_cast<double>(periods[0]), 2e6 / (0.01 / 3), 1e3);
  EXPECT_EQ(periods[0], periods[2]);
  EXPECT_NEAR(taken(demands, periods), 0.02, 1e-6);
}

TEST(FitBudget, stops_no_meter) {
  std::vector<Demand> demands(20, demand(40'000, Usefulness::kCause));
  demands.push_back(demand(40'000, Usefulness::kBackground));
  const std::vector<std::int64_t> periods = fit_budget(demands, 0.001);
  EXPECT_NEAR(taken(demands, periods), 0.001, 1e-6);
  EXPECT_NEAR(static_cast<double>(periods.back()), 40e6 / (0.0005 / 21), 1e6);
}

TEST(MeterBudget, each_device_adds_its_share) {
  MeterBudget budget(0.01, kTenth);
  const std::size_t host = budget.add({.name = "cpu"});
  const std::size_t gpu = budget.add({.name = "clocks", .device = "GPU 0"});
  std::int64_t now_ns = 1'000'000'000;
  for (int i = 0; i < 100; ++i, now_ns += kTenth) {
    budget.charge(host, 300'000, now_ns);   // 0.3%
    budget.charge(gpu, 1'600'000, now_ns);  // 1.6%
  }
  EXPECT_EQ(budget.period_ns(host), kTenth);
  EXPECT_EQ(budget.period_ns(gpu), kTenth);
  for (int i = 0; i < 100; ++i, now_ns += kTenth) budget.charge(gpu, 3'400'000, now_ns);
  EXPECT_EQ(budget.period_ns(host), kTenth);
  EXPECT_NEAR(static_cast<double>(budget.period_ns(gpu)), 2e8, 1e6);  // 1.7% are left
}

TEST(MeterBudget, nothing_is_slowed_down_in_the_first_second) {
  MeterBudget budget(0.01, kTenth);
  const std::size_t reader = budget.add({.name = "processes"});
  std::int64_t now_ns = 1'000'000'000;
  for (int i = 0; i < 10; ++i) budget.charge(reader, 9'000'000, now_ns += kTenth);
  EXPECT_EQ(budget.period_ns(reader), kTenth);
  for (int i = 0; i < 3; ++i) budget.charge(reader, 9'000'000, now_ns += kTenth);
  EXPECT_GT(budget.period_ns(reader), kTenth);
}

TEST(MeterBudget, a_first_reading_that_is_dear_says_nothing_about_the_next) {
  MeterBudget budget(0.01, kTenth);
  const std::size_t reader = budget.add({.name = "activity"});
  std::int64_t now_ns = 1'000'000'000;
  budget.charge(reader, 80'000'000, now_ns);
  for (int i = 0; i < 15; ++i) budget.charge(reader, 100'000, now_ns += kTenth);
  EXPECT_EQ(budget.period_ns(reader), kTenth);
}

TEST(MeterBudget, a_meter_that_became_cheap_is_read_as_asked_again) {
  MeterBudget budget(0.01, kTenth);
  const std::size_t reader = budget.add({.name = "processes"});
  std::int64_t now_ns = 1'000'000'000;
  for (int i = 0; i < 15; ++i) budget.charge(reader, 9'000'000, now_ns += kTenth);
  EXPECT_GT(budget.period_ns(reader), 5 * kTenth);
  for (int i = 0; i < 100; ++i) budget.charge(reader, 10'000, now_ns += budget.period_ns(reader));
  EXPECT_EQ(budget.period_ns(reader), kTenth);
}

TEST(MeterBudget, says_what_kept_a_meter_from_being_read_more_often) {
  using Limit = MeterRate::Limit;
  MeterBudget budget(0.01, kTenth);
  const std::size_t asked = budget.add({.name = "a"});
  const std::size_t slow_source = budget.add({.name = "b", .least_ns = 10 * kTenth});
  const std::size_t dear = budget.add({.name = "c"});
  const std::size_t late = budget.add({.name = "d"});
  const std::int64_t begin_ns = 1'000'000'000;
  for (int i = 0; i <= 100; ++i) {
    const std::int64_t now_ns = begin_ns + i * kTenth;
    budget.charge(asked, 1'000, now_ns);
    if (i % 10 == 0) budget.charge(slow_source, 1'000, now_ns);
    if (i < 2) budget.charge(dear, 50'000'000, now_ns);
    if (i % 4 == 0) budget.charge(late, 1'000, now_ns);
  }
  const std::vector<MeterRate> rates = budget.rates(begin_ns + 100 * kTenth);
  ASSERT_EQ(rates.size(), 4U);
  EXPECT_EQ(rates[0].limit, Limit::kAsked);
  EXPECT_NEAR(rates[0].hz, 10, 1e-6);
  EXPECT_EQ(rates[1].limit, Limit::kSource);
  EXPECT_NEAR(rates[1].hz, 1, 1e-6);
  EXPECT_EQ(rates[2].limit, Limit::kCost);
  EXPECT_LT(rates[2].hz, 0.2);  // the time in which it was not read counts
  EXPECT_EQ(rates[3].limit, Limit::kLate);
  EXPECT_NEAR(rates[3].hz, 2.5, 1e-6);
}

}  // namespace
}  // namespace tactus::meters

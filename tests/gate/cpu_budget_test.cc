#include "gate/cpu_budget.h"

#include <gtest/gtest.h>

namespace tactus::gate {
namespace {

/// The share of a core that decisions of `cost_ns` take, if there is always a reason for the next.
double share_of(double allowed, std::int64_t cost_ns, std::int64_t pause_ns) {
  CpuBudget budget(allowed);
  std::int64_t now = 1;
  std::int64_t used = 0;
  for (int i = 0; i < 100'000; ++i) {
    used += cost_ns;
    now += cost_ns + pause_ns;
    now += budget.nap_ns(now, used);
  }
  return static_cast<double>(used) / static_cast<double>(now);
}

TEST(GateCpuBudget, is_kept_however_often_somebody_rings) {
  EXPECT_LE(share_of(0.025, 4'000, 0), 0.026);
  EXPECT_LE(share_of(0.025, 4'000, 100'000), 0.026);
  EXPECT_GE(share_of(0.025, 4'000, 100'000), 0.024);
  // On a busy machine, a change of threads takes long.
  EXPECT_LE(share_of(0.025, 60'000, 100'000), 0.026);
}

TEST(GateCpuBudget, slows_nobody_who_stays_within_it) {
  CpuBudget budget(0.025);
  std::int64_t now = 1;
  budget.nap_ns(now, 0);
  for (std::int64_t used = 0; used < 1'000'000; used += 4'000) {
    now += 200'000;
    EXPECT_EQ(budget.nap_ns(now, used), 0);
  }
}

TEST(GateCpuBudget, does_not_slow_the_first_decisions) {
  CpuBudget budget(0.025);
  EXPECT_EQ(budget.nap_ns(1, 300'000), 0);
  EXPECT_EQ(budget.nap_ns(50'000, 350'000), 0);
}

TEST(GateCpuBudget, allows_a_short_storm_after_a_rest) {
  CpuBudget budget(0.025);
  budget.nap_ns(1, 0);
  std::int64_t now = 1'000'000'000;
  std::int64_t used = 4'000;
  for (int i = 0; i < 500; ++i, used += 4'000, now += 4'000) {
    EXPECT_EQ(budget.nap_ns(now, used), 0) << i;
  }
}

TEST(GateCpuBudget, does_not_sleep_long_for_one_slow_decision) {
  CpuBudget budget(0.025);
  budget.nap_ns(1, 0);
  EXPECT_LE(budget.nap_ns(1'000'000'000, 900'000'000), 5'000'000);
}

}  // namespace
}  // namespace tactus::gate

#include "explain/explanations/causes.h"

#include <gtest/gtest.h>

#include <set>

namespace tactus {
namespace {

TEST(Causes, every_signal_is_in_the_counter_table_and_shows_one_cause) {
  std::set<std::string_view> seen;
  for (const Cause& cause : known_causes()) {
    EXPECT_FALSE(cause.signals.empty()) << verdict_class_name(cause.verdict);
    for (const Signal& signal : cause.signals) {
      EXPECT_NE(find_counter(signal.counter), nullptr) << signal.counter;
      EXPECT_TRUE(seen.insert(signal.counter).second) << signal.counter;
      EXPECT_GT(signal.least, 1) << signal.counter;
      EXPECT_EQ(signal_of(signal.counter), &signal);
      EXPECT_EQ(class_of_counter(signal.counter), cause.verdict);
    }
  }
}

TEST(Causes, the_runs_own_use_is_in_the_counter_table_too) {
  for (const Cause& cause : known_causes()) {
    for (const Signal& signal : cause.signals) {
      EXPECT_FALSE(signal.own == OwnUse::kCounter && signal.own_counter.empty());
      if (signal.own_counter.empty()) continue;
      EXPECT_NE(find_counter(signal.own_counter), nullptr) << signal.own_counter;
      EXPECT_EQ(signal_of(signal.own_counter), nullptr) << signal.own_counter;
    }
  }
}

TEST(Causes, signals_of_one_family_show_the_same_thing) {
  for (const CounterFact& a : known_counters()) {
    for (const CounterFact& b : known_counters()) {
      const Signal* of_a = signal_of(a.name);
      const Signal* of_b = signal_of(b.name);
      if (a.family != b.family || of_a == nullptr || of_b == nullptr) continue;
      EXPECT_EQ(class_of_counter(a.name), class_of_counter(b.name)) << a.name << " " << b.name;
      EXPECT_EQ(of_a->harm, of_b->harm) << a.name << " " << b.name;
    }
  }
}

TEST(Causes, clocks_do_harm_by_falling_and_load_by_rising) {
  EXPECT_EQ(signal_of("gpu_sm_frequency")->harm, Harm::kDown);
  EXPECT_EQ(signal_of("gpu_sm_frequency")->law, Law::kInverse);
  EXPECT_EQ(class_of_counter("host_cpu_usage"), VerdictClass::kCpuContention);
  EXPECT_EQ(signal_of("host_cpu_usage")->harm, Harm::kUp);
  EXPECT_EQ(signal_of("gpu_usage"), nullptr) << "a symptom";
  EXPECT_EQ(class_of_counter("gpu_usage"), VerdictClass::kNone);
}

TEST(Causes, slow_only_the_parts_that_use_their_resource) {
  EXPECT_TRUE(is_slowed(Slows::kKernels, part_of(Family::kGemm)));
  EXPECT_FALSE(is_slowed(Slows::kKernels, part_of(Family::kCollective)));
  EXPECT_TRUE(is_slowed(Slows::kLinks, part_of(Family::kCollective)));
  EXPECT_TRUE(is_slowed(Slows::kCopies, Part::kCopyToDevice));
  EXPECT_FALSE(is_slowed(Slows::kCopies, Part::kCopyOnDevice));
  EXPECT_TRUE(is_slowed(Slows::kHost, Part::kHostCode));
  EXPECT_FALSE(is_slowed(Slows::kHost, part_of(Family::kGemm)));
}

}  // namespace
}  // namespace tactus

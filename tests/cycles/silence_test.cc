// Time between the steps that an engine names, in which its process recorded nothing.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cycles/cycles.h"
#include "cycles/engine_trace.h"
#include "explain/verdict.h"
#include "measure/regroup.h"
#include "support/run_text.h"

namespace tactus {
namespace {

using testing::add_step;
using testing::EngineTrace;
using ::testing::HasSubstr;
using testing::import_json;

constexpr long kMs = 1'000'000;
constexpr std::string_view kDecodes = "execute_context_0(0)_generation_5(5)";

/// 20 named steps. `between` is what the host does behind each.
template <class F>
EngineTrace engine(std::string_view name, F&& between) {
  EngineTrace trace;
  for (int i = 0; i < 20; ++i) {
    add_step(trace, {.category = "user_annotation", .step = name, .layer = ""},
             {.unit_ns = 50'000});
    trace.wait_for_device();
    between(trace);
  }
  return trace;
}

EngineTrace silent(std::string_view name, long ns) {
  return engine(name, [&](EngineTrace& trace) { trace.pause(ns); });
}

EngineTrace scheduling(long ns) {
  return engine("step", [&](EngineTrace& trace) {
    trace.pause(ns / 2).around("cpu_op", "schedule", [] {}).pause(ns / 2);
  });
}

Cycles cycles_of(const EngineTrace& trace) {
  return *find_cycles(import_json(trace.json()), {.silence_is_pause = true});
}

Comparison compared(const EngineTrace& normal, const EngineTrace& abnormal) {
  const tactus::Run runs[2] = {import_json(normal.json()), import_json(abnormal.json())};
  const auto cycles = cycles_to_compare(runs[0], runs[1]);
  ComparedSide sides[2];
  sides[0].recordings.push_back(measure_trace(runs[0], cycles->first));
  sides[1].recordings.push_back(measure_trace(runs[1], cycles->second));
  return compare(sides[0], sides[1]);
}

TEST(Silence, between_named_steps_is_a_pause_and_part_of_no_step) {
  const Cycles steady = cycles_of(silent("step", 0));
  const Cycles paused = cycles_of(silent("step", 2 * kMs));
  ASSERT_EQ(paused.cycles.size(), 20U);
  for (std::size_t i = 0; i + 1 < paused.cycles.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(paused.cycles[i].pause_ns), 2e6, 1e5);
    EXPECT_NEAR(static_cast<double>(paused.cycles[i].dur_ns),
                static_cast<double>(steady.cycles[i].dur_ns), 1e5);
  }
}

TEST(Silence, is_none_if_the_host_did_something_there) {
  for (const Cycle& cycle : cycles_of(scheduling(2 * kMs)).cycles) EXPECT_EQ(cycle.pause_ns, 0);
}

TEST(Silence, before_a_step_that_continues_requests_belongs_to_the_step_before) {
  const Cycles paused = cycles_of(silent(kDecodes, 2 * kMs));
  for (std::size_t i = 0; i + 1 < paused.cycles.size(); ++i) {
    EXPECT_EQ(paused.cycles[i].pause_ns, 0);
    EXPECT_GT(paused.cycles[i].dur_ns, 2 * kMs);
  }
}

TEST(Silence, that_grows_is_not_blamed_on_code_of_the_host) {
  const Comparison comparison = compared(silent("step", 2 * kMs), silent("step", 20 * kMs));
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kUnknown) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.reason, "pauses");
  EXPECT_THAT(comparison.verdict.text,
              HasSubstr("behind its steps the run pauses for 19 ms per step instead of 1.9 ms"));
  EXPECT_THAT(comparison.verdict.text, HasSubstr("or something held it up that was not recorded"));
}

TEST(Silence, of_a_scheduler_that_takes_longer_is_time_of_the_host) {
  const Comparison comparison = compared(scheduling(2 * kMs), scheduling(20 * kMs));
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kHostSlower) << comparison.verdict.text;
  EXPECT_GT(comparison.change->low, 3);
}

}  // namespace
}  // namespace tactus

#include "cycles/pauses.h"

#include <gtest/gtest.h>

namespace tactus {
namespace {

Cycle step(std::int64_t start_ns, Phase phase, std::optional<std::int64_t> sequences = {}) {
  return {.start_ns = start_ns, .dur_ns = 10, .phase = phase, .sequences = sequences};
}

TEST(Pauses, before_a_step_that_continues_requests_belong_to_the_step_before) {
  Cycles cycles;
  cycles.cycles = {step(0, Phase::kPrefill), step(100, Phase::kDecode), step(110, Phase::kDecode)};
  settle_pauses(cycles);
  EXPECT_EQ(cycles.cycles[0].dur_ns, 100);
  EXPECT_EQ(cycles.cycles[0].pause_ns, 0);
  EXPECT_EQ(cycles.cycles[1].dur_ns, 10);
}

TEST(Pauses, before_a_step_that_may_begin_requests_belong_to_none) {
  for (const Phase phase : {Phase::kPrefill, Phase::kMixed, Phase::kUnknown}) {
    Cycles cycles;
    cycles.cycles = {step(0, Phase::kDecode), step(100, phase)};
    settle_pauses(cycles);
    EXPECT_EQ(cycles.cycles[0].dur_ns, 10);
    EXPECT_EQ(cycles.cycles[0].pause_ns, 90);
  }
}

TEST(Pauses, of_a_server_that_only_decodes_may_be_between_requests) {
  Cycles cycles;
  cycles.cycles = {step(0, Phase::kDecode, 3),   step(100, Phase::kDecode, 8),
                   step(200, Phase::kDecode, 8), step(210, Phase::kDecode, 8),
                   step(220, Phase::kDecode, 8), step(230, Phase::kDecode, 8)};
  settle_pauses(cycles);
  EXPECT_EQ(cycles.cycles[0].pause_ns, 90) << "other requests came";
  EXPECT_EQ(cycles.cycles[1].dur_ns, 100) << "the same requests went on";
}

TEST(Pauses, are_what_passes_beyond_the_usual_time_of_the_loop) {
  Cycles cycles;
  cycles.cycles = {step(0, Phase::kDecode), step(12, Phase::kDecode), step(24, Phase::kPrefill),
                   step(36, Phase::kDecode), step(48, Phase::kPrefill)};
  cycles.cycles[3].dur_ns = 5;
  settle_pauses(cycles);
  EXPECT_EQ(cycles.cycles[1].dur_ns, 12) << "as long as before a decode step";
  EXPECT_EQ(cycles.cycles[1].pause_ns, 0);
  EXPECT_EQ(cycles.cycles[3].dur_ns, 7);
  EXPECT_EQ(cycles.cycles[3].pause_ns, 5);
}

TEST(Pauses, of_one_process_are_not_those_of_another) {
  Cycles cycles;
  cycles.cycles = {step(0, Phase::kDecode), step(100, Phase::kDecode)};
  cycles.cycles[1].process = 1;
  settle_pauses(cycles);
  EXPECT_EQ(cycles.cycles[0].dur_ns, 10);
  EXPECT_EQ(cycles.cycles[0].pause_ns, 0);
}

}  // namespace
}  // namespace tactus

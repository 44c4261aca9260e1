#include "watch/step_memory.h"

#include <gtest/gtest.h>

namespace tactus::watch {
namespace {

Step step_of(double launches, double dur_us) {
  return {.dur_us = dur_us, .launches = launches};
}

TEST(StepMemory, keeps_the_latest_steps_when_it_forgets_those_of_a_server_that_was_loading) {
  StepMemory memory(ModelKind::kByLaunches);
  for (int i = 0; i < 100'000; ++i) memory.add(step_of(100, 1000));
  int forgotten = 0;
  for (int i = 0; i < 128; ++i) forgotten += memory.add(step_of(100, 100)) ? 1 : 0;
  EXPECT_EQ(forgotten, 1);
  const std::vector<Step> kept = memory.steps();
  EXPECT_GE(kept.size(), 48U);
  for (const Step& step : kept) EXPECT_EQ(step.dur_us, 100);
}

TEST(StepMemory, forgetting_takes_no_room_from_other_kinds_of_work) {
  StepMemory memory(ModelKind::kByLaunches);
  for (int i = 0; i < 1024; ++i) memory.add(step_of(100, 1000));
  const std::size_t all = memory.steps().size();
  double dur_us = 1000;
  for (int times = 0; times < 5; ++times) {
    dur_us /= 3;
    for (int i = 0; i < 1024; ++i) memory.add(step_of(100, dur_us));
  }
  EXPECT_EQ(memory.steps().size(), all);
}

}  // namespace
}  // namespace tactus::watch

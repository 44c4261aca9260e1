#include <gtest/gtest.h>

#include "explain/made_runs.h"

namespace tactus {
namespace {

using made::RunMaker;

TEST(PartChanges, tests_in_another_direction_than_the_change_say_nothing_about_it) {
  RunMaker a(1);
  RunMaker b(2);
  for (RunMaker* run : {&a, &b}) {
    run->steps().count = 200;
    run->steps().ms[Part::kCopyToDevice] = 0.1;
  }
  // Faster in nearly all steps, and slower on average.
  b.stretch = [](Part part, std::size_t step) {
    if (part != Part::kCopyToDevice) return 1.0;
    return step % 50 == 7 ? 20.0 : 0.8;
  };
  const std::unique_ptr<Measurement> runs[2] = {a.measurement(), b.measurement()};
  const Judgement judgement = judge({runs[0].get()}, {runs[1].get()});
  const PartChange* copies = judgement.job.front().part(Part::kCopyToDevice);
  ASSERT_NE(copies, nullptr);
  EXPECT_GT(copies->after_ns, copies->before_ns);
  EXPECT_FALSE(copies->is_clear()) << copies->p.value_or(-1);
}

}  // namespace
}  // namespace tactus

#include "sources/early_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cycles/trace_text.h"
#include "support/run_text.h"

namespace tactus {
namespace {

using ::testing::HasSubstr;
using testing::import_json;
using testing::TraceText;

/// Kernels that start so long before their launches; the last one starts behind its own.
Run run_with_clocks_apart(long ahead_ns) {
  TraceText trace;
  trace.pause(1'000'000);
  for (int i = 0; i < 4; ++i) {
    trace.pause(20'000).launch("cudaLaunchKernel", trace.now_ns() + (i < 3 ? ahead_ns : -5'000));
    trace.kernel("gemm", 1'000, 0);
  }
  Run run = import_json(trace.json());
  warn_of_early_work(run);
  return run;
}

TEST(EarlyWork, that_starts_before_its_launch_is_counted_once) {
  const tactus::Run run = run_with_clocks_apart(7'500);
  ASSERT_EQ(run.warnings.size(), 1U);
  EXPECT_THAT(run.warnings[0], HasSubstr("3 of 4 launched kernels and copies start before the "
                                         "calls that launch them, by up to 0.0075 ms: the clocks"));
}

TEST(EarlyWork, may_be_rounded_to_whole_microseconds) {
  EXPECT_TRUE(run_with_clocks_apart(-3'000).warnings.empty());
  EXPECT_TRUE(run_with_clocks_apart(999).warnings.empty());
}

}  // namespace
}  // namespace tactus

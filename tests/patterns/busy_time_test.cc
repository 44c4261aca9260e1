#include "patterns/busy_time.h"

#include <gtest/gtest.h>

#include "support/hand_made_run.h"

namespace tactus {
namespace {

using testing::HandMadeRun;

TEST(BusyTime, counts_a_moment_once_however_many_streams_work) {
  HandMadeRun made;
  made.cycle(0, 1000);
  made.kernel("a", 100, 200, 0, 7).kernel("b", 200, 200, 0, 8).kernel("a", 250, 50, 0, 7);
  made.kernel("ncclDevKernel_AllReduce", 350, 100, 0, 9);
  made.host("cuda_runtime", "cudaLaunchKernel", 10, 20, 1);
  made.host("cuda_runtime", "cudaLaunchKernel", 20, 20, 2);
  const std::vector<CycleBusyTime> times = union_ns_per_cycle(made.run(), made.cycles());
  ASSERT_EQ(times.size(), 1U);
  EXPECT_EQ(times[0].of(FunctionType::kGpuCompute), 300);
  EXPECT_EQ(times[0].of(FunctionType::kGpuComm), 100);
  EXPECT_EQ(times[0].of(FunctionType::kCpuLaunch), 30);
  EXPECT_EQ(times[0].of(FunctionType::kCpuSync), 0);
  EXPECT_EQ(times[0].gpu_idle_ns, 1000 - 350);
}

TEST(BusyTime, idle_time_knows_work_of_other_cycles_and_of_none) {
  HandMadeRun made;
  made.cycle(0, 1000).kernel("late", 900, 300);
  made.cycle(1000, 1000).kernel("on_time", 1500, 100);
  made.outside().kernel("without_a_launch", 1800, 50);
  const std::vector<CycleBusyTime> times = union_ns_per_cycle(made.run(), made.cycles());
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[0].of(FunctionType::kGpuCompute), 300);  // not cut off
  EXPECT_EQ(times[0].gpu_idle_ns, 900);
  EXPECT_EQ(times[1].of(FunctionType::kGpuCompute), 100);
  EXPECT_EQ(times[1].gpu_idle_ns, 1000 - 200 - 100 - 50);
}

TEST(BusyTime, a_cycle_without_work_is_idle) {
  HandMadeRun made;
  made.cycle(0, 1000);
  const std::vector<CycleBusyTime> times = union_ns_per_cycle(made.run(), made.cycles());
  ASSERT_EQ(times.size(), 1U);
  EXPECT_EQ(times[0].gpu_idle_ns, 1000);
  EXPECT_TRUE(union_ns_per_cycle(made.run(), Cycles()).empty());
}

}  // namespace
}  // namespace tactus

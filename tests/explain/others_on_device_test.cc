// Whether somebody else used the device.
#include <gtest/gtest.h>

#include "explain/made_runs.h"

namespace tactus {
namespace {

using made::compare;
using made::RunMaker;

TEST(OthersOnDevice, are_not_blamed_if_they_use_no_more_than_before) {
  for (const char* counter : {"gpu_foreign_usage", "gpu_mem_foreign"}) {
    RunMaker a(1);
    RunMaker b(2);
    a.counters[counter] = b.counters[counter] = 5e8;
    b.steps().kernels_times(1.5);
    const Comparison comparison = compare(a, b);
    EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kGpuSlower) << comparison.verdict.text;
  }
}

TEST(OthersOnDevice, that_are_gone_make_a_run_faster) {
  RunMaker a(1);
  RunMaker b(2);
  a.counters["gpu_foreign_usage"] = 40;
  b.counters["gpu_foreign_usage"] = 2;
  a.steps().kernels_times(1.5);
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kGpuContention) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.felt, FeltAs::kFaster);
}

TEST(OthersOnDevice, may_be_too_few_to_be_named_while_the_device_is_slower) {
  RunMaker a(1);
  RunMaker b(2);
  for (RunMaker* run : {&a, &b}) run->steps().ms.erase(Part::kHostCode);
  b.steps().kernels_times(1.08);
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kGpuSlower) << comparison.verdict.text;
}

TEST(OthersOnDevice, that_only_memory_of_all_shows_are_gone_when_it_falls_and_kernels_are_faster) {
  RunMaker a(1);
  RunMaker b(2);
  a.steps().kernels_times(1.5);
  EXPECT_EQ(compare(a, b).verdict.verdict, VerdictClass::kGpuSlower) << "nothing says why";
  // A device is busier with slower kernels, whatever made them slow.
  a.counters["gpu_usage"] = 60;
  EXPECT_EQ(compare(a, b).verdict.verdict, VerdictClass::kGpuSlower) << "nothing says why";
  a.counters["gpu_mem_used"] = 20e9;
  b.counters["gpu_mem_used"] = 11e9;
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(comparison.verdict.verdict, VerdictClass::kGpuContention) << comparison.verdict.text;
  EXPECT_EQ(comparison.verdict.felt, FeltAs::kFaster);
  EXPECT_NE(comparison.verdict.text.find("used the device before"), std::string::npos)
      << comparison.verdict.text;
  a.counters["process_gpu_mem_usage"] = 20e9;
  b.counters["process_gpu_mem_usage"] = 11e9;
  ComparedSide sides[2] = {a.make(), b.make()};
  for (ComparedSide& side : sides) {
    for (CounterValues& values : side.counters) {
      if (values.counter == "process_gpu_mem_usage") values.device = "GPU 0";
    }
  }
  EXPECT_EQ(tactus::compare(sides[0], sides[1]).verdict.verdict, VerdictClass::kGpuSlower)
      << "it was the run's own";
}

}  // namespace
}  // namespace tactus

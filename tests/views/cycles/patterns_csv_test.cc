#include <gtest/gtest.h>

#include "patterns/patterns.h"
#include "sources/sources.h"
#include "support/files.h"
#include "support/hand_made_run.h"
#include "views/cycles/patterns_view.h"

namespace tactus {
namespace {

using testing::HandMadeRun;

template <class F>
std::string written(F&& write) {
  const testing::TemporaryFolder folder;
  Result<OutputFile> file = OutputFile::create(folder.file("out.csv"), false);
  BufferedOutput out(*file);
  EXPECT_TRUE(write(out));
  EXPECT_TRUE(file->commit());
  return testing::read_file(folder.file("out.csv"));
}

std::string patterns_text(const tactus::Run& run) {
  return written(
      [&](BufferedOutput& out) { return write_patterns(run, PatternNumbers::kFourPlaces, out); });
}

TEST(PatternsCsv, has_four_places_and_leaves_unknown_numbers_empty) {
  HandMadeRun made;
  made.run().origin_ns = 1794707064543764933;
  made.cycles().anchor = "step";
  made.cycle(0, 300).kernel("void f<int, 2>(int)", 0, 100).kernel("g", 0, 10);
  made.sample("gpu_power", "GPU 0", 0, "333.33333");
  const std::string text = patterns_text(run_of_patterns(made.run(), made.cycles()));
  EXPECT_EQ(text,
            "cycle,pid,hostname,beta_pct,function_name,metric_name,device,func_type,mu_pct,"
            "sigma_pct,duration,interpolation_status,anchor_name,anchor_dur_us,cycle_start_ts,"
            "instances_count,simple_name\n"
            "1,100,,33.3333,\"void f<int, 2>(int)\",gpu_power,GPU 0,gpu_compute,33333.3330,0.0000,"
            "0.1000,**,step,0.3000,1794707064543764.9330,1,f\n"
            "1,100,,3.3333,g,gpu_power,GPU 0,gpu_compute,33333.3330,0.0000,0.0100,**,step,0.3000,"
            "1794707064543764.9330,1,g\n");
}

TEST(PatternsCsv, read_again_it_is_the_same) {
  HandMadeRun made;
  made.run().origin_ns = 1794707064543764933;
  made.cycle(0, 700).kernel("a", 0, 100).host("cuda_runtime", "cudaLaunchKernel", 5, 3);
  made.cycle(700, 900).kernel("a", 750, 100).kernel("a", 900, 55, 1);
  made.sample("gpu_usage", "GPU 0", 0, "10").sample("gpu_usage", "GPU 0", 800, "77.7");
  const std::string text = patterns_text(run_of_patterns(made.run(), made.cycles()));

  const testing::TemporaryFolder folder;
  NoProgress progress;
  const auto imported = import_run({.inputs = {folder.write("a_perf_data.csv", text)}}, progress);
  ASSERT_TRUE(imported);
  EXPECT_TRUE(imported->run.dropped.empty());
  EXPECT_EQ(patterns_text(imported->run), text);
}

TEST(PatternsCsv, counters_are_those_of_cycles_by_name_and_time_once_each) {
  HandMadeRun made;
  made.run().origin_ns = 1794707064543764000;
  made.cycle(1000, 1000).cycle(5000, 1000);
  made.sample("gpu_usage", "GPU 0", 999, "1").sample("gpu_usage", "GPU 0", 1000, "2");
  made.sample("gpu_usage", "GPU 0", 2000, "3.5").sample("gpu_usage", "GPU 1", 2000, "3.5");
  made.sample("gpu_usage", "GPU 0", 2001, "4").sample("cpu_frequency", "Host", 5500, "1e3");
  EXPECT_EQ(written([&](BufferedOutput& out) {
              return write_counters_of_cycles(made.run(), made.cycles(), out);
            }),
            "counter_name,timestamp,value,hostname\n"
            "cpu_frequency,1794707064543769.500000,1000.000000,\n"
            "gpu_usage,1794707064543765.000000,2.000000,\n"
            "gpu_usage,1794707064543766.000000,3.500000,\n");
}

TEST(PatternsCsv, without_counters_there_is_a_heading) {
  HandMadeRun made;
  made.cycle(0, 100).kernel("a", 0, 10);
  EXPECT_EQ(written([&](BufferedOutput& out) {
              return write_counters_of_cycles(made.run(), made.cycles(), out);
            }),
            "counter_name,timestamp,value,hostname\n");
}

}  // namespace
}  // namespace tactus

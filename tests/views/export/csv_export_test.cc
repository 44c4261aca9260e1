#include <gtest/gtest.h>

#include "sources/sources.h"
#include "support/files.h"
#include "views/export/exports.h"

namespace tactus {
namespace {

/// What a file becomes when it is imported and written as CSV.
std::string as_csv(const std::string& name, const std::string& text) {
  const testing::TemporaryFolder folder;
  NoProgress progress;
  const auto imported = import_run({.inputs = {folder.write(name, text)}}, progress);
  EXPECT_TRUE(imported);
  Result<OutputFile> file = OutputFile::create(folder.file("out.csv"), false);
  EXPECT_TRUE(write_csv(imported->run, {}, *file, progress));
  EXPECT_TRUE(file->commit());
  return testing::read_file(folder.file("out.csv"));
}

TEST(CsvExport, writes_patterns_as_the_file_they_came_from) {
  const std::string text =
      "cycle,pid,hostname,beta_pct,function_name,metric_name,device,func_type,mu_pct,sigma_pct,"
      "duration,interpolation_status,anchor_name,anchor_dur_us,cycle_start_ts,instances_count,"
      "simple_name\n"
      "0,42,node-1,12.50,\"void f<1, 2>(int)\",gpu_sm_util,GPU 0,kernel,90.1,,1500.250,**,step,"
      "12000,1790857026000000.5,3,f\n"
      "1,42,node-1,0,g,gpu_sm_util,GPU 0,kernel,,,0,,step,11000,1790857026012000,,g\n";
  EXPECT_EQ(as_csv("job_perf_data.csv", text), text);
}

TEST(CsvExport, writes_counters_as_the_file_they_came_from) {
  const std::string text =
      "timestamp_ns,counter,device,value\n"
      "1790857026000000000,gpu_clock,GPU 0,1980\n"
      "1790857026001000000,\"odd, name\",Host,0.50\n";
  EXPECT_EQ(as_csv("run.counters.csv", text), text);
}

}  // namespace
}  // namespace tactus

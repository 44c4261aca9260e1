#include "sources/perf_data/perf_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "run/args/value.h"
#include "run/pattern_columns.h"
#include "sources/text/text_input.h"

namespace tactus {
namespace {

using testing::TextInput;
using Imported = Result<Run>;

constexpr std::string_view kHeader =
    "cycle,pid,hostname,beta_pct,function_name,metric_name,device,func_type,mu_pct,sigma_pct,"
    "duration,interpolation_status,anchor_name,anchor_dur_us,cycle_start_ts,instances_count,"
    "simple_name\r\n";

using Importer = Status (*)(InputBytes&, RunBuilder&);

Imported import_with(Importer importer, InputBytes& bytes) {
  RunBuilder builder;
  if (Status imported = importer(bytes, builder); !imported) return imported.error();
  return builder.finish();
}

Imported import_with(Importer importer, std::string_view text) {
  TextInput input(text);
  return import_with(importer, input.bytes());
}

std::int64_t number(const Run& run, Patterns::ColumnIndex column, std::size_t row) {
  return run.patterns.column(column)[row];
}

std::string text(const Run& run, Patterns::ColumnIndex column, std::size_t row) {
  return std::string(
      run.strings[StringId(static_cast<std::uint64_t>(run.patterns.column(column)[row]))]);
}

std::string decimal(const Run& run, Patterns::ColumnIndex column, std::size_t row) {
  return Decimal::to_text(run.patterns.column(column)[row], run.strings);
}

TEST(PerfData, is_recognised_by_its_header) {
  EXPECT_TRUE(perf_data::is_patterns(kHeader));
  EXPECT_TRUE(perf_data::is_patterns("function_name,beta_pct,pid,cycle\n"));
  EXPECT_FALSE(perf_data::is_patterns("cycle,pid\n1,2\n"));
  EXPECT_FALSE(perf_data::is_patterns(""));
  EXPECT_TRUE(perf_data::is_counters("counter_name,timestamp,value,hostname\r\n"));
  EXPECT_FALSE(perf_data::is_counters("timestamp_ns,counter,device,value\n"));
  EXPECT_FALSE(perf_data::is_counters(kHeader));
}

TEST(PerfData, keeps_every_column_as_written) {
  const Imported run = import_with(
      perf_data::import_patterns,
      std::string(kHeader) +
          "4,923228,node-1,26.5198,\"f<int, 4>(T *)\",disk_usage,Host,disk_io,51.8350,0.0010,"
          "341356.1030, ,Scheduler.run_batch,1287173.5000,1762935255687156.2500,199373,f\r\n");
  ASSERT_TRUE(run);
  ASSERT_EQ(run->patterns.rows, 1U);
  EXPECT_EQ(number(*run, Patterns::kCycle, 0), 4);
  EXPECT_EQ(number(*run, Patterns::kPid, 0), 923228);
  EXPECT_EQ(text(*run, Patterns::kHost, 0), "node-1");
  EXPECT_EQ(decimal(*run, Patterns::kBetaPct, 0), "26.5198");
  EXPECT_EQ(text(*run, Patterns::kFunction, 0), "f<int, 4>(T *)");
  EXPECT_EQ(text(*run, Patterns::kMetric, 0), "disk_usage");
  EXPECT_EQ(text(*run, Patterns::kDevice, 0), "Host");
  EXPECT_EQ(text(*run, Patterns::kFuncType, 0), "disk_io");
  EXPECT_EQ(decimal(*run, Patterns::kMuPct, 0), "51.8350");
  EXPECT_EQ(decimal(*run, Patterns::kSigmaPct, 0), "0.0010");
  EXPECT_EQ(decimal(*run, Patterns::kDurationUs, 0), "341356.1030");
  EXPECT_EQ(text(*run, Patterns::kInterpolated, 0), " ");
  EXPECT_EQ(text(*run, Patterns::kAnchor, 0), "Scheduler.run_batch");
  EXPECT_EQ(decimal(*run, Patterns::kAnchorDurUs, 0), "1287173.5000");
  EXPECT_EQ(decimal(*run, Patterns::kCycleStartUs, 0), "1762935255687156.2500");
  EXPECT_EQ(number(*run, Patterns::kInstances, 0), 199373);
  EXPECT_EQ(text(*run, Patterns::kSimpleName, 0), "f");
  EXPECT_EQ(run->sources[0].kind, "perf_data");
  EXPECT_TRUE(run->dropped.empty());
}

TEST(PerfData, may_lack_optional_columns_and_have_others) {
  const Imported run = import_with(perf_data::import_patterns,
                                   "pid,extra,cycle,device,metric_name,function_name,beta_pct\n"
                                   "2.520152e+06,x,1.0,GPU 0,N/A,gemm,nan\n");
  ASSERT_TRUE(run);
  ASSERT_EQ(run->patterns.rows, 1U);
  EXPECT_EQ(number(*run, Patterns::kCycle, 0), 1);
  EXPECT_EQ(number(*run, Patterns::kPid, 0), 2'520'152);
  EXPECT_EQ(number(*run, Patterns::kBetaPct, 0), Decimal::unknown());
  EXPECT_EQ(number(*run, Patterns::kMuPct, 0), Decimal::unknown());
  EXPECT_EQ(number(*run, Patterns::kInstances, 0), kUnknownInstances);
  EXPECT_EQ(text(*run, Patterns::kAnchor, 0), "");
}

TEST(PerfData, without_a_required_column_is_refused_by_its_name) {
  const Imported run = import_with(perf_data::import_patterns, "cycle,pid\n1,2\n");
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::kInput);
  EXPECT_NE(run.error().message.find("beta_pct"), std::string::npos);
}

TEST(PerfData, rows_that_cannot_be_read_are_counted) {
  const Imported run = import_with(perf_data::import_patterns,
                                   "cycle,pid,beta_pct,function_name,metric_name,device\n"
                                   "1,2,3,f,m,d\n"
                                   "1,2,3,f,m\n"
                                   "1,2,3,f,m,d,e\n"
                                   ",2,3,f,m,d\n"
                                   "1,,3,f,m,d\n"
                                   "1,2.5,3,f,m,d\n"
                                   "1,1e99,3,f,m,d\n"
                                   "NaN,2,3,f,m,d\n"
                                   "1,2,3,\xFF,m,d\n"
                                   "1,2,3,\"cut");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->patterns.rows, 2U);
  EXPECT_EQ(run->dropped, (Tally{{"unreadable_row", 8}}));
  EXPECT_EQ(run->repaired, (Tally{{"invalid_text", 1}}));
  EXPECT_EQ(text(*run, Patterns::kFunction, 1), "\uFFFD");
  EXPECT_EQ(run->warnings.size(), 1U);
}

TEST(PerfData, of_no_rows_is_an_empty_run) {
  const Imported run = import_with(perf_data::import_patterns, kHeader);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->patterns.rows, 0U);
}

TEST(PerfData, refuses_what_is_no_table) {
  for (const std::string& hostile :
       {std::string(), std::string("\n"), testing::binary_bytes(100'000)}) {
    for (const Importer importer : {perf_data::import_patterns, perf_data::import_counters}) {
      const Imported run = import_with(importer, hostile);
      ASSERT_FALSE(run);
      EXPECT_EQ(run.error().code, ErrorCode::kInput);
    }
  }
}

TEST(PerfData, that_breaks_off_is_kept_up_to_there) {
  const Imported run =
      import_with(perf_data::import_patterns,
                  testing::gzip_breaking_off_after(
                      "cycle,pid,beta_pct,function_name,metric_name,device\n1,2,3,f,m,d\n1,2,3"));
  ASSERT_TRUE(run);
  EXPECT_EQ(run->patterns.rows, 1U);
  EXPECT_EQ(run->dropped, (Tally{{"truncated_input", 1}}));
}

TEST(PerfDataCounters, count_in_ns_and_keep_their_host_as_device) {
  const Imported run = import_with(perf_data::import_counters,
                                   "counter_name,timestamp,value,hostname\r\n"
                                   "cpu_frequency,1763084524030155.000000,3481.056000,\r\n"
                                   "cpu_frequency,1763084524030155.250000,3481.056000,node-1\r\n"
                                   "host_mem_free,1763084524030156.5,12,\r\n"
                                   "host_mem_free,,12,\r\n"
                                   "host_mem_free,1763084524030156.5,,\r\n"
                                   "host_mem_free,1763084524030156.5\r\n");
  ASSERT_TRUE(run);
  ASSERT_EQ(run->counters.rows, 3U);
  EXPECT_EQ(run->origin_ns, 1'763'084'524'030'155'000);
  EXPECT_EQ(run->counters.time()[1], 250);
  EXPECT_EQ(run->counters.time()[2], 1500);
  EXPECT_EQ(Decimal::to_text(run->counters.value()[0], run->strings), "3481.056000");
  ASSERT_EQ(run->series.size(), 3U);
  EXPECT_EQ(run->strings[run->series[0].place], "");
  EXPECT_EQ(run->strings[run->series[1].place], "node-1");
  EXPECT_EQ(run->strings[run->series[0].unit], "MHz");
  EXPECT_EQ(run->strings[run->series[2].unit], "KiB");
  EXPECT_EQ(run->sources[0].kind, "counters");
  EXPECT_EQ(run->dropped,
            (Tally{{"unreadable_row", 1}, {"bad_timestamp", 1}, {"counter_without_number", 1}}));
}

TEST(PerfDataCounters, need_no_host) {
  const Imported run =
      import_with(perf_data::import_counters, "value,counter_name,timestamp\n1,a,2\n");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->counters.rows, 1U);
}

TEST(PerfData, of_the_published_cases_is_read_row_for_row) {
  const auto folder = testing::shared_file("data/compare-cases");
  if (!folder) GTEST_SKIP() << "the shared compare cases are not here";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*folder)) {
    const std::string path = entry.path().string();
    const bool patterns = path.ends_with("_perf_data.csv");
    if (!patterns && !path.ends_with("_counters_data.csv")) continue;
    ++files;
    const std::string bytes = testing::read_file(path);
    const auto lines = static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n'));
    EXPECT_EQ(perf_data::is_patterns(bytes), patterns) << path;
    EXPECT_EQ(perf_data::is_counters(bytes), !patterns) << path;

    const Imported run =
        import_with(patterns ? perf_data::import_patterns : perf_data::import_counters, bytes);
    ASSERT_TRUE(run) << path;
    EXPECT_EQ(patterns ? run->patterns.rows : run->counters.rows, lines - 1) << path;
    EXPECT_TRUE(run->dropped.empty()) << path;
    EXPECT_TRUE(run->repaired.empty()) << path;
    EXPECT_TRUE(run->warnings.empty()) << path;
  }
  EXPECT_EQ(files, 16U);
}

}  // namespace
}  // namespace tactus

#include "sources/join_counters.h"

#include <gtest/gtest.h>

#include "run/tact/tact_file.h"
#include "sources/sources.h"
#include "support/files.h"

namespace tactus {
namespace {

NoProgress no_progress;

constexpr std::string_view kTrace =
    R"({"baseTimeNanoseconds":1790857026000000000,"traceEvents":[{"ph":"X","cat":"kernel",)"
    R"("name":"k","pid":0,"tid":7,"ts":100,"dur":50,"args":{"device":0,"stream":7}},)"
    R"({"ph":"X","cat":"cpu_op","name":"op","pid":17,"tid":17,"ts":90,"dur":5}]})";
constexpr std::string_view kSamples =
    "timestamp_ns,counter,device,value\n"
    "1790857026000110000,gpu_usage,GPU 0,97\n"
    "1790857026000120000,host_cpu_usage,Host,12.5\n"
    "nonsense,gpu_usage,GPU 0,97\n";

/// The samples of a run, with the place that they belong to.
std::vector<std::string> samples_of(const Run& run) {
  std::vector<std::string> lines;
  for (std::size_t row = 0; row < run.counters.rows; ++row) {
    const auto id = static_cast<std::size_t>(run.counters.series()[row]);
    const CounterSeries& series = run.series[id];
    const Source& source = run.sources[series.source.value];
    lines.push_back(
        std::to_string(run.counters.time()[row]) + " " + std::string(run.strings[series.name]) +
        " " + std::string(run.strings[series.place]) + " device " +
        std::to_string(series.device.value) + " beside " + std::to_string(source.beside.value) +
        " host " + std::to_string(series.host.value) + " value " +
        std::to_string(run.counters.value()[row]));
  }
  return lines;
}

class JoinCounters : public ::testing::Test {
 protected:
  Result<Imported> open(const std::string& input, const std::vector<std::string>& counters) {
    ImportRequest request;
    request.inputs = {input};
    request.counters = counters;
    return open_or_import(request, no_progress);
  }

  testing::TemporaryFolder folder_;
  std::string trace_ = folder_.write("t.json", kTrace);
  std::string samples_ = folder_.write("c.csv", kSamples);
};

TEST_F(JoinCounters, of_a_file_are_those_of_the_trace_that_it_was_made_of) {
  ImportRequest request;
  request.inputs = {trace_};
  Result<Imported> imported = import_run(request, no_progress);
  ASSERT_TRUE(imported);
  const std::string file = folder_.file("t.tact");
  ASSERT_TRUE(write_run(imported->run, file, false, 1, no_progress));
  const auto joined = open(file, {samples_});
  ASSERT_TRUE(joined) << joined.error().message;
  const auto read = open(trace_, {samples_});
  ASSERT_TRUE(read);
  EXPECT_EQ(samples_of(joined->run).size(), 2u);
  EXPECT_EQ(samples_of(joined->run), samples_of(read->run));
  EXPECT_EQ(joined->run.dropped, read->run.dropped);
  EXPECT_EQ(joined->run.devices.size(), read->run.devices.size());
}

TEST_F(JoinCounters, adds_to_those_that_are_inside_and_says_what_is_twice) {
  ImportRequest request;
  request.inputs = {trace_};
  request.counters = {samples_};
  Result<Imported> imported = import_run(request, no_progress);
  ASSERT_TRUE(imported);
  const std::string file = folder_.file("t.tact");
  ASSERT_TRUE(write_run(imported->run, file, false, 1, no_progress));
  const std::string other = folder_.write(
      "other.csv", "timestamp_ns,counter,device,value\n1790857026000130000,gpu_sm_clock,GPU 0,1\n");
  const auto more = open(file, {other});
  ASSERT_TRUE(more);
  EXPECT_EQ(more->run.counters.rows, 3u);
  EXPECT_TRUE(more->run.warnings.empty());
  const auto twice = open(file, {samples_});
  ASSERT_TRUE(twice);
  ASSERT_EQ(twice->run.warnings.size(), 1u);
  EXPECT_NE(twice->run.warnings[0].find("counter gpu_usage is in "), std::string::npos);
}

TEST_F(JoinCounters, takes_nothing_but_samples) {
  ImportRequest request;
  request.inputs = {trace_};
  Result<Imported> imported = import_run(request, no_progress);
  const std::string file = folder_.file("t.tact");
  ASSERT_TRUE(write_run(imported->run, file, false, 1, no_progress));
  const auto refused = open(file, {trace_});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("give a CSV file"), std::string::npos)
      << refused.error().message;
  EXPECT_FALSE(open(file, {folder_.file("nowhere.csv")}));
}

}  // namespace
}  // namespace tactus

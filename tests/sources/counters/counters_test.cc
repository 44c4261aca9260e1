#include "sources/counters/counters.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "run/args/value.h"
#include "sources/counters/counter_unit.h"
#include "sources/text/text_input.h"

namespace tactus {
namespace {

using testing::TextInput;
using Imported = Result<Run>;

constexpr std::string_view kHeader = "timestamp_ns,counter,device,value\n";

Imported import_samples(InputBytes& bytes) {
  RunBuilder builder;
  NoProgress progress;
  if (Status imported = counters::import(bytes, builder, progress); !imported) {
    return imported.error();
  }
  return builder.finish();
}

Imported import_samples(std::string_view text) {
  TextInput input(text);
  return import_samples(input.bytes());
}

/// "name/device/unit time value" of a sample; its time counts from the first one.
std::string sample(const Run& run, std::size_t row) {
  const CounterSeries& series = run.series[static_cast<std::size_t>(run.counters.series()[row])];
  const auto text = [&](StringId id) { return std::string(run.strings[id]); };
  return text(series.name) + "/" + text(series.place) + "/" + text(series.unit) + " " +
         std::to_string(run.counters.time()[row]) + " " +
         Decimal::to_text(run.counters.value()[row], run.strings);
}

TEST(CounterSamples, are_recognised_by_their_header) {
  EXPECT_TRUE(counters::is_samples(kHeader));
  EXPECT_TRUE(counters::is_samples("\xEF\xBB\xBFtimestamp_ns,counter,device,value\r\n1,2,3,4"));
  EXPECT_FALSE(counters::is_samples("counter_name,timestamp,value,hostname\n"));
  EXPECT_FALSE(counters::is_samples("{\"traceEvents\":[]}"));
  EXPECT_FALSE(counters::is_samples(""));
}

TEST(CounterSamples, keep_time_series_and_digits) {
  const Imported run = import_samples(std::string(kHeader) +
                                      "1794707064543764933,gpu_usage,GPU 0,66\n"
                                      "1794707064543764940,host_cpu_usage,Host,11.10\n"
                                      "1794707064543765933,gpu_usage,GPU 0,7\n");
  ASSERT_TRUE(run);
  ASSERT_EQ(run->counters.rows, 3U);
  EXPECT_EQ(run->origin_ns, 1'794'707'064'543'764'933);
  EXPECT_EQ(sample(*run, 0), "gpu_usage/GPU 0/% 0 66");
  EXPECT_EQ(sample(*run, 1), "host_cpu_usage/Host/% 7 11.10");
  EXPECT_EQ(sample(*run, 2), "gpu_usage/GPU 0/% 1000 7");
  EXPECT_EQ(run->series.size(), 2U);
  EXPECT_FALSE(run->series[0].process.valid());
  EXPECT_EQ(run->sources[0].kind, "counters");
  EXPECT_TRUE(run->dropped.empty());
}

TEST(CounterSamples, may_come_out_of_order_with_crlf_and_other_column_order) {
  const Imported run = import_samples(
      "\xEF\xBB\xBFvalue,device,counter,timestamp_ns,host\r\n"
      "2,GPU 1,gpu_power,2000,a\r\n"
      "1,GPU 1,gpu_power,1000,a");
  ASSERT_TRUE(run);
  ASSERT_EQ(run->counters.rows, 2U);
  EXPECT_EQ(sample(*run, 0), "gpu_power/GPU 1/W 1000 2");
  EXPECT_EQ(sample(*run, 1), "gpu_power/GPU 1/W 0 1");
}

TEST(CounterSamples, that_cannot_be_used_are_counted_by_reason) {
  const Imported run = import_samples(std::string(kHeader) +
                                      "1000,gpu_usage,GPU 0,1\n"
                                      "1000,gpu_usage,GPU 0\n"
                                      "1000,gpu_usage,GPU 0,1,2\n"
                                      "soon,gpu_usage,GPU 0,1\n"
                                      "-5,gpu_usage,GPU 0,1\n"
                                      "99999999999999999999999,gpu_usage,GPU 0,1\n"
                                      "1000,gpu_usage,GPU 0,NaN\n"
                                      "1000,gpu_usage,GPU 0,\n"
                                      "1000,gpu_usage,GPU 0,1e400\n");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->counters.rows, 1U);
  EXPECT_EQ(run->dropped,
            (Tally{{"unreadable_row", 2}, {"bad_timestamp", 3}, {"counter_without_number", 3}}));
}

TEST(CounterSamples, are_kept_after_a_quoted_field_that_is_not_closed) {
  const Imported run =
      import_samples(std::string(kHeader) + "1,a,b,2\n3,\"gpu_usage,GPU 0,1\n4,a,b,5\n");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->counters.rows, 3U);
  EXPECT_TRUE(run->dropped.empty());
  EXPECT_EQ(run->repaired, (Tally{{"unclosed_quote", 1}}));
  ASSERT_EQ(run->warnings.size(), 1U);
  EXPECT_NE(run->warnings[0].find("line 3"), std::string::npos);
}

TEST(CounterSamples, of_an_input_that_breaks_off_are_kept_up_to_there) {
  const Imported run = import_samples(testing::gzip_breaking_off_after(
      std::string(kHeader) + "1,gpu_usage,GPU 0,2\n2,gpu_usage,G"));
  ASSERT_TRUE(run);
  EXPECT_EQ(run->counters.rows, 1U);
  EXPECT_EQ(run->dropped, (Tally{{"truncated_input", 1}}));
  EXPECT_EQ(run->warnings.size(), 1U);
}

TEST(CounterSamples, have_texts_repaired_that_are_not_utf8) {
  const Imported run = import_samples(std::string(kHeader) + "1,gpu\xFFusage,GPU 0,2\n");
  ASSERT_TRUE(run);
  EXPECT_EQ(sample(*run, 0), "gpu\uFFFDusage/GPU 0/ 0 2");
  EXPECT_EQ(run->repaired, (Tally{{"invalid_text", 1}}));
}

TEST(CounterSamples, may_be_none) {
  const Imported run = import_samples(kHeader);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->counters.rows, 0U);
}

TEST(CounterSamples, need_a_header_with_their_columns) {
  for (const std::string& text :
       {std::string(), std::string("timestamp_ns,counter,value\n1,2,3\n"),
        testing::binary_bytes(100'000), testing::gzip_breaking_off_after("")}) {
    const Imported run = import_samples(text);
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().code, ErrorCode::kInput);
  }
}

TEST(CounterSamples, of_every_shared_recording_are_all_read) {
  for (const char* name : {"normal", "cpu_contention", "compiled", "with_stack"}) {
    const auto path = testing::shared_file(std::string("data/traces/") + name + ".counters.csv.gz");
    if (!path) GTEST_SKIP() << "the shared traces are not here";
    Result<std::unique_ptr<InputBytes>> counted = InputBytes::open(*path);
    ASSERT_TRUE(counted);
    const Result<std::string> text = read_all(**counted, 1 << 20);
    ASSERT_TRUE(text);
    const auto lines = static_cast<std::size_t>(std::count(text->begin(), text->end(), '\n'));

    Result<std::unique_ptr<InputBytes>> bytes = InputBytes::open(*path);
    ASSERT_TRUE(bytes);
    const Imported run = import_samples(**bytes);
    ASSERT_TRUE(run);
    EXPECT_EQ(run->counters.rows, lines - 1) << name;
    EXPECT_EQ(run->series.size(), 9U) << name;
    EXPECT_TRUE(run->dropped.empty()) << name;
    EXPECT_TRUE(run->warnings.empty()) << name;
    for (const CounterSeries& series : run->series) {
      EXPECT_NE(run->strings[series.unit], "") << run->strings[series.name];
    }
  }
}

TEST(CounterUnit, follows_from_the_name) {
  EXPECT_EQ(counters::unit_of("gpu_sm_frequency"), "MHz");
  EXPECT_EQ(counters::unit_of("gpu_mem_used"), "bytes");
  EXPECT_EQ(counters::unit_of("gpu_mem_usage"), "%");
  EXPECT_EQ(counters::unit_of("gpu_power"), "W");
  EXPECT_EQ(counters::unit_of("gpu_temp"), "C");
  EXPECT_EQ(counters::unit_of("gpu_sm_util"), "ratio");
  EXPECT_EQ(counters::unit_of("process_cpu_usage_4711"), "%");
  EXPECT_EQ(counters::unit_of("process_gpu_mem_usage_4711"), "bytes");
}

TEST(CounterUnit, is_empty_where_the_name_does_not_tell) {
  EXPECT_EQ(counters::unit_of("queue_length"), "");
  EXPECT_EQ(counters::unit_of("12345"), "");
  EXPECT_EQ(counters::unit_of(""), "");
}

}  // namespace
}  // namespace tactus

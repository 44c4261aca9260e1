#include "cycles/repeats/kernel_stream.h"

#include <gtest/gtest.h>

#include "cycles/trace_text.h"
#include "support/run_text.h"

namespace tactus {
namespace {

using testing::import_json;
using testing::TraceText;

std::vector<std::string> names(const Run& run, const KernelStream& stream) {
  std::vector<std::string> result;
  for (const std::uint32_t name : stream.names) {
    result.emplace_back(run.strings[StringId(name)]);
  }
  return result;
}

TEST(KernelStream, kernels_come_in_the_order_they_started_and_the_fullest_stream_first) {
  const auto run = import_json(R"({"traceEvents":[
{"ph":"X","cat":"kernel","name":"late","pid":0,"tid":7,"ts":30.0,"dur":2.0},
{"ph":"X","cat":"kernel","name":"lone","pid":0,"tid":9,"ts":1.0,"dur":2.0},
{"ph":"X","cat":"kernel","name":"early","pid":0,"tid":7,"ts":10.0,"dur":50.0},
{"ph":"X","cat":"gpu_memcpy","name":"copy","pid":0,"tid":7,"ts":15.0,"dur":2.0},
{"ph":"X","cat":"kernel","name":"same","pid":0,"tid":7,"ts":30.0,"dur":1.0},
{"ph":"X","cat":"kernel","name":"middle","pid":0,"tid":7,"ts":20.0,"dur":2.0}]})");
  const std::vector<KernelStream> streams = kernel_streams(run, {});
  ASSERT_EQ(streams.size(), 2U);
  EXPECT_EQ(names(run, streams[0]), (std::vector<std::string>{"early", "middle", "late", "same"}));
  EXPECT_EQ(streams[0].durs, (std::vector<std::int64_t>{50'000, 2'000, 2'000, 1'000}));
  EXPECT_EQ(streams[0].rows, (std::vector<std::uint32_t>{2, 5, 0, 4}));
  EXPECT_EQ(names(run, streams[1]), (std::vector<std::string>{"lone"}));
}

TEST(KernelStream, a_filter_leaves_out_what_it_does_not_want) {
  TraceText text;
  text.kernel("a", 1000).kernel("b", 1000).on_stream(8).kernel("c", 1000);
  const auto run = import_json(text.json());
  const std::vector<KernelStream> on_8 = kernel_streams(run, {.stream = 8});
  ASSERT_EQ(on_8.size(), 1U);
  EXPECT_EQ(names(run, on_8[0]), (std::vector<std::string>{"c"}));
  const std::int64_t begin = kernel_streams(run, {})[0].starts[1];
  const std::vector<KernelStream> later = kernel_streams(run, {.from_ns = begin});
  ASSERT_EQ(later.size(), 2U);
  EXPECT_EQ(names(run, later[0]), (std::vector<std::string>{"b"}));
}

TEST(KernelStream, a_run_without_kernels_has_no_streams) {
  EXPECT_TRUE(kernel_streams(import_json(R"({"traceEvents":[]})"), {}).empty());
}

}  // namespace
}  // namespace tactus

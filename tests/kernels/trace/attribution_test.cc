#include "kernels/trace/attribution.h"

#include <gtest/gtest.h>

#include "kernels/kernel_report.h"
#include "support/run_text.h"

namespace tactus {
namespace {

/// A line of Python that calls an op, which launches a kernel of `dur` microseconds.
std::string launch(int number, int line, int rows, int dur) {
  const std::string start = std::to_string(100 * number);
  const std::string inside = std::to_string(100 * number + 2);
  const std::string id = std::to_string(number);
  const std::string host = R"("pid":1,"tid":1,"ts":)";
  return R"({"ph":"X","cat":"python_function","name":"mine.py()" + std::to_string(line) +
         R"(): step",)" + host + start + R"(,"dur":20},)" +
         R"({"ph":"X","cat":"cpu_op","name":"aten::mm",)" + host + start +
         R"(,"dur":10,"args":{"Input Dims":[[)" + std::to_string(rows) +
         R"(,4],[4,4]],"Input type":["float","float"]}},)" +
         R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel",)" + host + inside +
         R"(,"dur":1,"args":{"correlation":)" + id + "}}," +
         R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":)" + start + R"(,"dur":)" +
         std::to_string(dur) + R"(,"args":{"device":0,"stream":7,"correlation":)" + id + "}}";
}

TEST(Attribution, lists_all_sources_and_shapes_of_a_row_by_their_time) {
  const auto run =
      testing::import_json(R"({"traceEvents":[)" + launch(1, 10, 8, 1) + "," + launch(2, 10, 8, 1) +
                           "," + launch(3, 20, 16, 5) + "," + launch(4, 30, 16, 1) + "]}");
  const KernelReport report = report_kernels(run, {});
  ASSERT_EQ(report.origins.size(), 1u);
  const RowOrigin& origin = report.origins[0];
  EXPECT_EQ(origin.source_count, 3u);
  ASSERT_EQ(origin.sources.size(), 3u);
  EXPECT_EQ(origin.sources[0].source.line, 20);
  EXPECT_EQ(origin.sources[0].total_ns, 5000);
  EXPECT_EQ(origin.sources[1].source.line, 10);
  EXPECT_EQ(origin.sources[1].instances, 2);
  EXPECT_EQ(origin.source, origin.sources[0].source) << "the one with most time";
  ASSERT_EQ(origin.shapes.size(), 2u);
  EXPECT_EQ(origin.shapes[0].dims, "[[16,4],[4,4]]");
  EXPECT_EQ(origin.shapes[0].instances, 2);
  EXPECT_EQ(origin.shapes[0].total_ns, 6000);
  EXPECT_EQ(origin.shapes[1].dims, "[[8,4],[4,4]]");
  EXPECT_EQ(origin.dims, origin.shapes[0].dims);
}

}  // namespace
}  // namespace tactus

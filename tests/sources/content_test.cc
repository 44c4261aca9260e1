#include "sources/content.h"

#include <gtest/gtest.h>

#include "run/tact/tact_file.h"
#include "sources/sources.h"
#include "support/files.h"

namespace tactus {
namespace {

NoProgress no_progress;

std::string kernel(std::string_view name, int start) {
  return R"({"ph":"X","cat":"kernel","name":")" + std::string(name) + R"(","pid":0,"tid":7,"ts":)" +
         std::to_string(start) + R"(,"dur":2,"args":{"device":0,"stream":7}})";
}

std::uint64_t content_of_trace(const std::string& events) {
  const testing::TemporaryFolder folder;
  ImportRequest request;
  request.inputs = {folder.write(
      "t.json", R"({"baseTimeNanoseconds":1790857026000000000,"traceEvents":[)" + events + "]}")};
  const Result<Imported> imported = open_or_import(request, no_progress);
  EXPECT_TRUE(imported) << imported.error().message;
  return content_of(imported->run);
}

TEST(Content, is_that_of_the_kernels_whatever_their_order) {
  const std::uint64_t content = content_of_trace(kernel("a", 10) + "," + kernel("b", 20));
  EXPECT_NE(content, 0u);
  EXPECT_EQ(content_of_trace(kernel("b", 20) + "," + kernel("a", 10)), content);
  EXPECT_NE(content_of_trace(kernel("a", 20) + "," + kernel("b", 10)), content);
  EXPECT_NE(content_of_trace(kernel("a", 10) + "," + kernel("b", 21)), content);
  EXPECT_NE(content_of_trace(kernel("a", 10) + "," + kernel("c", 20)), content);
  // What the host did, and counters, may be missing in a copy.
  EXPECT_EQ(
      content_of_trace(kernel("a", 10) + "," + kernel("b", 20) +
                       R"(,{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":5,"dur":1})"),
      content);
}

TEST(Content, survives_the_file) {
  const testing::TemporaryFolder folder;
  ImportRequest request;
  request.inputs = {folder.write("t.json", R"({"baseTimeNanoseconds":1790857026000000000,)"
                                           R"("traceEvents":[)" +
                                               kernel("a", 10) + "," + kernel("b", 20) + "]}")};
  Result<Imported> imported = import_run(request, no_progress);
  ASSERT_TRUE(imported);
  ASSERT_TRUE(write_run(imported->run, folder.file("t.tact"), false, 1, no_progress));
  const auto opened = open_run(folder.file("t.tact"), 1);
  ASSERT_TRUE(opened);
  EXPECT_EQ(content_of(*opened), content_of(imported->run));
}

}  // namespace
}  // namespace tactus

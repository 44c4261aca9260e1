#include <gtest/gtest.h>

#include "base/json.h"
#include "support/run_text.h"
#include "views/kernels/kernels_view.h"

namespace tactus {
namespace {

/// Kernels of different names, each on a stream of its own.
Run run_of_kernels(int count) {
  std::string text = "[";
  for (int i = 0; i < count; ++i) {
    text += R"({"ph":"X","cat":"kernel","name":"kernel_)" + std::to_string(i) +
            R"(","pid":0,"tid":)" + std::to_string(i) + R"(,"ts":)" + std::to_string(10 * i) +
            R"(,"dur":3,"args":{"device":0}},)";
  }
  return testing::import_json(text);
}

struct Written {
  std::vector<std::string> pieces;
  Status status;
};

Written write_rows(int count, std::size_t most_pieces) {
  const auto run = run_of_kernels(count);
  const KernelReport report = report_kernels(run, {});
  Written written;
  written.status = write_kernels_json(report, bound_kernels(run, report, nullptr), run, {},
                                      [&](std::string_view piece) -> Status {
                                        if (written.pieces.size() == most_pieces) {
                                          return broke_error("the disk is full");
                                        }
                                        written.pieces.emplace_back(piece);
                                        return {};
                                      });
  return written;
}

TEST(KernelsJson, is_one_document_in_pieces) {
  constexpr int kMany = 50'000;
  const Written written = write_rows(kMany, SIZE_MAX);
  ASSERT_TRUE(written.status);
  EXPECT_GT(written.pieces.size(), 10U);
  std::string text;
  for (const std::string& piece : written.pieces) {
    EXPECT_LT(piece.size(), std::size_t{2} << 20);
    text += piece;
  }
  EXPECT_TRUE(text.ends_with("}\n"));
  const Json document = Json::parse(text);
  EXPECT_EQ(document["total_ns"].get<std::int64_t>(), 3000LL * kMany);
  EXPECT_EQ(document["rows"].size(), static_cast<std::size_t>(kMany));
  EXPECT_EQ(document["rows"][0]["name"].get<std::string>(), "kernel_0");
  EXPECT_TRUE(document["warnings"].empty());
}

TEST(KernelsJson, stops_at_the_first_error) {
  const Written written = write_rows(5'000, 1);
  ASSERT_FALSE(written.status);
  EXPECT_EQ(written.status.error().message, "the disk is full");
  EXPECT_EQ(written.pieces.size(), 1U);
}

}  // namespace
}  // namespace tactus

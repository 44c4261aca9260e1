#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/files.h"
#include "support/paths.h"
#include "views/common/json_fields.h"

namespace tactus {
namespace {

TEST(JsonTypescript, types_of_the_page_are_those_of_the_tables) {
  const std::filesystem::path path =
      std::filesystem::path(TACTUS_ROOT) / "ui" / "src" / "generated" / "documents.ts";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "the page is not here";
  if (std::getenv("TACTUS_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << json_typescript();
  EXPECT_EQ(testing::read_file(path.string()), json_typescript());
}

TEST(JsonTypescript, has_lists_optional_fields_and_null) {
  const std::string text = json_typescript();
  EXPECT_NE(text.find("export interface Kernels {\n  total_ns: number | null;\n"),
            std::string::npos);
  EXPECT_NE(text.find("  time_pct: number;\n"), std::string::npos);
  EXPECT_NE(text.find("  rows: KernelsRows[];\n"), std::string::npos);
  EXPECT_NE(text.find("  folded?: KernelsFolded[];\n"), std::string::npos);
  EXPECT_NE(text.find("  operator: string | null;\n"), std::string::npos);
  EXPECT_NE(text.find("export type Runs = RunsItem[];\n"), std::string::npos);
}

}  // namespace
}  // namespace tactus

#include <gtest/gtest.h>

#include <filesystem>

#include "bench/candidate/subprocess.h"
#include "support/files.h"
#include "support/paths.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

TEST(ManPage, every_command_has_one_that_groff_reads_without_a_warning) {
  const testing::TemporaryFolder folder;
  const std::string pages = folder.path().string() + "/man1";
  const Result<ProgramOutput> written = run_program({TACTUS_TOOL, "man", "--write", pages}, 60);
  ASSERT_TRUE(written && written->exit_code == 0);
  EXPECT_TRUE(fs::exists(pages + "/tactus.1"));
  EXPECT_TRUE(fs::exists(pages + "/tactus-kernels.1"));
  if (program_path("groff").empty()) GTEST_SKIP() << "there is no groff";
  for (const auto& page : fs::directory_iterator(pages)) {
    const Result<ProgramOutput> said =
        run_program({"sh", "-c", "groff -man -Tascii -ww \"$0\" 2>&1 >/dev/null", page.path()}, 60);
    ASSERT_TRUE(said);
    EXPECT_EQ(said->text, "") << page.path();
  }
}

}  // namespace
}  // namespace tactus

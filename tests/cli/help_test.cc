#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "bench/candidate/subprocess.h"
#include "support/files.h"
#include "support/paths.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

std::string output_of(const std::vector<std::string>& words) {
  const Result<ProgramOutput> said = run_program(words, 60);
  return said && said->exit_code == 0 ? said->text : "";
}

/// Where a remark begins without "#": words that a shell would take as arguments.
std::size_t bare_remark(const std::string& line) {
  char quote = '\0';
  for (std::size_t i = 2; i + 2 < line.size(); ++i) {
    const char c = line[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      break;
    } else if (c == ' ' && line[i + 1] == ' ') {
      const std::size_t word = line.find_first_not_of(' ', i);
      if (word != std::string::npos && line[word] != '#') return word;
      break;
    }
  }
  return std::string::npos;
}

TEST(Help, has_examples_that_can_be_pasted) {
  const testing::TemporaryFolder folder;
  output_of({TACTUS_TOOL, "man", "--write", folder.path()});
  std::size_t commands = 0;
  for (const auto& page : fs::directory_iterator(folder.path())) {
    const std::string stem = page.path().stem();
    if (!stem.starts_with("tactus-")) continue;
    const std::string name = stem.substr(7);
    const std::string help = output_of({TACTUS_TOOL, name, "--help"});
    const std::size_t begin = help.find("\nExamples:\n");
    ASSERT_NE(begin, std::string::npos) << name;
    ++commands;
    std::istringstream lines(help.substr(begin + 11));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), 100U) << name << ": " << line;
      EXPECT_TRUE(line.starts_with("  ") && line[2] != ' ') << name << ": " << line;
      EXPECT_EQ(bare_remark(line), std::string::npos) << name << ": " << line;
    }
  }
  EXPECT_GE(commands, 20U);
}

TEST(Help, of_an_example_without_a_mark_is_noticed) {
  EXPECT_NE(bare_remark("  tactus top vllm   the process"), std::string::npos);
  EXPECT_EQ(bare_remark("  tactus top vllm   # the process"), std::string::npos);
  EXPECT_EQ(bare_remark("  tactus sql a \"x  y\""), std::string::npos);
}

}  // namespace
}  // namespace tactus

// docs/sql.md shows queries with their answers; they have to stay true. TACTUS_UPDATE_GOLDEN=1
// writes what the commands print now into the page.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "support/files.h"
#include "support/paths.h"

namespace tactus {
namespace {

constexpr std::string_view kIndent = "    ";
constexpr std::string_view kCommand = "    $ tactus ";

std::string output_of(const std::string& command) {
  const std::string line =
      "cd '" TACTUS_ROOT "' && COLUMNS=120 '" TACTUS_TOOL "' " + command + " 2>&1";
  FILE* pipe = ::popen(line.c_str(), "r");
  std::string output;
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) {
    output.append(buffer, got);
  }
  ::pclose(pipe);
  std::istringstream lines(output);
  std::string indented;
  for (std::string text; std::getline(lines, text);) {
    indented += text.empty() ? "\n" : std::string(kIndent) + text + "\n";
  }
  return indented;
}

TEST(SqlPage, queries_print_what_the_page_says) {
  const std::string path = TACTUS_ROOT "/docs/sql.md";
  const std::string page = testing::read_file(path);
  std::istringstream lines(page);
  std::string actual;
  bool in_answer = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kCommand)) {
      actual += line + "\n" + output_of(line.substr(kCommand.size()));
      in_answer = true;
    } else if (!in_answer || !line.starts_with(kIndent)) {
      in_answer = false;
      actual += line + "\n";
    }
  }
  if (std::getenv("TACTUS_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << actual;
  } else {
    EXPECT_EQ(actual, page);
  }
}

}  // namespace
}  // namespace tactus

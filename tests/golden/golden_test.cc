// Runs the commands in tests/golden/*.golden and compares what they print:
//
//   $ tactus info small.json
//     source     small.json (kineto, 1.2 kB)
//     ...
//     [exit 2]                       only where it is not 0
//
// Output is indented by two spaces; other lines are remarks. Each file runs in a copy of
// tests/golden/inputs, where demo is data/demo; standard error is shown with the output.
// TACTUS_UPDATE_GOLDEN=1 writes what the commands print now into the files.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/files.h"
#include "support/paths.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(TACTUS_ROOT) / "tests" / "golden";

std::string run_in(const fs::path& folder, const std::string& command) {
  const std::string tool = fs::path(TACTUS_TOOL).parent_path().string();
  const std::string line = "cd '" + folder.string() + "' && export PATH='" + tool +
                           "':$PATH COLUMNS=120 && { " + command + "\n} 2>&1";
  FILE* pipe = ::popen(line.c_str(), "r");
  std::string output;
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) {
    output.append(buffer, got);
  }
  const int status = ::pclose(pipe);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (code != 0) output += "[exit " + std::to_string(code) + "]\n";
  std::istringstream lines(output);
  std::string indented;
  for (std::string text; std::getline(lines, text);) indented += "  " + text + "\n";
  return indented;
}

/// The file with the output of each command replaced by what it prints now.
std::string replay(const std::string& text) {
  const testing::TemporaryFolder folder;
  fs::copy(kFolder / "inputs", folder.path(), fs::copy_options::recursive);
  fs::create_directory_symlink(fs::path(TACTUS_ROOT) / "data" / "demo",
                               fs::path(folder.path()) / "demo");
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  ")) continue;
    out += line + "\n";
    if (line.starts_with("$ ")) out += run_in(folder.path(), line.substr(2));
  }
  return out;
}

class Golden : public ::testing::TestWithParam<std::string> {};

TEST_P(Golden, prints_what_the_file_says) {
  const std::string path = (kFolder / (GetParam() + ".golden")).string();
  const std::string expected = testing::read_file(path);
  const std::string actual = replay(expected);
  if (std::getenv("TACTUS_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << actual;
  } else {
    EXPECT_EQ(actual, expected);
  }
}

std::vector<std::string> golden_files() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".golden") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Commands, Golden, ::testing::ValuesIn(golden_files()),
                         [](const auto& file) { return file.param; });

}  // namespace
}  // namespace tactus

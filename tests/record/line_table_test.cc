#include "wire/line_table.h"

#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <vector>

#include "record/recorded_program.h"

namespace tactus::wire {
namespace {

std::vector<unsigned char> bytes_of(const std::string& hex) {
  std::vector<unsigned char> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<unsigned char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

/// Prints, for every code object of some modules: version, first line, table, and the line of each
/// instruction.
constexpr const char* kScript =
    "import sys, types, argparse, asyncio.base_events, dataclasses\n"
    "def show(c):\n"
    "  lines = [l or 0 for a, b, l in c.co_lines() for _ in range(a, b, 2)]\n"
    "  if lines: print(sys.version_info[1], c.co_firstlineno, c.co_linetable.hex(), *lines)\n"
    "  [show(k) for k in c.co_consts if isinstance(k, types.CodeType)]\n"
    "for m in (argparse, asyncio.base_events, dataclasses):\n"
    "  show(compile(open(m.__file__).read(), m.__file__, 'exec'))\n";

TEST(LineTables, give_the_lines_that_python_gives) {
  std::string names = "python3";
  if (const char* more = std::getenv("TACTUS_TEST_PYTHONS")) names += std::string(":") + more;
  std::istringstream list(names);
  std::size_t checked = 0;
  for (std::string python; std::getline(list, python, ':');) {
    std::istringstream lines(testing::run_command(python + " -c \"" + kScript + "\"").out);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      int minor = 0;
      std::int32_t first = 0;
      std::string hex;
      words >> minor >> first >> hex;
      if (minor < 10 || minor > 13) continue;
      const std::vector<unsigned char> table = bytes_of(hex);
      std::int32_t offset = 0;
      for (std::int32_t expected = 0; words >> expected; offset += 2) {
        const auto decode = minor == 10 ? line_of_pairs : line_of_locations;
        ASSERT_EQ(decode(table.data(), table.size(), first, offset), expected)
            << python << " " << line;
        ++checked;
      }
    }
  }
  if (checked == 0) GTEST_SKIP() << "no Python 3.10 to 3.13 here";
  EXPECT_GT(checked, 1000u);
}

TEST(LineTables, that_are_damaged_give_some_line_or_none) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::vector<unsigned char> table(random() % 40);
    for (unsigned char& byte : table) byte = static_cast<unsigned char>(random());
    const auto first = static_cast<std::int32_t>(random());
    const auto offset = static_cast<std::int32_t>(random() % 200);
    line_of_pairs(table.data(), table.size(), first, offset);
    EXPECT_GE(line_of_locations(table.data(), table.size(), first, offset), 0);
  }
}

}  // namespace
}  // namespace tactus::wire

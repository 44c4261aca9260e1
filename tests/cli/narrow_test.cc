// What commands print fits a narrow terminal; only commands that people copy may be longer.
#include <gtest/gtest.h>

#include <sstream>

#include "bench/candidate/subprocess.h"
#include "support/files.h"
#include "support/paths.h"
#include "views/common/text_table.h"

namespace tactus {
namespace {

const std::string kData = std::string(TACTUS_ROOT) + "/data/";
const std::string kDemo = kData + "demo/";
const std::string kLight = std::string(TACTUS_ROOT) + "/tests/golden/inputs/light/";

std::string printed(std::size_t columns, const std::string& arguments) {
  const Result<ProgramOutput> output =
      run_program({"env", "COLUMNS=" + std::to_string(columns), "sh", "-c",
                   "'" + std::string(TACTUS_TOOL) + "' " + arguments},
                  120);
  return output ? output->text : output.error().message;
}

TEST(Narrow, no_line_is_wider_than_the_terminal) {
  for (const std::size_t columns : {80, 100}) {
    for (const std::string& arguments :
         {"compare " + kDemo + "h200-good.tact " + kDemo + "h200-slow.tact",
          "cycles " + kDemo + "h200-decode.json.gz", "kernels " + kDemo + "h200-decode.json.gz",
          "kernels " + kDemo + "h200-good.tact " + kDemo + "h200-slow.tact",
          "kernels " + kLight + "light.tact", "mine " + kDemo + "h200-decode.json.gz",
          "ranks " + kDemo + "h200-two-ranks.tact", std::string("roofline"),
          std::string("roofline rms_norm"), std::string("roofline rms_norm/3"),
          "bench --show " + kData + "baselines/h200.json", std::string("--help")}) {
      std::istringstream lines(printed(columns, arguments));
      std::size_t count = 0;
      for (std::string line; std::getline(lines, line); ++count) {
        if (line.find("$ ") != std::string::npos) continue;
        EXPECT_LE(text_width(line), columns) << arguments << ": " << line;
      }
      EXPECT_GT(count, 3u) << arguments;
    }
  }
}

TEST(Narrow, warnings_are_wrapped) {
  const testing::TemporaryFolder folder;
  const std::string broken = folder.write("a-trace-that-ends-in-the-middle-of-a-value.json",
                                          R"({"traceEvents":[{"ph":"X","name":"a","cat":"kernel",)"
                                          R"("ts":1,"dur":1,"pid":0,"tid":7},{"ph":"X","na)");
  std::istringstream lines(printed(60, "info '" + broken + "' 2>&1 >/dev/null"));
  std::string first;
  std::getline(lines, first);
  EXPECT_EQ(first.find("tactus: warning:"), 0u)
      << first;  // a long path may follow in the next line
  std::string second;
  EXPECT_TRUE(std::getline(lines, second));
  EXPECT_EQ(second.find("        "), 0u) << second;
}

}  // namespace
}  // namespace tactus

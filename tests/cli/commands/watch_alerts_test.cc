// What an alert carries: the class of the cause, the comparison and what to type, of real programs.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <sstream>

#include "base/json.h"
#include "record/recorded_program.h"
#include "support/files.h"
#include "support/paths.h"

namespace tactus::cli {
namespace {

using testing::Ended;
using testing::run_command;
using testing::TemporaryFolder;

/// Steps of 5 ms that take 15 ms after some seconds.
std::string loop_that_gets_slow(const std::string& seconds, const std::string& slow_after) {
  return testing::program("loop") + " eager " + seconds + " 5 1000 0 " + slow_after + " 3000";
}

void expect_explained(const Json& alert) {
  ASSERT_TRUE(alert.is_object());
  EXPECT_FALSE(alert.text_at("cause").empty());
  EXPECT_FALSE(alert.text_at("verdict").empty());
  EXPECT_TRUE(alert["recording"].is_null());
  ASSERT_TRUE(alert["comparison"].is_object());
  EXPECT_EQ(alert["comparison"]["verdict"].text_at("class"), alert.text_at("cause"));
}

std::size_t files_in(const TemporaryFolder& folder) {
  const std::filesystem::directory_iterator files(folder.path());
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

TEST(WatchAlerts, of_a_recording_say_why_and_write_no_file) {
  const TemporaryFolder folder;
  const std::string file = folder.file("run.tact");
  run_command(testing::record_to(file) + loop_that_gets_slow("7", "3"));
  const Ended watched =
      run_command("cd " + folder.path().string() + "; " TACTUS_TOOL " watch run.tact --json");
  EXPECT_EQ(watched.code, 0);
  const Json report = Json::parse(watched.out);
  ASSERT_GT(report["alerts"].size(), 0U) << watched.out;
  expect_explained(report["alerts"][0]);
  EXPECT_EQ(report["alerts"][0].text_at("command"), "tactus watch run.tact --keep 10s");
  EXPECT_EQ(files_in(folder), 1U);
  // What it says can be typed.
  const Ended kept = run_command("cd " + folder.path().string() +
                                 "; " TACTUS_TOOL " watch run.tact --keep 10s --json");
  EXPECT_EQ(kept.code, 0);
  const Json again = Json::parse(kept.out);
  ASSERT_GT(again["alerts"].size(), 0U);
  EXPECT_EQ(again["alerts"][0].text_at("cause"), report["alerts"][0].text_at("cause"));
  EXPECT_TRUE(again["alerts"][0].text_at("command").starts_with("tactus compare "));
  EXPECT_EQ(files_in(folder), 1 + 2 * again["alerts"].size());
}

TEST(WatchAlerts, of_a_process_say_why_a_little_later) {
  const TemporaryFolder folder;
  const std::string agent = run_command(TACTUS_TOOL " record --print-agent").out;
  const Ended watched = run_command(
      "LD_PRELOAD=" + agent.substr(0, agent.find('\n')) + " " + loop_that_gets_slow("12", "5") +
      " > /dev/null & pid=$!; sleep 1; " TACTUS_TOOL " watch --stacks none --pid $pid --keep-in " +
      folder.path().string() + " --json --json-lines " + folder.file("lines") + "; wait $pid");
  EXPECT_EQ(watched.code, 0);
  const Json report = Json::parse(watched.out);
  ASSERT_GT(report["alerts"].size(), 0U) << watched.out;
  expect_explained(report["alerts"][0]);
  EXPECT_NE(report["alerts"][0].text_at("command").find("tactus watch --pid "), std::string::npos);
  EXPECT_EQ(files_in(folder), 1U);  // the lines
  std::istringstream lines(testing::read_file(folder.file("lines")));
  std::string order;
  for (std::string line; std::getline(lines, line);) {
    const Json event = Json::parse(line);
    const std::string kind = event.text_at("event");
    if (kind == "alert" || kind == "explained") order += kind + " ";
    if (kind == "explained") expect_explained(event);
  }
  EXPECT_TRUE(order.starts_with("alert explained ")) << order;
}

}  // namespace
}  // namespace tactus::cli

// tactus top: what a process does now.
#include <gtest/gtest.h>
#include <signal.h>

#include "base/json.h"
#include "base/utf8.h"
#include "record/live/live_stream.h"
#include "record/recorded_program.h"
#include "support/paths.h"
#include "views/record/top_view.h"

namespace tactus {
namespace {

using testing::Ended;
using testing::program;
using testing::run_command;
using testing::start_command;

std::string agent_variable() {
  const std::string library = run_command(TACTUS_TOOL " record --print-agent").out;
  return "LD_PRELOAD=" + library.substr(0, library.size() - 1);
}

/// A process that is ended with the test.
class Started {
 public:
  explicit Started(const std::vector<std::string>& words,
                   const std::vector<std::string>& environment = {})
      : pid_(start_command(words, environment)) {}
  ~Started() {
    kill(pid_, SIGKILL);
    testing::wait_for(pid_);
  }
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;
  std::string pid() const { return std::to_string(pid_); }

 private:
  int pid_;
};

TEST(Top, shows_steps_and_launches_of_a_process_with_the_agent) {
  const Started server({program("server"), "1000000", "4"}, {agent_variable()});
  Json document;
  EXPECT_TRUE(testing::wait_until([&] {
    const Ended ended = run_command(TACTUS_TOOL " top " + server.pid() + " --once --json");
    document = Json::parse(ended.out);
    return ended.code == 0 && !document.is_discarded() &&
           document["processes"].get<std::int64_t>() == 1;
  }));
  EXPECT_GT(document["steps_per_second"].get<double>(), 0);
  EXPECT_GT(document["step_ns"].get<std::int64_t>(), 0);
  EXPECT_NEAR(
      document["launches_per_second"].get<double>() / document["steps_per_second"].get<double>(), 5,
      0.5);
  EXPECT_EQ(document["kernels"].at(0)["name"], Json("mix"));
  EXPECT_TRUE(document["dropped"].empty());
}

TEST(Top, shows_meters_of_any_process) {
  const Started other({"sleep", "100"});
  const Ended ended = run_command(TACTUS_TOOL " top " + other.pid() + " --once --json");
  EXPECT_EQ(ended.code, 0);
  const Json document = Json::parse(ended.out);
  ASSERT_FALSE(document.is_discarded());
  EXPECT_FALSE(document["meters"].empty());
  EXPECT_TRUE(document["steps_per_second"].is_null());
  EXPECT_TRUE(document["host"].is_null());
  EXPECT_EQ(document["warnings"].size(), 1u);
}

TEST(Top, ends_when_the_process_does) {
  const Ended ended = run_command("sleep 1.5 & " TACTUS_TOOL " top $!");
  EXPECT_EQ(ended.code, 0);
  EXPECT_NE(ended.out.find("steps/s unknown"), std::string::npos) << ended.out;
}

TEST(Top, finds_a_process_by_a_part_of_its_command) {
  const Started other({"sleep", "1234.5678"});
  EXPECT_TRUE(testing::wait_until([&] { return bool(record::find_process("1234.5678")); }));
  const Result<std::int64_t> found = record::find_process("1234.5678");
  ASSERT_TRUE(found);
  EXPECT_EQ(std::to_string(*found), other.pid());
  EXPECT_FALSE(record::find_process("no such name 7361"));
  const Started twin({"sleep", "1234.5678"});
  EXPECT_TRUE(testing::wait_until([&] { return !record::find_process("1234.5678"); }));
}

TEST(Top, a_process_that_does_not_exist_is_an_input_error) {
  EXPECT_EQ(run_command(TACTUS_TOOL " top 4194303 --once").code, 2);
  EXPECT_EQ(run_command(TACTUS_TOOL " top 1 --json").code, 2);
}

record::LivePicture full_picture() {
  record::LivePicture picture;
  picture.pid = 4711;
  picture.command = "python serve.py " + std::string(200, 'x');
  picture.sees_launches = true;
  picture.steps_per_second = 312.4;
  picture.step_ns = 3'200'000;
  picture.slowest_ns = 5'000'000;
  picture.step_history = {1, 0, 2, 8};
  picture.gpu_busy = 0.87;
  for (int i = 0; i < 50; ++i) {
    picture.kernels.push_back({"kernel" + std::to_string(i), 100.0 - i, 0.001 * i});
    picture.meters.push_back({"meter" + std::to_string(i), "Host", "%", 1.0 * i});
  }
  picture.calls = {{"launch", 0.5}, {"copy", 0.1}};
  picture.host = {{"futex", 0.4}};
  picture.notes = {"a note"};
  return picture;
}

TEST(TopScreen, fits_into_any_terminal) {
  for (const std::size_t columns : {1u, 20u, 80u, 300u}) {
    for (const std::size_t rows : {1u, 5u, 24u, 100u}) {
      const auto lines = top_screen(full_picture(), {.columns = columns, .rows = rows});
      EXPECT_LE(lines.size(), rows);
      for (const std::string& line : lines) EXPECT_LE(text_width(line), columns);
    }
  }
}

TEST(TopScreen, is_full_at_80_by_24) {
  const auto lines = top_screen(full_picture(), {});
  EXPECT_EQ(lines.size(), 24u);
  EXPECT_EQ(lines.back(), "q quit  p pause  s sort: launches");
  EXPECT_NE(lines[2].find("▂ ▃█"), std::string::npos) << lines[2];
}

TEST(TopScreen, sorts_by_call_time) {
  const auto lines = top_screen(full_picture(), {.sort = TopSort::kCallTime});
  EXPECT_NE(lines[6].find("kernel49"), std::string::npos) << lines[6];
}

TEST(TopScreen, writes_unknown_for_what_is_not_known) {
  const auto lines = top_screen(record::LivePicture(), {});
  EXPECT_NE(lines[2].find("steps/s unknown"), std::string::npos) << lines[2];
}

}  // namespace
}  // namespace tactus

#include "run/filter.h"

#include <gtest/gtest.h>

#include "support/run_text.h"

namespace tactus {
namespace {

using testing::import_json;

std::string event(const std::string& category, const std::string& pid) {
  return R"({"ph":"X","cat":")" + category + R"(","name":"n","pid":)" + pid +
         R"(,"tid":1,"ts":1,"dur":1},)";
}

TEST(Filter, gives_a_device_to_the_only_host_process_of_its_source) {
  const auto run = import_json("[" + event("cpu_op", "-1") + event("cpu_op", "4711") +
                               event("kernel", "0") + event("kernel", R"-("GPU 1 (12)")-"));
  EXPECT_EQ(host_pids(run), (std::vector<std::optional<std::int64_t>>{4711}));
  EXPECT_EQ(wanted_tracks(run, {.pid = 4711}), std::vector<bool>({false, true, true, false}));
  EXPECT_EQ(wanted_tracks(run, {.pid = 12}), std::vector<bool>({false, false, false, true}));
}

TEST(Filter, gives_a_device_to_nobody_if_several_processes_run_code) {
  const auto run = import_json("[" + event("cpu_op", "1") + event("cpu_op", "2") +
                               event("cpu_op", "1") + event("kernel", "0"));
  EXPECT_EQ(wanted_tracks(run, {.pid = 1}), std::vector<bool>({true, false, false}));
}

TEST(Filter, knows_the_process_of_very_many_devices) {
  constexpr int kMany = 50'000;
  std::string text = "[" + event("cpu_op", "1000000");
  for (int i = 0; i < kMany; ++i) text += event("kernel", std::to_string(i));
  const auto run = import_json(text);
  const std::vector<bool> wanted = wanted_tracks(run, {.pid = 1'000'000});
  EXPECT_EQ(std::count(wanted.begin(), wanted.end(), true), kMany + 1);
}

}  // namespace
}  // namespace tactus

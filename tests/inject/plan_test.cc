#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "inject/request.h"
#include "inject/scenario.h"

namespace tactus::inject {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kGib = 1ULL << 30;

Machine machine_with(std::size_t cores, std::uint64_t total, std::uint64_t free) {
  Machine machine;
  for (std::size_t i = 0; i < cores; ++i) machine.cores.push_back(static_cast<int>(i));
  machine.memory_total = total;
  machine.memory_free = free;
  return machine;
}

InjectRequest request_for(const std::string& scenario) {
  InjectRequest request;
  request.scenario = scenario;
  return request;
}

TEST(InjectShape, a_step_lasts_until_the_end_and_no_longer) {
  EXPECT_EQ(level_at(Shape::kStep, 0.5, 10, 0), 0.5);
  EXPECT_EQ(level_at(Shape::kStep, 0.5, 10, 9.9), 0.5);
  EXPECT_EQ(level_at(Shape::kStep, 0.5, 10, 10), 0);
}

TEST(InjectShape, a_ramp_grows_and_waves_go_on_and_off) {
  EXPECT_NEAR(level_at(Shape::kRamp, 1, 10, 5), 0.5, 1e-9);
  EXPECT_EQ(level_at(Shape::kSquare, 1, 10, 0.5), 1);
  EXPECT_EQ(level_at(Shape::kSquare, 1, 10, 1.5), 0);
  EXPECT_EQ(level_at(Shape::kSpike, 1, 10, 2.1), 1);
  EXPECT_EQ(level_at(Shape::kSpike, 1, 10, 2.5), 0);
}

TEST(InjectPlan, one_core_stays_free_unless_all_are_asked_for) {
  const Machine machine = machine_with(4, 16 * kGib, 8 * kGib);
  InjectRequest request = request_for("cpu");
  EXPECT_EQ(make_plan(request, machine)->cores.size(), 3U);
  request.cores = 4;
  EXPECT_EQ(make_plan(request, machine)->cores.size(), 4U);
  request.cores = 5;
  EXPECT_FALSE(make_plan(request, machine));
}

TEST(InjectPlan, memory_never_takes_more_than_half_of_what_is_free) {
  const Machine machine = machine_with(2, 16 * kGib, 8 * kGib);
  InjectRequest request = request_for("memory");
  request.intensity = 1;
  EXPECT_EQ(make_plan(request, machine)->memory_bytes, 4 * kGib);
  request.max_memory = kGib;
  EXPECT_EQ(make_plan(request, machine)->memory_bytes, kGib);
}

TEST(InjectPlan, memory_is_refused_where_little_is_free) {
  const Result<Plan> plan = make_plan(request_for("memory"), machine_with(2, 16 * kGib, 2 * kGib));
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().message.find("refused"), std::string::npos) << plan.error().message;
}

TEST(InjectPlan, disk_is_refused_in_memory_and_without_room) {
  InjectRequest request = request_for("disk");
  request.folder = "/dev/shm";
  EXPECT_FALSE(make_plan(request, machine_with(2, kGib, kGib)));
  request.folder = "/proc";  // a disk without a free byte
  EXPECT_FALSE(make_plan(request, machine_with(2, kGib, kGib)));
}

TEST(InjectPlan, more_than_ten_minutes_needs_a_flag) {
  const Machine machine = machine_with(2, 16 * kGib, 8 * kGib);
  InjectRequest request = request_for("cpu");
  request.seconds = 601;
  EXPECT_FALSE(make_plan(request, machine));
  request.allow_long = true;
  EXPECT_TRUE(make_plan(request, machine));
}

TEST(InjectPlan, what_would_change_settings_is_not_built) {
  const Result<Plan> plan = make_plan(request_for("gpu-clock"), machine_with(2, kGib, kGib));
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().message.find("not built"), std::string::npos);
}

TEST(InjectPlan, a_wrong_name_gets_a_suggestion) {
  const Result<Plan> plan = make_plan(request_for("disc"), machine_with(2, kGib, kGib));
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().message.find("disk"), std::string::npos) << plan.error().message;
}

TEST(InjectPlan, stall_stops_no_process_of_others_nor_its_own_line) {
  InjectRequest request = request_for("stall");
  const Machine machine = machine_with(2, kGib, kGib);
  EXPECT_FALSE(make_plan(request, machine));  // no --pid
  for (const std::int64_t pid : {std::int64_t{1}, std::int64_t{::getpid()},
                                 std::int64_t{::getppid()}, std::int64_t{4194303}}) {
    request.pid = pid;
    EXPECT_FALSE(make_plan(request, machine)) << pid;
  }
}

TEST(InjectMachine, a_container_has_no_more_memory_than_its_limit) {
  const fs::path root = fs::path(::testing::TempDir()) / "inject_machine";
  fs::create_directories(root / "proc");
  fs::create_directories(root / "sys/fs/cgroup");
  std::ofstream(root / "proc/meminfo") << "MemTotal: 16777216 kB\nMemAvailable: 8388608 kB\n";
  EXPECT_EQ(look_at_machine(root.string())->memory_free, 8 * kGib);
  std::ofstream(root / "sys/fs/cgroup/memory.max") << 2 * kGib;
  std::ofstream(root / "sys/fs/cgroup/memory.current") << kGib;
  EXPECT_EQ(look_at_machine(root.string())->memory_free, kGib);
  EXPECT_EQ(look_at_machine(root.string())->memory_total, 2 * kGib);
  fs::remove_all(root);
}

}  // namespace
}  // namespace tactus::inject

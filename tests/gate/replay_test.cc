// Recordings through policies: the model of the device, the simulation, what is explained.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "base/json.h"
#include "gate/replay/agent_model.h"
#include "gate/replay/device_model.h"
#include "gate/replay/explain_policy.h"
#include "gate/replay/simulate.h"
#include "record/recorded_program.h"
#include "stats/summary.h"
#include "support/files.h"
#include "support/paths.h"

namespace tactus::gate {
namespace {

constexpr std::int64_t kMs = 1'000'000;

Policy built_in(const std::string& name) {
  Result<Policy> policy = find_policy(name);
  EXPECT_TRUE(policy) << name;
  return policy ? *policy : Policy();
}

/// Units of `launches` launches with `kernels` kernels each, and a wait; alone on the device.
void add_thread(LaunchTrace& trace, std::uint32_t process, std::size_t class_number, int units,
                int launches, std::size_t kernels, std::int64_t kernel_ns) {
  TracedThread& thread = trace.threads.emplace_back();
  thread.process = process;
  std::int64_t now = kMs;
  for (int unit = 0; unit < units; ++unit) {
    const std::int64_t begin = now;
    for (int i = 0; i < launches; ++i) {
      TracedLaunch launch;
      launch.begin_ns = now;
      launch.end_ns = now + 2'000;
      launch.class_number = class_number;
      launch.is_graph = kernels > 1;
      launch.stream = process;
      launch.first_kernel = trace.kernels.size();
      launch.kernels = kernels;
      for (std::size_t k = 0; k < kernels; ++k)
        trace.kernels.push_back({StringId(0), 0, kernel_ns});
      thread.steps.push_back({.kind = ThreadStep::kLaunch,
                              .begin_ns = now,
                              .end_ns = launch.end_ns,
                              .wake_ns = 0,
                              .launch = trace.launches.size()});
      trace.launches.push_back(launch);
      now += 5'000;
    }
    const std::int64_t done = begin + launches * static_cast<std::int64_t>(kernels) * kernel_ns;
    thread.steps.push_back({.kind = ThreadStep::kWait,
                            .begin_ns = now,
                            .end_ns = std::max(now, done),
                            .wake_ns = 0,
                            .launch = 0});
    now = std::max(now, done) + 10'000;
  }
}

/// Tokens of 4 ms, and chunks of 20 kernels of half a millisecond.
LaunchTrace two_loops() {
  LaunchTrace trace;
  add_thread(trace, 0, 0, 200, 1, 8, kMs / 2);
  add_thread(trace, 1, 1, 100, 20, 1, kMs / 2);
  return trace;
}

std::int64_t median(std::vector<std::int64_t> values) {
  return values.empty() ? 0 : static_cast<std::int64_t>(quantile(values, 0.5));
}

std::vector<std::size_t> done_by(DeviceModel& device, std::int64_t now) {
  return device.advance(now);
}

TEST(GateDeviceModel, runs_kernels_one_after_the_other_as_they_are_ready) {
  DeviceModel device({.sharing = Sharing::kKernels});
  for (std::size_t i = 0; i < 3; ++i) device.submit(0, 0, 1, i, 10);
  for (std::size_t i = 3; i < 6; ++i) device.submit(1, 1, 1, i, 10);
  EXPECT_EQ(done_by(device, 60), (std::vector<std::size_t>{0, 3, 1, 4, 2, 5}));
  EXPECT_FALSE(device.next_ns());
}

TEST(GateDeviceModel, gives_processes_turns) {
  DeviceModel device({.sharing = Sharing::kSlices, .slice_ns = 25});
  for (std::size_t i = 0; i < 3; ++i) device.submit(0, 0, 1, i, 20);
  for (std::size_t i = 3; i < 6; ++i) device.submit(0, 1, 1, i, 20);
  // 25 for the first: one kernel, and a quarter of the next.
  EXPECT_EQ(done_by(device, 25), (std::vector<std::size_t>{0}));
  EXPECT_EQ(done_by(device, 50), (std::vector<std::size_t>{3}));
  EXPECT_EQ(done_by(device, 120), (std::vector<std::size_t>{1, 4, 2, 5}));
}

TEST(GateDeviceModel, a_turn_that_is_given_away_changes_faster_than_one_that_is_taken_away) {
  DeviceModel device(
      {.sharing = Sharing::kSlices, .slice_ns = 25, .switch_ns = 10, .handover_ns = 4});
  device.submit(0, 0, 1, 0, 30);
  for (std::size_t i = 1; i < 3; ++i) device.submit(0, 1, 1, i, 12);
  // Taken away at 25; the second has 15 from 35 on, the first goes on at 60 and gives its turn
  // away.
  EXPECT_EQ(done_by(device, 46).size(), 0U);
  EXPECT_EQ(done_by(device, 47), (std::vector<std::size_t>{1}));
  EXPECT_EQ(done_by(device, 64).size(), 0U);
  EXPECT_EQ(done_by(device, 65), (std::vector<std::size_t>{0}));
  EXPECT_EQ(done_by(device, 77).size(), 0U);
  EXPECT_EQ(done_by(device, 78), (std::vector<std::size_t>{2}));
}

TEST(GateDeviceModel, alone_goes_on_without_a_turn) {
  DeviceModel device({.sharing = Sharing::kSlices, .slice_ns = 5});
  device.submit(0, 7, 1, 0, 100);
  EXPECT_EQ(*device.next_ns(), 100);
  EXPECT_EQ(done_by(device, 99).size(), 0U);
  EXPECT_EQ(done_by(device, 100).size(), 1U);
}

TEST(GateAgentModel, measures_launches_together_with_what_runs_between_them) {
  QueueModel queue;
  LearnedCost cost;
  // Launches of 1 ms, each behind one of somebody else that takes 2 ms.
  std::int64_t now = 0;
  std::uint64_t done = 0;
  for (int i = 0; i < 100; ++i) {
    queue.begin_launch(now, 2, cost);
    while (queue.is_full(2, now)) {
      now += 3 * kMs;
      queue.finish(++done, now, cost);
    }
    queue.launch();
  }
  EXPECT_EQ(cost.ns(), 3 * kMs);
}

TEST(GateAgentModel, lets_as_many_launches_in_as_the_depth_says) {
  QueueModel queue;
  LearnedCost cost;
  int launches = 0;
  for (; launches < 100; ++launches) {
    queue.begin_launch(launches, 8, cost);
    if (queue.is_full(8, launches)) break;
    queue.launch();
  }
  EXPECT_EQ(launches, 8);
  queue.rest(launches);
  EXPECT_FALSE(queue.is_full(8, launches));
  EXPECT_TRUE(queue.is_full(8, 2000 * kMs));
}

TEST(GateAgentModel, takes_the_shortest_time_of_a_graph) {
  GraphClockModel clock;
  LearnedCost cost;
  for (int i = 0; i < 64; ++i) {
    clock.collect(cost);
    if (clock.begin(cost)) clock.end((i < 32 ? 9 : 5) * kMs);
  }
  clock.collect(cost);
  EXPECT_EQ(cost.ns(), 5 * kMs);
}

TEST(GateSimulation, lasts_as_long_as_the_recording) {
  // Decode was recorded beside prefill, and is done far sooner if prefill is held.
  LaunchTrace trace = two_loops();
  Policy priority = built_in("priority");
  priority.depth = {0, 2};
  const Outcome recorded = recorded_outcome(trace, priority);
  const Outcome simulated = simulate(trace, priority, {});
  EXPECT_GE(simulated.took_ns, recorded.took_ns);
  EXPECT_LE(simulated.took_ns, recorded.took_ns + 10 * kMs);
}

TEST(GateSimulation, does_not_repeat_what_had_ended_when_it_was_recorded) {
  // Decode ends after 40 ms, prefill after a second.
  LaunchTrace trace;
  add_thread(trace, 0, 0, 10, 1, 8, kMs / 2);
  add_thread(trace, 1, 1, 100, 20, 1, kMs / 2);
  const Outcome outcome = simulate(trace, built_in("open"), {});
  EXPECT_LE(outcome.classes[0].units, 10);
}

TEST(GateSimulation, says_that_a_clock_may_start_what_seems_to_get_more_done) {
  // Recorded beside prefill, each token took twice as long as it needs.
  LaunchTrace trace = two_loops();
  TracedThread& decode = trace.threads[0];
  for (ThreadStep& step : decode.steps) {
    step.begin_ns *= 2;
    step.end_ns *= 2;
  }
  Policy priority = built_in("priority");
  priority.depth = {0, 2};
  const Simulation simulation = simulate_run(trace, priority, Sharing::kKernels);
  ASSERT_FALSE(simulation.notes.empty());
  EXPECT_TRUE(simulation.notes.back().starts_with("decode gets more done"));
  for (const std::string& note :
       simulate_run(two_loops(), built_in("open"), Sharing::kKernels).notes) {
    EXPECT_EQ(note.find("gets more done"), std::string::npos);
  }
}

TEST(GateSimulation, of_units_that_take_no_time_ends) {
  LaunchTrace trace;
  add_thread(trace, 0, 0, 50, 1, 1, 0);
  for (ThreadStep& step : trace.threads[0].steps) step.begin_ns = step.end_ns = kMs;
  trace.threads[0].steps.back().end_ns = 2 * kMs;
  EXPECT_GE(simulate(trace, built_in("slo"), {}).took_ns, 0);
}

TEST(GateSimulation, of_one_alone_is_the_recording) {
  LaunchTrace trace;
  add_thread(trace, 0, 0, 50, 1, 8, kMs / 2);
  const Policy policy = built_in("open");
  const Outcome recorded = recorded_outcome(trace, policy);
  const Outcome simulated = simulate(trace, policy, {});
  EXPECT_EQ(median(simulated.classes[0].between_ns), median(recorded.classes[0].between_ns));
  EXPECT_EQ(simulated.classes[0].launches, recorded.classes[0].launches);
}

TEST(GateSimulation, without_a_gate_two_loops_get_half_each) {
  const Outcome outcome = simulate(two_loops(), built_in("open"), {});
  EXPECT_NEAR(static_cast<double>(median(outcome.classes[0].between_ns)), 8.0 * kMs, 0.6 * kMs);
  EXPECT_NEAR(static_cast<double>(median(outcome.classes[1].between_ns)), 20.0 * kMs, 1.5 * kMs);
}

TEST(GateSimulation, holds_as_the_policies_say) {
  const LaunchTrace trace = two_loops();
  const Outcome open = simulate(trace, built_in("open"), {});
  Policy priority = built_in("priority");
  priority.depth = {0, 2};
  priority.floor = 0.3;
  const Outcome gated = simulate(trace, priority, {});
  EXPECT_LT(median(gated.classes[0].between_ns), median(open.classes[0].between_ns));
  EXPECT_GT(median(gated.classes[1].between_ns), median(open.classes[1].between_ns));
  EXPECT_GT(gated.classes[1].held, 0);
  EXPECT_GT(gated.classes[1].queued, 0);
  EXPECT_EQ(gated.classes[0].held, 0);
  // By slices, too.
  const Outcome slices = simulate(trace, priority, {.device = {.sharing = Sharing::kSlices}});
  EXPECT_GT(slices.classes[1].held, 0);
}

TEST(GateSimulation, slo_keeps_the_target_for_most_tokens) {
  Policy policy = built_in("slo");
  policy.target_ns = 7 * kMs;
  policy.depth = {0, 2};
  const Outcome outcome = simulate(two_loops(), policy, {});
  const std::vector<std::int64_t>& between = outcome.classes[0].between_ns;
  const auto late = std::count_if(between.begin(), between.end(),
                                  [&](std::int64_t ns) { return ns > policy.target_ns; });
  EXPECT_LE(static_cast<double>(late), 0.05 * static_cast<double>(between.size()));
  EXPECT_GT(outcome.classes[1].units, 10);
}

TEST(GateSimulation, by_turns_wastes_less_where_the_gpu_gives_turns) {
  // A token takes 5.3 ms, a chunk 15 ms; twice the time of a token is the target. Both were
  // recorded for 9 s.
  LaunchTrace trace;
  add_thread(trace, 0, 0, 1696, 1, 53, kMs / 10);
  add_thread(trace, 1, 1, 600, 150, 1, kMs / 10);
  Policy policy = built_in("slo");
  policy.target_ns = 10'600'000;
  policy.depth = {0, 8};
  const SimulationOptions slices{.device = {.sharing = Sharing::kSlices}};
  const Outcome at_once = simulate(trace, policy, slices);
  policy.turns = true;
  const Outcome by_turns = simulate(trace, policy, slices);
  const auto rate = [](const Outcome& outcome) {
    return static_cast<double>(outcome.classes[1].units) / static_cast<double>(outcome.took_ns);
  };
  EXPECT_GT(rate(by_turns), rate(at_once));
  std::vector<std::int64_t> between = by_turns.classes[0].between_ns;
  EXPECT_LE(quantile(between, 0.98), 1.02 * static_cast<double>(policy.target_ns));
}

TEST(GateSimulation, ends_whatever_the_policy) {
  for (const std::string& name : policy_names()) {
    Policy policy = built_in(name);
    for (const std::int64_t max_hold : {std::int64_t{0}, 20 * kMs}) {
      policy.max_hold_ns = max_hold;
      EXPECT_GT(simulate(two_loops(), policy, {}).took_ns, 0) << name;
    }
  }
  EXPECT_EQ(simulate(LaunchTrace(), built_in("slo"), {}).took_ns, 0);
}

/// "tactus ARGUMENTS" as JSON.
Json json_of(const std::string& arguments) {
  return Json::parse(testing::run_command(TACTUS_TOOL " " + arguments + " --json").out);
}

TEST(GateReplay, of_a_recording_knows_classes_units_and_the_bound) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.file("run.tact");
  testing::run_command(TACTUS_TOOL " record -q --force --mode full --meters-hz 0 -o " + file +
                       " -- sh -c '" + testing::program("loop graph 0.3 4 100") + " & " +
                       testing::program("loop eager 0.3 6 200") + "; wait'");
  const Json explained = json_of("gate explain " + file + " -q --policy priority");
  ASSERT_TRUE(explained.is_object());
  const Json& decode = explained.at("classes").at(std::size_t{0});
  const Json& prefill = explained.at("classes").at(std::size_t{1});
  EXPECT_GT(decode.number_at("graphs").value_or(0), 0);
  EXPECT_EQ(decode.number_at("graphs"), decode.number_at("launches"));
  EXPECT_EQ(decode.number_at("longest_ns").value_or(0), 400'000);
  EXPECT_EQ(prefill.number_at("heads"), prefill.number_at("launches"));
  EXPECT_EQ(prefill.number_at("longest_ns").value_or(0), 200'000);
  // 16 of them would be more than a unit of six.
  EXPECT_EQ(prefill.number_at("residual_ns").value_or(0), 1'200'000);
  const Json simulated = json_of("gate simulate " + file + " -q --policy priority");
  ASSERT_TRUE(simulated.is_object());
  for (const Json& run : simulated.at("runs")) {
    for (const Json& one : run.at("classes")) {
      EXPECT_GT(one.number_at("units").value_or(0), 0) << run.text_at("run");
    }
  }
}

TEST(GateReplay, of_a_recording_knows_the_rows_of_products) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.file("run.tact");
  testing::run_command(TACTUS_TOOL " record -q --force --mode full --meters-hz 0 -o " + file +
                       " -- sh -c '" + testing::program("tokens 20 8 before") + " & " +
                       testing::program("tokens 30 512") + "; wait'");
  std::ofstream(folder.file("rows.toml"))
      << "policy = \"priority\"\nfirst = \"decode\"\nsecond = \"prefill\"\n[[class]]\nname = "
         "\"prefill\"\nleast_rows = 64\n[[class]]\nname = \"decode\"\nmost_rows = 63\n";
  const Json explained =
      json_of("gate explain " + file + " -q --policy " + folder.file("rows.toml"));
  ASSERT_TRUE(explained.is_object());
  EXPECT_EQ(explained.at("classes").at(std::size_t{0}).number_at("launches").value_or(0), 90);
  EXPECT_EQ(explained.at("classes").at(std::size_t{1}).number_at("launches").value_or(0), 60);
  // Kernels before a product have no rows.
  EXPECT_EQ(explained.number_at("unclassified").value_or(0), 20 + 2 * 300);
  // The second kernel of each product follows the first.
  EXPECT_EQ(explained.at("classes").at(std::size_t{0}).number_at("members").value_or(0), 30);
  EXPECT_EQ(explained.at("classes").at(std::size_t{0}).number_at("heads").value_or(0), 60);
}

TEST(GateReplay, says_what_is_missing) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.file("run.tact");
  testing::run_command(TACTUS_TOOL " record -q --force --meters-hz 0 -o " + file + " -- " +
                       testing::program("loop eager 0.1 6 200"));
  EXPECT_EQ(testing::run_command(TACTUS_TOOL " gate simulate " + file + " --policy slo").code, 2);
  EXPECT_EQ(testing::run_command(TACTUS_TOOL " gate simulate " + file).code, 2);
  EXPECT_EQ(testing::run_command(TACTUS_TOOL " gate explain --policy slo").code, 2);
  EXPECT_EQ(
      testing::run_command(TACTUS_TOOL " gate explain x.json --policy slo --tags decode").code, 2);
}

}  // namespace
}  // namespace tactus::gate

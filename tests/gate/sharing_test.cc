// Own times of kernels from recordings in which two processes shared the GPU. The recordings are
// made here, by a device of its own kind that goes on in steps of half a microsecond.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "gate/replay/device_sharing.h"
#include "gate/replay/simulate.h"

namespace tactus::gate {
namespace {

constexpr std::int64_t kUs = 1'000;
constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kTick = kUs / 2;

/// A process that launches a unit, waits for it, and begins again.
struct Loop {
  std::vector<std::int64_t> kernels_ns;  ///< of a unit, alone
  std::size_t layer = 1'000;             ///< kernels of a layer
  bool is_graph = false;
  std::int64_t call_ns = 4 * kUs;
  std::int64_t launch_every_ns = 0;    ///< from launch to launch; 0: call by call
  std::int64_t between_ns = 60 * kUs;  ///< from the end of a wait to the next launch
  std::int64_t pace_ns = 0;            ///< at least from unit to unit
};

struct Device {
  Sharing sharing = Sharing::kSlices;
  std::int64_t slice_ns = 2 * kMs;
  std::int64_t switch_ns = 0;
  std::vector<double> rates = {1, 1};
  /// Beside a kernel that takes 30 us or more alone: it fills the device.
  std::vector<double> rates_beside_long = {1, 1};
};

class Recorder {
 public:
  Recorder(std::vector<Loop> loops, Device device) : device_(std::move(device)) {
    for (Loop& loop : loops) {
      Process& process = processes_.emplace_back();
      process.loop = std::move(loop);
      process.next_ns = kMs + static_cast<std::int64_t>(processes_.size()) * 100 * kUs;
    }
  }

  LaunchTrace record(std::int64_t length_ns) {
    for (now_ = kMs; now_ < kMs + length_ns; now_ += kTick) {
      for (Process& process : processes_) act(process);
      run();
    }
    return trace();
  }

 private:
  struct Kernel {
    std::int64_t launch_ns = 0, available_ns = 0, start_ns = -1, end_ns = -1;
    double left_ns = 0;
    std::size_t place = 0;
  };
  struct Process {
    Loop loop;
    TracedThread thread;
    std::vector<TracedLaunch> launches;
    std::vector<Kernel> kernels;
    std::size_t current = 0;   ///< kernel on the device, or the next one
    std::size_t launched = 0;  ///< of the unit
    bool waits = false;
    std::int64_t pause_end_ns = 0, next_ns = 0, wait_begin_ns = 0, unit_begin_ns = 0;
  };

  bool has_work(const Process& process) const {
    return process.current < process.kernels.size() &&
           process.kernels[process.current].available_ns <= now_;
  }

  void act(Process& process) {
    if (process.waits) {
      if (process.current < process.kernels.size()) return;
      const std::int64_t end = now_ + 10 * kUs;
      process.thread.steps.push_back({.kind = ThreadStep::kWait,
                                      .begin_ns = process.wait_begin_ns,
                                      .end_ns = end,
                                      .wake_ns = end - process.kernels.back().end_ns,
                                      .launch = 0});
      process.waits = false;
      process.launched = 0;
      process.next_ns = end + process.loop.between_ns;
      if (process.loop.pace_ns > 0) {
        process.next_ns = std::max(process.next_ns, process.unit_begin_ns + process.loop.pace_ns);
      }
    }
    if (process.next_ns > now_) return;
    if (process.launched == process.loop.kernels_ns.size()) {
      process.waits = true;
      process.wait_begin_ns = now_;
      return;
    }
    if (process.launched == 0) process.unit_begin_ns = now_;
    const std::size_t count = process.loop.is_graph ? process.loop.kernels_ns.size() : 1;
    process.thread.steps.push_back({.kind = ThreadStep::kLaunch,
                                    .begin_ns = now_,
                                    .end_ns = now_ + process.loop.call_ns,
                                    .wake_ns = 0,
                                    .launch = process.launches.size()});
    TracedLaunch& launch = process.launches.emplace_back();
    launch.begin_ns = now_;
    launch.end_ns = now_ + process.loop.call_ns;
    launch.is_graph = process.loop.is_graph;
    launch.first_kernel = process.kernels.size();
    launch.kernels = count;
    for (std::size_t i = 0; i < count; ++i) {
      Kernel& kernel = process.kernels.emplace_back();
      kernel.launch_ns = now_;
      kernel.available_ns = now_ + process.loop.call_ns;
      kernel.place = process.launched + i;
      std::normal_distribution<double> noise(1, 0.02);
      kernel.left_ns = static_cast<double>(process.loop.kernels_ns[kernel.place]) * noise(random_);
    }
    process.launched += count;
    process.next_ns = now_ + std::max(process.loop.call_ns, process.loop.launch_every_ns);
  }

  void run() {
    std::vector<bool> has(processes_.size());
    for (std::size_t i = 0; i < has.size(); ++i) has[i] = has_work(processes_[i]);
    const bool both = has[0] && has[1];
    if (device_.sharing == Sharing::kSideBySide) {
      const std::array<double, 2> rates = {both ? rate_beside(0, processes_[1]) : 1,
                                           both ? rate_beside(1, processes_[0]) : 1};
      for (std::size_t i = 0; i < 2; ++i) {
        if (has[i]) get_on(processes_[i], rates[i]);
      }
      return;
    }
    const bool is_over = now_ >= slice_end_ns_;
    if (has[1 - turn_] && (!has[turn_] || is_over)) {
      turn_ = 1 - turn_;
      slice_end_ns_ = now_ + device_.slice_ns;
      from_ns_ = now_ + device_.switch_ns;
    } else if (is_over) {
      slice_end_ns_ += device_.slice_ns;
    }
    if (has[turn_] && now_ >= from_ns_) get_on(processes_[turn_], 1);
  }

  double rate_beside(std::size_t i, const Process& other) const {
    const std::int64_t takes_ns = other.loop.kernels_ns[other.kernels[other.current].place];
    return takes_ns >= 30 * kUs ? device_.rates_beside_long[i] : device_.rates[i];
  }

  void get_on(Process& process, double rate) {
    Kernel& kernel = process.kernels[process.current];
    if (now_ < process.pause_end_ns) return;
    if (kernel.start_ns < 0) kernel.start_ns = now_;
    kernel.left_ns -= rate * static_cast<double>(kTick);
    if (kernel.left_ns > 0) return;
    kernel.end_ns = now_ + kTick;
    ++process.current;
    process.pause_end_ns = kernel.end_ns + kUs;
  }

  LaunchTrace trace() {
    LaunchTrace out;
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      Process& process = processes_[i];
      TracedThread& thread = out.threads.emplace_back(process.thread);
      thread.process = static_cast<std::uint32_t>(i);
      thread.is_paced = process.loop.pace_ns > 0;
      thread.shortest_gap_ns = process.loop.between_ns;
      // What had not ended is not in the recording.
      while (!thread.steps.empty() && thread.steps.back().kind == ThreadStep::kLaunch) {
        thread.steps.pop_back();
      }
      for (ThreadStep& step : thread.steps) {
        if (step.kind != ThreadStep::kLaunch) continue;
        TracedLaunch launch = process.launches[step.launch];
        launch.class_number = i;
        launch.stream = static_cast<std::uint32_t>(i);
        const std::size_t first = launch.first_kernel;
        launch.first_kernel = out.kernels.size();
        for (std::size_t k = first; k < first + launch.kernels; ++k) {
          const Kernel& kernel = process.kernels[k];
          // Some of a layer have the same name, and not the same work.
          const std::size_t name = kernel.place % process.loop.layer % 8;
          out.kernels.push_back(
              {StringId(100 * i + name), kernel.start_ns, kernel.end_ns - kernel.start_ns});
        }
        step.launch = out.launches.size();
        out.launches.push_back(launch);
      }
    }
    return out;
  }

  Device device_;
  std::vector<Process> processes_;
  std::size_t turn_ = 0;
  std::int64_t now_ = 0, slice_end_ns_ = 0, from_ns_ = 0;
  std::mt19937 random_{1};
};

/// Kernels of a layer, over and over, that take `all_ns` together.
std::vector<std::int64_t> layers(const std::vector<double>& layer, std::size_t count,
                                 std::int64_t all_ns) {
  double sum = 0;
  for (const double one : layer) sum += one;
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < count; ++i) {
    for (const double one : layer) {
      out.push_back(static_cast<std::int64_t>(one / sum * static_cast<double>(all_ns) /
                                              static_cast<double>(count)));
    }
  }
  return out;
}

/// A token of 300 kernels, alone 5.29 ms with a microsecond between them.
Loop decode() {
  return {.kernels_ns = layers({2, 20, 4, 25, 4, 14, 2, 45, 4, 24}, 30, 4'950 * kUs),
          .layer = 10,
          .is_graph = true,
          .call_ns = 15 * kUs,
          .between_ns = 8 * kUs};
}
/// A chunk of 448 kernels, alone 15.94 ms.
Loop prefill() {
  return {
      .kernels_ns = layers({5, 45, 4, 4, 80, 4, 32, 5, 5, 190, 8, 10, 100, 5}, 32, 15'400 * kUs),
      .layer = 14,
      .is_graph = false,
      .call_ns = 6 * kUs,
      .launch_every_ns = 28 * kUs};
}

std::int64_t gpu_ns(const LaunchTrace& trace, std::uint32_t process) {
  std::int64_t out = 0;
  std::int64_t units = 0;
  for (const TracedThread& thread : trace.threads) {
    if (thread.process != process) continue;
    for (const ThreadStep& step : thread.steps) {
      if (step.kind == ThreadStep::kWait) {
        ++units;
        continue;
      }
      const TracedLaunch& launch = trace.launches[step.launch];
      for (std::size_t k = 0; k < launch.kernels; ++k) {
        out += trace.kernels[launch.first_kernel + k].dur_ns;
      }
    }
  }
  return units == 0 ? 0 : out / units;
}

const Device kTurns = {.slice_ns = 1800 * kUs, .switch_ns = 70 * kUs};
const Device kBeside = {
    .sharing = Sharing::kSideBySide, .rates = {0.39, 0.73}, .rates_beside_long = {0.39, 0.73}};
/// As on a GPU: small kernels get on well beside each other, and wait while a large one runs.
const Device kBesideUneven = {
    .sharing = Sharing::kSideBySide, .rates = {0.9, 0.95}, .rates_beside_long = {0.3, 0.6}};

struct Read {
  LaunchTrace trace;
  DeviceSharing sharing;
  LaunchTrace own;
};

Read read(const Device& device, std::int64_t pace_ns) {
  Loop first = decode();
  first.pace_ns = pace_ns;
  Read out;
  out.trace = Recorder({first, prefill()}, device).record(1000 * kMs);
  out.sharing = find_sharing(out.trace);
  out.own = with_own_times(out.trace, out.sharing);
  return out;
}

/// Tokens and chunks as they are alone; 5%: what the pauses between kernels and one unit come to.
void expect_own(const Read& read) {
  EXPECT_NEAR(static_cast<double>(gpu_ns(read.own, 0)), 5'290'000, 0.05 * 5'290'000);
  EXPECT_NEAR(static_cast<double>(gpu_ns(read.own, 1)), 15'940'000, 0.05 * 15'940'000);
  // That is not what was recorded.
  EXPECT_GT(gpu_ns(read.trace, 0), 8 * kMs);
}

Policy priority() {
  Policy policy = *find_policy("priority");
  policy.depth = {0, 8};
  return policy;
}

/// A simulation without a gate comes to what was recorded.
void expect_open_as_recorded(const Read& read) {
  const Simulation simulation = simulate_run(read.trace, priority());
  EXPECT_LT(simulation.farthest_off, 0.05);
  EXPECT_EQ(simulation.device.sharing, read.sharing.sharing);
}

TEST(GateSharing, by_turns_knows_turns_and_own_times) {
  const Read read = gate::read(kTurns, 0);
  EXPECT_EQ(read.sharing.sharing, Sharing::kSlices);
  EXPECT_NEAR(static_cast<double>(read.sharing.slice_ns), 1'800'000, 50'000);
  EXPECT_NEAR(static_cast<double>(read.sharing.switch_ns), 70'000, 30'000);
  EXPECT_NEAR(static_cast<double>(read.sharing.handover_ns), 70'000, 30'000);
  expect_own(read);
  expect_open_as_recorded(read);
}

bool has_note(const std::vector<std::string>& notes, std::string_view part) {
  return std::any_of(notes.begin(), notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

TEST(GateSharing, by_turns_says_that_a_limit_of_depth_is_hard_to_foresee) {
  constexpr std::string_view kNote = "by turns, prefill gives its turn away";
  const Read read = gate::read(kTurns, 0);
  EXPECT_TRUE(has_note(simulate_run(read.trace, priority()).notes, kNote));
  Policy without = priority();
  without.depth = {};
  EXPECT_FALSE(has_note(simulate_run(read.trace, without).notes, kNote));
}

TEST(GateSharing, by_turns_knows_them_where_decode_pauses) {
  const Read read = gate::read(kTurns, 21 * kMs);
  EXPECT_EQ(read.sharing.sharing, Sharing::kSlices);
  expect_own(read);
  expect_open_as_recorded(read);
}

TEST(GateSharing, side_by_side_knows_rates_and_own_times) {
  for (const std::int64_t pace_ns : {std::int64_t{0}, 22 * kMs}) {
    const Read read = gate::read(kBeside, pace_ns);
    ASSERT_EQ(read.sharing.sharing, Sharing::kSideBySide);
    // The pauses between kernels, 0.3 of 5.29 ms, are as long beside others: so 0.41 and not 0.39.
    EXPECT_NEAR(read.sharing.rates.at(0), 0.41, 0.02);
    EXPECT_NEAR(read.sharing.rates.at(1), 0.73, 0.05);
    expect_own(read);
    expect_open_as_recorded(read);
  }
}

TEST(GateSharing, side_by_side_knows_own_times_where_some_slow_others_down_more) {
  for (const std::int64_t pace_ns : {std::int64_t{0}, 22 * kMs}) {
    const Read read = gate::read(kBesideUneven, pace_ns);
    ASSERT_EQ(read.sharing.sharing, Sharing::kSideBySide);
    expect_own(read);
    expect_open_as_recorded(read);
  }
}

TEST(GateSharing, side_by_side_says_what_the_recording_does_not_show) {
  // Without a pause of decode, no long kernel of prefill is ever alone.
  constexpr std::string_view kNeverAlone = "that a process shared were never alone";
  const Read full = gate::read(kBeside, 0);
  EXPECT_TRUE(has_note(full.sharing.notes, kNeverAlone));
  EXPECT_FALSE(has_note(gate::read(kBeside, 22 * kMs).sharing.notes, kNeverAlone));
  constexpr std::string_view kGraphs = "its graphs take longer in a recording";
  EXPECT_TRUE(has_note(simulate_run(full.trace, priority()).notes, kGraphs));
  EXPECT_FALSE(has_note(simulate_run(full.trace, priority(), Sharing::kSlices).notes, kGraphs));
}

TEST(GateSharing, knows_kernels_that_are_longer_than_a_turn) {
  // They lose their turn every time: there is none to compare them with.
  const Loop longer = {.kernels_ns = {3 * kMs, 4 * kMs, 5 * kMs}};
  const LaunchTrace trace = Recorder({decode(), longer}, kTurns).record(500 * kMs);
  const DeviceSharing sharing = find_sharing(trace, Sharing::kSlices);
  const LaunchTrace own = with_own_times(trace, sharing);
  EXPECT_NEAR(static_cast<double>(gpu_ns(own, 1)), 12'000'000, 0.1 * 12'000'000);
  EXPECT_GT(gpu_ns(trace, 1), 20 * kMs);
}

TEST(GateSharing, can_be_forced) {
  const LaunchTrace trace = Recorder({decode(), prefill()}, kBeside).record(200 * kMs);
  EXPECT_EQ(find_sharing(trace, Sharing::kKernels).sharing, Sharing::kKernels);
  EXPECT_EQ(simulate_run(trace, priority(), Sharing::kSlices).device.sharing, Sharing::kSlices);
}

TEST(GateSharing, a_simulation_that_is_far_off_says_so) {
  // Turns are added to times that have them already.
  const LaunchTrace trace = Recorder({decode(), prefill()}, kTurns).record(500 * kMs);
  const Simulation simulation = simulate_run(trace, priority(), Sharing::kKernels);
  EXPECT_GT(simulation.farthest_off, 0.15);
  ASSERT_FALSE(simulation.notes.empty());
  EXPECT_NE(simulation.notes[0].find("not to be trusted"), std::string::npos);
}

}  // namespace
}  // namespace tactus::gate

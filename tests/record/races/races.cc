// The agent and a reader of its memory in one process, for ThreadSanitizer: threads launch, wait
// and end while the reader empties their rings, asks for names and stacks, and switches CUPTI on
// and off.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <thread>
#include <vector>

#include "gate/fake_broker.h"
#include "record/agent/agent.h"
#include "record/agent/driver.h"
#include "record/agent/gate/gate.h"
#include "record/session/agent_memory.h"

// The agent's.
extern "C" {
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   void*, void**, void**);
int cuStreamSynchronize(void*);
int cuMemAlloc_v2(std::uint64_t*, std::size_t);
int cuMemFree_v2(std::uint64_t);
}

namespace tactus {
namespace {

constexpr char kGate[] = "@tactus-test-of-races";

/// The driver without a GPU, and one kernel of it.
struct Driver {
  void* library = dlopen(TACTUS_STANDIN "/libcuda.so.1", RTLD_NOW);

  template <class... Args>
  int call(const char* name, Args... args) const {
    return reinterpret_cast<int (*)(Args...)>(dlsym(library, name))(args...);
  }
  void use_device() const {
    void* context = nullptr;
    EXPECT_EQ(call("cuInit", 0u), 0);
    EXPECT_EQ(call("cuDevicePrimaryCtxRetain", &context, 0), 0);
    EXPECT_EQ(call("cuCtxSetCurrent", context), 0);
  }
  void* stream() const {
    void* made = nullptr;
    EXPECT_EQ(call("cuStreamCreate", &made, 1u), 0);
    return made;
  }
};

const Driver& driver() {
  static const Driver one;
  return one;
}

/// Two kernels, loaded once.
struct Kernels {
  void* module = nullptr;
  void* function[2] = {};

  Kernels() {
    driver().use_device();
    EXPECT_EQ(driver().call("cuModuleLoadData", &module, static_cast<const void*>("scripted")), 0);
    const char* const names[2] = {"sleep_us_1_a", "sleep_us_1_b"};
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(driver().call("cuModuleGetFunction", &function[i], module, names[i]), 0);
    }
  }
};

/// What one thread of a program does.
void launch(int count, int which) {
  static const Kernels kernels;
  driver().use_device();
  void* const kernel = kernels.function[which];
  void* const stream = driver().stream();
  for (int i = 0; i < count; ++i) {
    EXPECT_EQ(cuLaunchKernel(kernel, static_cast<unsigned>(i + 1), 1, 1, 32, 1, 1, 0, stream,
                             nullptr, nullptr),
              0);
    if (i % 16 == 0) {
      std::uint64_t memory = 0;
      EXPECT_EQ(cuMemAlloc_v2(&memory, 64), 0);
      EXPECT_EQ(cuMemFree_v2(memory), 0);
      EXPECT_EQ(cuStreamSynchronize(stream), 0);
    }
  }
  EXPECT_EQ(cuStreamSynchronize(stream), 0);
  EXPECT_EQ(driver().call("cuStreamDestroy_v2", stream), 0);
}

/// Reads as the recorder does, from a thread of its own.
class Reader {
 public:
  explicit Reader(const record::Wishes& wishes)
      : memory_(agent::data(), agent::control.load()), thread_([this, wishes] { run(wishes); }) {
    while (!has_begun_) std::this_thread::yield();
  }
  /// Ends it; every launch of every thread, by its grid.
  std::map<std::uint32_t, std::vector<std::uint32_t>> end() {
    is_ending_ = true;
    thread_.join();
    return launches_;
  }
  std::uint64_t lost() const {
    const record::AgentCounts counts = memory_.counts();
    return counts.ring_full + counts.no_ring;
  }
  std::size_t kernels() const { return kernels_; }
  std::size_t stacks() const { return stacks_; }

 private:
  void run(const record::Wishes& wishes) {
    memory_.begin(wishes);
    has_begun_ = true;
    while (!is_ending_) {
      take();
      std::this_thread::yield();
    }
    memory_.stop();
    while (memory_.counts().activity_state == wire::ActivityState::kOn) std::this_thread::yield();
    take();
  }

  void take() {
    std::vector<record::ThreadRecord> records;
    std::vector<wire::Activity> activities;
    memory_.keep_alive();
    memory_.drain(records, 1u << 20);
    memory_.drain_activities(activities);
    for (const record::ThreadRecord& one : records) {
      if (one.record.kind != wire::RecordKind::kLaunch) continue;
      launches_[one.tid].push_back(one.record.launch.grid[0]);
      EXPECT_TRUE(memory_.name(one.record.name).starts_with("sleep_us_1_"));
      EXPECT_TRUE(memory_.stream(one.record.stream));
      if (one.record.launch.stack != wire::kNoStack) read_stack(one.record.launch.stack);
    }
    for (const wire::Activity& activity : activities) {
      if (activity.kind != wire::ActivityKind::kKernel) continue;
      ++kernels_;
      EXPECT_TRUE(memory_.name(activity.name).starts_with("sleep_us_1_"));
    }
    memory_.devices();
    memory_.counts();
    if (is_ending_) memory_.stop();
  }

  void read_stack(std::uint32_t number) {
    while (const auto node = memory_.stack_node(number)) {
      const auto frame = memory_.frame(node->frame);
      ASSERT_TRUE(frame);
      memory_.name(frame->file);
      ++stacks_;
      number = node->caller;
    }
  }

  record::AgentMemory memory_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> launches_;
  std::size_t kernels_ = 0;
  std::size_t stacks_ = 0;
  std::atomic<bool> has_begun_ = false;
  std::atomic<bool> is_ending_ = false;
  std::thread thread_;
};

std::size_t count_of(const std::map<std::uint32_t, std::vector<std::uint32_t>>& launches) {
  std::size_t count = 0;
  for (const auto& [tid, grids] : launches) count += grids.size();
  return count;
}

std::size_t launch_with(int threads, int launches) {
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([=] { launch(launches, i % 2); });
  }
  for (std::thread& thread : running) thread.join();
  return static_cast<std::size_t>(threads) * static_cast<std::size_t>(launches);
}

class Races : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv(wire::kCuptiVariable, TACTUS_STANDIN "/libcupti.so.13", 1);
    setenv(wire::kGateVariable, "1", 1);
    setenv(wire::kGateSocketVariable, kGate, 1);
    ASSERT_NE(driver().library, nullptr);
    ASSERT_TRUE(agent::start());
  }
};

TEST_F(Races, launches_of_many_threads_are_read_once_and_in_order) {
  Reader reader({});
  const std::size_t made = launch_with(4, 3000);
  const auto launches = reader.end();
  EXPECT_EQ(count_of(launches) + reader.lost(), made);
  for (const auto& [tid, grids] : launches) {
    EXPECT_TRUE(std::is_sorted(grids.begin(), grids.end())) << tid;
  }
}

TEST_F(Races, rings_change_hands_when_threads_end) {
  Reader reader({});
  std::size_t made = 0;
  for (int i = 0; i < 10; ++i) made += launch_with(6, 40);
  EXPECT_EQ(count_of(reader.end()) + reader.lost(), made);
}

TEST_F(Races, threads_beyond_the_rings_share_one) {
  Reader reader({});
  const std::size_t made = launch_with(80, 20);
  const std::size_t seen = count_of(reader.end());
  EXPECT_LE(seen, made);
  // Waits and allocations may be lost, too: the threads meet at the ring that they share.
  EXPECT_GE(seen + reader.lost(), made);
}

TEST_F(Races, stacks_are_numbered_by_many_threads) {
  Reader reader({.stacks = wire::kNativeStacks});
  launch_with(4, 500);
  reader.end();
  EXPECT_GT(reader.stacks(), 0u);
}

TEST_F(Races, activities_are_switched_on_and_off) {
  std::size_t kernels = 0;
  for (int i = 0; i < 3; ++i) {
    Reader reader({.activities = true});
    launch_with(3, 300);
    reader.end();
    kernels += reader.kernels();
  }
  EXPECT_GT(kernels, 0u);
}

TEST_F(Races, a_recorder_that_comes_and_goes_finds_threads_at_work) {
  std::atomic<bool> is_over = false;
  std::thread work([&] {
    while (!is_over) launch_with(2, 50);
  });
  for (int i = 0; i < 10; ++i) {
    Reader reader({.stacks = i % 2 == 0 ? wire::kNativeStacks : 0u, .activities = i % 3 == 0});
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    reader.end();
  }
  is_over = true;
  work.join();
}

TEST_F(Races, threads_wait_at_a_gate_whose_broker_goes) {
  testing::FakeBroker broker(
      kGate, {.change = [](wire::GateControl& control) { control.max_hold_ns = 50'000; }});
  // The first launch finds the broker, at the latest after its pause.
  for (int i = 0; i < 200 && broker.joined() == 0; ++i) {
    launch_with(2, 5);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_GT(broker.joined(), 0);
  Reader reader({});
  const std::size_t made = launch_with(4, 100);
  EXPECT_EQ(count_of(reader.end()) + reader.lost(), made);
}

}  // namespace
}  // namespace tactus

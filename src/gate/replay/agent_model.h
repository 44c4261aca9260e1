// What an agent knows of the device: the events that it records around launches. It measures what a
// launch takes with them, and that is longer while others are on the GPU. Policies go by what was
// measured, so a simulation has to measure in the same way. See record/agent/gate/queue.cc.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace tactus::gate {

/// The GPU time of a launch of one class in one process, as its agent estimates it; 0: unknown.
class LearnedCost {
 public:
  std::uint64_t ns() const { return ns_; }
  void learn_kernels(std::int64_t took_ns);
  void learn_graph(std::int64_t took_ns);

 private:
  std::uint64_t ns_ = 0;
};

/// What the limit costs the host per launch: events are asked for, and recorded every few launches.
/// On an H200 under MPS, a launch took 33 to 37 us without its waits (data/gate/h200.json), and 26
/// us in a recording without a limit; 1 us of the rest is the wait at the end of a chunk.
inline constexpr std::int64_t kLimitedLaunchNs = 7'000;

/// Launches of a class on a stream while their number is limited.
class QueueModel {
 public:
  /// A launch is about to come: marks what is there, if it is time to.
  void begin_launch(std::int64_t now_ns, std::uint32_t depth, LearnedCost& cost);
  /// Whether it has to wait for a mark.
  bool is_full(std::uint32_t depth, std::int64_t now_ns) const;
  /// No mark came for as long as a launch may wait: it is not limited for a while.
  void rest(std::int64_t now_ns) { rests_until_ns_ = now_ns + 1'000'000'000; }
  /// It went to the device; its number here.
  std::uint64_t launch() { return ++submitted_; }
  /// That one is done, and so are all before it.
  void finish(std::uint64_t number, std::int64_t now_ns, LearnedCost& cost);

 private:
  struct Mark {
    std::uint64_t launches = 0;  ///< that it is behind of
    std::int64_t at_ns = 0;      ///< recorded, then reached
    bool is_behind = false;      ///< another one was not reached yet
  };
  void collect(LearnedCost& cost);

  std::uint64_t submitted_ = 0;
  std::uint64_t marked_ = 0;
  std::uint64_t finished_ = 0;  ///< that the agent knows of
  std::uint64_t done_ = 0;
  std::int64_t done_ns_ = 0;
  std::int64_t rests_until_ns_ = 0;
  std::deque<Mark> marks_;
  std::optional<Mark> last_;  ///< reached
};

/// Times a graph of a class now and then.
class GraphClockModel {
 public:
  /// Whether this launch is timed.
  bool begin(const LearnedCost& cost);
  void end(std::int64_t took_ns) { took_ns_ = took_ns; }
  /// What the last one took is known from the next launch on.
  void collect(LearnedCost& cost);

 private:
  std::uint32_t launches_ = 0;
  bool is_running_ = false;
  std::optional<std::int64_t> took_ns_;
};

}  // namespace tactus::gate

#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "record/live/live_picture.h"
#include "record/ring/backlog.h"
#include "record/ring/step_watch.h"
#include "record/session/clocks.h"

namespace tactus::record {

/// Adds up what arrives, turn by turn, for a live picture.
class LiveSums {
 public:
  explicit LiveSums(const TickClock& clock) : clock_(clock), steps_(clock) {}

  /// One turn: what was read since the one before.
  void add(const Batch& batch);
  /// Rates, shares and history; the rest of the picture is the caller's.
  void fill(LivePicture& picture) const;

 private:
  using ThreadKey = std::pair<std::int64_t, std::int64_t>;  // process, thread
  struct KernelSum {
    std::uint64_t launches = 0;
    std::int64_t call_ns = 0;
  };
  struct Turn {
    std::int64_t from_ns = 0;
    std::int64_t to_ns = 0;
    std::vector<std::int64_t> steps;  ///< durations
    std::uint64_t launches = 0;
    std::uint64_t graphs = 0;
    std::uint64_t copies = 0;
    std::int64_t gpu_ns = 0;
    bool has_gpu_times = false;
    std::map<std::string, KernelSum> kernels;
    std::map<std::string, std::int64_t> calls_ns;
    std::map<ThreadKey, std::map<std::string, std::int64_t>> host_ns;
    std::set<ThreadKey> launching;
  };

  void add_record(const Target& target, const ThreadRecord& record, Turn& turn);
  void add_launch(const ThreadKey& thread, std::string name, std::int64_t call_ns, Turn& turn);
  void add_event(const HostEvent& event, Turn& turn);
  std::string name_of(const Target& target, std::uint32_t id);

  const TickClock& clock_;
  StepWatch steps_;
  std::deque<Turn> turns_;                ///< of the last two seconds
  std::vector<std::int64_t> history_ns_;  ///< median step of each turn
  std::map<std::pair<std::size_t, std::uint32_t>, std::string> names_;
  std::int64_t last_ns_ = 0;
};

}  // namespace tactus::record

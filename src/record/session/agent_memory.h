#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "wire/segment.h"

namespace tactus::record {

/// A record, and the thread that wrote it.
struct ThreadRecord {
  wire::Record record;
  std::uint32_t ring = 0;
  std::uint32_t tid = 0;
};

/// What an agent says about itself.
struct AgentCounts {
  std::uint64_t ring_full = 0;  ///< records that were lost for that reason, as the next two
  std::uint64_t no_ring = 0;
  std::uint64_t interrupted = 0;
  std::uint64_t names_lost = 0;
  std::uint64_t gpu_times_left_out = 0;  ///< for the budget
  std::uint64_t damaged = 0;             ///< records that made no sense
  std::uint64_t stacks_lost = 0;         ///< there was no room, or no time
  std::uint64_t activities_lost = 0;     ///< there was no room in the agent, or in CUPTI
  wire::ActivityState activity_state = wire::ActivityState::kOff;
  std::uint32_t activity_attempts = 0;  ///< to begin; the state is that of the last one
  std::uint32_t activity_result = 0;    ///< CUPTI's error
  std::string activity_holder;          ///< who else uses CUPTI
  wire::PythonState python = wire::PythonState::kNotSeen;
  std::uint32_t python_version = 0;  ///< 0x030b: 3.11
  /// Of the thread that paid most: the agent's share of its time.
  double overhead = 0;
};

/// What a recorder wants of an agent.
struct Wishes {
  std::uint32_t budget_ppm = 10'000;
  std::uint32_t stacks = 0;  ///< a sum of wire::StackWish
  bool activities = false;   ///< what the device did, from CUPTI
};

struct AgentStream {
  std::int32_t device = -1;
  std::uint64_t handle = 0;
};

struct AgentDevice {
  std::int32_t index = 0;
  std::string name;
  std::string uuid;
};

/// The two memory files of an agent. Whatever is in them, reading them is safe: values are copied
/// first, then checked.
class AgentMemory {
 public:
  /// Maps what an agent handed over. An error if it is not such memory, or of another version.
  static Result<AgentMemory> map(const File& data, const File& control);
  /// For tests: memory that somebody else owns.
  AgentMemory(const wire::Data* data, wire::Control* control) : data_(data), control_(control) {}

  AgentMemory(AgentMemory&& other) noexcept;
  AgentMemory& operator=(AgentMemory&&) = delete;
  ~AgentMemory();

  /// From now on, records are written; what was written before is skipped.
  void begin(const Wishes& wishes);
  /// Stacks and activities that are wanted from now on.
  void wish(const Wishes& wishes);
  /// Tells the agent that somebody reads.
  void keep_alive();
  void stop();

  /// Appends all new records, at most `limit`; more are left for the next time.
  /// The value is how full the fullest ring was, 0 to 1.
  double drain(std::vector<ThreadRecord>& into, std::size_t limit);
  void drain_activities(std::vector<wire::Activity>& into);
  /// CUPTI tells what the device does; its first buffer may still be filling.
  bool has_activities() const {
    return data_->activities.state.load(std::memory_order_acquire) == wire::ActivityState::kOn;
  }
  wire::ActivityClock activity_clock() const { return data_->activities.clock; }

  std::string name(std::uint32_t id) const;
  std::optional<AgentStream> stream(std::uint16_t place) const;
  /// A node of the tree of stacks; its caller comes before it.
  std::optional<wire::StackNode> stack_node(std::uint32_t number) const;
  std::optional<wire::Frame> frame(std::uint32_t number) const;
  std::optional<wire::Scope> scope(std::uint32_t number) const;
  std::vector<AgentDevice> devices() const;
  AgentCounts counts() const;
  /// It was loaded into a process that ran, and has what CUPTI tells only.
  bool has_no_hooks() const { return data_->header.has_no_hooks != 0; }
  std::string command() const;
  std::optional<std::int64_t> rank() const;
  std::optional<std::int64_t> world_size() const;

 private:
  double drain_ring(std::uint32_t ring, std::vector<ThreadRecord>& into, std::size_t limit);

  const wire::Data* data_;
  wire::Control* control_;
  bool is_mapped_ = false;
  std::uint64_t tails_[wire::kRings] = {};
  std::uint64_t dropped_before_[wire::kRings] = {};
  std::uint64_t activity_tail_ = 0;
  std::atomic<std::uint64_t> damaged_ = 0;
};

}  // namespace tactus::record

#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "record/session/agent_memory.h"
#include "record/session/clocks.h"
#include "run/builder.h"

namespace tactus::record {

/// Turns activities of CUPTI of one process into slices of device tracks, with links from the calls
/// that launched them. Calls, activities and what connects them come in any order.
class ActivityFiller {
 public:
  ActivityFiller(RunBuilder& builder, SourceId source, std::int64_t pid);

  /// A call of the process, by CUPTI's number: row of run.slices.
  void add_call(std::uint32_t correlation, std::int64_t row);
  /// Appends a slice; `row` is the next one of run.slices. False if it is damaged, or
  /// if nobody knows when it ran.
  bool add(const AgentMemory& memory, const TickClock& clock, const wire::Activity& activity,
           std::int64_t row);

  std::uint64_t kernels() const { return kernels_; }
  std::uint64_t damaged() const { return damaged_; }
  std::uint64_t untimed() const { return untimed_; }

 private:
  struct Shapes {
    ShapeId kernel, memory;
  };

  TrackId track_of(std::uint32_t device, std::uint32_t stream);
  StringId name_of(const AgentMemory& memory, const wire::Activity& activity);
  StringId dimensions(const std::uint32_t (&of)[3]);
  void link(std::uint32_t correlation, std::int64_t row);

  RunBuilder& builder_;
  SourceId source_;
  std::int64_t pid_;
  Shapes shapes_;
  CategoryId kernel_, copy_, fill_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, TrackId> tracks_;  ///< device, stream
  std::unordered_map<std::uint32_t, StringId> names_;
  std::map<std::array<std::uint32_t, 3>, StringId> dimensions_;
  std::unordered_map<std::uint32_t, std::int64_t> calls_;  ///< rows, by correlation
  std::unordered_map<std::uint32_t, std::int64_t> older_calls_;
  std::unordered_map<std::uint32_t, std::vector<std::int64_t>>
      waiting_;  ///< rows whose call is not known yet
  std::uint64_t kernels_ = 0;
  std::uint64_t damaged_ = 0;
  std::uint64_t untimed_ = 0;
};

}  // namespace tactus::record

#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "record/host/host_tracer.h"

namespace tactus::record {

/// The host tracer of a session, and which processes it watches. Without the right to trace, or
/// without --host, it is there and does nothing.
class HostPart {
 public:
  /// The error says why there is none.
  Status start(std::int64_t shortest_ns);
  bool is_on() const { return tracer_ != nullptr; }

  void watch_own_children(bool is_on);
  void add_with_descendants(std::int64_t pid);
  /// Watches calls of the driver in processes below this one that have no agent; to be called from
  /// time to time. Looks into /proc.
  void look_for_drivers(std::int64_t pid);
  HostHarvest take();
  void stop();
  std::vector<std::string> take_warnings();

 private:
  std::unique_ptr<HostTracer> tracer_;
  std::set<std::int64_t> watched_;  ///< whose driver's calls are watched, or cannot be
  std::vector<std::string> warnings_;
};

}  // namespace tactus::record

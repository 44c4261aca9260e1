#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "record/host/host_tracer.h"
#include "record/session/clocks.h"
#include "record/session/process_sources.h"
#include "run/builder.h"

namespace tactus::record {

/// What the host tracer saw of all processes.
struct HostAccount {
  std::uint64_t slices = 0;
  std::uint64_t turns = 0;     ///< how often threads came to a core
  std::uint64_t launches = 0;  ///< of processes without the agent
  std::size_t threads = 0;
  std::uint64_t lost = 0;
};

/// Puts events of the host tracer into the Run that is written while it grows. Each thread has a
/// track of its own for them (run/host_track.h).
class HostFiller {
 public:
  HostFiller(RunBuilder& builder, ProcessSources& sources, const TickClock& clock);

  void add(const HostEvent& event);
  const HostAccount& account() const { return account_; }
  void count_losses(const HostHarvest& harvest);

 private:
  struct ThreadPlace {
    TrackId host;                  ///< on a core or not
    std::optional<TrackId> calls;  ///< of the driver
    std::optional<std::int64_t> step_start_ns;
    std::int64_t step_launches = 0;
  };

  ThreadPlace& place_of(const HostEvent& event);
  TrackId calls_of(ThreadPlace& place, const HostEvent& event);
  void name_thread(const HostEvent& event);
  void name_process(const HostEvent& event);
  bool has_threads(std::int64_t pid) const;
  void add_mark(const HostEvent& event);
  void add_on_core(const HostEvent& event);
  void add_off_core(const HostEvent& event);
  void add_call(const HostEvent& event);
  StringId hex(std::uint64_t address);
  StringId dimensions(const std::array<std::uint32_t, 3>& of);
  void append(std::int64_t start_ns, std::int64_t end_ns, StringId name, TrackId track,
              CategoryId category, ShapeId shape, std::initializer_list<std::int64_t> values);

  RunBuilder& builder_;
  ProcessSources& sources_;
  const TickClock& clock_;
  std::map<std::pair<std::int64_t, std::int64_t>, ThreadPlace> threads_;  ///< by pid and tid
  CategoryId system_, driver_, annotation_;
  ShapeId on_shape_, queued_shape_, wait_shape_, launch_shape_, step_shape_, exec_shape_,
      exit_shape_, no_shape_;
  StringId on_core_, queued_, step_, exec_, exit_;
  HostAccount account_;
  std::uint64_t threads_left_out_ = 0;
};

}  // namespace tactus::record

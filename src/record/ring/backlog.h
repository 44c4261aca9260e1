#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "record/host/host_tracer.h"
#include "record/meters/meter_session.h"
#include "record/session/targets.h"

namespace tactus::record {

/// All that was read at one time, not yet turned into slices.
struct Batch {
  std::int64_t time_ns = 0;  ///< of the recording
  Harvest harvest;
  HostHarvest host;
  std::vector<meters::MeterSample> samples;

  std::size_t bytes() const;
};

/// The last seconds of a recording (--ring), in memory.
class Backlog {
 public:
  Backlog(double seconds, std::size_t most_bytes);

  /// `leave` sees what is too old now.
  void push(Batch batch, const std::function<void(Batch&)>& leave);
  /// All that is kept, oldest first; nothing is kept afterwards.
  std::deque<Batch> take();
  /// True if memory was too small for the seconds asked for.
  bool was_full() const { return was_full_; }

 private:
  std::int64_t span_ns_;
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::deque<Batch> batches_;
  bool was_full_ = false;
};

}  // namespace tactus::record

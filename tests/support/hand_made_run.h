#pragma once

#include <string_view>
#include <utility>

#include "cycles/cycles.h"
#include "run/builder.h"
#include "run/identity.h"

namespace tactus::testing {

/// A run and its cycles, written slice by slice; times in ns since the run's time 0.
class HandMadeRun {
 public:
  HandMadeRun() { builder_.begin_source("hand.json", "kineto"); }

  /// A cycle of a process; what is added from here on belongs to it.
  HandMadeRun& cycle(std::int64_t start_ns, std::int64_t dur_ns, std::int64_t pid = 100) {
    Cycle cycle;
    cycle.start_ns = start_ns;
    cycle.dur_ns = dur_ns;
    cycle.process = process(pid).value;
    cycles_.cycles.push_back(cycle);
    pid_ = pid;
    return *this;
  }
  /// What is added from here on belongs to no cycle.
  HandMadeRun& outside() {
    is_outside_ = true;
    return *this;
  }

  HandMadeRun& host(std::string_view category, std::string_view name, std::int64_t start_ns,
                    std::int64_t dur_ns, std::int64_t tid = 1) {
    const ThreadId thread = builder_.thread(process(pid_), builder_.ident(tid));
    return slice(builder_.track(thread, false), category, name, start_ns, dur_ns);
  }
  HandMadeRun& device(std::string_view category, std::string_view name, std::int64_t start_ns,
                      std::int64_t dur_ns, std::int64_t gpu = 0, std::int64_t stream = 7) {
    const ThreadId thread = builder_.thread(process(gpu), builder_.ident(stream));
    const TrackId track = builder_.track(thread, true);
    builder_.run().tracks[track.value].device_index = gpu;
    return slice(track, category, name, start_ns, dur_ns);
  }
  HandMadeRun& kernel(std::string_view name, std::int64_t start_ns, std::int64_t dur_ns,
                      std::int64_t gpu = 0, std::int64_t stream = 7) {
    return device("kernel", name, start_ns, dur_ns, gpu, stream);
  }

  /// `value` is text as in a file; one that is no number becomes an unknown one.
  HandMadeRun& sample(std::string_view counter, std::string_view where, std::int64_t time_ns,
                      std::string_view value, std::string_view unit = "") {
    CounterSeries series;
    series.source = builder_.source_id();
    series.name = builder_.intern(counter);
    series.place = builder_.intern(where);
    series.unit = builder_.intern(unit);
    builder_.run().counters.append({time_ns, builder_.series(series).value,
                                    Decimal::from_text(value, builder_.run().strings)});
    return *this;
  }

  tactus::Run& run() {
    resolve_identity(builder_.run());
    return builder_.run();
  }
  Cycles& cycles() { return cycles_; }

 private:
  ProcessId process(std::int64_t pid) { return builder_.process(builder_.ident(pid)); }

  HandMadeRun& slice(TrackId track, std::string_view category, std::string_view name,
                     std::int64_t start_ns, std::int64_t dur_ns) {
    builder_.run().slices.append(start_ns, dur_ns, builder_.intern(name), track.value,
                                 builder_.category(category).value, ShapeId(0));
    cycles_.cycle_of_slice.push_back(
        is_outside_ ? -1 : static_cast<std::int32_t>(cycles_.cycles.size()) - 1);
    return *this;
  }

  RunBuilder builder_;
  Cycles cycles_;
  std::int64_t pid_ = 100;
  bool is_outside_ = false;
};

}  // namespace tactus::testing

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "page/slice_index.h"
#include "run/run.h"

namespace tactus::page {

struct TimelineTrack {
  bool on_device = false;
  std::string label;  ///< "stream 7"
  std::string group;  ///< "GPU 0 (NVIDIA H200)", "python 4711"
  std::string host;
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> device;
  std::optional<std::int64_t> pid;
  std::optional<std::int64_t> tid;
  std::size_t depth = 0;  ///< lanes
  std::size_t count = 0;
};

struct TimelineCounter {
  std::size_t id = 0;  ///< of run.series
  std::string name;
  std::string unit;
  std::string device;
  std::size_t count = 0;
};

/// What the slices and counters of a run are shown on; slices name it by their place here.
struct Timeline {
  std::int64_t origin_ns = 0;
  TimeSpan span;
  std::vector<std::string> names;        ///< as SliceIndex has them
  std::vector<std::string> short_names;  ///< by name; empty: none
  std::vector<std::string> families;
  std::vector<std::int32_t> family_of_name;  ///< -1: not a kernel
  std::vector<TimelineTrack> tracks;         ///< as SliceIndex has them
  std::vector<TimelineCounter> counters;
};

Timeline make_timeline(const Run& run, const SliceIndex& index);

}  // namespace tactus::page

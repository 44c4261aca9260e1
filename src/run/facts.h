#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/strings.h"

namespace tactus {

struct SourceTag;
struct ProcessTag;
struct ThreadTag;
struct TrackTag;
struct CategoryTag;
struct SeriesTag;
using SourceId = Id<SourceTag>;
using ProcessId = Id<ProcessTag>;
using ThreadId = Id<ThreadTag>;
using TrackId = Id<TrackTag>;
using CategoryId = Id<CategoryTag>;
using SeriesId = Id<SeriesTag>;

/// The kind of a slice, independent of its source.
enum class SliceKind : std::uint8_t {
  kKernel,
  kMemcpy,
  kMemset,
  kRuntime,        ///< a call of the CUDA/HIP runtime API
  kDriver,         ///< a call of the CUDA driver API
  kCpuOp,          ///< a framework operator
  kPython,         ///< a Python frame
  kAnnotation,     ///< a range the program named (record_function, NVTX)
  kGpuAnnotation,  ///< the same range as seen on the device
  kSync,           ///< a wait for the device, as seen on the device's side
  kGraph,          ///< a whole CUDA graph that ran, if its kernels were not recorded
  kOsRuntime,      ///< a call into the operating system's libraries
  kOverhead,       ///< the profiler's own work
  kOther,
};

/// The name in output; Kineto's name if it has one ("kernel", "gpu_memcpy").
std::string_view kind_name(SliceKind kind);
/// The kind that a category text of a source means.
SliceKind kind_of_category(std::string_view category);
/// True for work of the device: kernels, copies, sets, synchronisation, device annotations.
bool runs_on_device(SliceKind kind);
/// What keeps a device busy: kernels, graphs, copies and fills. Annotations and waits are shown on
/// a device, too, but nothing runs for them.
bool is_device_work(SliceKind kind);

/// A category as the source wrote it, and its kind.
struct Category {
  StringId name;
  SliceKind kind = SliceKind::kOther;
};

/// A pid or tid as the source wrote it: a number, or a text such as "Spans".
struct Ident {
  std::int64_t value = 0;  ///< the number, or the StringId of the text
  bool is_text = false;

  auto operator<=>(const Ident&) const = default;
};

/// A value that the source gave for the whole recording, as JSON text.
struct Metadata {
  StringId key;
  StringId json;
};

/// One input; usually the file of one rank.
struct Source {
  StringId path;
  std::string kind;  ///< kineto, nsys, nsys_table, perf_data, counters
  std::uint64_t bytes = 0;
  std::int64_t base_ns = 0;  ///< time 0 of the source, in ns since the epoch
  std::optional<std::int64_t> rank;
  std::vector<Metadata> metadata;
};

struct Process {
  SourceId source;
  Ident pid;
  std::optional<std::int64_t> os_pid;  ///< the number in the pid, if there is one
  StringId host;
  StringId name;
  StringId labels;
  std::optional<std::int64_t> sort_index;
};

struct Thread {
  ProcessId process;
  Ident tid;
  StringId name;
  std::optional<std::int64_t> sort_index;
};

/// The place of slices: a host thread or a device stream. Slices of one track may overlap.
struct Track {
  ThreadId thread;
  bool on_device = false;
  std::optional<std::int64_t> device;
  std::optional<std::int64_t> stream;
};

struct Device {
  SourceId source;
  std::int64_t id = 0;
  StringId name;
};

/// A value over time. `device` is the name in the source ("GPU 0", "Host").
struct CounterSeries {
  SourceId source;
  ProcessId process;  ///< not valid if the source names no process
  StringId name;
  StringId field;  ///< the key of the value, for events that carry several
  StringId category;
  StringId device;
  StringId unit;

  auto operator<=>(const CounterSeries&) const = default;
};

/// How many events were dropped or repaired, by reason.
using Tally = std::map<std::string, std::uint64_t, std::less<>>;

}  // namespace tactus

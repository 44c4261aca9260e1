#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/clock.h"
#include "run/strings.h"

namespace tactus {

struct SourceTag;
struct HostTag;
struct DeviceTag;
struct ProcessTag;
struct ThreadTag;
struct TrackTag;
struct CategoryTag;
struct SeriesTag;
using SourceId = Id<SourceTag>;
using HostId = Id<HostTag>;
using DeviceId = Id<DeviceTag>;
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
  /// Its slices are not part of the run itself: they show how the graphs that it replays were
  /// captured. No count and no sum includes them.
  bool is_captured = false;
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

// Who, where: what the sources say. `resolve_identity` (identity.h) derives hosts and devices from
// it and fills the fields that are marked "derived".

/// One input; usually the file of one rank.
struct Source {
  StringId path;
  std::string kind;  ///< kineto, nsys, nsys_table, perf_data, counters
  std::uint64_t bytes = 0;
  std::int64_t base_ns = 0;  ///< time 0 of the source, in ns since the epoch
  std::optional<std::int64_t> rank;
  std::vector<Metadata> metadata;
  std::optional<std::int64_t> world_size;
  StringId host_name = StringId(0);  ///< empty if unknown
  SourceId beside;  ///< counters: the source that they were recorded with; not valid if unknown
  bool is_capture = false;
  Clock clock;
  HostId host;  ///< derived
};

/// A device as a source describes it.
struct DescribedDevice {
  SourceId source;
  std::int64_t index = 0;
  StringId name = StringId(0);
  StringId uuid = StringId(0);
};

/// A machine. Sources that name none share one without a name, as long as they can be on one
/// machine.
struct Host {
  StringId name = StringId(0);
};

/// A device of a host. Two ranks that both call their device 0 have one each.
struct Device {
  HostId host;
  std::int64_t index = 0;  ///< as its host, or the container of its rank, counts
  StringId name = StringId(0);
  StringId uuid = StringId(0);
  std::optional<std::int64_t> rank;  ///< the one that uses it, if only one does
  /// As people type and read it: the index, or the place in the list if indices occur twice.
  std::int64_t number = 0;
  bool shares_index = false;   ///< another device of the run has the same index
  bool only_counters = false;  ///< neither described nor used: it only has counters
};

struct Process {
  SourceId source;
  Ident pid;
  std::optional<std::int64_t> os_pid;  ///< the number in the pid, if there is one
  StringId host_name;                  ///< as in the pid "host-3(4711)"; empty if it names none
  StringId name;
  StringId labels;
  std::optional<std::int64_t> sort_index;
  std::optional<std::int64_t> start_ns;  ///< since the epoch
  StringId container = StringId(0);
  HostId host;                             ///< derived
  std::optional<std::int64_t> rank;        ///< derived, of the source
  std::optional<std::int64_t> world_size;  ///< derived, of the source
  /// Derived: a number of its own in the run. The pid, or (rank + 1) * 10^7 + pid if two processes
  /// of the run have that pid.
  std::int64_t number = -1;
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
  std::optional<std::int64_t> device_index;  ///< as the source counts
  std::optional<std::int64_t> stream;
  DeviceId device;  ///< derived; not valid for host threads
};

/// A value over time.
struct CounterSeries {
  SourceId source;
  ProcessId process;  ///< not valid if the source names no process
  StringId name;
  StringId field;  ///< the key of the value, for events that carry several
  StringId category;
  StringId place;  ///< the device as the source names it ("GPU 0", "Host", "eth0")
  StringId unit;
  HostId host;      ///< derived
  DeviceId device;  ///< derived; not valid if the place is not a device

  auto operator<=>(const CounterSeries&) const = default;
};

/// How many events were dropped or repaired, by reason.
using Tally = std::map<std::string, std::uint64_t, std::less<>>;

}  // namespace tactus

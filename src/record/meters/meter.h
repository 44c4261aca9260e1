#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tactus::meters {

/// A moment on two clocks, read one right after the other. The first joins with traces and other
/// machines, the second with clocks that nobody sets.
struct MeterTime {
  std::int64_t real_ns = 0;  ///< CLOCK_REALTIME
  std::int64_t raw_ns = 0;   ///< CLOCK_MONOTONIC_RAW
};
MeterTime meter_time();
/// CLOCK_MONOTONIC, by which the threads wake up.
std::int64_t steady_ns();

/// Whose use a counter shows. Own are the recorded processes and their children.
enum class MeterScope : std::uint8_t { kAll, kOwn, kForeign };
/// "all", "own", "foreign"
const char* scope_name(MeterScope scope);

/// What a counter belongs to.
struct MeterDevice {
  std::string label;   ///< "Host", "GPU 0", "nvme0n1", "eth0"
  std::string uuid;    ///< of a GPU: "GPU-1c2d..."
  std::string bus_id;  ///< of a GPU: "0000:3b:00.0"
  std::string model;   ///< of a GPU: "NVIDIA H200"
};

/// A counter; its id is its place in the table of the session.
struct MeterCounter {
  std::string name;  ///< one that `counters/counter_table.h` knows, maybe with the number of a core
                     ///< or process after it: "cpu_frequency_3", "process_cpu_usage_4711"
  std::string unit;
  std::uint32_t device = 0;  ///< place in the session's table of devices
  MeterScope scope = MeterScope::kAll;
  std::optional<std::int64_t> pid;  ///< of one process; nothing for a sum over all own ones
};

struct MeterSample {
  MeterTime time;              ///< when the reading had returned
  std::int64_t window_ns = 0;  ///< the value is the mean over this time before `time`; 0: a state
  double value = 0;
  std::uint32_t counter = 0;
};

/// Something that cannot be read here.
struct MeterIssue {
  std::string what;    ///< "pressure stall information"
  std::string reason;  ///< "/proc/pressure/cpu: No such file or directory"
  std::string fix;
  bool is_end = false;  ///< it was read until what it belongs to ended
};

}  // namespace tactus::meters

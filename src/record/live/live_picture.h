#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tactus::record {

struct LiveKernel {
  std::string name;
  double per_second = 0;  ///< launches
  /// Time in their launch calls, of the launching threads' time; not known from outside.
  std::optional<double> call_share;
};

/// What threads that launch spend their time with.
struct LiveShare {
  std::string what;
  double share = 0;  ///< of their time
};

struct LiveMeter {
  std::string name;
  std::string place;  ///< "Host", "GPU 0", "eth0"
  std::string unit;
  double value = 0;
};

/// What a process does now; rates are over the last two seconds. Nothing is what is not known.
struct LivePicture {
  std::int64_t pid = 0;
  std::string command;
  bool has_ended = false;
  double seconds = 0;         ///< watched so far
  std::size_t processes = 0;  ///< with the agent
  std::size_t threads = 0;    ///< that launched
  bool sees_launches = false;
  bool sees_host = false;

  std::optional<double> steps_per_second;
  std::optional<std::int64_t> step_ns;     ///< median
  std::optional<std::int64_t> slowest_ns;  ///< step
  std::vector<std::int64_t> step_history;  ///< the median of each turn, oldest first; 0: none ended
  std::optional<double> gpu_busy;          ///< 0 to 1
  std::optional<double> launches_per_second;
  std::optional<double> graphs_per_second;
  std::optional<double> copies_per_second;
  std::vector<LiveKernel> kernels;  ///< by launches, most first
  std::vector<LiveShare> calls;     ///< of the driver
  std::vector<LiveShare> host;      ///< on a core, ready without one, waiting: by the host tracer
  std::vector<LiveMeter> meters;
  std::uint64_t lost = 0;          ///< records and events
  std::vector<std::string> notes;  ///< what is not seen, and why
};

}  // namespace tactus::record

// A recording as the gate would have seen it: which thread launched what and waited when.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gate/policy.h"
#include "run/run.h"

namespace tactus::gate {

inline constexpr std::size_t kNoClassNumber = wire::kNoClass;

/// A launch of a kernel or a graph.
struct TracedLaunch {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;  ///< of the call
  std::size_t class_number = kNoClassNumber;
  bool is_graph = false;
  bool passes = false;       ///< never held: a collective, or a member behind the head of its group
  std::uint32_t stream = 0;  ///< a track of the run
  std::size_t first_kernel = 0;  ///< of LaunchTrace::kernels
  std::size_t kernels = 0;
};

struct TracedKernel {
  StringId name;
  std::int64_t start_ns = 0;
  std::int64_t dur_ns = 0;
};

/// What a thread does, one after the other; between two steps it computes on the host.
struct ThreadStep {
  enum Kind : unsigned char { kLaunch, kWait };
  Kind kind = kLaunch;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t wake_ns = 0;  ///< of a wait: from the end of the work to that of the wait
  std::size_t launch = 0;    ///< of LaunchTrace::launches
};

struct TracedThread {
  std::uint32_t process = 0;  ///< of run.processes
  std::vector<ThreadStep> steps;
  /// Its units begin by a clock and not when the last one is done.
  bool is_paced = false;
  std::int64_t shortest_gap_ns = 0;  ///< from a wait to the next launch

  /// The step that ends its first unit; nothing if it has few units.
  std::optional<std::size_t> first_wait() const;
};

struct LaunchTrace {
  std::vector<TracedLaunch> launches;  ///< by thread, then by time
  std::vector<TracedKernel> kernels;
  std::vector<TracedThread> threads;
};

/// By the number of a process, its tag: recordings do not have it.
using ProcessTags = std::map<std::int64_t, std::string>;

/// An error if no kernel of the recording has a launch and a time.
Result<LaunchTrace> read_launches(const Run& run, const Policy& policy, const ProcessTags& tags);

/// What decides the class of a launch.
struct LaunchFacts {
  std::string_view tag;
  std::string_view phase;
  bool is_graph = false;
  std::int64_t rows = 0;  ///< of its matrix product; 0: unknown
};

/// The class of a launch, as the agent finds it; kNoClassNumber for none. Rules that need what is
/// not known (a stream's priority) do not fit.
std::size_t class_of(const Policy& policy, const LaunchFacts& launch);

/// Whether the gate never holds a kernel of that name.
bool is_never_held(const Policy& policy, std::string_view kernel);
bool is_collective_name(std::string_view kernel);

}  // namespace tactus::gate

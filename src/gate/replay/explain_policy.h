#pragma once

#include <optional>

#include "gate/replay/launch_trace.h"

namespace tactus::gate {

/// What a policy would do with the launches of one class.
struct ClassExplained {
  std::string name;
  std::int64_t launches = 0;     ///< kernels and graphs
  std::int64_t graphs = 0;       ///< of these: held as one
  std::int64_t heads = 0;        ///< of these: kernels that may be held
  std::int64_t members = 0;      ///< of these: pass because they follow the head of their group
  std::int64_t collectives = 0;  ///< of these: pass because other processes wait for them
  std::int64_t units = 0;        ///< from one wait to the next
  std::int64_t gpu_ns = 0;
  std::int64_t longest_ns = 0;  ///< kernel; of a graph, the whole graph: it cannot be divided
  std::string longest;          ///< its name
  std::int64_t longest_unit_ns =
      0;                    ///< GPU time between two waits: what may be queued, without a depth
  std::uint32_t depth = 0;  ///< 0: any number
  /// What is still to run when the class is closed, at most; nothing if that is not known.
  std::optional<std::int64_t> residual_ns;
};

struct PolicyExplained {
  std::string policy;
  std::string says;  ///< what the policy does, a sentence
  std::int64_t max_hold_ns = 0;
  std::vector<ClassExplained> classes;
  std::int64_t unclassified = 0;  ///< launches that no class takes: never held
  std::vector<std::string> notes;
};

PolicyExplained explain_policy(const Run& run, const LaunchTrace& trace, const Policy& policy);
/// Of a table: there are no launches, so that all are taken as kernels without tag and phase.
PolicyExplained explain_policy(const KernelTable& table, const Policy& policy);

}  // namespace tactus::gate

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "launches/launch_sites.h"

namespace tactus {

/// The kernels that one execution of one op launched: a split-K GEMM and its reduction, the parts
/// of a sort. They compute one thing together, so they have one bound.
struct OpExecution {
  std::uint32_t op = kNoRow;               ///< row of run.slices
  std::span<const std::uint32_t> kernels;  ///< places in the given list of kernels
};

/// All executions whose op is known. `sites` are those of the kernels, in their order.
class OpExecutions {
 public:
  explicit OpExecutions(std::span<const LaunchSite> sites);

  const std::vector<OpExecution>& all() const { return executions_; }
  /// The ops, each once, ascending.
  const std::vector<std::uint32_t>& ops() const { return ops_; }

 private:
  std::vector<std::uint32_t> kernels_;  ///< the executions' spans point into this
  std::vector<OpExecution> executions_;
  std::vector<std::uint32_t> ops_;
};

}  // namespace tactus

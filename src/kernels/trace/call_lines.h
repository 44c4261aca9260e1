#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "kernels/trace/attribution.h"

namespace tactus {

/// The lines of code that ran when ops were called, as far as the trace says. Python frames of
/// torch.profiler do not: they carry the line on which their function begins.
struct CallLines {
  std::vector<CallLine> lines;                             ///< each once
  std::unordered_map<std::uint32_t, std::uint32_t> of_op;  ///< row of run.slices -> index of lines
  std::unordered_map<std::uint32_t, std::uint32_t> of_call;  ///< likewise, of calls with a stack
  std::vector<std::string> ops;  ///< framework ops that native stacks show, each once
  std::unordered_map<std::uint32_t, std::uint32_t> op_of_call;  ///< row of run.slices -> of ops
};

/// From the stacks that `tactus record` takes at calls, and from what ops carry: `stack_trace`
/// (torch.compile with enrich_profiler_metadata), or the `Call stack` of a trace without Python
/// frames (PyTorch 1.8 to 1.11).
CallLines call_lines_of_ops(const Run& run, std::span<const LaunchSite> sites);

}  // namespace tactus

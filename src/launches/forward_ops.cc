#include <algorithm>
#include <unordered_map>

#include "launches/module_calls.h"
#include "launches/nesting.h"

namespace tactus {
namespace {

/// An op that autograd numbered.
struct NumberedOp {
  std::uint32_t row = 0;
  std::int64_t sequence = 0;
  bool is_backward = false;
};

/// Ops with a sequence number; those of the backward pass name the thread of the forward pass, too.
std::vector<NumberedOp> numbered_ops(const Run& run) {
  std::vector<NumberedOp> ops;
  const auto is_op = [&](std::size_t row) {
    return run.kind_of(run.slices.category()[row]) == SliceKind::kCpuOp;
  };
  run.for_each_int_arg(run.slices, "Sequence number", [&](std::size_t row, std::int64_t number) {
    if (number >= 0 && is_op(row)) ops.push_back({static_cast<std::uint32_t>(row), number, false});
  });
  if (ops.empty()) return ops;
  std::size_t next = 0;  // both go through the rows in order
  run.for_each_int_arg(run.slices, "Fwd thread id", [&](std::size_t row, std::int64_t thread) {
    while (next < ops.size() && ops[next].row < row) ++next;
    if (next < ops.size() && ops[next].row == row) ops[next].is_backward = thread > 0;
  });
  return ops;
}

/// The op of the forward pass by process and sequence number.
class ForwardOps {
 public:
  ForwardOps(const Run& run, std::span<const NumberedOp> ops) : run_(run) {
    for (const NumberedOp& op : ops) {
      if (op.is_backward) continue;
      Candidate& candidate = by_number_[key(op)];
      const std::int64_t track = run.slices.track()[op.row];
      const std::int64_t start = run.slices.start()[op.row];
      if (candidate.row == kNoRow) {
        candidate = {op.row, track, start, false};
      } else if (candidate.track != track) {
        // Every thread counts for itself, and the trace does not say which one is meant.
        candidate.is_ambiguous = true;
      } else if (start >= candidate.start) {
        // Ops inside each other share a number until one of them takes it: the last.
        candidate.row = op.row;
        candidate.start = start;
      }
    }
  }

  std::uint32_t of(const NumberedOp& backward) const {
    const auto found = by_number_.find(key(backward));
    if (found == by_number_.end() || found->second.is_ambiguous) return kNoRow;
    const bool is_before = found->second.start <= run_.slices.start()[backward.row];
    return is_before ? found->second.row : kNoRow;
  }

 private:
  struct Candidate {
    std::uint32_t row = kNoRow;
    std::int64_t track = 0;
    std::int64_t start = 0;
    bool is_ambiguous = false;
  };

  std::uint64_t key(const NumberedOp& op) const {
    const auto track = static_cast<std::size_t>(run_.slices.track()[op.row]);
    std::uint64_t process = 0;
    if (track < run_.tracks.size()) {
      const std::size_t thread = run_.tracks[track].thread.value;
      if (thread < run_.threads.size()) process = run_.threads[thread].process.value;
    }
    return process << 40 ^ static_cast<std::uint64_t>(op.sequence);
  }

  const Run& run_;
  std::unordered_map<std::uint64_t, Candidate> by_number_;
};

}  // namespace

std::vector<std::uint32_t> forward_ops(const Run& run, std::span<const LaunchSite> sites) {
  std::vector<std::uint32_t> found(sites.size(), kNoRow);
  const std::vector<NumberedOp> ops = numbered_ops(run);
  std::vector<std::uint32_t> backward;  // rows
  std::vector<std::uint32_t> index;     // of ops
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    if (!ops[i].is_backward) continue;
    backward.push_back(ops[i].row);
    index.push_back(i);
  }
  if (backward.empty()) return found;
  const ForwardOps forward(run, ops);
  std::vector<std::uint32_t> launches;
  launches.reserve(sites.size());
  for (const LaunchSite& site : sites) launches.push_back(site.call);
  const Nesting nesting = nest(run, backward, launches);
  for (std::size_t i = 0; i < sites.size(); ++i) {
    if (nesting.innermost[i] == kNoRow) continue;
    found[i] = forward.of(ops[index[nesting.innermost[i]]]);
  }
  return found;
}

}  // namespace tactus

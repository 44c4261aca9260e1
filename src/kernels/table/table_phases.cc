#include "kernels/table/table_phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace tactus {
namespace {

/// How often prefill ran, from the kernels that only prefill runs.
std::vector<std::int64_t> prefill_claims(const TableRows& rows, const LayerCounts& counts) {
  std::vector<std::int64_t> claims;
  const auto claim = [&](std::int64_t instances, std::int64_t per_pass) {
    if (instances <= 0 || instances % per_pass != 0) return;
    if (instances / per_pass <= counts.passes) claims.push_back(instances / per_pass);
  };
  const TableRows prefill = rows_where(rows, is_prefill_attention);
  if (std::any_of(rows.begin(), rows.end(), is_decode_attention)) {
    claim(instances_of(prefill), counts.layers);
  }
  const TableRows ropes = rows_of(rows, Family::kRope);
  const TableRows for_many_tokens =
      rows_where(ropes, [](const TableRow& row) { return !row.says("HeadParallelism"); });
  if (for_many_tokens.size() < ropes.size()) claim(instances_of(for_many_tokens), counts.layers);
  for (const TableRow& row : rows) {
    if (row.says("write_req_to_token_pool") || row.says("compute_position_kernel")) {
      claim(row.instances(), 1);
    }
  }
  return claims;
}

std::optional<std::int64_t> count_prefill(const TableRows& rows, const LayerCounts& counts) {
  std::map<std::int64_t, int> votes;
  std::optional<std::int64_t> best;
  for (const std::int64_t claim : prefill_claims(rows, counts)) {
    const int same = ++votes[claim];
    if (!best || same > votes[*best]) best = claim;
  }
  return best;
}

/// The most instances that a GEMM row has beside those of prefill.
std::int64_t largest_gemm_row(const TableRows& rows, const std::vector<PrefillPart>& prefill) {
  std::map<std::size_t, std::int64_t> in_prefill;
  for (const PrefillPart& part : prefill) in_prefill[part.row.index] = part.instances;
  std::int64_t largest = 0;
  for (const TableRow& row : rows_where(rows, is_gemm)) {
    const auto part = in_prefill.find(row.index);
    const std::int64_t taken = part == in_prefill.end() ? 0 : part->second;
    largest = std::max(largest, row.instances() - taken);
  }
  return largest;
}

bool notes_show_graphs(const KernelTable& table) {
  return std::any_of(table.notes.begin(), table.notes.end(), [](const TableNote& note) {
    return note.kind == "traceback" && (note.text.find("cuda_graph") != std::string::npos ||
                                        note.text.find("cudagraph") != std::string::npos);
  });
}

constexpr std::string_view kRecordNodes =
    "Nsight Systems traces a CUDA graph as one unit by default and leaves its kernels out of the "
    "summary; record with --cuda-graph-trace=node to have them";

class PhaseFinder {
 public:
  PhaseFinder(const KernelTable& table, const TableRows& rows, const LayerCounts& counts)
      : table_(table), rows_(rows), counts_(counts) {}

  /// Splits the passes that are not prefill.
  void divide_rest(TablePhases& phases) const {
    const std::int64_t rest = counts_.passes - *phases.prefill;
    const std::int64_t steps = phases.decode_steps.value_or(0);
    const std::int64_t largest = largest_gemm_row(rows_, phases.prefill_gemms);
    if (steps > rest) {
      take_too_few(phases, rest, largest >= rest * counts_.layers);
    } else if (steps > 0 && (largest >= steps * counts_.layers || all_are_decode(phases, rest))) {
      phases.decode = steps;
      take_captures(phases, rest - steps);
    } else if (take_captures(phases, rest) && steps > 0) {
      phases.decode_missing = true;
      phases.decode_missing_why = fmt::format(
          "{} decode steps were sampled, but no GEMM row has the {} instances ({} steps x {} "
          "layers) that decode without graphs would leave. {}.",
          steps, steps * counts_.layers, steps, counts_.layers, kRecordNodes);
    }
  }

 private:
  /// There are fewer passes than decode steps, so some steps are certainly missing.
  void take_too_few(TablePhases& phases, std::int64_t rest, bool at_one_batch_size) const {
    phases.decode_missing = true;
    phases.decode_missing_why = fmt::format(
        "{} decode steps were sampled, but the table has kernels of only {} passes besides "
        "prefill. {}.",
        *phases.decode_steps, rest, kRecordNodes);
    if (at_one_batch_size) {
      phases.decode = rest;
    } else {
      take_captures(phases, rest);
    }
  }

  bool all_are_decode(const TablePhases& phases, std::int64_t rest) const {
    return phases.decode_steps == rest &&
           !find_capture_sizes(table_, rows_, counts_, rest, {*phases.prefill, 0}).confirmed;
  }

  /// Runs before a graph's capture, if that is what they were.
  bool take_captures(TablePhases& phases, std::int64_t passes) const {
    if (passes <= 0) return false;
    phases.captures =
        find_capture_sizes(table_, rows_, counts_, passes, {*phases.prefill, phases.decode});
    // A list of sizes has a beginning of almost any length: that alone proves nothing.
    const bool likely = phases.captures.confirmed || notes_show_graphs(table_);
    const bool captured = likely || (phases.decode_steps && !phases.captures.empty());
    if (!captured) phases.captures = {};
    (captured ? phases.graph_capture : phases.unknown) = passes;
    return captured;
  }

  const KernelTable& table_;
  const TableRows& rows_;
  const LayerCounts& counts_;
};

}  // namespace

TablePhases find_phases(const KernelTable& table, const TableRows& rows, const LayerCounts& counts,
                        std::optional<std::int64_t> gemms_per_layer,
                        std::optional<std::int64_t> sampled_steps) {
  TablePhases phases;
  phases.prefill = count_prefill(rows, counts);
  if (!phases.prefill) {
    phases.unknown = counts.passes;
    return phases;
  }
  if (gemms_per_layer) {
    phases.prefill_gemms = find_prefill_gemms(rows, counts, *gemms_per_layer, *phases.prefill);
  }
  phases.other_prefill_parts = find_other_prefill_parts(rows, counts, *phases.prefill);
  // Each prefill gives the first token, each decode step another.
  if (sampled_steps && *sampled_steps >= *phases.prefill) {
    phases.decode_steps = *sampled_steps - *phases.prefill;
  }
  PhaseFinder(table, rows, counts).divide_rest(phases);
  return phases;
}

}  // namespace tactus

#include <algorithm>

#include "kernels/table/table_analysis.h"
#include "kernels/table/table_reading.h"

namespace tactus {
namespace {

/// Rows that a pass through the model launches, in each layer or after the last.
bool is_of_passes(const TableRow& row, const LayerCounts& counts) {
  switch (row.family()) {
    case Family::kGemm:
    case Family::kGemv: return row.instances() > 1;
    case Family::kSplitKReduce:
    case Family::kAttention:
    case Family::kAttentionPrepare:
    case Family::kAttentionCombine:
    case Family::kActivation:
    case Family::kNorm:
    case Family::kRope:
    case Family::kMoe:
    case Family::kQuantise:
    case Family::kCollective: return true;
    case Family::kKvWrite:
    case Family::kCopy:
    case Family::kElementwise: return row.instances() >= counts.passes;
    case Family::kGather: return row.instances() > 1;
    default: return false;
  }
}

/// Buffers that are filled before the first pass, and what ran only once.
bool is_of_start_up(const TableRow& row) {
  return row.family() == Family::kFill || row.instances() == 1;
}

double time_of(const std::vector<PrefillPart>& parts) {
  double sum = 0;
  for (const PrefillPart& part : parts) sum += part.avg_ns * static_cast<double>(part.instances);
  return sum;
}

void add_phases(const TableReading& reading, Structure& structure) {
  const TablePhases& phases = reading.phases;
  const LayerCounts& counts = *reading.counts;
  if (!phases.prefill) {
    structure.phases.push_back({"unknown", phases.unknown, std::nullopt});
    return;
  }
  // Nearly all of prefill is GEMMs: without them its time is unknown.
  std::optional<double> prefill_ns;
  if (!phases.prefill_gemms.empty()) {
    prefill_ns = time_of(phases.prefill_gemms) + time_of(phases.other_prefill_parts);
  }
  const TableRows of_passes = rows_where(
      reading.rows, [&counts](const TableRow& row) { return is_of_passes(row, counts); });
  // Time that is not prefill can belong to one phase, but cannot be divided between two.
  const int others = (phases.decode > 0) + (phases.graph_capture > 0) + (phases.unknown > 0);
  std::optional<std::int64_t> rest_ns;
  if (prefill_ns && others == 1) rest_ns = whole_ns(total_ns_of(of_passes) - *prefill_ns);

  const auto add = [&](const char* phase, std::int64_t passes) {
    if (passes > 0) structure.phases.push_back({phase, passes, rest_ns});
  };
  if (*phases.prefill > 0) {
    std::optional<std::int64_t> ns;
    if (prefill_ns) ns = whole_ns(*prefill_ns);
    structure.phases.push_back({"prefill", *phases.prefill, ns});
  }
  if (phases.decode == 0 && phases.decode_missing) {
    structure.phases.push_back({"decode", 0, std::nullopt});
  }
  add("decode", phases.decode);
  add("graph_capture", phases.graph_capture);
  add("unknown", phases.unknown);
  const TableRows start_up = rows_where(reading.rows, is_of_start_up);
  if (!start_up.empty()) {
    structure.phases.push_back({"start_up", 0, whole_ns(total_ns_of(start_up))});
  }
}

void add_split_rows(const TableReading& reading, Structure& structure) {
  const TablePhases& phases = reading.phases;
  const char* rest = phases.decode > 0          ? "decode"
                     : phases.graph_capture > 0 ? "graph_capture"
                                                : "unknown";
  std::vector<PrefillPart> parts = phases.prefill_gemms;
  parts.insert(parts.end(), phases.other_prefill_parts.begin(), phases.other_prefill_parts.end());
  std::stable_sort(parts.begin(), parts.end(), [](const PrefillPart& a, const PrefillPart& b) {
    return a.row.index < b.row.index;
  });
  for (const PrefillPart& part : parts) {
    if (part.whole()) continue;
    structure.split_rows.push_back(
        {part.row.row->name,
         {{"prefill", part.instances, whole_ns(part.avg_ns)},
          {rest, part.row.instances() - part.instances, whole_ns(part.rest_avg_ns)}}});
  }
}

}  // namespace

TableReading read_table(const KernelTable& table, std::span<const KernelName> names) {
  TableReading reading;
  reading.rows = table_rows(table, names);
  reading.sampled_steps = count_sampled_steps(reading.rows);
  reading.counts = count_layers(reading.rows);
  if (!reading.counts) return reading;
  reading.gemms = count_gemms(reading.rows, *reading.counts);
  reading.phases = find_phases(table, reading.rows, *reading.counts, reading.gemms.per_layer,
                               reading.sampled_steps);
  return reading;
}

Structure structure_of_table(const KernelTable& table, std::span<const KernelName> names) {
  const TableReading reading = read_table(table, names);
  Structure structure;
  for (const TableRow& row : reading.rows) {
    structure.longest_kernel_ns =
        std::max(structure.longest_kernel_ns, row.row->max_ns.value_or(row.row->avg_ns));
  }
  structure.signs = find_environment_clues(reading.rows);
  structure.sampled_steps = reading.sampled_steps;
  if (!reading.counts) return structure;
  structure.layers = reading.counts->layers;
  structure.passes = reading.counts->passes;
  structure.gemms_per_layer = reading.gemms.per_layer;
  structure.decode_missing = reading.phases.decode_missing;
  structure.decode_missing_why = reading.phases.decode_missing_why;
  structure.capture_sizes = reading.phases.captures.sizes;
  add_phases(reading, structure);
  add_split_rows(reading, structure);
  structure.identities = find_identities(reading);
  return structure;
}

}  // namespace tactus

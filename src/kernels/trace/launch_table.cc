#include "kernels/trace/launch_table.h"

#include <algorithm>
#include <array>
#include <map>

#include "kernels/trace/call_lines.h"
#include "run/args/arg_lookup.h"

namespace tactus {
namespace {

/// Rows of run.slices that launch, by what the filter takes.
std::vector<std::uint32_t> launching_rows(const Run& run, const SliceFilter& filter) {
  const std::vector<bool> wanted = wanted_tracks(run, filter);
  std::vector<std::uint32_t> rows;
  for (std::size_t row = 0; row < run.slices.size(); ++row) {
    const auto name = static_cast<std::uint64_t>(run.slices.name()[row]);
    const std::string_view text = run.strings[StringId(name)];
    if (!text.starts_with("cuLaunch") && text != "cuGraphLaunch") continue;
    const auto track = static_cast<std::size_t>(run.slices.track()[row]);
    if (track < wanted.size() && !wanted[track]) continue;
    if (!filter.takes(run.slices.start()[row])) continue;
    rows.push_back(static_cast<std::uint32_t>(row));
  }
  return rows;
}

std::vector<GpuTimeRow> gpu_times(const Run& run, const SliceFilter& filter) {
  const std::vector<bool> wanted = wanted_tracks(run, filter);
  std::map<std::pair<std::int64_t, bool>, std::vector<std::int64_t>> times;  // name, is a graph
  for (std::size_t row = 0; row < run.slices.size(); ++row) {
    const SliceKind kind = run.kind_of(run.slices.category()[row]);
    if (kind != SliceKind::kGpuAnnotation && kind != SliceKind::kGraph) continue;
    const auto track = static_cast<std::size_t>(run.slices.track()[row]);
    if (track < wanted.size() && !wanted[track]) continue;
    if (!filter.takes(run.slices.start()[row])) continue;
    times[{run.slices.name()[row], kind == SliceKind::kGraph}].push_back(run.slices.dur()[row]);
  }
  std::vector<GpuTimeRow> rows;
  for (auto& [key, durations] : times) {
    const auto name = static_cast<std::uint64_t>(key.first);
    rows.push_back({std::string(run.strings[StringId(name)]), key.second, summarise(durations)});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const GpuTimeRow& a, const GpuTimeRow& b) {
    return a.times.total_ns > b.times.total_ns;
  });
  return rows;
}

}  // namespace

bool has_only_launches(const Run& run) {
  const auto is_recorded = [](const Source& source) { return source.kind == "tactus"; };
  return std::any_of(run.sources.begin(), run.sources.end(), is_recorded) && !run.has_kernels();
}

LaunchTable launch_table(const Run& run, const SliceFilter& filter) {
  const std::vector<std::uint32_t> calls = launching_rows(run, filter);
  std::vector<LaunchSite> sites(calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) sites[i].call = calls[i];
  const CallLines lines = call_lines_of_ops(run, sites);
  const auto kernels = args_of_slices(run, calls, "kernel");
  const auto graphs = args_of_slices(run, calls, "graph");
  const auto captured = args_of_slices(run, calls, "captured");
  LaunchTable table;
  table.gpu_times = gpu_times(run, filter);
  std::map<std::array<std::int64_t, 3>, std::size_t> places;  // name, line, op
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const std::optional<Value>& name = kernels[i] ? kernels[i] : graphs[i];
    if (!name || name->type != ValueType::kText || (captured[i] && captured[i]->raw != 0)) continue;
    const auto line = lines.of_call.find(calls[i]);
    const std::uint32_t line_number = line != lines.of_call.end() ? line->second : kNoRow;
    const auto op = lines.op_of_call.find(calls[i]);
    const std::uint32_t op_number = op != lines.op_of_call.end() ? op->second : kNoRow;
    const auto [at, is_new] =
        places.try_emplace({name->raw, line_number, op_number}, table.rows.size());
    if (is_new) {
      LaunchRow row;
      row.name = run.strings[StringId(static_cast<std::uint64_t>(name->raw))];
      row.is_graph = !kernels[i];
      if (line_number != kNoRow) row.line = lines.lines[line_number];
      if (op_number != kNoRow) row.op = lines.ops[op_number];
      table.rows.push_back(std::move(row));
    }
    LaunchRow& row = table.rows[at->second];
    ++row.launches;
    row.host_ns += run.slices.dur()[calls[i]];
    ++table.launches;
    if (row.is_graph) ++table.of_graphs;
    if (line_number != kNoRow) ++table.with_line;
    if (op_number != kNoRow) ++table.with_op;
  }
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [](const LaunchRow& a, const LaunchRow& b) { return a.launches > b.launches; });
  return table;
}

}  // namespace tactus

#include "launches/kernel_instances.h"

#include <algorithm>
#include <array>
#include <memory>
#include <tuple>
#include <unordered_map>

#include "base/arithmetic.h"
#include "run/event_view.h"
#include "stats/summary.h"

namespace tactus {
namespace {

KernelRow row_of(std::string_view label, const DurationSummary& summary) {
  KernelRow row;
  row.name = label;
  row.instances = summary.count;
  row.total_ns = summary.total_ns;
  row.avg_ns = summary.avg_ns;
  row.med_ns = summary.med_ns;
  row.min_ns = summary.min_ns;
  row.max_ns = summary.max_ns;
  row.stddev_ns = summary.stddev_ns;
  row.p90_ns = summary.p90_ns;
  row.p99_ns = summary.p99_ns;
  return row;
}

/// Shares of the total, and the order.
void complete(KernelTable& table) {
  for (const KernelRow& row : table.rows) {
    table.total_ns = wrapping_add(table.total_ns, row.total_ns);
  }
  for (KernelRow& row : table.rows) {
    row.time_pct = table.total_ns == 0 ? 0
                                       : 100.0 * static_cast<double>(row.total_ns) /
                                             static_cast<double>(table.total_ns);
  }
  std::sort(table.rows.begin(), table.rows.end(), [](const KernelRow& a, const KernelRow& b) {
    return std::tuple(b.total_ns, std::string_view(a.name)) <
           std::tuple(a.total_ns, std::string_view(b.name));
  });
}

}  // namespace

KernelInstances kernel_instances(const Run& run, const SliceFilter& filter) {
  const std::vector<bool> tracks =
      filter.limits_tracks() ? wanted_tracks(run, filter) : std::vector<bool>();
  const auto is_wanted = [&](std::int64_t track) {
    return static_cast<std::size_t>(track) < tracks.size() &&
           tracks[static_cast<std::size_t>(track)];
  };
  KernelInstances kernels;
  // Room for all slices costs addresses, not memory: pages are allocated at the first write.
  kernels.rows.reserve(run.slices.size());
  kernels.names.reserve(run.slices.size());
  kernels.durs.reserve(run.slices.size());
  // Only the columns that are needed are read: those of a run in a file are unpacked when used.
  const EventTable& slices = run.slices;
  for_each_slice(
      run, Captures::kLeaveOut, [](SliceKind kind) { return kind == SliceKind::kKernel; },
      std::array{&slices.name(), &slices.dur(), filter.limits_time() ? &slices.start() : nullptr,
                 tracks.empty() ? nullptr : &slices.track()},
      [&](std::size_t row, SliceKind, const auto& values) {
        const auto [name, dur, start, track] = values;
        if (!filter.takes(start)) return;
        if (!tracks.empty() && !is_wanted(track)) return;
        if (static_cast<std::uint64_t>(name) >= run.strings.size()) return;
        kernels.rows.push_back(static_cast<std::uint32_t>(row));
        kernels.names.push_back(static_cast<std::uint32_t>(name));
        kernels.durs.push_back(dur);
      });
  return kernels;
}

KernelInstances only(const KernelInstances& kernels, const std::vector<bool>& keep) {
  KernelInstances kept;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (!keep[i]) continue;
    kept.rows.push_back(kernels.rows[i]);
    kept.names.push_back(kernels.names[i]);
    kept.durs.push_back(kernels.durs[i]);
  }
  return kept;
}

KernelTable sum_up(std::span<const std::uint32_t> keys, std::span<const std::int64_t> durs,
                   std::size_t key_count,
                   const std::function<std::string_view(std::uint32_t)>& label) {
  // The durations of each key next to each other: counted, then put in their places.
  std::vector<std::size_t> begin(key_count + 1, 0);
  for (const std::uint32_t key : keys) ++begin[key + 1];
  for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
  const auto room = std::make_unique_for_overwrite<std::int64_t[]>(durs.size());
  const std::span<std::int64_t> sorted(room.get(), durs.size());
  std::vector<std::size_t> next = begin;
  for (std::size_t i = 0; i < durs.size(); ++i) sorted[next[keys[i]]++] = durs[i];

  KernelTable table;
  std::size_t used = 0;
  for (std::size_t key = 0; key < key_count; ++key) used += begin[key + 1] != begin[key] ? 1 : 0;
  table.rows.reserve(used);
  for (std::uint32_t key = 0; key < key_count; ++key) {
    const std::size_t count = begin[key + 1] - begin[key];
    if (count == 0) continue;
    table.rows.push_back(row_of(label(key), summarise(sorted.subspan(begin[key], count))));
  }
  complete(table);
  return table;
}

KernelTable kernels_by_name(const Run& run, const KernelInstances& kernels) {
  return sum_up(kernels.names, kernels.durs, run.strings.size(),
                [&](std::uint32_t name) { return run.strings[StringId(name)]; });
}

KernelTable summarise_kernels(const Run& run, const SliceFilter& filter) {
  if (run.kernel_summary) return *run.kernel_summary;
  return kernels_by_name(run, kernel_instances(run, filter));
}

std::vector<std::uint32_t> rows_of_names(const Run& run, const KernelInstances& kernels,
                                         const KernelTable& table) {
  std::unordered_map<std::string_view, std::uint32_t> row_of;
  for (std::uint32_t row = 0; row < table.rows.size(); ++row) row_of[table.rows[row].name] = row;
  std::vector<std::uint32_t> rows(run.strings.size(), kNoRow);
  for (const std::uint32_t name : kernels.names) {
    if (rows[name] == kNoRow) rows[name] = row_of.at(run.strings[StringId(name)]);
  }
  return rows;
}

}  // namespace tactus

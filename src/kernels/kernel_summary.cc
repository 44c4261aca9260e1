#include "kernels/kernel_summary.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/arithmetic.h"
#include "stats/summary.h"

namespace tactus {
namespace {

using Values = std::span<const std::int64_t>;

/// Calls f(name, dur) for the kernels that are wanted. Reads only the columns it needs.
template <class F>
void for_each_kernel(const Run& run, const SliceFilter& filter, F&& f) {
  const std::vector<bool> tracks =
      filter.limits_tracks() ? wanted_tracks(run, filter) : std::vector<bool>();
  const auto is_wanted = [&](std::int64_t track) {
    return static_cast<std::size_t>(track) < tracks.size() &&
           tracks[static_cast<std::size_t>(track)];
  };
  std::vector<bool> is_kernel;
  for (const Category& category : run.categories) {
    is_kernel.push_back(category.kind == SliceKind::kKernel);
  }
  std::array<std::int64_t, Column::kBlockRows> names;
  std::array<std::int64_t, Column::kBlockRows> durs;
  std::array<std::int64_t, Column::kBlockRows> starts;
  std::array<std::int64_t, Column::kBlockRows> on_track;
  run.slices.category().for_each_piece(0, run.own_slices(), [&](std::size_t first, Values piece) {
    const std::size_t count = piece.size();
    run.slices.name().read(first, std::span(names).first(count));
    run.slices.dur().read(first, std::span(durs).first(count));
    if (filter.limits_time()) run.slices.start().read(first, std::span(starts).first(count));
    if (!tracks.empty()) run.slices.track().read(first, std::span(on_track).first(count));
    for (std::size_t i = 0; i < count; ++i) {
      const auto category = static_cast<std::size_t>(piece[i]);
      if (category >= is_kernel.size() || !is_kernel[category]) continue;
      if (filter.from_ns && starts[i] < *filter.from_ns) continue;
      if (filter.to_ns && starts[i] >= *filter.to_ns) continue;
      if (!tracks.empty() && !is_wanted(on_track[i])) continue;
      f(static_cast<std::size_t>(names[i]), durs[i]);
    }
  });
}

}  // namespace

KernelTable summarise_kernels(const Run& run, const SliceFilter& filter) {
  if (run.kernel_summary) return *run.kernel_summary;

  // The durations of each name side by side: gathered, counted, put in their places.
  std::vector<std::uint32_t> names;
  std::vector<std::int64_t> gathered;
  std::vector<std::size_t> begin(run.strings.size() + 1, 0);
  for_each_kernel(run, filter, [&](std::size_t name, std::int64_t dur) {
    if (name + 1 >= begin.size()) return;
    names.push_back(static_cast<std::uint32_t>(name));
    gathered.push_back(dur);
    ++begin[name + 1];
  });
  for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
  std::vector<std::int64_t> durations(gathered.size());
  std::vector<std::size_t> next = begin;
  for (std::size_t i = 0; i < gathered.size(); ++i) durations[next[names[i]]++] = gathered[i];

  KernelTable table;
  for (std::size_t name = 0; name + 1 < begin.size(); ++name) {
    const std::size_t count = begin[name + 1] - begin[name];
    if (count == 0) continue;
    const DurationSummary summary = summarise(std::span(durations).subspan(begin[name], count));
    KernelRow row;
    row.name = run.strings[StringId(name)];
    row.instances = summary.count;
    row.total_ns = summary.total_ns;
    row.avg_ns = summary.avg_ns;
    row.med_ns = summary.med_ns;
    row.min_ns = summary.min_ns;
    row.max_ns = summary.max_ns;
    row.stddev_ns = summary.stddev_ns;
    row.p90_ns = summary.p90_ns;
    row.p99_ns = summary.p99_ns;
    table.total_ns = wrapping_add(table.total_ns, row.total_ns);
    table.rows.push_back(std::move(row));
  }
  for (KernelRow& row : table.rows) {
    row.time_pct = table.total_ns == 0 ? 0
                                       : 100.0 * static_cast<double>(row.total_ns) /
                                             static_cast<double>(table.total_ns);
  }
  std::sort(table.rows.begin(), table.rows.end(), [](const KernelRow& a, const KernelRow& b) {
    return std::tuple(-a.total_ns, std::string_view(a.name)) <
           std::tuple(-b.total_ns, std::string_view(b.name));
  });
  return table;
}

}  // namespace tactus

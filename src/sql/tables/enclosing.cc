#include "sql/tables/enclosing.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include "base/arithmetic.h"
#include "run/event_view.h"

namespace tactus::sql {
namespace {

constexpr std::size_t kSlicesBetweenLooks = 1 << 16;

struct HostInterval {
  std::int64_t track, start, end;
  std::int64_t row;
};

/// The outer slice comes first.
bool is_before(const HostInterval& a, const HostInterval& b) {
  return std::tuple(a.track, a.start, b.end, a.row) < std::tuple(b.track, b.start, a.end, b.row);
}

/// The slices of one track that are open, the innermost last.
class OpenSlices {
 public:
  /// Opens a slice; gives the one around it, -1 for none.
  std::int64_t open(const HostInterval& slice) {
    while (!open_.empty() && (open_.back().end < slice.end || open_.back().end <= slice.start)) {
      open_.pop_back();
    }
    const std::int64_t around = open_.empty() ? -1 : open_.back().row;
    open_.push_back(slice);
    last_ = slice;
    has_last_ = true;
    return around;
  }
  bool comes_next(const HostInterval& slice) const { return !has_last_ || is_before(last_, slice); }

 private:
  std::vector<HostInterval> open_;
  HostInterval last_{};
  bool has_last_ = false;
};

/// Calls f(interval) for the host slices that count, until it says no or the work is stopped; false
/// then.
template <class F>
bool for_each_interval(const Run& run, bool (*counts)(SliceKind), const ShouldStop& should_stop,
                       F&& f) {
  bool goes_on = true;
  std::size_t seen = 0;
  for_each_slice(
      run, Captures::kLeaveOut,
      [&](SliceKind kind) { return !runs_on_device(kind) && counts(kind); },
      std::array<const Column*, 3>{&run.slices.track(), &run.slices.start(), &run.slices.dur()},
      [&](std::size_t row, SliceKind, const std::array<std::int64_t, 3>& values) {
        if (!goes_on) return;
        if (++seen % kSlicesBetweenLooks == 0 && asks_to_stop(should_stop)) goes_on = false;
        goes_on = goes_on && f(HostInterval{.track = values[0],
                                            .start = values[1],
                                            .end = wrapping_add(values[1], values[2]),
                                            .row = static_cast<std::int64_t>(row)});
      });
  return goes_on;
}

/// Most sources write the slices of a thread in the order of time: one pass finds all. Nothing if
/// this one did not.
std::optional<Column> enclosing_in_order(const Run& run, bool (*counts)(SliceKind),
                                         const ShouldStop& should_stop) {
  std::vector<OpenSlices> tracks(run.tracks.size());
  Column column;
  const auto fill_up_to = [&](std::size_t row) {
    while (column.size() < row) column.append(-1);
  };
  const bool is_done = for_each_interval(run, counts, should_stop, [&](const HostInterval& slice) {
    const auto track = static_cast<std::uint64_t>(slice.track);
    if (track >= tracks.size() || !tracks[track].comes_next(slice)) return false;
    fill_up_to(static_cast<std::size_t>(slice.row));
    column.append(tracks[track].open(slice));
    return true;
  });
  if (!is_done) return std::nullopt;
  fill_up_to(run.slices.size());
  return column;
}

std::optional<Column> enclosing_in_any_order(const Run& run, bool (*counts)(SliceKind),
                                             const ShouldStop& should_stop) {
  std::vector<HostInterval> slices;
  const auto keep = [&](const HostInterval& slice) {
    slices.push_back(slice);
    return true;
  };
  if (!for_each_interval(run, counts, should_stop, keep)) return std::nullopt;
  std::sort(slices.begin(), slices.end(), is_before);
  if (asks_to_stop(should_stop)) return std::nullopt;
  std::vector<std::int64_t> around(run.slices.size(), -1);
  OpenSlices open;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (i != 0 && slices[i].track != slices[i - 1].track) open = OpenSlices();
    around[static_cast<std::size_t>(slices[i].row)] = open.open(slices[i]);
  }
  Column column;
  column.append(around);
  return column;
}

}  // namespace

std::optional<Column> enclosing_rows(const Run& run, bool (*counts)(SliceKind),
                                     const ShouldStop& should_stop) {
  std::optional<Column> column = enclosing_in_order(run, counts, should_stop);
  if (!column && !asks_to_stop(should_stop)) {
    column = enclosing_in_any_order(run, counts, should_stop);
  }
  if (column) column->shrink();
  return column;
}

}  // namespace tactus::sql

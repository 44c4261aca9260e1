#include "launches/module_calls.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/arithmetic.h"
#include "launches/nesting.h"
#include "run/event_view.h"

namespace tactus {
namespace {

/// Where a slice stands in time (start, end from the back, row): callers stand before what they
/// call.
using Place = std::tuple<std::int64_t, std::int64_t, std::uint32_t>;

Place place_of(const Run& run, std::uint32_t row) {
  const std::int64_t start = run.slices.start()[row];
  const std::int64_t end = wrapping_add(start, run.slices.dur()[row]);
  return {start, wrapping_subtract(0, end), row};
}

/// The caller of each Python frame, by row of run.slices; kNoRow where it is not known, and for
/// ids that contradict the times.
std::vector<std::uint32_t> callers(const Run& run) {
  std::vector<std::uint32_t> caller_of;
  std::array<std::int64_t, Column::kBlockRows> from, to;
  run.links.kind().for_each_piece(
      0, run.links.rows, [&](std::size_t first, std::span<const std::int64_t> kinds) {
        run.links.from().read(first, std::span(from).first(kinds.size()));
        run.links.to().read(first, std::span(to).first(kinds.size()));
        for (std::size_t i = 0; i < kinds.size(); ++i) {
          if (kinds[i] != static_cast<std::int64_t>(LinkKind::kPythonParent)) continue;
          const auto caller = static_cast<std::uint64_t>(from[i]);
          const auto callee = static_cast<std::uint64_t>(to[i]);
          if (caller >= run.slices.size() || callee >= run.slices.size()) continue;
          if (caller_of.empty()) caller_of.resize(run.slices.size(), kNoRow);
          caller_of[callee] = static_cast<std::uint32_t>(caller);
        }
      });
  for (std::uint32_t row = 0; row < caller_of.size(); ++row) {
    const std::uint32_t caller = caller_of[row];
    if (caller == kNoRow) continue;
    const std::int64_t end = wrapping_add(run.slices.start()[caller], run.slices.dur()[caller]);
    const bool fits = run.slices.track()[caller] == run.slices.track()[row] &&
                      place_of(run, caller) < place_of(run, row) && end > run.slices.start()[row];
    if (!fits) caller_of[row] = kNoRow;
  }
  return caller_of;
}

/// The nearest module call above each frame, by its callers.
class CallsAbove {
 public:
  CallsAbove(const Run& run, std::span<const std::uint32_t> calls) : caller_of_(callers(run)) {
    if (caller_of_.empty()) return;
    call_at_.resize(caller_of_.size(), kNoRow);
    above_.resize(caller_of_.size(), kNotSeen);
    for (std::uint32_t i = 0; i < calls.size(); ++i) call_at_[calls[i]] = i;
  }

  bool knows_caller(std::uint32_t row) const {
    return row < caller_of_.size() && caller_of_[row] != kNoRow;
  }

  /// Index of the call; kNoRow if no caller is a module.
  std::uint32_t of(std::uint32_t row) {
    std::vector<std::uint32_t> seen;
    std::uint32_t found = kNoRow;
    // Callers stand before their callees, so there is no circle.
    for (std::uint32_t at = row; at != kNoRow; at = caller_of_[at]) {
      if (above_[at] != kNotSeen) {
        found = above_[at];
        break;
      }
      seen.push_back(at);
      const std::uint32_t caller = caller_of_[at];
      if (caller != kNoRow && call_at_[caller] != kNoRow) {
        found = call_at_[caller];
        break;
      }
    }
    for (const std::uint32_t frame : seen) above_[frame] = found;
    return found;
  }

 private:
  static constexpr std::uint32_t kNotSeen = kNoRow - 1;

  std::vector<std::uint32_t> caller_of_;
  std::vector<std::uint32_t> call_at_;  ///< by row: index of the module call
  std::vector<std::uint32_t> above_;    ///< by row
};

}  // namespace

ModuleCalls nest_module_calls(const Run& run, std::span<const std::uint32_t> calls,
                              std::span<const std::uint32_t> points) {
  std::vector<Place> places;
  places.reserve(calls.size());
  for (const std::uint32_t row : calls) places.push_back(place_of(run, row));
  std::sort(places.begin(), places.end());
  std::vector<std::uint32_t> rows;
  rows.reserve(places.size());
  for (const Place& place : places) rows.push_back(std::get<2>(place));
  Nesting nesting = nest(run, rows, points);
  CallsAbove above(run, rows);
  ModuleCalls result;
  result.calls.reserve(rows.size());
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    // Real traces have ids that lead nowhere; then the times tell.
    std::uint32_t parent = above.knows_caller(rows[i]) ? above.of(rows[i]) : kNoRow;
    if (parent == kNoRow) parent = nesting.parent[i];
    if (parent != kNoRow && parent >= i) parent = kNoRow;  // equal times; cannot tell
    result.calls.push_back({rows[i], parent});
  }
  result.of_kernel = std::move(nesting.innermost);
  return result;
}

}  // namespace tactus

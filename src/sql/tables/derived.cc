#include "sql/tables/derived.h"

#include <algorithm>
#include <tuple>

#include "base/arithmetic.h"
#include "launches/launch_sites.h"
#include "names/short_name.h"
#include "run/event_view.h"
#include "run/identity.h"

namespace tactus::sql {
namespace {

std::vector<Place> places_of(const Run& run) {
  std::vector<Place> places;
  const std::vector<std::optional<std::int64_t>> pids = host_pids(run);
  for (const Track& track : run.tracks) {
    const Thread& thread = run.threads[track.thread.value];
    const Process& process = run.processes[thread.process.value];
    Place place;
    place.device = device_number(run, track);
    place.stream = track.stream;
    place.rank = process.rank;
    place.process = run.strings[process.name];
    // A device that a trace shows as a process of its own belongs to the process of its source.
    const bool names_owner = !track.on_device || process.pid.is_text;
    place.pid = names_owner ? process.os_pid : pids[process.source.value];
    if (process.pid.is_text) {
      place.pid_text = run.strings[StringId(static_cast<std::uint64_t>(process.pid.value))];
    }
    if (!track.on_device) {
      place.thread = run.strings[thread.name];
      if (thread.tid.is_text) {
        place.tid_text = run.strings[StringId(static_cast<std::uint64_t>(thread.tid.value))];
      } else {
        place.tid = thread.tid.value;
      }
    }
    if (process.host.value < run.hosts.size()) {
      place.host = run.strings[run.hosts[process.host.value].name];
    }
    places.push_back(place);
  }
  return places;
}

std::int64_t row_or_none(std::uint32_t row) {
  return row == kNoRow ? -1 : std::int64_t{row};
}

}  // namespace

Derived::Derived(const Run& run, SliceFilter filter)
    : run_(run), filter_(std::move(filter)), places_(places_of(run)) {}

const KernelName& Derived::decoded(std::int64_t name) {
  if (!names_) names_.emplace(run_);
  const auto size = run_.strings.size();
  return names_->of(static_cast<std::uint64_t>(name) < size ? static_cast<std::uint32_t>(name) : 0);
}

std::string_view Derived::short_name(std::int64_t name) {
  const auto [at, is_new] = short_names_.try_emplace(name);
  if (is_new) {
    at->second =
        short_kernel_name(run_.strings[StringId(static_cast<std::uint64_t>(name))], decoded(name));
  }
  return at->second;
}

void Derived::find_sites() {
  if (has_sites_) return;
  has_sites_ = true;
  std::vector<std::uint32_t> work;
  for_each_slice(run_, Captures::kLeaveOut, is_device_work, std::array<const Column*, 0>{},
                 [&](std::size_t row, SliceKind, const auto&) {
                   work.push_back(static_cast<std::uint32_t>(row));
                 });
  const std::vector<LaunchSite> sites = launch_sites(run_, work);
  std::size_t next = 0;
  for (std::size_t row = 0; row < run_.slices.size(); ++row) {
    LaunchSite site;
    if (next < work.size() && work[next] == row) site = sites[next++];
    calls_.append(row_or_none(site.call));
    ops_.append(row_or_none(site.op));
    frames_.append(row_or_none(site.frame));
    modules_.append(row_or_none(site.module));
  }
  for (Column* column : {&calls_, &ops_, &frames_, &modules_}) column->shrink();
}

const Column& Derived::launching_call() {
  find_sites();
  return calls_;
}
const Column& Derived::op() {
  find_sites();
  return ops_;
}
const Column& Derived::python_frame() {
  find_sites();
  return frames_;
}
const Column& Derived::module() {
  find_sites();
  return modules_;
}

void Derived::find_steps() {
  if (steps_column_) return;
  steps_column_.emplace();
  Result<Cycles> cycles = find_cycles(run_, {.filter = filter_, .anchor = {}, .by_layer = false});
  if (!cycles) {
    warnings_.push_back("no steps: " + cycles.error().message);
  } else {
    steps_ = std::move(cycles->cycles);
  }
  for (std::size_t row = 0; row < run_.slices.size(); ++row) {
    const bool is_known = cycles && row < cycles->cycle_of_slice.size();
    steps_column_->append(is_known ? cycles->cycle_of_slice[row] : -1);
  }
  steps_column_->shrink();
}

const Column& Derived::step() {
  find_steps();
  return *steps_column_;
}

const std::vector<Cycle>& Derived::steps() {
  find_steps();
  return steps_;
}

Column Derived::enclosing(const std::function<bool(SliceKind)>& counts) const {
  struct Interval {
    std::uint32_t row;
    std::int64_t track, start, end;
  };
  std::vector<Interval> intervals;
  const std::array<const Column*, 3> columns = {&run_.slices.track(), &run_.slices.start(),
                                                &run_.slices.dur()};
  for_each_slice(
      run_, Captures::kLeaveOut,
      [&](SliceKind kind) { return !runs_on_device(kind) && counts(kind); }, columns,
      [&](std::size_t row, SliceKind, const std::array<std::int64_t, 3>& values) {
        intervals.push_back({static_cast<std::uint32_t>(row), values[0], values[1],
                             wrapping_add(values[1], values[2])});
      });
  const auto by_nesting = [](const Interval& a, const Interval& b) {
    return std::tuple(a.track, a.start, b.end, a.row) < std::tuple(b.track, b.start, a.end, b.row);
  };
  std::sort(intervals.begin(), intervals.end(), by_nesting);
  std::vector<std::uint32_t> parent(run_.slices.size(), kNoRow);
  std::vector<const Interval*> open;
  for (const Interval& interval : intervals) {
    while (!open.empty() &&
           (open.back()->track != interval.track || open.back()->end < interval.end ||
            open.back()->end <= interval.start)) {
      open.pop_back();
    }
    if (!open.empty()) parent[interval.row] = open.back()->row;
    open.push_back(&interval);
  }
  Column column;
  for (const std::uint32_t row : parent) column.append(row_or_none(row));
  column.shrink();
  return column;
}

const Column& Derived::parent() {
  if (!parents_) parents_ = enclosing([](SliceKind) { return true; });
  return *parents_;
}

const Column& Derived::parent_op() {
  if (!parent_ops_) {
    parent_ops_ = enclosing([](SliceKind kind) { return kind == SliceKind::kCpuOp; });
  }
  return *parent_ops_;
}

const Column& Derived::int_arg(const std::string& key) {
  const auto [at, is_new] = int_args_.try_emplace(key);
  if (!is_new) return at->second;
  Column& column = at->second;
  run_.for_each_int_arg(run_.slices, key, [&](std::size_t row, std::int64_t value) {
    while (column.size() < row) column.append(-1);
    column.append(value);
  });
  while (column.size() < run_.slices.size()) column.append(-1);
  column.shrink();
  return column;
}

const Column& Derived::name_of(const Column& rows) {
  const auto [at, is_new] = names_of_.try_emplace(&rows);
  if (!is_new) return at->second;
  const Column& names = run_.slices.name();
  Column& found = at->second;
  rows.for_each_piece(0, rows.size(), [&](std::size_t, std::span<const std::int64_t> piece) {
    for (const std::int64_t row : piece) {
      const bool is_known = static_cast<std::uint64_t>(row) < names.size();
      found.append(is_known ? names[static_cast<std::size_t>(row)] : -1);
    }
  });
  found.shrink();
  return found;
}

}  // namespace tactus::sql

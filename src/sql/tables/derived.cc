#include "sql/tables/derived.h"

#include "launches/launch_sites.h"
#include "names/short_name.h"
#include "run/event_view.h"
#include "run/identity.h"
#include "sql/tables/enclosing.h"

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

Derived::Derived(const Run& run, const WantedSlices& wanted, Deadline& deadline)
    : run_(run), wanted_(wanted), deadline_(deadline), places_(places_of(run)) {}

const Column& Derived::nothing(std::size_t rows) {
  Column& column = nothing_[rows];
  while (column.size() < rows) column.append(-1);
  return column;
}

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
  if (has_sites_ || deadline_.is_over()) return;
  std::vector<std::uint32_t> work;
  for_each_slice(run_, Captures::kLeaveOut, is_device_work, std::array<const Column*, 0>{},
                 [&](std::size_t row, SliceKind, const auto&) {
                   work.push_back(static_cast<std::uint32_t>(row));
                 });
  const std::vector<LaunchSite> sites =
      launch_sites(run_, work, [this] { return deadline_.is_over(); });
  if (deadline_.is_over()) return;
  has_sites_ = true;
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

const Column& Derived::site_column(const Column& column) {
  find_sites();
  return has_sites_ ? column : nothing(run_.slices.size());
}
const Column& Derived::launching_call() {
  return site_column(calls_);
}
const Column& Derived::op() {
  return site_column(ops_);
}
const Column& Derived::python_frame() {
  return site_column(frames_);
}
const Column& Derived::module() {
  return site_column(modules_);
}

void Derived::find_steps() {
  if (steps_column_ || deadline_.is_over()) return;
  if (wanted_.steps != nullptr) {
    keep_steps(*wanted_.steps);
    return;
  }
  const Result<Cycles> cycles = find_cycles(
      run_, {.filter = filter(), .anchor = {}, .by_layer = false, .should_stop = [this] {
               return deadline_.is_over();
             }});
  if (deadline_.is_over()) return;
  if (!cycles) warnings_.push_back("no steps: " + cycles.error().message);
  keep_steps(cycles ? *cycles : Cycles());
}

void Derived::keep_steps(const Cycles& cycles) {
  steps_ = cycles.cycles;
  steps_column_.emplace();
  for (std::size_t row = 0; row < run_.slices.size(); ++row) {
    steps_column_->append(row < cycles.cycle_of_slice.size() ? cycles.cycle_of_slice[row] : -1);
  }
  steps_column_->shrink();
}

const Column& Derived::sample_is_taken() {
  if (samples_taken_) return *samples_taken_;
  const WantedTimes times(wanted_);
  samples_taken_.emplace();
  run_.counters.time().for_each_piece(0, run_.counters.rows,
                                      [&](std::size_t, std::span<const std::int64_t> piece) {
                                        for (const std::int64_t time : piece)
                                          samples_taken_->append(times.takes(time) ? 0 : -1);
                                      });
  samples_taken_->shrink();
  return *samples_taken_;
}

const Column& Derived::step() {
  find_steps();
  return steps_column_ ? *steps_column_ : nothing(run_.slices.size());
}

const std::vector<Cycle>& Derived::steps() {
  find_steps();
  return steps_;
}

const Column& Derived::enclosing(std::optional<Column>& column, bool (*counts)(SliceKind)) {
  if (!column && !deadline_.is_over()) {
    column = enclosing_rows(run_, counts, [this] { return deadline_.is_over(); });
  }
  return column ? *column : nothing(run_.slices.size());
}

const Column& Derived::parent() {
  return enclosing(parents_, [](SliceKind) { return true; });
}

const Column& Derived::parent_op() {
  return enclosing(parent_ops_, [](SliceKind kind) { return kind == SliceKind::kCpuOp; });
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

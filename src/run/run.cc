#include "run/run.h"

#include <algorithm>
#include <limits>

#include "base/arithmetic.h"

namespace tactus {

void Table::append(std::span<const std::int64_t> row) {
  CHECK(row.size() == columns.size());
  std::size_t index = 0;
  for (const std::int64_t value : row) columns[index++].writable().append(value);
  ++rows;
}

SliceKind Run::kind_of(std::int64_t category) const {
  const auto index = static_cast<std::size_t>(category);
  return index < categories.size() ? categories[index].kind : SliceKind::kOther;
}

std::string Run::source_kind() const {
  std::string kind;
  for (const Source& source : sources) {
    if (source.kind == "counters" && sources.size() > 1) continue;  // comes beside another
    if (!kind.empty() && kind != source.kind) return "tactus";
    kind = source.kind;
  }
  return kind.empty() ? "tactus" : kind;
}

bool Run::has_captures() const {
  return std::any_of(categories.begin(), categories.end(),
                     [](const Category& category) { return category.is_captured; });
}

std::size_t Run::own_slices() const {
  if (!has_captures()) return slices.size();
  std::size_t own = 0;
  slices.category().for_each_piece(0, slices.size(),
                                   [&](std::size_t, std::span<const std::int64_t> pieces) {
                                     for (const std::int64_t category : pieces)
                                       own += is_captured(category) ? 0 : 1;
                                   });
  return own;
}

bool Run::has_kernels() const {
  if (kernel_summary) return true;
  bool found = false;
  slices.category().for_each_piece(
      0, slices.size(), [&](std::size_t, std::span<const std::int64_t> pieces) {
        for (const std::int64_t category : pieces) {
          found |= kind_of(category) == SliceKind::kKernel && !is_captured(category);
        }
      });
  return found;
}

std::optional<TimeSpan> Run::span() const {
  TimeSpan span{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  const Column& durations = slices.dur();
  const Column* category = has_captures() ? &slices.category() : nullptr;
  std::vector<std::int64_t> dur(Column::kBlockRows);
  bool any = false;
  slices.start().for_each_piece(
      0, slices.size(), [&](std::size_t first, std::span<const std::int64_t> starts) {
        durations.read(first, std::span(dur).first(starts.size()));
        for (std::size_t i = 0; i < starts.size(); ++i) {
          if (category != nullptr && is_captured((*category)[first + i])) continue;
          any = true;
          span.begin_ns = std::min(span.begin_ns, starts[i]);
          span.end_ns = std::max(span.end_ns, wrapping_add(starts[i], dur[i]));
        }
      });
  if (!any) return std::nullopt;
  return span;
}

std::optional<Value> Run::arg(const EventTable& events, std::size_t row,
                              std::string_view key) const {
  const auto shape = static_cast<std::size_t>(events.shape()[row]);
  if (shape >= shapes.size()) return std::nullopt;
  for (std::size_t field = 0; field < shapes[shape].size(); ++field) {
    if (strings[shapes[shape][field].key] != key) continue;
    const std::optional<std::size_t> arg_row = events.arg_row(row);
    if (!arg_row) return std::nullopt;
    return Value{shapes[shape][field].type, events.args()[shape].columns[field].get()[*arg_row]};
  }
  return std::nullopt;
}

std::vector<const Column*> int_arg_columns(const Run& run, const EventTable& events,
                                           std::string_view key) {
  std::vector<const Column*> columns(std::min(run.shapes.size(), events.args().size()), nullptr);
  const std::optional<StringId> id = run.strings.find(key);
  if (!id) return columns;
  for (std::size_t shape = 0; shape < columns.size(); ++shape) {
    const ArgShape& fields = run.shapes[shape];
    const ArgTable& table = events.args()[shape];
    for (std::size_t field = std::min(fields.size(), table.columns.size()); field-- > 0;) {
      if (fields[field] == ArgField{*id, ValueType::kInt})
        columns[shape] = &table.columns[field].get();
    }
  }
  return columns;
}

namespace {

bool changes_times(const Run& run) {
  return std::any_of(run.sources.begin(), run.sources.end(),
                     [](const Source& source) { return source.clock.changes_times(); });
}

}  // namespace

std::vector<Clock> clocks_of_tracks(const Run& run) {
  std::vector<Clock> clocks;
  if (!changes_times(run)) return clocks;
  for (const Track& track : run.tracks) {
    const Process& process = run.processes[run.threads[track.thread.value].process.value];
    clocks.push_back(run.sources[process.source.value].clock);
  }
  return clocks;
}

std::vector<Clock> clocks_of_series(const Run& run) {
  std::vector<Clock> clocks;
  if (!changes_times(run)) return clocks;
  for (const CounterSeries& one : run.series) {
    clocks.push_back(run.sources[one.source.value].clock);
  }
  return clocks;
}

void map_times(Column& times, const Column& owner, const std::vector<Clock>& clocks,
               std::size_t first) {
  if (clocks.empty()) return;
  std::vector<std::int64_t> values(times.size());
  times.read(0, values);
  for (std::size_t i = first; i < values.size() && i < owner.size(); ++i) {
    const auto which = static_cast<std::size_t>(owner[i]);
    if (which < clocks.size()) values[i] = clocks[which].to_run(values[i]);
  }
  times = Column();
  times.append(values);
  times.shrink();
}

void Run::apply_clocks() {
  const std::vector<Clock> of_track = clocks_of_tracks(*this);
  for (EventTable* events : {&slices, &instants, &flows}) {
    if (of_track.empty()) return;
    map_times(events->columns()[EventTable::kStart].writable(), events->track(), of_track);
  }
  map_times(counters.columns[Counters::kTime].writable(), counters.series(),
            clocks_of_series(*this));
}

namespace {

using Visit = std::function<void(const ColumnKey&, LazyColumn&)>;

void visit_columns(TableId table, std::uint32_t part, std::span<LazyColumn> columns,
                   const Visit& visit) {
  for (std::uint32_t i = 0; i < columns.size(); ++i) {
    visit({.table = static_cast<std::uint8_t>(table), .part = part, .column = i}, columns[i]);
  }
}

void visit_events(TableId table, TableId args, EventTable& events, const Visit& visit) {
  visit_columns(table, 0, events.columns(), visit);
  for (std::uint32_t shape = 0; shape < events.args().size(); ++shape) {
    visit_columns(args, shape, events.args()[shape].columns, visit);
  }
}

}  // namespace

void Run::for_each_column(const Visit& visit) {
  visit_events(TableId::kSlices, TableId::kSliceArgs, slices, visit);
  visit_events(TableId::kInstants, TableId::kInstantArgs, instants, visit);
  visit_events(TableId::kFlows, TableId::kFlowArgs, flows, visit);
  visit_columns(TableId::kCounters, 0, counters.columns, visit);
  visit_columns(TableId::kLinks, 0, links.columns, visit);
  visit_columns(TableId::kStacks, 0, stacks.columns, visit);
  visit_columns(TableId::kPatterns, 0, patterns.columns, visit);
}

std::size_t Run::column_bytes() const {
  std::size_t bytes = slices.memory_bytes() + instants.memory_bytes() + flows.memory_bytes();
  for (const Table* table :
       {static_cast<const Table*>(&counters), static_cast<const Table*>(&links),
        static_cast<const Table*>(&stacks), static_cast<const Table*>(&patterns)}) {
    for (const LazyColumn& column : table->columns) bytes += column.memory_bytes();
  }
  return bytes;
}

}  // namespace tactus

#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "run/events.h"
#include "run/facts.h"
#include "run/kernel_table.h"

namespace tactus {

/// A plain table of columns; the structs below give them names.
struct Table {
  explicit Table(std::size_t column_count) : columns(column_count) {}

  void append(std::span<const std::int64_t> row);
  void append(std::initializer_list<std::int64_t> row) {
    append(std::span<const std::int64_t>(row.begin(), row.size()));
  }
  const Column& column(std::size_t index) const { return columns[index].get(); }

  std::vector<LazyColumn> columns;
  std::size_t rows = 0;
};

/// Samples of counters, in the order of the source.
struct Counters : Table {
  enum ColumnIndex : std::uint8_t { kTime, kSeries, kValue };
  Counters() : Table(3) {}

  const Column& time() const { return column(kTime); }      ///< [ns since the origin]
  const Column& series() const { return column(kSeries); }  ///< SeriesId
  const Column& value() const { return column(kValue); }    ///< Decimal
};

enum class LinkKind : std::uint8_t {
  kLaunch,        ///< host call -> the device work it launched
  kPythonParent,  ///< Python frame -> a frame it called
  kFlow,          ///< any other arrow of the source
};

/// Slices that a file keeps together, with their arguments and the links to them.
inline constexpr std::size_t kGroupRows = 65536;

/// Links from one slice to another, sorted by group of the target, kind and target.
struct Links : Table {
  enum ColumnIndex : std::uint8_t { kKind, kFrom, kTo };
  Links() : Table(3) {}

  const Column& kind() const { return column(kKind); }
  const Column& from() const { return column(kFrom); }
  const Column& to() const { return column(kTo); }
};

struct StackTag;
using StackId = Id<StackTag>;

/// Call stacks as a tree: a stack is its innermost frame and the stack that called it.
struct Stacks : Table {
  enum ColumnIndex : std::uint8_t { kParent, kFrame };
  Stacks() : Table(2) {}

  const Column& parent() const { return column(kParent); }  ///< StackId, -1 at the root
  const Column& frame() const { return column(kFrame); }    ///< StringId
};

/// Per-cycle patterns (`*_perf_data.csv`): one row per cycle, function, metric and device.
struct Patterns : Table {
  enum ColumnIndex : std::uint8_t {
    kCycle,         ///< number
    kPid,           ///< number
    kHost,          ///< StringId
    kBetaPct,       ///< Decimal, as are the next two of their kind
    kFunction,      ///< StringId
    kMetric,        ///< StringId
    kDevice,        ///< StringId
    kFuncType,      ///< StringId
    kMuPct,         ///< Decimal
    kSigmaPct,      ///< Decimal
    kDurationUs,    ///< Decimal
    kInterpolated,  ///< StringId: "**" all, "*" some, " " none
    kAnchor,        ///< StringId
    kAnchorDurUs,   ///< Decimal
    kCycleStartUs,  ///< Decimal, since the epoch
    kInstances,     ///< number
    kSimpleName,    ///< StringId
  };
  Patterns() : Table(17) {}
};

/// An argument's value; read `raw` as `type` says.
struct Value {
  ValueType type = ValueType::kNull;
  std::int64_t raw = 0;
};

/// First start to last end of the slices, in ns since the origin.
struct TimeSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

/// One recording. Every source fills one, every analysis reads one.
struct Run {
  Run() = default;
  Run(Run&&) noexcept = default;
  Run& operator=(Run&&) noexcept = default;

  std::int64_t origin_ns = 0;  ///< time 0 of the run, in ns since the epoch

  StringPool strings;
  std::vector<Source> sources;
  std::vector<Process> processes;
  std::vector<Thread> threads;
  std::vector<Track> tracks;
  std::vector<DescribedDevice> described_devices;
  std::vector<Host> hosts;      ///< derived, see identity.h
  std::vector<Device> devices;  ///< derived
  std::vector<Category> categories;
  std::vector<CounterSeries> series;
  std::vector<ArgShape> shapes = std::vector<ArgShape>(1);  ///< shape 0 has no arguments

  EventTable slices;
  EventTable instants;
  EventTable flows;  ///< flow points that are not the launch arrow of a slice (see EventFlag)
  Counters counters;
  Links links;
  Stacks stacks;

  // Inputs that are summaries already.
  std::optional<KernelTable> kernel_summary;
  Patterns patterns;

  Tally dropped;   ///< events that are not in the run, by reason
  Tally repaired;  ///< events that are in the run, but changed
  std::vector<std::string> warnings;
  /// How it was recorded, in sentences: what a mode or a machine does not give is no fault.
  std::vector<std::string> remarks;

  /// An error while reading a column from the file. Analyses need not check it, commands must.
  Status status() const { return store_status ? store_status() : Status(); }

  SliceKind kind_of(std::int64_t category) const;
  /// kineto, nsys, nsys_table, perf_data or counters; "tactus" if there are several or none.
  std::string source_kind() const;
  std::optional<TimeSpan> span() const;
  /// The number of slices without those of captures (see Category::is_captured).
  std::size_t own_slices() const;
  /// Whether it has a kernel, apart from those of captures; a summary has some.
  bool has_kernels() const;
  bool has_captures() const;
  bool is_captured(std::int64_t category) const {
    const auto index = static_cast<std::size_t>(category);
    return index < categories.size() && categories[index].is_captured;
  }
  /// The argument of an event, if it has one of that key.
  std::optional<Value> arg(const EventTable& events, std::size_t row, std::string_view key) const;

  /// Calls f(row, value) for every event that has an integer argument of that key, in row order.
  template <class F>
  void for_each_int_arg(const EventTable& events, std::string_view key, F&& f) const;

  /// Maps the times of an imported run by the clocks of its sources; a run from a file is mapped
  /// when it is read.
  void apply_clocks();

  /// Visits every column, in the order of the file.
  void for_each_column(const std::function<void(const ColumnKey&, LazyColumn&)>& visit);

  /// Bytes of the columns (links included, strings not).
  std::size_t column_bytes() const;

  // Set by the file that backs the run, if one does.
  std::shared_ptr<const ColumnStore> store;
  std::function<Status()> store_status;
};

/// The column of an integer argument in each shape's table; null for shapes that have none.
std::vector<const Column*> int_arg_columns(const Run& run, const EventTable& events,
                                           std::string_view key);

template <class F>
void Run::for_each_int_arg(const EventTable& events, std::string_view key, F&& f) const {
  const std::vector<const Column*> column_of = int_arg_columns(*this, events, key);
  std::vector<std::size_t> next_row(column_of.size(), 0);
  events.shape().for_each_piece(
      0, events.size(), [&](std::size_t first, std::span<const std::int64_t> event_shapes) {
        for (std::size_t i = 0; i < event_shapes.size(); ++i) {
          const auto shape = static_cast<std::size_t>(event_shapes[i]);
          if (shape == 0 || shape >= column_of.size() || column_of[shape] == nullptr) continue;
          const std::size_t arg_row = next_row[shape]++;
          if (arg_row < column_of[shape]->size()) f(first + i, (*column_of[shape])[arg_row]);
        }
      });
}

/// The tables of a Run in a file; the numbers are part of the format.
enum class TableId : std::uint8_t {
  kSlices = 1,
  kSliceArgs = 2,
  kInstants = 3,
  kInstantArgs = 4,
  kFlows = 5,
  kFlowArgs = 6,
  kCounters = 7,
  kLinks = 8,
  kStacks = 9,
  kPatterns = 10,
};

/// The clock of each track, and of each counter series; empty if no clock changes times.
std::vector<Clock> clocks_of_tracks(const Run& run);
std::vector<Clock> clocks_of_series(const Run& run);
/// Maps times from a row on, by the clock of the track or series that `owner` names for each row.
void map_times(Column& times, const Column& owner, const std::vector<Clock>& clocks,
               std::size_t first = 0);

/// Stands for all columns of a table (or of one part of it).
inline ColumnKey table_key(TableId table, std::uint32_t part = 0) {
  return {.table = static_cast<std::uint8_t>(table), .part = part, .column = 0};
}

}  // namespace tactus

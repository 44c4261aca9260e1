#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "run/args/value.h"
#include "run/lazy_column.h"

namespace tactus {

struct ShapeTag;
/// Which arguments an event has. Shape 0 is "none".
using ShapeId = Id<ShapeTag>;

/// One argument of a shape. Keys that start with '@' were fields of the event itself (`@id`).
struct ArgField {
  StringId key;
  ValueType type = ValueType::kNull;

  bool operator==(const ArgField&) const = default;
};

/// The keys and types of an event's arguments, in order. Events of one shape are rows of one
/// ArgTable, so a key costs nothing per event and a value costs only its packed size.
using ArgShape = std::vector<ArgField>;

/// The arguments of all events of one shape: one column per field, rows in event order.
struct ArgTable {
  std::vector<LazyColumn> columns;
  std::size_t rows = 0;
};

/// Bits of an event's flags column.
enum EventFlag : std::uint8_t {
  kFlowOut = 1,    ///< a launch flow starts here (its id is the event's correlation)
  kFlowIn = 2,     ///< a launch flow ends here
  kOpenBegin = 4,  ///< it began before the recording did
  kOpenEnd = 8,    ///< it was still running when the recording ended
};

/// Slices, instants or flow points: things that happened on a track at a time.
/// Rows are in the order of the source, not of time.
class EventTable {
 public:
  enum ColumnIndex : std::uint8_t { kStart, kDur, kName, kTrack, kCategory, kShape, kFlags };
  static constexpr std::size_t kColumns = 7;

  std::size_t size() const { return rows_; }
  bool empty() const { return rows_ == 0; }

  const Column& start() const { return columns_[kStart].get(); }        ///< [ns since the origin]
  const Column& dur() const { return columns_[kDur].get(); }            ///< [ns]
  const Column& name() const { return columns_[kName].get(); }          ///< StringId
  const Column& track() const { return columns_[kTrack].get(); }        ///< TrackId
  const Column& category() const { return columns_[kCategory].get(); }  ///< CategoryId
  const Column& shape() const { return columns_[kShape].get(); }        ///< ShapeId
  const Column& flags() const { return columns_[kFlags].get(); }        ///< EventFlag

  /// Argument tables by ShapeId. A shape that this table does not use has no rows, or its id is
  /// past the end.
  const std::deque<ArgTable>& args() const { return args_; }

  /// The row of an event in the argument table of its shape; nothing if it has no arguments.
  std::optional<std::size_t> arg_row(std::size_t row) const;

  std::size_t memory_bytes() const;

  // For code that fills the table.
  void append(std::int64_t start, std::int64_t dur, StringId name, std::uint32_t track,
              std::uint32_t category, ShapeId shape, std::span<const std::int64_t> values) {
    append(start, dur, name, track, category, shape);
    if (shape.value == 0) return;
    ArgTable& table = arg_table(shape, values.size());
    for (std::size_t i = 0; i < values.size(); ++i) table.columns[i].appendable().append(values[i]);
    ++table.rows;
  }
  /// Appends an event; the caller appends its arguments to the table of their shape.
  void append(std::int64_t start, std::int64_t dur, StringId name, std::uint32_t track,
              std::uint32_t category, ShapeId shape) {
    columns_[kStart].appendable().append(start);
    columns_[kDur].appendable().append(dur);
    columns_[kName].appendable().append(name.value);
    columns_[kTrack].appendable().append(track);
    columns_[kCategory].appendable().append(category);
    columns_[kShape].appendable().append(shape.value);
    columns_[kFlags].appendable().append(0);
    ++rows_;
  }
  /// The argument table of a shape with that many fields; its address does not change.
  ArgTable& arg_table(ShapeId shape, std::size_t fields);
  /// Sets flags of the event appended last.
  void flag_last(EventFlag flag) { columns_[kFlags].writable().last() |= flag; }
  bool last_has(EventFlag flag) { return (columns_[kFlags].writable().last() & flag) != 0; }
  std::span<LazyColumn> columns() { return columns_; }
  std::deque<ArgTable>& args() { return args_; }
  void set_rows(std::size_t rows) { rows_ = rows; }
  /// Call it when rows were added behind the back of the table, or taken out.
  void forget_owners() { owners_ = std::make_unique<Owners>(); }
  void shrink();

 private:
  /// By shape: the events that have it, ascending. Built at the first use.
  struct Owners {
    std::once_flag once;
    std::vector<Column> columns;
  };
  const std::vector<Column>& owners() const;

  std::size_t rows_ = 0;
  std::vector<LazyColumn> columns_ = std::vector<LazyColumn>(kColumns);
  std::deque<ArgTable> args_;
  std::unique_ptr<Owners> owners_ = std::make_unique<Owners>();
};

}  // namespace tactus

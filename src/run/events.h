#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "run/lazy_column.h"
#include "run/value.h"

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

/// The keys and types of an event's arguments, in their order. Events of one shape are rows of
/// one ArgTable, so that a key costs nothing per event and a value costs what its column packs to.
using ArgShape = std::vector<ArgField>;

/// The arguments of all events of one shape, a column per field, rows in event order.
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

  /// Argument tables by ShapeId; a shape that this table does not use has no rows or is past the
  /// end.
  const std::vector<ArgTable>& args() const { return args_; }

  /// The row of an event in the argument table of its shape; nothing if it has no arguments.
  std::optional<std::size_t> arg_row(std::size_t row) const;

  std::size_t memory_bytes() const;

  // For those who fill the table.
  std::size_t append(std::int64_t start, std::int64_t dur, StringId name, std::uint32_t track,
                     std::uint32_t category, ShapeId shape, std::span<const std::int64_t> values) {
    columns_[kStart].writable().append(start);
    columns_[kDur].writable().append(dur);
    columns_[kName].writable().append(name.value);
    columns_[kTrack].writable().append(track);
    columns_[kCategory].writable().append(category);
    columns_[kShape].writable().append(shape.value);
    columns_[kFlags].writable().append(0);
    if (shape.value != 0) append_args(shape, values);
    return rows_++;
  }
  /// Sets flags of the event appended last.
  void flag_last(EventFlag flag) { columns_[kFlags].writable().last() |= flag; }
  bool last_has(EventFlag flag) { return (columns_[kFlags].writable().last() & flag) != 0; }
  std::span<LazyColumn> columns() { return columns_; }
  std::vector<ArgTable>& args() { return args_; }
  void set_rows(std::size_t rows) { rows_ = rows; }
  void shrink();

 private:
  void append_args(ShapeId shape, std::span<const std::int64_t> values);

  /// By shape: the events that have it, ascending. Built when first asked for.
  struct Owners {
    std::once_flag once;
    std::vector<Column> columns;
  };
  const std::vector<Column>& owners() const;

  std::size_t rows_ = 0;
  std::vector<LazyColumn> columns_ = std::vector<LazyColumn>(kColumns);
  std::vector<ArgTable> args_;
  std::unique_ptr<Owners> owners_ = std::make_unique<Owners>();
};

}  // namespace tactus

#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sources/nsys/database/args.h"
#include "sources/nsys/database/reading.h"

namespace tactus::nsys {

/// The first columns of all tables of device work.
enum DeviceColumn : int {
  kStart,
  kEnd,
  kDevice,
  kContext,
  kStream,
  kCorrelation,
  kGlobalPid,
  kFirstOwnColumn,
};

/// The arguments that a reader of device work sets itself.
enum DeviceArg : int { kStreamArg, kCorrelationArg, kFirstOwnArg };

/// The rows of a table of device work, and the slices made from them.
class DeviceRows {
 public:
  /// `columns` and `args` are those that the table has besides the common ones.
  DeviceRows(Reading& reading, std::string_view table, std::string_view category,
             std::span<const std::string_view> columns, std::span<const ArgSpec> args);

  /// Moves to the next usable row.
  bool next();
  const TableRows& row() const { return rows_; }
  RowArgs& args() { return args_; }
  /// Adds the row as a slice.
  void add(StringId name);

 private:
  Reading& reading_;
  TableRows rows_;
  RowArgs args_;
  CategoryId category_;
  Interval interval_;
};

}  // namespace tactus::nsys

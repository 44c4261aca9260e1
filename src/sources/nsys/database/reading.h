#pragma once

#include <cstdint>
#include <optional>

#include "run/builder.h"
#include "sources/nsys/database/names.h"
#include "sources/nsys/database/rows.h"
#include "sources/nsys/database/tracks.h"

namespace tactus::nsys {

/// What the readers of the tables share.
struct Reading {
  Tables& tables;
  RunBuilder& builder;
  NameTable names;
  Tracks tracks;
  std::int64_t latest_ns = 0;  ///< the end of the capture, as far as it is known
};

struct Interval {
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
};

/// A row's time. If it has no usable time, returns nothing and counts the row as dropped.
std::optional<std::int64_t> time_of(Reading& reading, const TableRows& rows, int column);
/// The same for rows with a duration. A row without an end lasts 0 ns.
std::optional<Interval> interval_of(Reading& reading, const TableRows& rows, int start, int end);

/// The row's globalTid, or kUnknownThread.
inline std::int64_t thread_of(const TableRows& rows, int column) {
  return rows.number(column).value_or(kUnknownThread);
}

}  // namespace tactus::nsys

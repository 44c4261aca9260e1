#include "sources/nsys/database/reading.h"

#include <algorithm>

namespace tactus::nsys {

std::optional<std::int64_t> time_of(Reading& reading, const TableRows& rows, int column) {
  const std::optional<std::int64_t> time = rows.number(column);
  if (!time) {
    reading.builder.drop("no_timestamp");
    return std::nullopt;
  }
  if (*time > kLatestTime || *time < -kLatestTime) {
    reading.builder.drop("bad_timestamp");
    return std::nullopt;
  }
  reading.latest_ns = std::max(reading.latest_ns, *time);
  return time;
}

std::optional<Interval> interval_of(Reading& reading, const TableRows& rows, int start, int end) {
  const std::optional<std::int64_t> from = time_of(reading, rows, start);
  if (!from) return std::nullopt;
  if (!rows.number(end)) {
    reading.builder.repair("missing_duration");
    return Interval{*from, 0};
  }
  const std::optional<std::int64_t> to = time_of(reading, rows, end);
  if (!to) return std::nullopt;
  if (*to < *from) {
    reading.builder.repair("negative_duration");
    return Interval{*from, 0};
  }
  return Interval{*from, *to - *from};
}

}  // namespace tactus::nsys

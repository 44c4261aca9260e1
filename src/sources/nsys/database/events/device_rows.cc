#include "sources/nsys/database/events/device_rows.h"

namespace tactus::nsys {
namespace {

std::vector<std::string_view> all_columns(std::span<const std::string_view> own) {
  std::vector<std::string_view> columns = {"start",    "end",           "deviceId", "contextId",
                                           "streamId", "correlationId", "globalPid"};
  columns.insert(columns.end(), own.begin(), own.end());
  return columns;
}

std::vector<ArgSpec> all_args(std::span<const ArgSpec> own) {
  std::vector<ArgSpec> args = {
      {.key = "device", .index = kDevice},
      {.key = "context", .index = kContext},
      {.key = "stream", .from = ArgFrom::kReader, .index = kStreamArg},
      {.key = "correlation", .from = ArgFrom::kReader, .index = kCorrelationArg},
  };
  args.insert(args.end(), own.begin(), own.end());
  return args;
}

}  // namespace

DeviceRows::DeviceRows(Reading& reading, std::string_view table, std::string_view category,
                       std::span<const std::string_view> columns, std::span<const ArgSpec> args)
    : reading_(reading),
      rows_(reading.tables, table, all_columns(columns)),
      args_(reading, all_args(args)) {
  if (reading.tables.schema.has(table)) category_ = reading.builder.category(category);
}

bool DeviceRows::next() {
  while (rows_.next()) {
    if (const auto interval = interval_of(reading_, rows_, kStart, kEnd)) {
      interval_ = *interval;
      return true;
    }
  }
  return false;
}

void DeviceRows::add(StringId name) {
  const std::int64_t pid = pid_of(rows_.integer(kGlobalPid));
  const std::int64_t stream = rows_.number(kStream).value_or(kNoStream);
  if (stream != kNoStream) args_.set(kStreamArg, stream);
  if (const auto correlation = rows_.number(kCorrelation)) {
    args_.set(kCorrelationArg, *correlation);
  }
  args_.take(rows_);
  const TrackId track = reading_.tracks.stream(pid, rows_.integer(kDevice), stream);
  reading_.builder.run().slices.append(interval_.start_ns, interval_.duration_ns, name, track.value,
                                       category_.value, args_.shape(), args_.values());
}

}  // namespace tactus::nsys

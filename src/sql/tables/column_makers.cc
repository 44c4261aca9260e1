#include "sql/tables/column_makers.h"

#include <cmath>

namespace tactus::sql {

Cell device_of(const Place& place) {
  return Cell::number(place.device);
}
Cell stream_of(const Place& place) {
  return Cell::number(place.stream);
}
Cell pid_of(const Place& place) {
  if (place.pid) return Cell::number(*place.pid);
  return Cell::words_or_null(place.pid_text);
}
Cell process_of(const Place& place) {
  return Cell::words_or_null(place.process);
}
Cell tid_of(const Place& place) {
  if (place.tid) return Cell::number(*place.tid);
  return Cell::words_or_null(place.tid_text);
}
Cell thread_of(const Place& place) {
  return Cell::words_or_null(place.thread);
}
Cell rank_of(const Place& place) {
  return Cell::number(place.rank);
}
Cell host_of(const Place& place) {
  return Cell::words_or_null(place.host);
}

Cell cell_of_value(const Run& run, Value value, std::string& buffer) {
  switch (value.type) {
    case ValueType::kInt:
    case ValueType::kBool:
    case ValueType::kStack: return Cell::number(value.raw);
    case ValueType::kDecimal: {
      const double real = Decimal::to_double(value.raw, run.strings);
      return std::isfinite(real) ? Cell::real_number(real) : Cell::null();
    }
    case ValueType::kText:
    case ValueType::kJson:
      buffer = run.strings[StringId(static_cast<std::uint64_t>(value.raw))];
      return Cell::words(buffer);
    case ValueType::kNull: break;
  }
  return Cell::null();
}

Cell args_json(const Run& run, std::size_t row, std::string& buffer) {
  const auto shape = static_cast<std::uint64_t>(run.slices.shape()[row]);
  const std::optional<std::size_t> arg_row = run.slices.arg_row(row);
  if (!arg_row || shape >= run.shapes.size() || shape >= run.slices.args().size()) {
    return Cell::null();
  }
  const ArgTable& table = run.slices.args()[shape];
  buffer = "{";
  const ArgShape& fields = run.shapes[shape];
  for (std::size_t i = 0; i < fields.size() && i < table.columns.size(); ++i) {
    if (i != 0) buffer += ',';
    append_json_string(buffer, run.strings[fields[i].key]);
    buffer += ':';
    const Column& column = table.columns[i].get();
    const std::int64_t raw = *arg_row < column.size() ? column[*arg_row] : 0;
    append_json_value(buffer, run.strings, {fields[i].type, raw});
  }
  buffer += '}';
  return Cell::words(buffer);
}

Cell arg_of(const Run& run, std::size_t row, std::string_view key, std::string& buffer) {
  const std::optional<Value> value = run.arg(run.slices, row, key);
  return value ? cell_of_value(run, *value, buffer) : Cell::null();
}

}  // namespace tactus::sql

#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sources/nsys/database/reading.h"

namespace tactus::nsys {

/// Where the value of an argument comes from.
enum class ArgFrom : std::uint8_t {
  kColumn,   ///< an integer column, unless NULL
  kNonZero,  ///< an integer column, unless NULL or 0
  kReal,     ///< a column of numbers with fractions, unless NULL
  kText,     ///< a column of texts, unless NULL
  kName,     ///< a column that refers to StringIds, unless there is no such text
  kReader,   ///< the reader of the table sets it
};

struct ArgSpec {
  std::string_view key;
  ValueType type = ValueType::kInt;
  ArgFrom from = ArgFrom::kColumn;
  int index = 0;  ///< of the column; for kReader, a number that the reader chooses
};

/// Collects the arguments of a row; the present ones decide its shape.
class RowArgs {
 public:
  RowArgs(Reading& reading, std::span<const ArgSpec> specs);

  /// Sets one of the reader's own arguments for the next row.
  void set(int index, std::int64_t raw);
  /// Takes the arguments of the row.
  void take(const TableRows& rows);

  ShapeId shape() const { return shape_; }
  std::span<const std::int64_t> values() const { return values_; }

 private:
  using Presence = std::uint64_t;  ///< one bit per argument

  bool read(const ArgSpec& spec, const TableRows& rows, std::int64_t& raw);
  ShapeId shape_of(Presence present);

  Reading& reading_;
  std::vector<ArgSpec> specs_;
  std::vector<StringId> keys_;
  std::vector<std::pair<bool, std::int64_t>> set_;  ///< by index
  std::vector<std::pair<Presence, ShapeId>> shapes_;
  ShapeId shape_ = ShapeId(0);
  std::vector<std::int64_t> values_;
};

}  // namespace tactus::nsys

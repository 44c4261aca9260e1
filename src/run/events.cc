#include "run/events.h"

#include <algorithm>

namespace tactus {

ArgTable& EventTable::arg_table(ShapeId shape, std::size_t fields) {
  while (args_.size() <= shape.value) args_.emplace_back();
  ArgTable& table = args_[shape.value];
  if (table.columns.empty()) table.columns = std::vector<LazyColumn>(fields);
  return table;
}

void EventTable::shrink() {
  for (LazyColumn& column : columns_) column.writable().shrink();
  for (ArgTable& table : args_) {
    for (LazyColumn& column : table.columns) column.writable().shrink();
  }
}

const std::vector<Column>& EventTable::owners() const {
  std::call_once(owners_->once, [this] {
    std::vector<Column> owners(args_.size());
    shape().for_each_piece(0, rows_, [&](std::size_t first, std::span<const std::int64_t> shapes) {
      for (std::size_t i = 0; i < shapes.size(); ++i) {
        const auto shape = static_cast<std::size_t>(shapes[i]);
        if (shape != 0 && shape < owners.size()) {
          owners[shape].append(static_cast<std::int64_t>(first + i));
        }
      }
    });
    for (Column& column : owners) column.shrink();
    owners_->columns = std::move(owners);
  });
  return owners_->columns;
}

std::optional<std::size_t> EventTable::arg_row(std::size_t row) const {
  const auto shape = static_cast<std::size_t>(this->shape()[row]);
  if (shape == 0 || shape >= args_.size()) return std::nullopt;
  const Column& owner = owners()[shape];
  std::size_t low = 0;
  std::size_t high = owner.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (static_cast<std::size_t>(owner[middle]) < row) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low >= args_[shape].rows) return std::nullopt;
  return low;
}

std::size_t EventTable::memory_bytes() const {
  std::size_t bytes = 0;
  for (const LazyColumn& column : columns_) bytes += column.memory_bytes();
  for (const ArgTable& table : args_) {
    bytes += sizeof(ArgTable);
    for (const LazyColumn& column : table.columns) bytes += sizeof(column) + column.memory_bytes();
  }
  for (const Column& column : owners_->columns) bytes += sizeof(column) + column.memory_bytes();
  return bytes;
}

}  // namespace tactus

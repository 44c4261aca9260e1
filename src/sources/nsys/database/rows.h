#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "sources/nsys/database/schema.h"
#include "sources/nsys/database/sqlite_database.h"

namespace tactus::nsys {

/// Reports now and then how many rows have been read.
class RowProgress {
 public:
  RowProgress(Progress& progress, std::uint64_t total) : progress_(progress), total_(total) {}

  void step() {
    if (++done_ % kRowsBetweenUpdates == 0) update();
  }
  /// Everything has been read.
  void finish();

 private:
  void update();

  static constexpr std::uint64_t kRowsBetweenUpdates = 10'000;

  Progress& progress_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
};

/// Where the database is damaged.
struct Damage {
  std::vector<std::string> tables;  ///< each once
  std::string message;              ///< what SQLite said first

  void note(std::string_view table, const Error& error);
};

/// The tables of the database being read.
struct Tables {
  const SqliteDatabase& database;
  const Schema& schema;
  RowProgress progress;
  Damage damage;
};

/// The rows of a table, one after the other; none if there is no such table. Rows before a damaged
/// page are returned, rows after it are not.
class TableRows {
 public:
  /// `columns` are numbered in their order. Rows come sorted by `order`; rows with equal keys keep
  /// the order of the table. If `order` is empty, all rows keep the order of the table.
  TableRows(Tables& tables, std::string_view table, std::span<const std::string_view> columns,
            std::initializer_list<std::string_view> order = {"start"});

  bool next();

  bool is_null(int column) const { return statement_->is_null(column); }
  bool is_integer(int column) const { return statement_->is_integer(column); }
  /// 0 for NULL.
  std::int64_t integer(int column) const { return statement_->integer(column); }
  /// Nothing for NULL.
  std::optional<std::int64_t> number(int column) const {
    const std::int64_t value = integer(column);
    if (value == 0 && is_null(column)) return std::nullopt;
    return value;
  }
  double real(int column) const { return statement_->real(column); }
  /// Valid until the next row.
  std::string_view text(int column) const { return statement_->text(column); }

 private:
  Tables& tables_;
  std::string table_;
  std::optional<SqliteStatement> statement_;
};

/// The approximate number of rows of a table, without reading it.
std::uint64_t expected_rows(const SqliteDatabase& database, const Schema& schema,
                            std::string_view table);

}  // namespace tactus::nsys

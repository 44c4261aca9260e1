#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace tactus::nsys {

/// A query that runs row by row. Columns count from 0, in the order of the SELECT.
class SqliteStatement {
 public:
  /// Sets the first `?` of the query and starts it again.
  void restart_with(std::int64_t parameter);
  void restart_with(std::string_view parameter);

  /// Moves to the next row. False at the end, and if reading cannot continue: see status().
  bool next();
  const Status& status() const { return status_; }

  bool is_null(int column) const;
  bool is_integer(int column) const;
  /// 0 for NULL; text and fractions are converted.
  std::int64_t integer(int column) const;
  double real(int column) const;
  /// Valid until the next call of next(). May hold any bytes.
  std::string_view text(int column) const;

 private:
  friend class SqliteDatabase;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  explicit SqliteStatement(sqlite3_stmt* statement) : statement_(statement) {}
  void restart();

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  Status status_;
};

/// The bytes of a file in the memory of this process.
class MappedBytes {
 public:
  MappedBytes() = default;
  MappedBytes(void* bytes, std::size_t size) : bytes_(bytes), size_(size) {}
  MappedBytes(MappedBytes&& other) noexcept
      : bytes_(std::exchange(other.bytes_, nullptr)), size_(other.size_) {}
  MappedBytes& operator=(MappedBytes&&) = delete;
  ~MappedBytes();

 private:
  void* bytes_ = nullptr;
  std::size_t size_ = 0;
};

/// A database file that is only read: nothing is ever written, not even beside it. Changes that a
/// program left in the file "-wal" beside it are read, too.
class SqliteDatabase {
 public:
  /// `bytes` is the size of the file. A file with a missing end is opened too.
  static Result<SqliteDatabase> open(const std::string& path, std::uint64_t bytes);
  /// The same for a file that has no name.
  static Result<SqliteDatabase> open(const File& file, std::uint64_t bytes);

  Result<SqliteStatement> prepare(const std::string& sql) const;
  /// What is wrong with the file as a whole; empty if nothing is.
  const std::string& problem() const { return problem_; }

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  explicit SqliteDatabase(sqlite3* connection, MappedBytes mapping = {})
      : mapping_(std::move(mapping)), connection_(connection) {}

  /// Looks at what was opened, and sets how it is read.
  Status set_up(std::uint64_t bytes);
  Status run(const std::string& sql) const;
  std::uint64_t page_bytes() const;

  MappedBytes mapping_;  ///< outlives the connection
  std::unique_ptr<sqlite3, Close> connection_;
  std::string problem_;
};

/// A name of a table or column in SQL form: "name".
std::string sql_name(std::string_view name);

}  // namespace tactus::nsys

#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>
#include <vector>

#include "sources/nsys/database/database.h"
#include "support/files.h"

namespace tactus::nsys {

/// A database that a test fills; it is complete when path() has been asked for.
class TestDatabase {
 public:
  explicit TestDatabase(const std::string& name = "report.sqlite") : path_(folder_.file(name)) {
    EXPECT_EQ(sqlite3_open(path_.c_str(), &connection_), SQLITE_OK);
    run("PRAGMA page_size = 512; PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF");
  }
  ~TestDatabase() { sqlite3_close(connection_); }
  TestDatabase(const TestDatabase&) = delete;
  TestDatabase& operator=(const TestDatabase&) = delete;

  void run(const std::string& sql) {
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK)
        << message << "\n"
        << sql;
    sqlite3_free(message);
  }

  /// Texts get the numbers 1, 2, ...
  void texts(const std::vector<std::string>& values) {
    run("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)");
    for (const std::string& value : values) {
      run("INSERT INTO StringIds (value) VALUES ('" + value + "')");
    }
  }

  void kernels() {
    run("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER,"
        " contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"
        " demangledName INTEGER, shortName INTEGER, mangledName INTEGER, launchType INTEGER,"
        " registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER,"
        " blockX INTEGER, blockY INTEGER, blockZ INTEGER, staticSharedMemory INTEGER,"
        " dynamicSharedMemory INTEGER, gridId INTEGER, graphNodeId INTEGER, graphId INTEGER)");
  }
  void calls() {
    run("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER,"
        " eventClass INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER,"
        " returnValue INTEGER, callchainId INTEGER)");
  }

  /// Adds a row: insert("T", "start, end", "1, 2").
  void insert(const std::string& table, const std::string& columns, const std::string& values) {
    run("INSERT INTO " + table + " (" + columns + ") VALUES (" + values + ")");
  }
  /// Kernel of name 1 on device 0, stream 7 of process 4711.
  void add_kernel(std::int64_t start, std::int64_t end, std::int64_t correlation = 1) {
    insert("CUPTI_ACTIVITY_KIND_KERNEL",
           "start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName",
           std::to_string(start) + "," + std::to_string(end) + ", 0, 1, 7," +
               std::to_string(correlation) + "," + global(4711, 0) + ", 1");
  }

  /// A globalTid as the database writes it.
  static std::string global(std::int64_t pid, std::int64_t tid) {
    return std::to_string((std::int64_t{1} << 48) | pid << 24 | tid);
  }

  const std::string& path() {
    sqlite3_close(connection_);
    connection_ = nullptr;
    return path_;
  }
  const testing::TemporaryFolder& folder() const { return folder_; }

 private:
  testing::TemporaryFolder folder_;
  std::string path_;
  sqlite3* connection_ = nullptr;
};

inline Run import(const std::string& path) {
  RunBuilder builder;
  NoProgress progress;
  const Status imported = import_database(path, builder, progress);
  EXPECT_TRUE(imported) << imported.error().message;
  return builder.finish();
}

/// What the error says; empty if there is none.
inline std::string import_error(const std::string& path) {
  RunBuilder builder;
  NoProgress progress;
  const Status imported = import_database(path, builder, progress);
  return imported ? "" : imported.error().message;
}

inline std::string text(const Run& run, std::int64_t id) {
  return std::string(run.strings[StringId(static_cast<std::uint64_t>(id))]);
}
inline std::string name(const Run& run, const EventTable& events, std::size_t row) {
  return text(run, events.name()[row]);
}
inline std::string category(const Run& run, const EventTable& events, std::size_t row) {
  return text(run, run.categories[static_cast<std::size_t>(events.category()[row])].name.value);
}
inline const Track& track(const Run& run, const EventTable& events, std::size_t row) {
  return run.tracks[static_cast<std::size_t>(events.track()[row])];
}
inline const Thread& thread(const Run& run, const EventTable& events, std::size_t row) {
  return run.threads[track(run, events, row).thread.value];
}
inline const Process& process(const Run& run, const EventTable& events, std::size_t row) {
  return run.processes[thread(run, events, row).process.value];
}

/// The argument as text; "-" if the event has none of that key.
inline std::string arg(const Run& run, const EventTable& events, std::size_t row,
                       std::string_view key) {
  const std::optional<Value> value = run.arg(events, row, key);
  if (!value) return "-";
  switch (value->type) {
    case ValueType::kText:
    case ValueType::kJson: return text(run, value->raw);
    case ValueType::kDecimal: return Decimal::to_text(value->raw, run.strings);
    default: return std::to_string(value->raw);
  }
}

/// The frames of an event's stack, innermost first.
inline std::vector<std::string> stack(const Run& run, const EventTable& events, std::size_t row) {
  std::vector<std::string> frames;
  const std::optional<Value> value = run.arg(events, row, "@sf");
  if (!value || value->type != ValueType::kStack) return frames;
  for (std::int64_t at = value->raw; at >= 0;) {
    frames.push_back(text(run, run.stacks.frame()[static_cast<std::size_t>(at)]));
    at = run.stacks.parent()[static_cast<std::size_t>(at)];
  }
  return frames;
}

}  // namespace tactus::nsys

#include "sources/nsys/database/facts.h"

#include <algorithm>
#include <array>
#include <string>

#include "sources/nsys/database/table_list.h"

namespace tactus::nsys {
namespace {

/// The first value of a column that is a number.
std::int64_t first_number(Reading& reading, std::string_view table, std::string_view column) {
  TableRows rows(reading.tables, table, {&column, 1}, {});
  while (rows.next()) {
    if (!rows.is_null(0)) return rows.integer(0);
  }
  return 0;
}

bool names_host(std::string_view property) {
  std::string lower(property);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower == "hostname" || lower.ends_with("_hostname") || lower.ends_with(":hostname");
}

StringId host_name(Reading& reading) {
  static constexpr std::string_view kColumns[] = {"name", "value"};
  for (const std::string_view table : {"TARGET_INFO_SYSTEM_ENV", "META_DATA_CAPTURE"}) {
    TableRows rows(reading.tables, table, kColumns, {});
    while (rows.next()) {
      if (names_host(rows.text(0)) && !rows.text(1).empty()) {
        return reading.builder.intern_repaired(rows.text(1));
      }
    }
  }
  return StringId(0);
}

std::uint64_t count_rows(Reading& reading, const std::string& table) {
  const std::string sql = "SELECT count(*) FROM " + sql_name(table);
  Result<SqliteStatement> count = reading.tables.database.prepare(sql);
  if (!count) {
    reading.tables.damage.note(table, count.error());
    return 0;
  }
  if (count->next()) return static_cast<std::uint64_t>(count->integer(0));
  if (!count->status()) reading.tables.damage.note(table, count->status().error());
  return 0;
}

}  // namespace

std::int64_t capture_start_ns(Reading& reading) {
  return first_number(reading, "TARGET_INFO_SESSION_START_TIME", "utcEpochNs");
}

std::int64_t capture_length_ns(Reading& reading) {
  const std::int64_t length = first_number(reading, "ANALYSIS_DETAILS", "duration");
  return length < 0 || length > kLatestTime ? 0 : length;
}

void name_processes(Reading& reading) {
  RunBuilder& builder = reading.builder;
  // The table lists every process of the machine; only the few with events get a name.
  static constexpr std::string_view kProcessColumns[] = {"globalPid", "pid", "name"};
  TableRows processes(reading.tables, "PROCESSES", kProcessColumns, {});
  while (processes.next()) {
    if (processes.is_null(2)) continue;
    const std::int64_t pid =
        processes.is_null(0) ? processes.integer(1) : pid_of(processes.integer(0));
    if (!reading.tracks.has_process(pid)) continue;
    reading.tracks.name_process(pid, builder.intern_repaired(processes.text(2)));
  }
  static constexpr std::string_view kThreadColumns[] = {"globalTid", "nameId"};
  TableRows threads(reading.tables, "ThreadNames", kThreadColumns, {});
  while (threads.next()) {
    if (threads.is_null(0)) continue;
    const StringId name = reading.names.find(threads, 1);
    if (name.valid()) reading.tracks.name_thread(threads.integer(0), name);
  }
  const StringId host = host_name(reading);
  builder.source().host_name = host;
}

void count_other_tables(Reading& reading) {
  for (const std::string& table : reading.tables.schema.tables()) {
    if (!reading.tables.schema.has(table, "start") || is_read(table) || holds_facts(table)) {
      continue;
    }
    reading.builder.drop("nsys_table_" + table, count_rows(reading, table));
  }
}

}  // namespace tactus::nsys

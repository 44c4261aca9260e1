#include "sources/nsys/database/database.h"

#include <array>

#include "base/file.h"
#include "sources/bytes/spool.h"
#include "sources/nsys/database/events/device_work.h"
#include "sources/nsys/database/events/devices.h"
#include "sources/nsys/database/events/host_calls.h"
#include "sources/nsys/database/events/metrics.h"
#include "sources/nsys/database/events/nvtx.h"
#include "sources/nsys/database/events/samples.h"
#include "sources/nsys/database/facts.h"
#include "sources/nsys/database/reading.h"
#include "sources/nsys/database/table_list.h"

namespace tactus::nsys {
namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr std::string_view kAdvice = "; export the report again with `nsys export --type sqlite`";

Error not_an_export(const std::string& path, const std::string& why) {
  return input_error(path + ": " + why + std::string(kAdvice));
}

Result<std::uint64_t> size_of_database(const std::string& path) {
  Result<File> file = File::open_for_reading(path);
  if (!file) return file.error();
  std::array<char, kMagic.size()> head;
  const Result<std::size_t> read = file->read(head.data(), head.size(), path);
  if (!read) return read.error();
  if (!is_database({head.data(), *read})) return not_an_export(path, "is not a SQLite database");
  return file->size(path);
}

void read_events(Reading& reading) {
  reading.latest_ns = capture_length_ns(reading);
  read_kernels(reading);
  read_memcpys(reading);
  read_memsets(reading);
  read_synchronizations(reading);
  read_graph_launches(reading);
  read_cuda_calls(reading);
  read_os_calls(reading);
  read_nvtx(reading);
  read_profiler_overhead(reading);
  read_scheduling(reading);
  read_cpu_samples(reading);
  read_memory_usage(reading);
  read_gpu_metrics(reading, read_devices(reading));
}

/// Says what was lost in a damaged database. An error if nothing of it could be read.
Status report_damage(const std::string& path, const Damage& damage, bool found_events,
                     RunBuilder& builder) {
  if (damage.message.empty()) return {};
  const std::string what = "the database is damaged (" + damage.message + ")";
  if (!found_events) return not_an_export(path, what + " and none of its events can be read");
  std::string lost;
  for (const std::string& table : damage.tables) {
    lost += (lost.empty() ? "rows are missing from " : ", ") + table;
  }
  if (lost.empty()) lost = "rows may be missing";
  builder.drop("truncated_input");
  builder.warn(path + ": " + what + "; " + lost + std::string(kAdvice));
  return {};
}

Error unreadable(const std::string& path, const Error& why) {
  return not_an_export(path, "cannot be read as a SQLite database: " + why.message);
}

/// `bytes` is the size of the file; `path` names it in messages.
Status import_tables(const SqliteDatabase& database, const std::string& path, std::uint64_t bytes,
                     RunBuilder& builder, Progress& progress) {
  const Schema schema(database);
  if (!is_nsys_export(schema)) {
    return not_an_export(path, "has none of the tables that Nsight Systems writes");
  }

  std::uint64_t rows = 0;
  for (const std::string& table : schema.tables()) {
    if (is_read(table) || holds_call_chains(table)) rows += expected_rows(database, schema, table);
  }
  Tables tables{database, schema, RowProgress(progress, rows), {}};
  tables.damage.message = database.problem();

  builder.begin_source(path, "nsys");
  Reading reading{.tables = tables,
                  .builder = builder,
                  .names = NameTable(tables, builder),
                  .tracks = Tracks(builder, devices_served_several_processes(tables))};
  const auto events = [&run = builder.run()] {
    return run.slices.size() + run.instants.size() + run.counters.rows;
  };
  const std::size_t events_before = events();
  read_events(reading);
  name_processes(reading);
  count_other_tables(reading);
  const std::int64_t base_ns = capture_start_ns(reading);
  builder.end_source(base_ns, bytes);
  tables.progress.finish();
  return report_damage(path, tables.damage, events() > events_before, builder);
}

}  // namespace

bool is_database(std::string_view head) {
  return head.starts_with(kMagic);
}

Status import_database(const std::string& path, RunBuilder& builder, Progress& progress) {
  const Result<std::uint64_t> size = size_of_database(path);
  if (!size) return size.error();
  const Result<SqliteDatabase> database = SqliteDatabase::open(path, *size);
  if (!database) return unreadable(path, database.error());
  return import_tables(*database, path, *size, builder, progress);
}

Status import_database(InputBytes& bytes, RunBuilder& builder, Progress& progress) {
  if (bytes.is_plain_file()) return import_database(bytes.path(), builder, progress);
  const Result<File> copy = spool(bytes);
  if (!copy) return copy.error();
  const Result<std::uint64_t> size = copy->size(bytes.path());
  if (!size) return size.error();
  const Result<SqliteDatabase> database = SqliteDatabase::open(*copy, *size);
  if (!database) return unreadable(bytes.path(), database.error());
  if (!bytes.problem().empty()) builder.warn(bytes.problem());
  if (bytes.cut_short()) builder.drop("truncated_input");
  return import_tables(*database, bytes.path(), *size, builder, progress);
}

}  // namespace tactus::nsys

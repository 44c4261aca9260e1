#include "sources/nsys/database/database.h"

#include <sys/stat.h>

#include <filesystem>

#include "sources/nsys/database_fixture.h"
#include "support/run_text.h"

namespace tactus::nsys {
namespace {

/// What a query of one number answers.
std::int64_t query(const std::string& path, const std::string& sql) {
  sqlite3* connection = nullptr;
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_open_v2(("file:" + path + "?immutable=1").c_str(), &connection,
                            SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr),
            SQLITE_OK);
  EXPECT_EQ(sqlite3_prepare_v2(connection, sql.c_str(), -1, &statement, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW);
  const std::int64_t answer = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  sqlite3_close(connection);
  return answer;
}

struct OfKind {
  std::int64_t count = 0;
  std::int64_t total_ns = 0;

  bool operator==(const OfKind&) const = default;
};

OfKind slices_of(const Run& run, std::string_view wanted) {
  OfKind found;
  for (std::size_t row = 0; row < run.slices.size(); ++row) {
    if (category(run, run.slices, row) != wanted) continue;
    ++found.count;
    found.total_ns += run.slices.dur()[row];
  }
  return found;
}

TEST(NsysDatabase, is_known_by_its_first_bytes) {
  EXPECT_TRUE(is_database(std::string("SQLite format 3\0 and more", 25)));
  EXPECT_FALSE(is_database("SQLite format 3"));
  EXPECT_FALSE(is_database("{\"traceEvents\":[]}"));
  EXPECT_FALSE(is_database(""));
}

/// What is read through a pipe, or out of a compressed file.
tactus::Run import_copy(const std::string& path) {
  Result<std::unique_ptr<InputBytes>> bytes = InputBytes::open(path);
  EXPECT_TRUE(bytes);
  RunBuilder builder;
  NoProgress progress;
  const Status imported = import_database(**bytes, builder, progress);
  EXPECT_TRUE(imported) << imported.error().message;
  return builder.finish();
}

TEST(NsysDatabase, that_is_compressed_is_the_same_run) {
  for (const char* log : {"DELETE", "WAL"}) {  // the header of the second says that it has a log
    TestDatabase database;
    database.run(std::string("PRAGMA journal_mode = ") + log);
    database.texts({"gemm"});
    database.kernels();
    database.add_kernel(100, 300);
    const std::string path = database.path();
    const std::string packed = path + ".gz";
    ASSERT_EQ(std::system(("gzip -c " + path + " > " + packed).c_str()), 0);
    EXPECT_EQ(testing::slice_names(import_copy(packed)), testing::slice_names(import(path))) << log;
    EXPECT_EQ(testing::slice_names(import_copy(packed)).size(), 1U) << log;
  }
}

TEST(NsysDatabase, of_a_real_program_is_read_whole) {
  const auto path = testing::shared_file("data/public/nsys_cloverleaf.sqlite");
  if (!path) GTEST_SKIP() << "no data/public/nsys_cloverleaf.sqlite in the shared folder";
  const tactus::Run run = import(*path);
  const auto total = [&](const std::string& table) {
    return query(*path, "SELECT sum(end - start) FROM " + table);
  };
  EXPECT_EQ(slices_of(run, "kernel"), (OfKind{1312, total("CUPTI_ACTIVITY_KIND_KERNEL")}));
  EXPECT_EQ(slices_of(run, "gpu_memcpy"), (OfKind{279, total("CUPTI_ACTIVITY_KIND_MEMCPY")}));
  EXPECT_EQ(slices_of(run, "cuda_sync"),
            (OfKind{1312, total("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION")}));
  EXPECT_EQ(slices_of(run, "os_runtime"), (OfKind{1831, total("OSRT_API")}));
  EXPECT_EQ(slices_of(run, "overhead"), (OfKind{47, total("PROFILER_OVERHEAD")}));
  EXPECT_EQ(slices_of(run, "cuda_runtime").count + slices_of(run, "cuda_driver").count, 3048);
  EXPECT_EQ(run.instants.size(), 1254U + 1531U);  // scheduling and samples
  EXPECT_TRUE(run.dropped.empty());
  EXPECT_TRUE(run.repaired.empty());
  EXPECT_TRUE(run.warnings.empty());

  // Every kernel, copy and wait was caused by a call.
  EXPECT_EQ(run.links.rows, 1312U + 279U + 1312U);
  EXPECT_EQ(run.source_kind(), "nsys");
  EXPECT_EQ(run.sources[0].base_ns, 1'696'392'839'587'175'550);
  EXPECT_EQ(run.sources[0].bytes, std::filesystem::file_size(*path));
  ASSERT_EQ(run.devices.size(), 4U);
  EXPECT_EQ(text(run, run.devices[0].name.value), "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(run.processes.size(), 2U);
  EXPECT_EQ(text(run, run.hosts[run.processes[0].host.value].name.value), "nid008553");
}

TEST(NsysDatabase, may_lack_columns_and_tables) {
  TestDatabase database;
  database.run(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, shortName INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 5)");
  const tactus::Run run = import(database.path());
  ASSERT_EQ(run.slices.size(), 1U);
  EXPECT_EQ(name(run, run.slices, 0), "unknown kernel");
  EXPECT_EQ(run.slices.shape()[0], 0) << "nothing is made up";
  EXPECT_EQ(track(run, run.slices, 0).device_index, 0);
  EXPECT_EQ(run.sources[0].base_ns, 0);
}

TEST(NsysDatabase, is_read_in_order_of_time) {
  TestDatabase database;
  database.texts({"kernel"});
  database.kernels();
  for (const std::int64_t start : {50, -20, 30, 30}) {
    database.add_kernel(start, start + 1);
  }
  const tactus::Run run = import(database.path());
  ASSERT_EQ(run.slices.size(), 4U);
  EXPECT_EQ(run.slices.start()[0], 0) << "times may lie before the start of the capture";
  EXPECT_EQ(run.slices.start()[1], 50);
  EXPECT_EQ(run.slices.start()[2], 50);
  EXPECT_EQ(run.slices.start()[3], 70);
  EXPECT_EQ(run.origin_ns, -20);
}

TEST(NsysDatabase, may_have_tables_without_row_numbers) {
  TestDatabase database;
  database.run(
      "CREATE TABLE OSRT_API (end INTEGER PRIMARY KEY, start INTEGER) WITHOUT ROWID;"
      "INSERT INTO OSRT_API VALUES (10, 8), (20, 5), (30, 7)");
  const tactus::Run run = import(database.path());
  ASSERT_EQ(run.slices.size(), 3U);
  EXPECT_EQ(run.slices.dur()[0], 15);
  EXPECT_EQ(run.slices.dur()[1], 23);
  EXPECT_EQ(run.slices.dur()[2], 2);
}

TEST(NsysDatabase, may_number_its_texts_without_a_key) {
  TestDatabase database;
  database.run(
      "CREATE TABLE StringIds (id INTEGER, value TEXT); INSERT INTO StringIds VALUES (1, 'k')");
  database.kernels();
  database.add_kernel(1, 2);
  const tactus::Run run = import(database.path());
  EXPECT_EQ(name(run, run.slices, 0), "k");
}

TEST(NsysDatabase, repairs_or_counts_rows_with_impossible_times) {
  TestDatabase database;
  database.texts({"kernel"});
  database.kernels();
  database.add_kernel(100, 90);
  const std::string columns = "start, end";
  database.insert("CUPTI_ACTIVITY_KIND_KERNEL", columns, "NULL, 5");
  database.insert("CUPTI_ACTIVITY_KIND_KERNEL", columns, "9223372036854775807, 5");
  database.insert("CUPTI_ACTIVITY_KIND_KERNEL", columns, "5, -9223372036854775808");
  database.insert("CUPTI_ACTIVITY_KIND_KERNEL", columns, "200, NULL");
  database.insert("CUPTI_ACTIVITY_KIND_KERNEL", columns, "'300', 300.9");
  const tactus::Run run = import(database.path());
  ASSERT_EQ(run.slices.size(), 3U);
  for (std::size_t row = 0; row < 3; ++row) EXPECT_EQ(run.slices.dur()[row], 0);
  EXPECT_EQ(run.dropped, (Tally{{"no_timestamp", 1}, {"bad_timestamp", 2}}));
  EXPECT_EQ(run.repaired,
            (Tally{{"negative_duration", 1}, {"missing_duration", 1}, {"missing_name", 2}}));
}

TEST(NsysDatabase, repairs_text_that_is_not_utf8) {
  TestDatabase database;
  database.texts({});
  database.run("INSERT INTO StringIds VALUES (1, CAST(x'67656D6DFF21' AS TEXT))");
  database.kernels();
  database.add_kernel(1, 2);
  const tactus::Run run = import(database.path());
  EXPECT_EQ(name(run, run.slices, 0), "gemm\xEF\xBF\xBD!");
  EXPECT_EQ(run.repaired, (Tally{{"invalid_text", 1}}));
}

TEST(NsysDatabase, names_the_events_that_are_not_read) {
  TestDatabase database;
  database.run(
      "CREATE TABLE MPI_P2P_EVENTS (start INTEGER, end INTEGER);"
      "INSERT INTO MPI_P2P_EVENTS VALUES (1, 2), (3, 4);"
      "CREATE TABLE OPENACC_EMPTY_EVENTS (start INTEGER);"
      "CREATE TABLE TARGET_INFO_SOMETHING (start INTEGER);"
      "INSERT INTO TARGET_INFO_SOMETHING VALUES (1)");
  database.texts({});
  const tactus::Run run = import(database.path());
  EXPECT_EQ(run.dropped, (Tally{{"nsys_table_MPI_P2P_EVENTS", 2}}));
}

TEST(NsysDatabase, may_be_one_of_several) {
  TestDatabase first;
  TestDatabase second;
  RunBuilder builder;
  NoProgress progress;
  for (TestDatabase* database : {&first, &second}) {
    database->texts({"kernel"});
    database->kernels();
    database->add_kernel(100, 200);
    database->run("CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER)");
    database->run("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (" +
                  std::string(database == &first ? "5000" : "6000") + ")");
    ASSERT_TRUE(import_database(database->path(), builder, progress));
  }
  const tactus::Run run = builder.finish();
  ASSERT_EQ(run.slices.size(), 2U);
  EXPECT_EQ(run.slices.start()[1] - run.slices.start()[0], 1000);
  EXPECT_EQ(run.origin_ns, 5100);
  EXPECT_EQ(run.processes.size(), 2U);
}

TEST(NsysDatabase, bounds_the_ways_in_which_rows_may_differ) {
  TestDatabase database;
  database.texts({"kernel"});
  database.kernels();
  database.run("BEGIN");
  for (int i = 0; i < 200; ++i) {
    std::string values = "1, 2";
    for (int bit = 0; bit < 8; ++bit) values += (i >> bit & 1) != 0 ? ", 1" : ", NULL";
    database.insert("CUPTI_ACTIVITY_KIND_KERNEL",
                    "start, end, deviceId, contextId, streamId, correlationId, gridX, blockX,"
                    "registersPerThread, launchType",
                    values);
  }
  database.run("COMMIT");
  const tactus::Run run = import(database.path());
  EXPECT_EQ(run.slices.size(), 200U);
  EXPECT_LT(run.shapes.size(), 100U);
  EXPECT_EQ(run.repaired.at("too_many_argument_sets"), 200U - 64U);
}

TEST(NsysDatabase, is_read_from_a_folder_that_cannot_be_written) {
  TestDatabase database("odd name %41?mode=rwc#.sqlite");
  database.texts({"kernel"});
  database.kernels();
  database.add_kernel(1, 2);
  const std::string path = database.path();
  ::chmod(database.folder().path().c_str(), 0500);
  EXPECT_EQ(import(path).slices.size(), 1U);
  ::chmod(database.folder().path().c_str(), 0700);
  const std::filesystem::directory_iterator files(database.folder().path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST(NsysDatabase, tells_how_far_it_has_been_read) {
  class Updates final : public Progress {
   public:
    void update(std::string_view what, std::uint64_t done, std::uint64_t total) override {
      EXPECT_EQ(what, "reading");
      EXPECT_GE(done, last);
      EXPECT_GE(total, done);
      last = done;
      ++count;
    }
    std::uint64_t last = 0;
    int count = 0;
  };
  TestDatabase database;
  database.run(
      "CREATE TABLE SCHED_EVENTS (start INTEGER);"
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000)"
      "INSERT INTO SCHED_EVENTS SELECT i FROM n");
  RunBuilder builder;
  Updates updates;
  ASSERT_TRUE(import_database(database.path(), builder, updates));
  EXPECT_EQ(updates.last, 25'000U);
  EXPECT_EQ(updates.count, 3);
}

}  // namespace
}  // namespace tactus::nsys

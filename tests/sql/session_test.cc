#include "sql/session.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>

#include "sources/sources.h"
#include "sql/asked.h"
#include "sql/sqlite_file.h"
#include "sql/tables/derived.h"
#include "support/files.h"
#include "support/run_text.h"
#include "support/sample_trace.h"

namespace tactus {
namespace {

using testing::ask;
using Rows = std::vector<std::string>;

/// One op that launches a kernel, and a copy.
Run small_run() {
  return testing::import_json(R"json({"traceEvents":[
    {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":0,"dur":20,
     "args":{"Input Dims":[[2,3],[3,4]]}},
    {"ph":"X","cat":"cpu_op","name":"aten::inner","pid":1,"tid":1,"ts":2,"dur":10},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":5,"dur":3,
     "args":{"correlation":4}},
    {"ph":"X","cat":"kernel","name":"void gemm<int>(float*)","pid":0,"tid":7,"ts":30,"dur":8,
     "args":{"device":0,"stream":7,"correlation":4,"grid":[2,1,1],"share":0.5}},
    {"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pinned -> Device)","pid":0,"tid":7,"ts":40,
     "dur":2,"args":{"device":0,"stream":7,"correlation":5,"bytes":4096}},
    {"ph":"C","name":"power","pid":1,"ts":6,"args":{"W":7.5}}]})json");
}

TEST(Sql, tables_show_what_the_run_has) {
  const tactus::Run run = small_run();
  const auto session = testing::open_session(run);
  EXPECT_EQ(ask(*session,
                "SELECT id, ts_ns, dur_ns, end_ns, short_name, op, launch_id, device, "
                "stream, pid, grid FROM kernels"),
            Rows{"integer:3|integer:30000|integer:8000|integer:38000|text:gemm|text:aten::inner|"
                 "integer:2|integer:0|integer:7|integer:1|text:[2,1,1]"});
  EXPECT_EQ(ask(*session, "SELECT name, parent, shapes FROM ops ORDER BY id"),
            (Rows{"text:aten::mm|null|text:[[2,3],[3,4]]", "text:aten::inner|text:aten::mm|null"}));
  EXPECT_EQ(ask(*session, "SELECT kernel_id, call_id, delay_ns, call FROM launches"),
            Rows{"integer:3|integer:2|integer:25000|text:cudaLaunchKernel"});
  EXPECT_EQ(ask(*session, "SELECT kind, bytes, bytes_per_s FROM copies"),
            Rows{"text:HtoD|integer:4096|real:2048000000"});
  EXPECT_EQ(ask(*session, "SELECT ts_ns, name, field, value FROM counters"),
            Rows{"integer:6000|text:power|text:W|real:7.5"});
  EXPECT_EQ(ask(*session, "SELECT rank, pid, slices, kernels, kernel_ns FROM ranks"),
            Rows{"null|integer:1|integer:5|integer:1|integer:8000"});
  EXPECT_EQ(ask(*session,
                "SELECT c.name, p.name FROM slices c JOIN slices p ON p.id = c.parent_id "
                "ORDER BY c.id"),
            (Rows{"text:aten::inner|text:aten::mm", "text:cudaLaunchKernel|text:aten::inner"}));
}

TEST(Sql, arguments_are_values) {
  const tactus::Run run = small_run();
  const auto session = testing::open_session(run);
  EXPECT_EQ(ask(*session,
                "SELECT arg(id, 'correlation'), arg(id, 'share'), arg(id, 'none'), args "
                "FROM kernels"),
            Rows{"integer:4|real:0.5|null|text:{\"device\":0,\"stream\":7,\"correlation\":4,"
                 "\"grid\":[2,1,1],\"share\":0.5}"});
  EXPECT_EQ(ask(*session, "SELECT arg(-1, 'x'), arg(99, 'x'), arg('a', 'x'), arg(1, NULL)"),
            Rows{"null|null|null|null"});
}

TEST(Sql, quantiles_are_linear) {
  const tactus::Run run = small_run();
  const auto session = testing::open_session(run);
  EXPECT_EQ(ask(*session,
                "WITH v(x) AS (VALUES (1), (2), (4), (NULL)) "
                "SELECT median(x), percentile(x, 75), percentile(x, 100) FROM v"),
            Rows{"real:2|real:3|real:4"});
  EXPECT_EQ(ask(*session, "SELECT median(dur_ns) FROM kernels WHERE id < 0"), Rows{"null"});
  EXPECT_EQ(ask(*session, "SELECT percentile(1, 101)"),
            Rows{"error: the second argument of percentile() is from 0 to 100"});
}

TEST(Sql, filters_limit_all_tables) {
  testing::HandMadeRun made;
  const tactus::Run& run = testing::fill_varied(made, 4000);
  const auto all = testing::open_session(run);
  sql::SessionOptions options;
  options.filter.device = 1;
  options.filter.from_ns = 1'000'000;
  options.filter.to_ns = 2'000'000;
  const auto some = testing::open_session(run, options);
  EXPECT_EQ(ask(*some, "SELECT count(*), sum(dur_ns) FROM slices"),
            ask(*all,
                "SELECT count(*), sum(dur_ns) FROM slices WHERE device = 1 AND "
                "ts_ns >= 1000000 AND ts_ns < 2000000"));
  EXPECT_EQ(ask(*some, "SELECT id FROM kernels ORDER BY id"),
            ask(*all,
                "SELECT id FROM kernels WHERE device = 1 AND ts_ns >= 1000000 AND "
                "ts_ns < 2000000 ORDER BY id"));
}

TEST(Sql, nothing_can_be_written) {
  const tactus::Run run = small_run();
  const auto session = testing::open_session(run);
  for (const char* query :
       {"ATTACH 'x.db' AS x", "CREATE TABLE x(a)", "CREATE TEMP TABLE x(a)", "DROP TABLE slices",
        "INSERT INTO slices(name) VALUES ('x')", "UPDATE slices SET name = 'x'",
        "DELETE FROM slices", "PRAGMA journal_mode = WAL", "PRAGMA temp_store_directory = '/tmp'",
        "VACUUM", "VACUUM INTO 'x.db'", "BEGIN", "SELECT load_extension('x')",
        "CREATE VIRTUAL TABLE x USING tactus(slices)", "PRAGMA hard_heap_limit = 0", "DETACH main",
        "INSERT INTO sqlite_master VALUES (1,2,3,4,5)", "CREATE VIEW v AS SELECT 1"}) {
    testing::TextRows rows;
    const Status status = session->run(query, rows);
    ASSERT_FALSE(status) << query;
    EXPECT_EQ(status.error().code, ErrorCode::kUsage) << query;
  }
  EXPECT_EQ(ask(*session, "SELECT count(*) FROM slices"), Rows{"integer:5"});
}

TEST(Sql, hostile_queries_end_at_their_limits) {
  const tactus::Run run = small_run();
  const auto session =
      testing::open_session(run, {.timeout_s = 0.2, .memory_bytes = 64 << 20, .threads = 1});
  for (const char* query :
       {"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
        "SELECT group_concat(x) FROM c",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c "
        "ORDER BY x DESC",
        "SELECT count(*) FROM slices a, slices b, slices c, slices d, slices e, slices f, slices "
        "g, "
        "slices h, slices i, slices j, slices k, slices l, slices m"}) {
    testing::TextRows rows;
    const Status status = session->run(query, rows);
    ASSERT_FALSE(status) << query;
    EXPECT_EQ(status.error().code, ErrorCode::kBroke) << query;
  }
  for (const std::string& query :
       {std::string("SELECT zeroblob(1000000000)"), std::string("SELECT printf('%.*c', 1e9, 'x')"),
        "SELECT " + std::string(5000, '(') + "1" + std::string(5000, ')'),
        std::string("SELECT 'a' LIKE '") + std::string(5000, '%') + "'"}) {
    testing::TextRows rows;
    EXPECT_FALSE(session->run(query, rows)) << query.substr(0, 60);
  }
  EXPECT_EQ(ask(*session, "SELECT 1"), Rows{"integer:1"});
}

TEST(Sql, what_is_not_worked_out_in_time_is_an_error) {
  const tactus::Run run = testing::import_json(testing::sample_trace(40));
  const auto session = testing::open_session(run, {.timeout_s = 0});
  for (const char* query :
       {"SELECT count(*) FROM steps", "SELECT op, count(*) FROM kernels GROUP BY op ORDER BY op",
        "SELECT count(parent_id) FROM slices", "SELECT count(*) FROM stacks",
        "SELECT count(op), count(*) FROM launches", "SELECT count(step) FROM kernels"}) {
    testing::TextRows rows;
    const Status status = session->run(query, rows);
    ASSERT_FALSE(status) << query;
    EXPECT_EQ(status.error().code, ErrorCode::kBroke) << query;
    EXPECT_TRUE(rows.rows.empty()) << query;
  }
  EXPECT_TRUE(session->warnings().empty());
}

TEST(Sql, what_is_not_worked_out_in_time_is_worked_out_later) {
  const tactus::Run run = testing::import_json(testing::sample_trace(40));
  sql::Deadline late, patient;
  late.start(0);
  patient.start(3600);
  sql::Derived interrupted(run, {}, late);
  sql::Derived complete(run, {}, patient);
  const auto values = [&](const Column& column) {
    std::vector<std::int64_t> numbers(column.size());
    column.read(0, numbers);
    return numbers;
  };
  for (const auto part : {&sql::Derived::launching_call, &sql::Derived::step, &sql::Derived::parent,
                          &sql::Derived::parent_op}) {
    late.start(0);
    EXPECT_EQ(values((interrupted.*part)()), std::vector<std::int64_t>(run.slices.size(), -1));
    late.start(3600);
    EXPECT_EQ(values((interrupted.*part)()), values((complete.*part)()));
  }
  EXPECT_EQ(interrupted.steps().size(), complete.steps().size());
  EXPECT_NE(interrupted.steps().size(), 0);
}

TEST(Sql, slices_in_any_order_have_the_same_parents) {
  testing::HandMadeRun in_order, in_disorder;
  std::vector<std::array<std::int64_t, 3>> slices;  // start, duration, thread
  for (std::int64_t i = 0; i < 3000; ++i) {
    slices.push_back({i / 4 * 100 + i % 4 * 10, i % 4 == 0 ? 90 : 9 - i % 4, i / 4 % 3});
  }
  for (const auto& [start, dur, thread] : slices) {
    in_order.host("cpu_op", "a", start, dur, thread);
  }
  std::reverse(slices.begin(), slices.end());
  for (const auto& [start, dur, thread] : slices) {
    in_disorder.host("cpu_op", "a", start, dur, thread);
  }
  const std::string query =
      "SELECT c.ts_ns, c.tid, p.ts_ns, p.dur_ns FROM slices c LEFT JOIN slices p "
      "ON p.id = c.parent_id ORDER BY c.ts_ns";
  const Rows rows = ask(*testing::open_session(in_order.run()), query);
  EXPECT_EQ(rows, ask(*testing::open_session(in_disorder.run()), query));
  EXPECT_EQ(rows[1], "integer:10|integer:0|integer:0|integer:90");
}

/// Stops the session when the first row comes, as Ctrl-C does.
class StopAtFirstRow final : public sql::RowSink {
 public:
  explicit StopAtFirstRow(sql::Session& session) : session_(session) {}
  Status begin(const std::vector<std::string>&) override { return {}; }
  Status row(std::span<const sql::Cell>) override {
    ++rows;
    session_.stop();
    return {};
  }
  int rows = 0;

 private:
  sql::Session& session_;
};

TEST(Sql, a_query_that_is_stopped_does_not_end_the_session) {
  const tactus::Run run = small_run();
  const auto session = testing::open_session(run);
  StopAtFirstRow sink(*session);
  const Status status = session->run(
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c", sink);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "the query was stopped");
  EXPECT_EQ(sink.rows, 1);
  EXPECT_EQ(ask(*session, "SELECT count(*) FROM slices"), Rows{"integer:5"});
}

TEST(Sql, mistakes_are_explained) {
  const tactus::Run run = small_run();
  const auto session = testing::open_session(run);
  EXPECT_EQ(ask(*session, "SELECT * FROM kernls").front(),
            "error: no such table: kernls\ndid you mean kernels? the tables are slices, kernels, "
            "ops, copies, launches, counters, steps, stacks, ranks");
  EXPECT_EQ(ask(*session, "SELECT durns\nFROM kernels").front(),
            "error: no such column: durns\nSELECT durns\n       ^\ndid you mean dur_ns?");
  EXPECT_EQ(ask(*session, "SELECT bytes FROM kernels").front(),
            "error: no such column: bytes\nSELECT bytes FROM kernels\n       ^\n"
            "bytes is a column of copies");
  EXPECT_EQ(ask(*session, "SELECT 1; SELECT 2").front(),
            "error: more than one query; give them one by one");
  EXPECT_EQ(ask(*session, " -- nothing").front(), "error: the query is empty");
}

TEST(Sql, a_sqlite_file_has_the_same_tables) {
  const testing::TemporaryFolder folder;
  const tactus::Run run = testing::import_json(testing::sample_trace(40));
  const std::string path = folder.file("run.sqlite");
  NoProgress progress;
  ASSERT_TRUE(sql::write_sqlite(run, {}, path, 1, progress));
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  const auto session = testing::open_session(run);
  for (const std::string& table : session->tables()) {
    const std::string query = "SELECT * FROM " + table + " ORDER BY 1, 2, 3";
    sqlite3_stmt* statement = nullptr;
    ASSERT_EQ(sqlite3_prepare_v2(database, query.c_str(), -1, &statement, nullptr), SQLITE_OK);
    testing::TextRows shown;
    ASSERT_TRUE(session->run(query, shown));
    std::size_t row = 0;
    for (; sqlite3_step(statement) == SQLITE_ROW; ++row) {
      ASSERT_LT(row, shown.rows.size()) << table;
      std::string text;
      for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        const auto* cell = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
        if (cell == nullptr) continue;
        EXPECT_NE(
            shown.rows[row].find(sqlite3_column_type(statement, i) == SQLITE_FLOAT ? "" : cell),
            std::string::npos);
      }
    }
    EXPECT_EQ(row, shown.rows.size()) << table;
    sqlite3_finalize(statement);
  }
  sqlite3_close(database);
}

}  // namespace
}  // namespace tactus

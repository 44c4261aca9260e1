#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "sql/asked.h"
#include "sql/query_writer.h"
#include "support/run_text.h"

namespace tactus {
namespace {

using testing::ask;
using testing::QueryWriter;

/// Two sessions over one run: one that may answer from columns, and one that goes row by row.
class Both {
 public:
  explicit Both(const Run& run)
      : fast_(testing::open_session(run, {.threads = 2})),
        plain_(testing::open_session(run, {.groups_columns = false})) {}

  /// True if the answer came from columns. The test fails if the answers differ.
  bool agree(const std::string& query) {
    testing::TextRows fast, plain;
    const Status fast_status = fast_->run(query, fast);
    const Status plain_status = plain_->run(query, plain);
    EXPECT_EQ(bool(fast_status), bool(plain_status)) << query;
    if (!fast_status && !plain_status) {
      EXPECT_EQ(fast_status.error().message, plain_status.error().message) << query;
    }
    EXPECT_EQ(fast.columns, plain.columns) << query;
    if (query.find("ORDER BY") == std::string::npos) {
      std::sort(fast.rows.begin(), fast.rows.end());
      std::sort(plain.rows.begin(), plain.rows.end());
    }
    EXPECT_EQ(fast.rows, plain.rows) << query;
    return fast_->used_columns();
  }

 private:
  std::unique_ptr<sql::Session> fast_, plain_;
};

TEST(SqlGroups, answers_are_those_of_sqlite) {
  testing::HandMadeRun made;
  Both both(testing::fill_varied(made, 7000));
  int from_columns = 0;
  constexpr int kQueries = 1500;
  for (unsigned seed = 0; seed < kQueries && !::testing::Test::HasFailure(); ++seed) {
    from_columns += both.agree(QueryWriter(seed).query()) ? 1 : 0;
  }
  EXPECT_GT(from_columns, kQueries / 3);
}

TEST(SqlGroups, empty_runs_have_sums_too) {
  testing::HandMadeRun made;
  made.host("cpu_op", "only", 0, 1);
  Both both(made.run());
  EXPECT_TRUE(both.agree("SELECT count(*), sum(dur_ns), avg(dur_ns), min(name) FROM kernels"));
  EXPECT_TRUE(both.agree("SELECT name, count(*) FROM kernels GROUP BY name"));
  EXPECT_TRUE(both.agree("SELECT count(*) FROM slices WHERE ts_ns > 5"));
}

/// Ops inside ops on several threads, calls inside them, and the kernels that they launch.
tactus::Run nested_run() {
  std::string events;
  const auto add = [&](const std::string& event) { events += (events.empty() ? "" : ",") + event; };
  std::mt19937 random(7);
  const char* names[] = {"gemm", "aten::mm", "add", "", "7", "softmax"};
  const auto pick = [&] { return names[random() % std::size(names)]; };
  for (int i = 0; i < 900; ++i) {
    const int begin = i * 100;
    const auto thread = static_cast<int>(1 + random() % 3);
    const auto dur = static_cast<int>(40 + random() % 50);
    add(fmt::format(R"({{"ph":"X","cat":"cpu_op","name":"{}","pid":1,"tid":{},"ts":{},"dur":{}}})",
                    pick(), thread, begin, dur));
    for (int k = 0; k < static_cast<int>(random() % 4); ++k) {
      const bool is_op = random() % 2 == 0;
      add(fmt::format(
          R"({{"ph":"X","cat":"{}","name":"{}","pid":1,"tid":{},"ts":{},"dur":{},"args":{{"correlation":{}}}}})",
          is_op ? "cpu_op" : "cuda_runtime", is_op ? pick() : "cudaLaunchKernel", thread,
          begin + 1 + k * 9, 1 + random() % 8, i * 10 + k));
      if (is_op) continue;
      add(fmt::format(
          R"({{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":7,"ts":{},"dur":{},"args":{{"device":0,"stream":7,"correlation":{}}}}})",
          pick(), begin + 20 + k * 9, 1 + random() % 8, i * 10 + k));
    }
  }
  return testing::import_json(R"({"traceEvents":[)" + events + "]}");
}

TEST(SqlGroups, answers_over_nested_slices_are_those_of_sqlite) {
  const tactus::Run run = nested_run();
  Both both(run);
  int from_columns = 0;
  constexpr int kQueries = 1000;
  for (unsigned seed = 5000; seed < 5000 + kQueries && !::testing::Test::HasFailure(); ++seed) {
    from_columns += both.agree(QueryWriter(seed).query()) ? 1 : 0;
  }
  EXPECT_GT(from_columns, kQueries / 3);
}

TEST(SqlGroups, percentiles_and_joins_by_id_come_from_columns) {
  const tactus::Run run = nested_run();
  Both both(run);
  for (const char* query :
       {"SELECT name, percentile(dur_ns, 99) FROM kernels GROUP BY name",
        "SELECT median(dur_ns), count(*) FROM kernels WHERE name = 'gemm'",
        "SELECT median(dur_ns) FROM kernels WHERE ts_ns < 0",
        "SELECT substr(name, 1, 1), median(parent_id), count(DISTINCT name) FROM slices GROUP BY 1",
        "SELECT name, percentile(dur_ns, 101) FROM kernels GROUP BY name",
        "SELECT p.name, count(*), sum(c.dur_ns) FROM slices c JOIN slices p ON p.id = c.parent_id "
        "GROUP BY p.name ORDER BY 2 DESC, 1 LIMIT 20",
        "SELECT o.name AS around, count(*) n FROM ops o JOIN kernels k ON o.id = k.op_id WHERE "
        "k.dur_ns "
        "> 2000 AND o.name LIKE 'a%' GROUP BY around HAVING n > 1 ORDER BY around",
        "SELECT count(*), sum(kernel_dur_ns) FROM launches l JOIN kernels k ON k.id = l.kernel_id "
        "JOIN ops o ON o.id = k.op_id",
        "SELECT DISTINCT p.name, c.name FROM slices c JOIN slices p ON p.id = c.parent_id"}) {
    EXPECT_TRUE(both.agree(query)) << query;
  }
  for (const char* query :
       {"SELECT count(*) FROM slices c LEFT JOIN slices p ON p.id = c.parent_id",
        "SELECT count(*) FROM slices c NATURAL JOIN ranks p",
        "SELECT count(*) FROM slices c CROSS JOIN slices p ON p.id = c.parent_id",
        "SELECT count(*) FROM slices c JOIN slices p ON p.id = c.parent_id AND c.id = p.parent_id",
        "SELECT count(*) FROM slices c JOIN slices p ON p.dur_ns = c.dur_ns",
        "SELECT count(*) FROM slices c JOIN slices p USING (id)",
        "SELECT count(*) FROM ops c JOIN ops p ON p.id = c.parent_id OR p.id = 3 WHERE c.id < 30",
        "SELECT count(*) FROM ops c JOIN slices p ON p.id = c.parent_id JOIN ranks",
        "SELECT percentile(dur_ns, name) FROM kernels",
        "SELECT count(*) AS tactus_rows FROM kernels GROUP BY name HAVING tactus_rows > 3"}) {
    EXPECT_FALSE(both.agree(query)) << query;
  }
}

TEST(SqlGroups, filters_limit_both_sides_of_a_join) {
  const tactus::Run run = nested_run();
  sql::SessionOptions options;
  options.filter.from_ns = 20'050'000;
  options.filter.to_ns = 60'000'000;
  const auto fast = testing::open_session(run, options);
  options.groups_columns = false;
  const auto plain = testing::open_session(run, options);
  const std::string query =
      "SELECT p.name, count(*), sum(p.dur_ns), median(c.dur_ns) FROM slices c JOIN slices p "
      "ON p.id = c.parent_id GROUP BY p.name ORDER BY p.name";
  EXPECT_EQ(ask(*fast, query), ask(*plain, query));
  EXPECT_TRUE(fast->used_columns());
}

TEST(SqlGroups, sums_that_overflow_are_left_to_sqlite) {
  testing::HandMadeRun made;
  for (int i = 0; i < 4; ++i) made.kernel("k", i, INT64_MAX / 3);
  made.kernel("small", 5, 1);
  Both both(made.run());
  EXPECT_FALSE(both.agree("SELECT name, sum(dur_ns) FROM kernels GROUP BY name"));
  EXPECT_FALSE(both.agree("SELECT avg(dur_ns) FROM kernels"));
  both.agree("SELECT max(dur_ns), count(*) FROM kernels WHERE name = 'small'");
}

TEST(SqlGroups, simple_queries_come_from_columns) {
  testing::HandMadeRun made;
  Both both(testing::fill_varied(made, 5000));
  for (const char* query :
       {"SELECT count(*) FROM slices", "select count(*) n from slices;",
        "SELECT k.name, sum(k.dur_ns) AS total FROM kernels k GROUP BY k.name ORDER BY total DESC",
        "SELECT name, count(*) FROM kernels GROUP BY 1 HAVING count(*) > 3 ORDER BY 2, 1 LIMIT 3",
        "SELECT DISTINCT category FROM slices",
        "SELECT count(DISTINCT name) FROM kernels WHERE device = 1 AND ts_ns < 1e6",
        "SELECT substr(name, 1, 2), count(*) FROM kernels GROUP BY substr(name, 1, 2)",
        "SELECT category c, sum(dur_ns) * 1.0 / count(*) FROM slices -- remark\n GROUP BY c"}) {
    EXPECT_TRUE(both.agree(query)) << query;
  }
}

TEST(SqlGroups, other_queries_do_not) {
  testing::HandMadeRun made;
  Both both(testing::fill_varied(made, 3000));
  for (const char* query :
       {"SELECT name, dur_ns, max(ts_ns) FROM kernels",
        "SELECT count(*) OVER () FROM kernels LIMIT 1",
        "SELECT sum(dur_ns) FILTER (WHERE device = 0) FROM kernels",
        "SELECT count(*) FROM kernels JOIN ranks", "SELECT count(*) FROM kernels, ranks",
        "SELECT name FROM kernels GROUP BY name COLLATE NOCASE ORDER BY 1",
        "SELECT count(*) FROM kernels UNION SELECT 1",
        "SELECT count(*) FROM kernels WHERE name IN (SELECT name FROM ops)",
        "SELECT name, count(*) AS dur_ns FROM kernels GROUP BY name ORDER BY dur_ns, name",
        "SELECT * FROM kernels GROUP BY name ORDER BY id", "SELECT group_concat(device) FROM ranks",
        "SELECT \"name\", count(*) FROM kernels GROUP BY 1",
        "SELECT count(*) FROM (SELECT 1 FROM kernels)", "SELECT sum(DISTINCT dur_ns) FROM kernels",
        "SELECT count(*) FROM kernels WHERE arg(id, 'x') IS NULL",
        "SELECT name, count(*) FROM kernels GROUP BY id % 2, name ORDER BY 1, 2"}) {
    EXPECT_FALSE(both.agree(query)) << query;
  }
}

TEST(SqlGroups, scans_that_learn_the_limits_of_blocks_find_the_same_rows) {
  testing::HandMadeRun made;
  for (int i = 0; i < 20000; ++i) made.kernel("k", (i * 7919 % 20000) / 50 * 1000, i % 7);
  const auto session = testing::open_session(made.run());
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    const std::string low = std::to_string(random() % 420'000);
    const std::string range = low + " AND " + low + " + " + std::to_string(random() % 4000);
    const std::string begin = "SELECT id, dur_ns FROM slices WHERE ";
    ASSERT_EQ(ask(*session, begin + "ts_ns BETWEEN " + range + " AND dur_ns > 2 ORDER BY id"),
              ask(*session, begin + "+ts_ns BETWEEN " + range + " AND dur_ns > 2 ORDER BY id"));
  }
}

TEST(SqlGroups, rows_that_are_asked_for_directly_are_the_same) {
  testing::HandMadeRun made;
  const tactus::Run& run = testing::fill_varied(made, 6000);
  const auto session = testing::open_session(run);
  // The second form of each condition cannot be pushed down.
  for (const auto& [pushed, plain] : std::vector<std::pair<std::string, std::string>>{
           {"id = 17", "+id = 17"},
           {"id >= 5990", "+id >= 5990"},
           {"ts_ns < 90000.5", "+ts_ns < 90000.5"},
           {"ts_ns > '5990000'", "+ts_ns > 5990000"},
           {"name = 'gemm'", "+name = 'gemm'"},
           {"name IN ('gemm', '7')", "+name IN ('gemm', '7')"},
           {"name LIKE 'gemm_'", "+name LIKE 'gemm_'"},
           {"name GLOB '[a-g]*'", "+name GLOB '[a-g]*'"},
           {"device = 1", "+device = 1"},
           {"device IS NULL", "+device IS NULL"},
           {"name = 7", "+name = '7'"},
           {"name LIKE 'GEMM' AND ts_ns > 100 AND device IN (0, 1)",
            "+name LIKE 'GEMM' AND +ts_ns > 100 AND +device IN (0, 1)"}}) {
    EXPECT_EQ(ask(*session, "SELECT id FROM slices WHERE " + pushed + " ORDER BY id"),
              ask(*session, "SELECT id FROM slices WHERE " + plain + " ORDER BY id"))
        << pushed;
    EXPECT_EQ(ask(*session, "SELECT dur_ns FROM slices WHERE " + pushed +
                                " ORDER BY dur_ns DESC LIMIT 5 OFFSET 2"),
              ask(*session, "SELECT dur_ns FROM slices WHERE " + plain +
                                " ORDER BY +dur_ns DESC LIMIT 5 OFFSET 2"))
        << pushed;
  }
}

}  // namespace
}  // namespace tactus

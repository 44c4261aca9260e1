#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "sql/asked.h"

namespace tactus {
namespace {

using testing::ask;

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

/// Writes queries as people do, from a seed.
class QueryWriter {
 public:
  explicit QueryWriter(unsigned seed) : random_(seed) {}

  std::string query() {
    const std::string table = pick({"slices", "kernels", "copies", "slices"});
    std::vector<std::string> groups;
    if (chance(3)) groups.push_back(pick(keys(table)));
    if (chance(2) && !groups.empty()) groups.push_back(pick(keys(table)));
    std::vector<std::string> items = groups;
    const int sums = 1 + number(3);
    for (int i = 0; i < sums; ++i) items.push_back(sum());
    std::string sql = "SELECT " + join(items) + " FROM " + table;
    if (chance(2)) sql += " WHERE " + where(table);
    if (!groups.empty()) sql += " GROUP BY " + (chance(2) ? join(groups) : places(groups.size()));
    if (!groups.empty() && chance(1))
      sql += " HAVING " + sum() + " > " + std::to_string(number(60));
    if (chance(2)) {
      sql += " ORDER BY " + places(items.size()) + (chance(1) ? " DESC" : "");
      if (chance(2)) sql += " LIMIT " + std::to_string(number(8));
    }
    return sql;
  }

 private:
  int number(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  /// True in `parts` of four cases.
  bool chance(int parts) { return number(4) < parts; }
  std::string pick(const std::vector<std::string>& from) {
    return from[static_cast<std::size_t>(number(static_cast<int>(from.size())))];
  }
  static std::string join(const std::vector<std::string>& parts, const char* between = ", ") {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
    return text;
  }
  static std::string places(std::size_t count) {
    std::vector<std::string> parts;
    for (std::size_t i = 1; i <= count; ++i) parts.push_back(std::to_string(i));
    return join(parts);
  }

  static std::vector<std::string> keys(const std::string& table) {
    std::vector<std::string> keys = {
        "name",         "device",    "stream", "pid", "rank", "host", "substr(name, 1, 3)",
        "length(name)", "device + 1"};
    if (table == "slices") {
      for (const char* key : {"category", "kind", "track", "tid", "upper(category)"}) {
        keys.emplace_back(key);
      }
    }
    if (table == "kernels") keys.insert(keys.end(), {"short_name", "family", "launch_id"});
    return keys;
  }
  std::string sum() {
    return pick({"count(*)",
                 "COUNT(*)",
                 "sum(dur_ns)",
                 "avg(dur_ns)",
                 "min(dur_ns)",
                 "max(dur_ns)",
                 "min(ts_ns)",
                 "max(ts_ns)",
                 "total(dur_ns)",
                 "count(device)",
                 "count(dur_ns)",
                 "sum(dur_ns) / 1e6",
                 "sum(dur_ns) / count(*)",
                 "min(name)",
                 "max(name)",
                 "count(DISTINCT name)",
                 "count(DISTINCT device)",
                 "round(avg(dur_ns), 1)",
                 "sum(ts_ns)",
                 "max(dur_ns) - min(dur_ns)",
                 "coalesce(sum(dur_ns), -1)",
                 "avg(ts_ns)",
                 "sum(dur_ns + 0)"});
  }
  std::string where(const std::string& table) {
    std::vector<std::string> terms;
    const int count = 1 + number(3);
    for (int i = 0; i < count; ++i) terms.push_back(term(table));
    return join(terms, chance(3) ? " AND " : " OR ");
  }
  std::string term(const std::string& table) {
    const std::string n = std::to_string(number(4'000'000));
    std::vector<std::string> terms = {"ts_ns >= " + n,
                                      "ts_ns < " + n,
                                      n + " > ts_ns",
                                      "dur_ns > " + n + " / 100",
                                      "ts_ns BETWEEN " + n + " AND " + n + " + 500000",
                                      "dur_ns = 0",
                                      "dur_ns > 1234.5",
                                      "dur_ns <= -1",
                                      "ts_ns > 9e18",
                                      "ts_ns < 9.3e18",
                                      "dur_ns > '50000'",
                                      "dur_ns <> 0",
                                      "name = 'gemm'",
                                      "name LIKE 'GEMM%'",
                                      "name LIKE '%\\%' ESCAPE '\\'",
                                      "name GLOB 'g*'",
                                      "name IN ('gemm', '7', 'x')",
                                      "name NOT IN ('gemm')",
                                      "name = 7",
                                      "name <> 'gemm'",
                                      "name > 'h'",
                                      "device = 1",
                                      "device IS NULL",
                                      "device IS NOT NULL",
                                      "device IN (0, 2)",
                                      "device > 0.5",
                                      "rank IS NULL",
                                      "stream = '7'",
                                      "NOT (device = 0)",
                                      "device + stream > 8",
                                      "name LIKE '%max' OR name = ''",
                                      "(name = 'gemm' OR device = 1)",
                                      "length(name) > 4"};
    if (table == "slices") {
      terms.insert(terms.end(), {"category = 'kernel'", "kind IN ('kernel', 'gpu_memcpy')",
                                 "category LIKE 'CPU%'", "track = 1"});
    }
    return pick(terms);
  }

  std::mt19937 random_;
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

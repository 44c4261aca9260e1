#pragma once

#include <random>
#include <string>
#include <vector>

namespace tactus::testing {

/// Writes queries as people do, from a seed.
class QueryWriter {
 public:
  explicit QueryWriter(unsigned seed) : random_(seed) {}

  std::string query() { return chance(1) ? join_query() : table_query(); }

 private:
  std::string table_query() {
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

  /// Tables that are looked up by id, in either order.
  std::string join_query() {
    const std::string link =
        pick({"slices c JOIN slices p ON p.id = c.parent_id",
              "slices p INNER JOIN slices c ON c.parent_id = p.id",
              "kernels c JOIN ops AS p ON p.id = c.op_id AND c.dur_ns > 900",
              "kernels c JOIN slices p ON c.launch_id = p.id",
              "launches c JOIN kernels p ON p.id = c.kernel_id",
              "ops c JOIN ops p ON p.id = c.parent_id JOIN slices g ON g.id = p.parent_id",
              "slices c LEFT JOIN slices p ON p.id = c.parent_id",
              "slices c JOIN slices p ON p.id = c.id",
              "slices c JOIN ops p ON p.id = c.parent_id AND p.dur_ns > c.dur_ns"});
    const std::string key = pick({"p.name", "c.name", "p.name, c.name", "p.rank",
                                  "substr(p.name, 1, 3)", "p.pid", "c.name || p.name"});
    std::string sql = "SELECT " + key + ", count(*)";
    for (int i = number(3); i > 0; --i) {
      sql += ", " + pick({"sum(c.dur_ns)", "max(p.dur_ns)", "sum(p.dur_ns) / count(*)",
                          "median(c.dur_ns)", "percentile(p.dur_ns, 99)", "min(p.name)",
                          "count(DISTINCT c.name)", "avg(p.ts_ns)", "count(p.name)"});
    }
    sql += " FROM " + link;
    if (chance(2)) {
      sql += " WHERE " + pick({"p.name = 'gemm'", "p.dur_ns > 50000", "c.ts_ns < 3000000",
                               "p.name LIKE 'g%' AND c.dur_ns BETWEEN 10 AND 60000",
                               "p.name <> c.name", "p.pid = 1", "p.ts_ns + 1 > c.ts_ns"});
    }
    sql += " GROUP BY " + key;
    if (chance(1)) sql += " HAVING count(*) > " + std::to_string(number(20));
    if (chance(2)) sql += " ORDER BY 2, 1" + std::string(chance(1) ? " DESC" : "");
    return sql;
  }

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
                 "sum(dur_ns + 0)",
                 "median(dur_ns)",
                 "percentile(dur_ns, 99)",
                 "percentile(ts_ns, 12.5)",
                 "percentile(dur_ns, 100) - percentile(dur_ns, (2 - 1) * 5)",
                 "round(median(dur_ns) / 1e3, 2)",
                 "percentile(dur_ns, length(name))"});
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

}  // namespace tactus::testing

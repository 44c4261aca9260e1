// Asks a run queries and prints times and answers. usage: ask_run RUN QUERIES.sql [ROUNDS] [--rows]
// A query begins with a line "-- name" and ends with a semicolon. --rows: row by row, without sums
// from columns. Every round asks anew; what a session works out once (distinct names, steps) is
// part of the first round only, which is printed by itself.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string_view>

#include "run/args/arg_json.h"
#include "sources/sources.h"
#include "sql/session.h"

namespace {

using namespace tactus;

/// Keeps the answer as JSON.
class Answer final : public sql::RowSink {
 public:
  Status begin(const std::vector<std::string>&) override {
    json = "[";
    return {};
  }
  Status row(std::span<const sql::Cell> cells) override {
    json += json.size() > 1 ? ",[" : "[";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i != 0) json += ',';
      switch (cells[i].type) {
        case sql::Cell::Type::kNull: json += "null"; break;
        case sql::Cell::Type::kInteger: json += std::to_string(cells[i].integer); break;
        case sql::Cell::Type::kReal: json += fmt::format("{}", cells[i].real); break;
        case sql::Cell::Type::kText: append_json_string(json, cells[i].text); break;
      }
    }
    json += ']';
    return {};
  }

  std::string json = "[";
};

struct Times {
  double wall = 0;
  double processor = 0;
};

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void ask(sql::Session& session, std::string_view name, const std::string& query, int rounds) {
  Times first, best{.wall = 1e9, .processor = 1e9};
  Answer answer;
  // The clock and the caches disturb short queries: those are asked more often.
  constexpr double kLeastTime = 0.2;  // [s]
  constexpr int kMostRounds = 1000;
  double spent = 0;
  for (int round = 0; round < rounds || (spent < kLeastTime && round < kMostRounds); ++round) {
    const auto begin = std::chrono::steady_clock::now();
    const double cpu = processor_seconds();
    if (const Status status = session.run(query, answer); !status) {
      fmt::print(stderr, "{}: {}\n", name, status.error().message);
      std::exit(1);
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    const Times times{.wall = seconds.count(), .processor = processor_seconds() - cpu};
    spent += times.wall;
    if (round == 0) first = times;
    best.wall = std::min(best.wall, times.wall);
    best.processor = std::min(best.processor, times.processor);
  }
  fmt::print(
      "{{\"query\":\"{}\",\"first\":{:.6f},\"seconds\":{:.6f},\"cpu\":{:.6f},"
      "\"from_columns\":{},\"rows\":{}]}}\n",
      name, first.wall, best.wall, best.processor, session.used_columns(), answer.json);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  int rounds = 5;
  sql::SessionOptions options{.timeout_s = 600, .threads = 2};
  for (int i = 3; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--rows") {
      options.groups_columns = false;
    } else if (std::string_view(argv[i]) == "--one-thread") {
      options.threads = 1;
    } else {
      rounds = std::max(1, std::atoi(argv[i]));
    }
  }
  NoProgress progress;
  ImportRequest request;
  request.inputs = {argv[1]};
  request.threads = 2;
  const Result<Imported> imported = open_or_import(request, progress);
  if (!imported) {
    fmt::print(stderr, "{}\n", imported.error().message);
    return 2;
  }
  const auto session = sql::Session::open(imported->run, options);
  if (!session) return 2;
  std::ifstream file(argv[2]);
  std::string name, query;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("-- ")) {
      name = line.substr(3);
    } else if (!line.empty()) {
      query += line + "\n";
      if (!line.ends_with(';')) continue;
      ask(**session, name, query, rounds);
      query.clear();
    }
  }
}

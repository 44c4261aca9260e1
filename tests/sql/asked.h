#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "sql/session.h"
#include "support/hand_made_run.h"

namespace tactus::testing {

/// An answer as lines of text: "integer:5|text:abc|null".
class TextRows final : public sql::RowSink {
 public:
  Status begin(const std::vector<std::string>& names) override {
    columns = names;
    return {};
  }
  Status row(std::span<const sql::Cell> cells) override {
    std::string line;
    for (const sql::Cell& cell : cells) {
      if (!line.empty()) line += "|";
      switch (cell.type) {
        case sql::Cell::Type::kNull: line += "null"; break;
        case sql::Cell::Type::kInteger: line += fmt::format("integer:{}", cell.integer); break;
        case sql::Cell::Type::kReal: line += fmt::format("real:{}", cell.real); break;
        case sql::Cell::Type::kText: line += "text:" + std::string(cell.text); break;
      }
    }
    rows.push_back(line);
    return {};
  }

  std::vector<std::string> columns;
  std::vector<std::string> rows;
};

/// The rows of an answer, or "error: ..." as the only one.
inline std::vector<std::string> ask(sql::Session& session, const std::string& query) {
  TextRows rows;
  const Status status = session.run(query, rows);
  if (!status) return {"error: " + status.error().message};
  return rows.rows;
}

inline std::unique_ptr<sql::Session> open_session(const Run& run,
                                                  sql::SessionOptions options = {}) {
  return std::move(*sql::Session::open(run, options));
}

/// A few thousand slices with names, devices, ranks and odd values, so that columns have full
/// blocks and NULLs.
inline Run& fill_varied(HandMadeRun& made, int slices) {
  std::uint64_t state = 88172645463325252U;
  const auto next = [&](std::uint64_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<std::int64_t>(state % below);
  };
  const std::vector<std::string> names = {"gemm",     "Gemm", "ncclAllReduce", "softmax%",
                                          "soft_max", "",     "a'b",           "7",
                                          "7.0",      "ünï",  "gemm2",         "GEMM 3"};
  for (int i = 0; i < slices; ++i) {
    const std::string& name = names[static_cast<std::size_t>(next(names.size()))];
    const std::int64_t start = i * 1000 + next(500);
    const std::int64_t dur = next(20) == 0 ? 0 : next(100'000);
    switch (next(5)) {
      case 0: made.host("cpu_op", name, start, dur, 1 + next(3)); break;
      case 1: made.host("cuda_runtime", "cudaLaunchKernel", start, dur); break;
      case 2: made.device("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", start, dur); break;
      default: made.kernel(name, start, dur, next(3), 7 + next(2)); break;
    }
  }
  return made.run();
}

}  // namespace tactus::testing

#include <string>

#include "base/check.h"
#include "run/builder.h"
#include "run/identity.h"
#include "sql/session.h"
#include "support.h"

namespace {

using namespace tactus;

/// Keeps what it is shown.
class Rows final : public sql::RowSink {
 public:
  Status begin(const std::vector<std::string>& columns) override {
    text += std::to_string(columns.size()) + "\n";
    return {};
  }
  Status row(std::span<const sql::Cell> cells) override {
    for (const sql::Cell& cell : cells) {
      text += std::to_string(static_cast<int>(cell.type)) + std::to_string(cell.integer) + "|";
    }
    text += "\n";
    // An endless answer must not fill the memory.
    return text.size() < (1 << 20) ? Status() : Status(broke_error("enough"));
  }

  std::string text;
};

Run& small_run() {
  static RunBuilder* builder = [] {
    auto* made = new RunBuilder;
    made->begin_source("fuzz.json", "kineto");
    for (int i = 0; i < 40; ++i) {
      const ThreadId thread = made->thread(made->process(made->ident(i % 2)), made->ident(i % 3));
      const TrackId track = made->track(thread, i % 2 == 0);
      made->run().slices.append(i * 10, i % 7, made->intern(i % 5 == 0 ? "gemm" : "add"),
                                track.value, made->category(i % 2 == 0 ? "kernel" : "cpu_op").value,
                                ShapeId(0));
    }
    resolve_identity(made->run());
    return made;
  }();
  return builder->run();
}

}  // namespace

// Any query ends, with rows or an error; and where both ways work, from columns and row by row,
// they end alike.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  const std::string query(reinterpret_cast<const char*>(data), size);
  static const auto fast = std::move(
      *sql::Session::open(small_run(), {.timeout_s = 0.5, .memory_bytes = 64 << 20, .threads = 1}));
  static const auto plain = std::move(*sql::Session::open(
      small_run(),
      {.timeout_s = 0.5, .memory_bytes = 64 << 20, .threads = 1, .groups_columns = false}));
  Rows from_columns, row_by_row;
  const Status a = fast->run(query, from_columns);
  if (!fast->used_columns()) return 0;
  const Status b = plain->run(query, row_by_row);
  CHECK(bool(a) == bool(b) || !b);
  const bool is_ordered =
      query.find("imit") == std::string::npos && query.find("IMIT") == std::string::npos;
  if (a && b && is_ordered) CHECK(from_columns.text.size() == row_by_row.text.size());
  return 0;
}

#include "sql/functions.h"

#include <new>
#include <vector>

#include "sql/groups/percentiles.h"
#include "sql/tables/column_makers.h"
#include "sql/virtual_table.h"

namespace tactus::sql {
namespace {

void arg_function(sqlite3_context* context, int, sqlite3_value** values) {
  const auto& run = *static_cast<const Run*>(sqlite3_user_data(context));
  const bool is_asked = sqlite3_value_type(values[0]) == SQLITE_INTEGER &&
                        sqlite3_value_type(values[1]) == SQLITE_TEXT;
  const auto row = static_cast<std::uint64_t>(sqlite3_value_int64(values[0]));
  if (!is_asked || row >= run.slices.size()) return sqlite3_result_null(context);
  try {
    std::string buffer;
    const auto* key = reinterpret_cast<const char*>(sqlite3_value_text(values[1]));
    set_result(context, arg_of(run, row, key == nullptr ? "" : key, buffer), buffer);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

/// The numbers of one group.
struct Sample {
  std::vector<double>* numbers = nullptr;
  double percent = 50;
};

void add_to_sample(sqlite3_context* context, int count, sqlite3_value** values) {
  auto* sample = static_cast<Sample*>(sqlite3_aggregate_context(context, sizeof(Sample)));
  if (sample == nullptr) return sqlite3_result_error_nomem(context);
  try {
    if (sample->numbers == nullptr) {
      sample->numbers = new std::vector<double>;
      sample->percent = count > 1 ? sqlite3_value_double(values[1]) : 50;
    }
    if (!(sample->percent >= 0 && sample->percent <= 100)) {
      return sqlite3_result_error(context, kWrongPercent, -1);
    }
    const int type = sqlite3_value_numeric_type(values[0]);
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return;
    if (sample->numbers->size() >= kMostNumbers) {
      return sqlite3_result_error(context, "too many numbers for percentile()", -1);
    }
    sample->numbers->push_back(sqlite3_value_double(values[0]));
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

void finish_sample(sqlite3_context* context) {
  auto* sample = static_cast<Sample*>(sqlite3_aggregate_context(context, 0));
  if (sample == nullptr || sample->numbers == nullptr) return sqlite3_result_null(context);
  std::vector<double>& numbers = *sample->numbers;
  if (numbers.empty()) {
    sqlite3_result_null(context);
  } else {
    sqlite3_result_double(context, percentile_of(numbers, sample->percent));
  }
  delete sample->numbers;
  sample->numbers = nullptr;
}

}  // namespace

int add_functions(sqlite3* database, const Run& run) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  int rc = sqlite3_create_function_v2(database, "arg", 2, kFlags, const_cast<Run*>(&run),
                                      arg_function, nullptr, nullptr, nullptr);
  if (rc != SQLITE_OK) return rc;
  rc = sqlite3_create_function_v2(database, "percentile", 2, kFlags, nullptr, nullptr,
                                  add_to_sample, finish_sample, nullptr);
  if (rc != SQLITE_OK) return rc;
  return sqlite3_create_function_v2(database, "median", 1, kFlags, nullptr, nullptr, add_to_sample,
                                    finish_sample, nullptr);
}

}  // namespace tactus::sql

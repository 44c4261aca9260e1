#include "sql/groups/percentiles.h"

#include <new>

namespace tactus::sql {
namespace {

/// The groups of the small table that are one group of the query.
struct AskedGroups {
  std::vector<std::size_t>* places = nullptr;  ///< in GroupNumbers
  double percent = 50;
};

void add_group(sqlite3_context* context, int, sqlite3_value** values) {
  const auto& groups = *static_cast<const GroupNumbers*>(sqlite3_user_data(context));
  auto* asked = static_cast<AskedGroups*>(sqlite3_aggregate_context(context, sizeof(AskedGroups)));
  if (asked == nullptr) return sqlite3_result_error_nomem(context);
  const auto place = static_cast<std::uint64_t>(sqlite3_value_int64(values[0])) * groups.width +
                     static_cast<std::uint64_t>(sqlite3_value_int64(values[1]));
  if (place >= groups.numbers.size()) return sqlite3_result_error(context, "no such group", -1);
  try {
    if (asked->places == nullptr) {
      asked->places = new std::vector<std::size_t>;
      asked->percent = sqlite3_value_double(values[2]);
    }
    if (!(asked->percent >= 0 && asked->percent <= 100)) {
      return sqlite3_result_error(context, kWrongPercent, -1);
    }
    asked->places->push_back(place);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

void finish_groups(sqlite3_context* context) {
  auto& groups = *static_cast<GroupNumbers*>(sqlite3_user_data(context));
  auto* asked = static_cast<AskedGroups*>(sqlite3_aggregate_context(context, 0));
  if (asked == nullptr || asked->places == nullptr) return sqlite3_result_null(context);
  try {
    NumberList joined;
    NumberList* numbers = &joined;
    if (asked->places->size() == 1) {
      numbers = &groups.numbers[asked->places->front()];
    } else {
      for (const std::size_t place : *asked->places) {
        joined.add(groups.numbers[place]);
      }
    }
    if (numbers->empty()) {
      sqlite3_result_null(context);
    } else {
      sqlite3_result_double(context, numbers->percentile(asked->percent));
    }
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
  delete asked->places;
  asked->places = nullptr;
}

}  // namespace

double NumberList::percentile(double percent) {
  if (large_.empty()) return percentile_of(small_, percent);
  large_.insert(large_.end(), small_.begin(), small_.end());
  small_.clear();
  return percentile_of(large_, percent);
}

int add_percentile_function(sqlite3* database, GroupNumbers& groups) {
  return sqlite3_create_function_v2(database, kPercentileFunction.data(), 3, SQLITE_UTF8, &groups,
                                    nullptr, add_group, finish_groups, nullptr);
}

}  // namespace tactus::sql

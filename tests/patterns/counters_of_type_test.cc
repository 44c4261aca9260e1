#include "patterns/counters_of_type.h"

#include <gtest/gtest.h>

#include "counters/counter_table.h"

namespace tactus {
namespace {

TEST(CountersOfType, are_all_in_the_counter_table) {
  for (std::size_t type = 0; type <= kFunctionTypes; ++type) {
    for (const std::string_view counter : counters_of(static_cast<FunctionType>(type))) {
      EXPECT_NE(find_counter(counter), nullptr) << counter;
    }
  }
}

}  // namespace
}  // namespace tactus

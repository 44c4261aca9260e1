#include <gtest/gtest.h>

#include <limits>

#include "kernels/table/model_table.h"

namespace tactus {
namespace {

using testing::NamedTable;
using testing::seed_table;
using testing::table_of;

TEST(TableChecks, find_nothing_in_a_table_that_adds_up) {
  EXPECT_TRUE(inconsistencies(table_of({}).table).empty());
  EXPECT_TRUE(inconsistencies({}).empty());
}

TEST(TableChecks, name_the_line_and_what_is_wrong) {
  NamedTable made = table_of({});
  made.table.rows[0].time_pct += 0.2;
  made.table.rows[1].avg_ns /= 2;
  made.table.rows[2].med_ns = *made.table.rows[2].max_ns + 1;
  const auto found = inconsistencies(made.table);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_TRUE(found[0].starts_with("Line 2 ")) << found[0];
  EXPECT_NE(found[0].find("share"), std::string::npos);
  EXPECT_NE(found[1].find("instances of 1000000 ns"), std::string::npos) << found[1];
  EXPECT_NE(found[2].find("not in this order"), std::string::npos);
}

TEST(TableChecks, say_all_that_is_wrong_with_a_row_in_one_sentence) {
  NamedTable made = table_of({});
  made.table.rows[0].time_pct += 1;
  made.table.rows[0].min_ns = -1;
  made.table.rows[0].line = 0;
  const auto found = inconsistencies(made.table);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].starts_with("Row 1 ")) << found[0];
  EXPECT_NE(found[0].find("negative"), std::string::npos);
  EXPECT_NE(found[0].find("share"), std::string::npos);
}

TEST(TableChecks, do_not_miss_columns_that_a_table_does_not_have) {
  NamedTable made = table_of({});
  for (KernelRow& row : made.table.rows) row.max_ns = row.min_ns = std::nullopt, row.time_pct = 0;
  EXPECT_TRUE(inconsistencies(made.table).empty());
}

TEST(TableChecks, survive_what_does_not_fit) {
  NamedTable made = table_of({});
  made.table.rows[0].total_ns = std::numeric_limits<std::int64_t>::min();
  made.table.rows[1].instances = std::numeric_limits<std::int64_t>::max();
  made.table.rows[1].avg_ns = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(inconsistencies(made.table).size(), 2U);
}

TEST(TableChecks, find_nothing_in_the_seeds) {
  for (const char* file : {testing::kSeed001, testing::kSeed002}) {
    const auto seed = seed_table(file);
    if (!seed) GTEST_SKIP() << "the seeds are not here";
    EXPECT_TRUE(inconsistencies(seed->table).empty()) << file;
  }
}

}  // namespace
}  // namespace tactus

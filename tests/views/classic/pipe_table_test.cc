// What is expected here is what Python's tabulate 0.8.9 writes.
#include "views/classic/pipe_table.h"

#include <gtest/gtest.h>

namespace tactus {
namespace {

TEST(PipeTable, sets_numbers_anew_and_leaves_text_alone) {
  PipeTable table({"Function", "Δβ(%)", "Score", "Δμ", "p", "μ", "n"});
  table.add({"f<int, 4>", "+2.36", "0.0000", "24786500000000.00", "nan", "159,300.00", "1"});
  table.add({"g", "-0.00", "92878.5107", "1.50", "0.500", "85.70", "12"});
  EXPECT_EQ(table.to_text(),
            "| Function   |   Δβ(%) |   Score |          Δμ |     p | μ          |   n |\n"
            "|:-----------|--------:|--------:|------------:|------:|:-----------|----:|\n"
            "| f<int, 4>  |    2.36 |     0   | 2.47865e+13 | nan   | 159,300.00 |   1 |\n"
            "| g          |   -0    | 92878.5 | 1.5         |   0.5 | 85.70      |  12 |\n");
}

TEST(PipeTable, groups_the_numbers_of_a_column_that_has_only_numbers) {
  PipeTable table({"Rank", "normal Time (us)", "Δ (us)"}, PipeTable::Numbers::kGrouped);
  table.add({"1", "712051.0", "801,507.75"});
  table.add({"2", "999.5", "-"});
  EXPECT_EQ(table.to_text(),
            "|   Rank |   normal Time (us) | Δ (us)     |\n"
            "|-------:|-------------------:|:-----------|\n"
            "|      1 |      712,051.00    | 801,507.75 |\n"
            "|      2 |             999.50 | -          |\n");
}

TEST(PipeTable, counts_digits_behind_an_exponent_too) {
  PipeTable table({"a", "i"});
  table.add({"1e+16", "+5"});
  table.add({"2.5", "-3"});
  EXPECT_EQ(table.to_text(),
            "|     a |   i |\n"
            "|------:|----:|\n"
            "| 1e+16 |  +5 |\n"
            "| 2.5   |  -3 |\n");
}

TEST(PipeTable, without_rows_has_its_head_only) {
  EXPECT_EQ(PipeTable({"a", "b"}).to_text(), "| a   | b   |\n|-----|-----|\n");
}

TEST(PipeTable, keeps_every_row_on_one_line) {
  PipeTable table({"a"});
  table.add({"two\r\nlines"});
  EXPECT_EQ(table.to_text(), "| a          |\n|:-----------|\n| two  lines |\n");
}

TEST(NumberText, is_that_of_python) {
  EXPECT_EQ(shortest_text(762219), "762219.0");
  EXPECT_EQ(shortest_text(1001081.25), "1001081.25");
  EXPECT_EQ(shortest_text(0.1), "0.1");
  EXPECT_EQ(grouped_text(0), "0.00");
  EXPECT_EQ(grouped_text(999.999), "1,000.00");
  EXPECT_EQ(grouped_text(-592879.354), "-592,879.35");
  EXPECT_EQ(grouped_text(-100), "-100.00");
  EXPECT_EQ(grouped_text(25621652757655.68), "25,621,652,757,655.68");
}

}  // namespace
}  // namespace tactus

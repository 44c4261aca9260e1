#include "views/common/text_table.h"

#include <gtest/gtest.h>

#include <set>

namespace tactus {
namespace {

TEST(TextTable, leaves_out_the_least_important_columns_if_it_is_narrow) {
  TextTable table({"Time", "Total", "Max", "Name"});
  table.set_ranks({0, 1, 2, 0});
  table.add({"1.0%", "10.000 ms", "99.000 ms", "a_kernel_with_a_name_that_is_quite_long_already"});
  EXPECT_EQ(table.to_text(80),
            "Time      Total        Max  Name\n"
            "1.0%  10.000 ms  99.000 ms  a_kernel_with_a_name_that_is_quite_long_already\n");
  EXPECT_EQ(table.to_text(50),
            "Time      Total  Name\n"
            "1.0%  10.000 ms  a_kernel_with_a_name_that_is_qui…\n");
  EXPECT_EQ(table.to_text(40),
            "Time  Name\n"
            "1.0%  a_kernel_with_a_name_that_is_quit…\n");
}

TEST(TextTable, wraps_a_last_column_of_sentences) {
  TextTable table({"N", "What"});
  table.wrap_last();
  table.add({"1", "a sentence that is long, and then goes on"});
  table.add({"12", "short"});
  EXPECT_EQ(table.to_text(28),
            " N  What\n"
            " 1  a sentence that is long,\n"
            "    and then goes on\n"
            "12  short\n");
  EXPECT_EQ(table.to_text(0),
            " N  What\n"
            " 1  a sentence that is long, and then goes on\n"
            "12  short\n");
}

TEST(ShortenApart, shows_where_texts_begin_to_differ) {
  EXPECT_EQ(shorten_apart({"one_common_beginning_left", "one_common_beginning_right", "two"}, 20),
            (std::vector<std::string>{"one_common_begi…left", "one_common_beg…right", "two"}));
  const std::vector<std::string> pairs = shorten_apart(
      {"a_long_beginning_x_and_more_1_and_an_end", "a_long_beginning_x_and_more_2_and_an_end",
       "a_long_beginning_y_and_more_1_and_an_end", "a_long_beginning_y_and_more_2_and_an_end"},
      20);
  EXPECT_EQ(std::set<std::string>(pairs.begin(), pairs.end()).size(), 4u);
  EXPECT_EQ(shorten_apart({"short", "texts"}, 20), (std::vector<std::string>{"short", "texts"}));
  EXPECT_EQ(shorten_apart({"the same text twice is fine", "the same text twice is fine"}, 20),
            (std::vector<std::string>{"the same text twice…", "the same text twice…"}));
}

}  // namespace
}  // namespace tactus

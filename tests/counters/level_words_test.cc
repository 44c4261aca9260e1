#include "counters/level_words.h"

#include <gtest/gtest.h>

namespace tactus {
namespace {

TEST(LevelWords, have_the_unit_that_people_use) {
  EXPECT_EQ(level_words(6.414, "%"), "6.41%");
  EXPECT_EQ(level_words(1980, "MHz"), "1980 MHz");
  EXPECT_EQ(level_words(3.02e9, "bytes/s"), "3.02 GB/s");
  EXPECT_EQ(level_words(0, "bytes"), "0 bytes");
  EXPECT_EQ(level_words(2.5e20, "bytes"), "2.5e+05 PB");
  EXPECT_EQ(level_words(0.25, ""), "0.25");
}

TEST(LevelWords, of_a_move_name_the_factor_where_it_is_that_of_the_levels) {
  EXPECT_EQ(move_words(false, 3500, 980, "MHz"), "fell from 3500 MHz to 980 MHz");
  EXPECT_EQ(move_words(true, 0, 3.02e9, "bytes/s"), "rose from 0 bytes/s to 3.02 GB/s");
  EXPECT_EQ(move_words(true, 1.1e7, 6e10, "bytes/s"), "rose from 11 MB/s to 60 GB/s");
}

}  // namespace
}  // namespace tactus

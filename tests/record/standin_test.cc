#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "support/paths.h"

namespace tactus {
namespace {

TEST(Standin, does_what_the_driver_does) {
  const std::string command =
      "LD_LIBRARY_PATH=" TACTUS_STANDIN " " TACTUS_TEST_PROGRAMS "/standin_check 2>&1";
  FILE* output = popen(command.c_str(), "r");
  ASSERT_NE(output, nullptr);
  std::string text;
  for (int c = std::fgetc(output); c != EOF; c = std::fgetc(output)) {
    text += static_cast<char>(c);
  }
  EXPECT_EQ(pclose(output), 0);
  EXPECT_EQ(text, "ok\n");
}

}  // namespace
}  // namespace tactus

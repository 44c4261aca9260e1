// The text of the judge's kernels, as the driver gets it.
#include "bench/device/judge_kernels.h"

#include <gtest/gtest.h>

#include <string>

namespace tactus {
namespace {

std::string kernel_text(std::string_view name) {
  const std::string_view all = judge_kernels_ptx();
  const std::size_t begin = all.find("entry " + std::string(name) + "(");
  if (begin == std::string_view::npos) return {};
  return std::string(all.substr(begin, all.find("\n}", begin) - begin));
}

TEST(JudgeKernels, are_all_there) {
  for (const char* name : {"judge_empty", "judge_copy", "judge_read", "judge_refresh"}) {
    EXPECT_NE(kernel_text(name), "") << name;
  }
}

// A compiler that sees through a kernel leaves it empty, and calls would be timed with warm caches.
TEST(JudgeKernels, really_read_and_write_memory) {
  EXPECT_NE(kernel_text("judge_read").find("ld.global"), std::string::npos);
  EXPECT_NE(kernel_text("judge_copy").find("ld.global"), std::string::npos);
  EXPECT_NE(kernel_text("judge_copy").find("st.global"), std::string::npos);
  EXPECT_NE(kernel_text("judge_refresh").find("st.global"), std::string::npos);
}

TEST(JudgeKernels, can_be_read_by_old_drivers) {
  EXPECT_EQ(judge_kernels_ptx().substr(0, 12), ".version 7.0");
}

}  // namespace
}  // namespace tactus

#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace tactus {
namespace {

TEST(ParallelFor, makes_every_call_once) {
  std::vector<std::atomic<int>> calls(1000);
  parallel_for(4, calls.size(), [&](std::size_t i, unsigned) { ++calls[i]; });
  for (const std::atomic<int>& count : calls) EXPECT_EQ(count, 1);
}

TEST(ParallelFor, hands_an_exception_to_the_caller_whichever_thread_threw_it) {
  for (const unsigned threads : {1U, 2U, 4U}) {
    for (const std::size_t bad : {0U, 1U, 500U, 999U}) {
      EXPECT_THROW(parallel_for(threads, 1000,
                                [&](std::size_t i, unsigned) {
                                  if (i == bad) throw std::runtime_error("bad");
                                }),
                   std::runtime_error);
    }
  }
}

}  // namespace
}  // namespace tactus

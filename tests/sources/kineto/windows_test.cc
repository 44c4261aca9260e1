// The same run comes out for any number of threads and any size of windows.
#include <gtest/gtest.h>

#include "run/tact/tact_file.h"
#include "sources/kineto/kineto.h"
#include "support/files.h"
#include "support/run_text.h"
#include "support/sample_trace.h"

namespace tactus {
namespace {

using testing::TemporaryFolder;

/// A run as the bytes of its file, which differ if anything does.
std::string file_of(const std::string& input, const kineto::ReadOptions& options) {
  const TemporaryFolder folder;
  Result<std::unique_ptr<InputBytes>> bytes = InputBytes::open(input);
  RunBuilder builder;
  NoProgress progress;
  EXPECT_TRUE(kineto::import(**bytes, options, builder, progress));
  Run run = builder.finish();
  EXPECT_TRUE(write_run(run, folder.file("run.tact"), false, 1, progress));
  return testing::read_file(folder.file("run.tact"));
}

TEST(KinetoWindows, give_the_same_run_for_any_size_and_number_of_threads) {
  const TemporaryFolder folder;
  const std::string input = folder.write("trace.json", testing::sample_trace(40));
  const std::string expected = file_of(input, {.threads = 1, .window_bytes = 1 << 20});
  for (const std::size_t window : {64U, 333U, 1000U, 4096U, 50'000U}) {
    for (const unsigned threads : {1U, 2U, 4U}) {
      EXPECT_TRUE(file_of(input, {.threads = threads, .window_bytes = window}) == expected)
          << window << " bytes, " << threads << " threads";
    }
  }
}

TEST(KinetoWindows, do_not_matter_for_broken_traces_either) {
  const std::string whole = testing::sample_trace(4);
  for (const std::size_t size : {whole.size() / 3, whole.size() / 2, whole.size() - 30}) {
    const TemporaryFolder folder;
    const std::string input =
        folder.write("trace.json", whole.substr(0, size) + R"(, {"x": ]]] "}, {"ph": )");
    const std::string expected = file_of(input, {.threads = 1, .window_bytes = 1 << 20});
    for (const std::size_t window : {64U, 1000U}) {
      EXPECT_TRUE(file_of(input, {.threads = 3, .window_bytes = window}) == expected) << size;
    }
  }
}

TEST(KinetoWindows, do_not_matter_for_a_recorded_trace) {
  const auto input = testing::shared_file("data/traces/with_stack.json.gz");
  if (!input) GTEST_SKIP() << "the shared traces are not here";
  const std::string expected = file_of(*input, {.threads = 1, .window_bytes = 16 << 20});
  EXPECT_TRUE(file_of(*input, {.threads = 2, .window_bytes = 1 << 20}) == expected);
  EXPECT_TRUE(file_of(*input, {.threads = 3, .window_bytes = 100'000}) == expected);
}

}  // namespace
}  // namespace tactus

#include <gtest/gtest.h>

#include "base/json.h"
#include "sources/sources.h"
#include "support/files.h"
#include "support/run_text.h"
#include "support/sample_trace.h"
#include "views/export/exports.h"

namespace tactus {
namespace {

using testing::run_lines;

std::string exported(const tactus::Run& run) {
  const testing::TemporaryFolder folder;
  Result<OutputFile> file = OutputFile::create(folder.file("trace.json"), false);
  EXPECT_TRUE(file);
  NoProgress progress;
  EXPECT_TRUE(write_chrome(run, {}, *file, progress));
  EXPECT_TRUE(file->commit());
  return testing::read_file(folder.file("trace.json"));
}

TEST(ChromeExport, read_back_gives_an_equal_run) {
  const auto run = testing::import_json(testing::sample_trace(20));
  const std::string text = exported(run);
  EXPECT_TRUE(Json::is_valid(text));
  EXPECT_EQ(run_lines(testing::import_json(text)), run_lines(run));
}

TEST(ChromeExport, escapes_names_that_would_break_the_text) {
  const auto run = testing::import_json(
      R"({"traceEvents":[{"ph":"X","name":"a\"b\\c\u0001\n</script>","pid":"p\t","tid":1,"ts":0,)"
      R"("dur":1,"args":{"k\"":"v\u0000"}}]})");
  const std::string text = exported(run);
  EXPECT_TRUE(Json::is_valid(text)) << text;
  EXPECT_EQ(run_lines(testing::import_json(text)), run_lines(run));
}

TEST(ChromeExport, of_recorded_traces_read_back_gives_equal_runs) {
  for (const char* name : {"traces/with_stack", "traces/compiled", "traces/cuda_graph",
                           "public/h100_qwen1.5", "public/mi300_bert", "public/b200_eager"}) {
    const auto input = testing::shared_file(std::string("data/") + name + ".json.gz");
    if (!input) GTEST_SKIP() << "the shared traces are not here";
    Result<std::unique_ptr<InputBytes>> bytes = InputBytes::open(*input);
    RunBuilder builder;
    NoProgress progress;
    ASSERT_TRUE(kineto::import(**bytes, {.threads = 2}, builder, progress));
    const auto run = builder.finish();
    const std::vector<std::string> expected = run_lines(run);
    const std::vector<std::string> lines = run_lines(testing::import_json(exported(run)));
    ASSERT_EQ(lines.size(), expected.size()) << name;
    for (std::size_t i = 0; i < lines.size(); ++i) ASSERT_EQ(lines[i], expected[i]) << name;
  }
}

TEST(ChromeExport, of_an_nsys_report_read_back_has_the_same_slices_and_stacks) {
  const auto input = testing::shared_file("data/public/nsys_cloverleaf.sqlite");
  if (!input) GTEST_SKIP() << "the shared traces are not here";
  NoProgress progress;
  const auto imported = import_run({.inputs = {*input}}, progress);
  ASSERT_TRUE(imported);
  const auto lines = [](const tactus::Run& run) {
    std::vector<std::string> kept = run_lines(run);
    // Where it was read from differs, and Kineto has no place for a host's name.
    std::erase_if(kept, [](const std::string& line) {
      return line.starts_with("source") || line.starts_with("process");
    });
    return kept;
  };
  const std::vector<std::string> expected = lines(imported->run);
  const std::vector<std::string> again = lines(testing::import_json(exported(imported->run)));
  ASSERT_EQ(again.size(), expected.size());
  for (std::size_t i = 0; i < again.size(); ++i) ASSERT_EQ(again[i], expected[i]);
}

}  // namespace
}  // namespace tactus

// Recordings with modules: our times are those that a script computes in another way.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "kernels/kernel_report.h"
#include "sources/sources.h"
#include "support/files.h"
#include "support/paths.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

class KnownModules : public ::testing::TestWithParam<const char*> {
 protected:
  /// Of the repository, or else of the shared data.
  static std::optional<std::string> path() {
    const fs::path own = fs::path(TACTUS_ROOT) / GetParam();
    return fs::exists(own) ? own.string() : testing::shared_file(GetParam());
  }
};

TEST_P(KnownModules, have_times_that_add_up) {
  const std::optional<std::string> trace = path();
  if (!trace) GTEST_SKIP() << GetParam() << " is not here";
  NoProgress progress;
  const Result<Imported> imported = import_run({.inputs = {*trace}}, progress);
  ASSERT_TRUE(imported) << imported.error().message;
  for (const bool unfold : {false, true}) {
    const KernelReport report =
        report_kernels(imported->run, {.by = GroupBy::kModule, .unfold = unfold});
    EXPECT_EQ(report.modules->evidence, ModuleEvidence::kFrames);
    std::int64_t self_ns = 0;
    std::int64_t roots_ns = 0;
    for (const ModuleRow& row : report.modules->rows) {
      self_ns += row.self_ns;
      if (row.depth == 0) roots_ns += row.total_ns;
    }
    EXPECT_EQ(self_ns, report.table.total_ns);
    EXPECT_EQ(roots_ns, report.table.total_ns);
  }
}

TEST_P(KnownModules, have_the_times_of_the_script) {
  const std::optional<std::string> trace = path();
  if (!trace) GTEST_SKIP() << GetParam() << " is not here";
  if (std::system("python3 -c 'import bisect; bisect.bisect([], 0, key=None)' 2>/dev/null") != 0) {
    GTEST_SKIP() << "there is no python3 of version 3.10 or later";
  }
  // Alone in a folder: the script does not know captures that lie beside a trace.
  const testing::TemporaryFolder folder;
  const fs::path alone = folder.path() / fs::path(*trace).filename();
  fs::copy_file(*trace, alone);
  const fs::path script = fs::path(TACTUS_ROOT) / "benchmarks" / "rivals" / "module_times.py";
  const std::string command =
      "python3 '" + script.string() + "' '" + alone.string() + "' '" + TACTUS_TOOL + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

INSTANTIATE_TEST_SUITE_P(All, KnownModules,
                         ::testing::Values("data/demo/h200-modules.json.gz",
                                           "data/traces/with_stack.json.gz",
                                           "data/public/b200_eager.json.gz",
                                           "data/public/h100_qwen1.5.json.gz",
                                           "data/public/mi300_bert.json.gz",
                                           "data/public/mi300_sglang_qwen3_prefilldecode.json.gz",
                                           "data/public/vllm_decode_graph.json.gz"));

}  // namespace
}  // namespace tactus

// Programs of the CUDA runtime on the stand-ins, alone and with the agent inside.
#include <gtest/gtest.h>

#include <map>

#include "record/recorded_program.h"
#include "run/tact/tact_file.h"
#include "support/files.h"
#include "support/paths.h"

namespace tactus {
namespace {

using testing::count_of;
using testing::program;
using testing::record_to;
using testing::run_command;
using testing::TemporaryFolder;

Run open_recording(const std::string& path) {
  Result<Run> run = open_run(path, 1);
  EXPECT_TRUE(run) << (run ? "" : run.error().message);
  return run ? std::move(*run) : Run();
}

/// Kernels that the device ran, by their grid.
std::map<std::string, std::size_t> kernels_by_grid(const Run& run) {
  std::map<std::string, std::size_t> kernels;
  for (std::size_t row = 0; row < run.slices.size(); ++row) {
    const auto grid = run.arg(run.slices, row, "grid");
    if (!grid || !run.arg(run.slices, row, "registers per thread")) continue;
    ++kernels[std::string(run.strings[StringId(static_cast<std::uint64_t>(grid->raw))])];
  }
  return kernels;
}

TEST(StandinRuntime, does_what_the_runtime_does) {
  const testing::Ended ended = run_command(program("runtime check"));
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out, "ok\n");
}

TEST(StandinRuntime, a_recording_has_launches_captures_and_graphs) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_command(record_to(folder.file("run.tact")) + program("runtime check")).out, "ok\n");
  const auto run = open_recording(folder.file("run.tact"));
  EXPECT_EQ(count_of(run, "cuLaunchKernel"), 1u + 4 + 4 + 5);
  EXPECT_EQ(count_of(run, "cuGraphLaunch"), 11u);
  EXPECT_EQ(count_of(run, "cuMemcpy2DAsync"), 1u);
}

TEST(StandinRuntime, a_graph_that_was_updated_has_its_new_kernels) {
  const TemporaryFolder folder;
  run_command(record_to(folder.file("run.tact"), "--mode full") + program("runtime check"));
  const auto run = open_recording(folder.file("run.tact"));
  const std::map<std::string, std::size_t> expected = {
      {"[3,1,1]", 1}, {"[1,1,1]", 20}, {"[2,1,1]", 24}};
  EXPECT_EQ(kernels_by_grid(run), expected);
  // Whatever comes first, kernels or the time of a graph, it is there once.
  EXPECT_EQ(count_of(run, "graph 1, 4 nodes"), 0u);
}

TEST(StandinRuntime, steps_of_threads_that_take_turns_are_steps_of_one_loop) {
  for (const char* mode : {"light", "full"}) {
    const TemporaryFolder folder;
    run_command(record_to(folder.file("run.tact"), std::string("--mode ") + mode) +
                program("runtime pool 40 4"));
    const testing::Ended cycles =
        run_command(TACTUS_TOOL " cycles --json " + folder.file("run.tact"));
    EXPECT_NE(cycles.out.find(R"("anchor":"step")"), std::string::npos) << cycles.out;
    EXPECT_NE(cycles.out.find(R"("index":39)"), std::string::npos) << mode;
    EXPECT_EQ(cycles.out.find(R"("index":40)"), std::string::npos) << mode;
    EXPECT_NE(cycles.out.find(R"("launches":6)"), std::string::npos) << mode;
  }
}

TEST(StandinRuntime, threads_that_take_turns_are_watched_as_one_loop) {
  const TemporaryFolder folder;
  run_command(record_to(folder.file("run.tact")) + program("runtime pool 300 4"));
  const testing::Ended watched = run_command(TACTUS_TOOL " watch " + folder.file("run.tact"));
  EXPECT_EQ(watched.code, 0);
  EXPECT_NE(watched.out.find("process "), std::string::npos) << watched.out;
  EXPECT_EQ(watched.out.find(" thread "), std::string::npos) << watched.out;
}

}  // namespace
}  // namespace tactus

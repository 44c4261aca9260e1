// Stacks at launches, steps of engines, shapes and full mode: real programs on the stand-in driver.
#include "wire/stacks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "kernels/trace/launch_table.h"
#include "record/recorded_program.h"
#include "run/tact/tact_file.h"
#include "support/files.h"
#include "support/paths.h"

namespace tactus {
namespace {

using testing::count_of;
using testing::Ended;
using testing::program;
using testing::record_to;
using testing::run_command;
using testing::TemporaryFolder;

Run open_recording(const std::string& path) {
  Result<Run> run = open_run(path, 1);
  EXPECT_TRUE(run) << (run ? "" : run.error().message);
  return run ? std::move(*run) : Run();
}

/// Programs of Python 3.10 to 3.13 that are on the path, or in TACTUS_TEST_PYTHONS (with colons
/// between).
std::vector<std::string> pythons() {
  std::string names = "python3:python3.10:python3.11:python3.12:python3.13";
  if (const char* more = std::getenv("TACTUS_TEST_PYTHONS")) names += std::string(":") + more;
  std::vector<std::string> found;
  std::set<std::string> seen;
  std::istringstream list(names);
  for (std::string name; std::getline(list, name, ':');) {
    const Ended ended = run_command(name +
                                    " -c 'import sys, ctypes; assert (3, 10) <= sys.version_info < "
                                    "(3, 14); print(sys.version, sys.prefix)'");
    if (ended.code == 0 && seen.insert(ended.out).second) found.push_back(name);
  }
  return found;
}

std::string launcher(const std::string& python, const std::string& words) {
  return python + " " TACTUS_ROOT "/tests/record/programs/launcher.py " + words;
}

/// The line of the launcher that has this remark.
int line_with(const std::string& remark) {
  std::ifstream file(TACTUS_ROOT "/tests/record/programs/launcher.py");
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.find("# " + remark) != std::string::npos) return number;
  }
  return -1;
}

std::string text_of(const Run& run, std::int64_t id) {
  return std::string(run.strings[StringId(static_cast<std::uint64_t>(id))]);
}

/// The frames of each launch, the innermost first.
std::vector<std::vector<std::string>> stacks_of_launches(const Run& run) {
  std::vector<std::vector<std::string>> stacks;
  for (std::size_t row = 0; row < run.slices.size(); ++row) {
    if (!run.arg(run.slices, row, "kernel")) continue;
    std::vector<std::string>& frames = stacks.emplace_back();
    const std::optional<Value> stack = run.arg(run.slices, row, "@sf");
    for (std::int64_t at = stack ? stack->raw : -1; at >= 0;
         at = run.stacks.parent()[static_cast<std::size_t>(at)]) {
      frames.push_back(text_of(run, run.stacks.frame()[static_cast<std::size_t>(at)]));
    }
  }
  return stacks;
}

bool is_at(const std::string& frame, int line, const std::string& function) {
  const std::string place = "launcher.py(" + std::to_string(line) + "): ";
  const std::size_t at = frame.find(place);
  return at != std::string::npos && frame.ends_with(function) && frame.size() >= at + place.size();
}

TEST(PythonStacks, have_the_line_that_calls) {
  const TemporaryFolder folder;
  for (const std::string& python : pythons()) {
    SCOPED_TRACE(python);
    const std::string command = launcher(python, "lines 5");
    const Ended ended =
        run_command(record_to(folder.file("run.tact"), "--stacks python") + command);
    EXPECT_EQ(ended.code, 0);
    EXPECT_EQ(ended.out, "done\n");
    const auto run = open_recording(folder.file("run.tact"));
    const auto stacks = stacks_of_launches(run);
    ASSERT_EQ(stacks.size(), 20u);
    const int lines[] = {line_with("first"), line_with("second"), line_with("second"),
                         line_with("third")};
    for (std::size_t i = 0; i < stacks.size(); ++i) {
      ASSERT_EQ(stacks[i].size(), 5u) << i;
      EXPECT_TRUE(stacks[i][0].ends_with(": launch")) << stacks[i][0];
      EXPECT_TRUE(stacks[i][1].ends_with("norm")) << stacks[i][1];
      EXPECT_TRUE(is_at(stacks[i][2], lines[i % 4], "forward")) << stacks[i][2];
      EXPECT_TRUE(stacks[i][3].ends_with(": main")) << stacks[i][3];
      EXPECT_TRUE(stacks[i][4].ends_with(": <module>")) << stacks[i][4];
    }
  }
}

TEST(PythonStacks, go_through_generators_and_coroutines) {
  const TemporaryFolder folder;
  for (const std::string& python : pythons()) {
    for (const std::string name : {"generator", "coroutine"}) {
      SCOPED_TRACE(python + " " + name);
      run_command(record_to(folder.file("run.tact"), "--stacks python") +
                  launcher(python, name + " 4"));
      const auto run = open_recording(folder.file("run.tact"));
      const auto stacks = stacks_of_launches(run);
      ASSERT_EQ(stacks.size(), 4u);
      for (const auto& frames : stacks) {
        ASSERT_GE(frames.size(), 3u);
        EXPECT_NE(frames[1].find("(" + std::to_string(line_with("in a " + name)) + ")"),
                  std::string::npos)
            << frames[1];
        EXPECT_TRUE(frames.back().ends_with(": <module>")) << frames.back();
      }
    }
  }
}

TEST(PythonStacks, keep_the_innermost_frames_of_deep_ones) {
  const TemporaryFolder folder;
  for (const std::string& python : pythons()) {
    SCOPED_TRACE(python);
    run_command(record_to(folder.file("run.tact"), "--stacks python") + launcher(python, "deep 2"));
    const auto run = open_recording(folder.file("run.tact"));
    for (const auto& frames : stacks_of_launches(run)) {
      ASSERT_EQ(frames.size(), wire::kDeepestStack + 1u);
      EXPECT_TRUE(frames[0].ends_with(": launch"));
      EXPECT_EQ(frames.back(), "deeper frames left out");
    }
  }
}

TEST(PythonStacks, are_those_of_each_thread) {
  const TemporaryFolder folder;
  for (const std::string& python : pythons()) {
    SCOPED_TRACE(python);
    run_command(record_to(folder.file("run.tact"), "--stacks python") +
                launcher(python, "threads 5"));
    const auto run = open_recording(folder.file("run.tact"));
    const auto stacks = stacks_of_launches(run);
    EXPECT_EQ(stacks.size(), 80u);
    std::size_t in_threads = 0;
    for (const auto& frames : stacks) {
      for (const std::string& frame : frames)
        in_threads += frame.find("threading.py(") != std::string::npos ? 1 : 0;
    }
    EXPECT_GE(in_threads, 80u);
  }
}

TEST(PythonStacks, know_code_that_was_made_and_thrown_away) {
  const TemporaryFolder folder;
  for (const std::string& python : pythons()) {
    SCOPED_TRACE(python);
    run_command(record_to(folder.file("run.tact"), "--stacks python") +
                launcher(python, "made 300"));
    const auto run = open_recording(folder.file("run.tact"));
    const auto stacks = stacks_of_launches(run);
    ASSERT_EQ(stacks.size(), 300u);
    // A code object may have the address of one before it. What was found about that is used at
    // most for a while.
    std::set<std::string> names;
    for (const auto& frames : stacks) {
      if (frames.size() > 1) names.insert(frames[1]);
    }
    EXPECT_GE(names.size(), 100u);
  }
}

TEST(PythonStacks, have_names_that_are_not_ascii) {
  const TemporaryFolder folder;
  for (const std::string& python : pythons()) {
    SCOPED_TRACE(python);
    run_command("export PYTHONUTF8=1; " + record_to(folder.file("run.tact"), "--stacks python") +
                launcher(python, "names"));
    const auto run = open_recording(folder.file("run.tact"));
    const auto stacks = stacks_of_launches(run);
    ASSERT_EQ(stacks.size(), 1u);
    ASSERT_GE(stacks[0].size(), 3u);
    EXPECT_EQ(stacks[0][1], "größe/大きさ/𝛼.py(2): größe");
    EXPECT_EQ(stacks[0][2], "größe/大きさ/𝛼.py(5): 大きさ");
  }
}

TEST(PythonStacks, do_not_disturb_a_python_that_ends_while_threads_launch) {
  const TemporaryFolder folder;
  for (const std::string& python : pythons()) {
    for (int i = 0; i < 5; ++i) {
      const Ended ended = run_command(record_to(folder.file("run.tact"), "--stacks both") +
                                      launcher(python, "exit"));
      EXPECT_EQ(ended.code, 0) << python;
      EXPECT_EQ(ended.out, "done\n") << python;
    }
  }
}

TEST(NativeStacks, go_from_the_launch_to_the_beginning) {
  const TemporaryFolder folder;
  run_command(record_to(folder.file("run.tact"), "--stacks native") + program("server 5 6 eager"));
  const auto run = open_recording(folder.file("run.tact"));
  const auto stacks = stacks_of_launches(run);
  EXPECT_FALSE(stacks.empty());
  for (const auto& frames : stacks) {
    ASSERT_GE(frames.size(), 2u);
    // A thread of the program launches; below it is where threads begin.
    const bool is_program = std::any_of(frames.begin(), frames.end(), [](const std::string& frame) {
      return frame.find("(server+0x") != std::string::npos;
    });
    EXPECT_TRUE(is_program) << frames.front();
    EXPECT_NE(frames.back().find("libc.so"), std::string::npos) << frames.back();
    for (const std::string& frame : frames)
      EXPECT_EQ(frame.find("tactus-agent"), std::string::npos) << frame;
  }
}

TEST(NativeStacks, end_where_those_of_python_begin) {
  const TemporaryFolder folder;
  for (const std::string& python : pythons()) {
    SCOPED_TRACE(python);
    run_command(record_to(folder.file("run.tact"), "--stacks both") + launcher(python, "lines 2"));
    const auto run = open_recording(folder.file("run.tact"));
    for (const auto& frames : stacks_of_launches(run)) {
      ASSERT_GE(frames.size(), 6u);
      EXPECT_TRUE(frames.back().ends_with(": <module>")) << frames.back();
      const auto is_python = [](const std::string& frame) {
        return frame.find(".py(") != std::string::npos;
      };
      const auto first = std::find_if(frames.begin(), frames.end(), is_python);
      EXPECT_TRUE(std::all_of(first, frames.end(), is_python));
      EXPECT_NE(first, frames.begin());
    }
  }
}

class WithEverything : public ::testing::TestWithParam<const char*> {};

TEST_P(WithEverything, programs_do_the_same_and_no_launch_is_missed) {
  const TemporaryFolder folder;
  const std::string command = program(GetParam());
  const Ended plain = run_command(command);
  const Ended ended =
      run_command("STANDIN_LOG=" + folder.file("log") + " " +
                  record_to(folder.file("run.tact"), "--stacks both --mode full") + command);
  EXPECT_EQ(ended.code, plain.code);
  EXPECT_EQ(ended.out, plain.out);
  const auto run = open_recording(folder.file("run.tact"));
  std::size_t launched = 0;
  for (const auto& [key, works] : testing::read_log(folder.file("log"))) {
    for (const testing::LoggedWork& work : works)
      launched += work.what == "launch" || work.what == "capture" ? 1 : 0;
  }
  std::size_t recorded = 0;
  for (const auto& [key, launches] : testing::recorded_launches(run)) recorded += launches.size();
  for (const char* reason : {"ring_full", "no_ring", "interrupted_record"}) {
    if (const auto lost = run.dropped.find(reason); lost != run.dropped.end())
      recorded += lost->second;
  }
  EXPECT_EQ(recorded, launched);
}

INSTANTIATE_TEST_SUITE_P(Programs, WithEverything,
                         ::testing::Values("server 20 6 eager", "server 20 6 graph",
                                           "server 5 6 eager thread", "server 5 6 graph dlsym 1 3",
                                           "server 10 4 eager proc 8", "family fork", "family late",
                                           "family storm 10",
                                           "family exec " TACTUS_TEST_PROGRAMS "/server"));

TEST(NativeStacks, do_not_disturb_signals_small_stacks_and_libraries_that_go) {
  const TemporaryFolder folder;
  for (const std::string words : {"signal", "small", "unload " TACTUS_STANDIN "/libcublas.so.13"}) {
    for (const std::string options : {"--stacks both", "--stacks both --mode full"}) {
      SCOPED_TRACE(words + " " + options);
      // The stand-in of CUPTI has a lock that a signal handler must not wait for.
      if (words == "signal" && options.ends_with("full")) continue;
      const Ended ended = run_command(record_to(folder.file("run.tact"), options) +
                                      program("odd_launches " + words));
      EXPECT_EQ(ended.code, 0);
      EXPECT_EQ(ended.out, "done\n");
    }
  }
}

std::vector<std::string> annotations(const Run& run) {
  std::vector<std::pair<std::int64_t, std::string>> found;
  for (std::size_t row = 0; row < run.slices.size(); ++row) {
    if (!run.arg(run.slices, row, "engine")) continue;
    found.emplace_back(run.slices.start()[row], text_of(run, run.slices.name()[row]));
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (auto& [start, name] : found) names.push_back(std::move(name));
  return names;
}

TEST(EngineSteps, are_read_from_the_arguments_of_the_step_function) {
  const std::map<std::string, std::vector<std::string>> expected = {
      {"vllm",
       {"execute_context_2(519)_generation_0(0)", "execute_context_1(300)_generation_2(2)",
        "execute_context_0(0)_generation_3(3)", "execute_context_0(0)_generation_3(3)",
        "execute_context_0(0)_generation_2(2)",
        // with drafted tokens: three for each, for one of two, beside a prompt of four tokens
        "execute_context_0(0)_generation_3(12)", "execute_context_0(0)_generation_2(5)",
        "execute_context_1(4)_generation_2(8)",
        // of a request that is not there
        "step[UNKNOWN bs=2 toks=8]"}},
      {"sglang",
       {"step[EXTEND bs=15 toks=15360]", "step[DECODE bs=15]", "step[DECODE bs=15]",
        "step[MIXED bs=16 toks=527 prompts=1 prompt_toks=512]",
        // the last piece of a prompt has one token
        "step[MIXED bs=17 toks=529 prompts=2 prompt_toks=514]",
        // older versions do not list those that generate, or say nothing of each
        "step[MIXED bs=16 toks=527 prompts=1 prompt_toks=512]", "step[MIXED bs=16 toks=527]"}},
      {"transformers",
       {"step[EXTEND bs=2 toks=150]", "step[DECODE bs=2]", "step[DECODE bs=2]",
        "step[MIXED bs=2 toks=41 prompts=1 prompt_toks=40]",
        // as newer versions keep it
        "step[EXTEND bs=2 toks=150]", "step[DECODE bs=2]", "step[DECODE bs=2]",
        "step[MIXED bs=2 toks=41 prompts=1 prompt_toks=40]"}},
  };
  const TemporaryFolder folder;
  for (const std::string& python : pythons()) {
    for (const auto& [engine, names] : expected) {
      SCOPED_TRACE(python + " " + engine);
      run_command(record_to(folder.file("run.tact"), "--stacks python") + launcher(python, engine));
      EXPECT_EQ(annotations(open_recording(folder.file("run.tact"))), names);
    }
  }
}

TEST(Shapes, of_products_are_operators_around_their_launches) {
  const TemporaryFolder folder;
  for (const std::string way : {"linked", "dlsym", "deep"}) {
    SCOPED_TRACE(way);
    const Ended ended =
        run_command(record_to(folder.file("run.tact")) + program("products " + way));
    EXPECT_EQ(ended.code, 0);
    EXPECT_EQ(ended.out, "done\n");
    const auto run = open_recording(folder.file("run.tact"));
    std::map<std::string, std::string> dims;
    for (std::size_t row = 0; row < run.slices.size(); ++row) {
      const std::optional<Value> value = run.arg(run.slices, row, "Input Dims");
      if (value) dims[text_of(run, run.slices.name()[row])] = text_of(run, value->raw);
    }
    const std::map<std::string, std::string> expected = {
        {"cublasGemmEx", "[[8,4096],[4096,1024],[8,1024]]"},
        {"cublasSgemm", "[[32,64],[64,16],[32,16]]"},
        {"cublasGemmStridedBatchedEx", "[[4,7,64],[4,64,128],[4,7,128]]"},
        {"cublasLtMatmul", "[[8,4096],[4096,1024],[8,1024]]"}};
    EXPECT_EQ(dims, expected);
  }
}

TEST(Shapes, give_kernels_their_bounds) {
  const TemporaryFolder folder;
  run_command(record_to(folder.file("run.tact"), "--mode full") + program("products linked"));
  const Ended ended = run_command(TACTUS_TOOL " kernels -q --json " + folder.file("run.tact"));
  const std::size_t op = ended.out.find("\"op\":\"cublasGemmEx\"");
  ASSERT_NE(op, std::string::npos);
  EXPECT_LT(ended.out.find("\"evidence\":\"shapes\"", op), ended.out.find("\"name\"", op))
      << ended.out.substr(0, 3000);
}

TEST(FullMode, has_every_kernel_with_the_call_that_launched_it) {
  const TemporaryFolder folder;
  for (const std::string words : {"server 20 6 eager", "server 20 6 graph"}) {
    SCOPED_TRACE(words);
    run_command(record_to(folder.file("run.tact"), "--mode full") + program(words));
    const auto run = open_recording(folder.file("run.tact"));
    EXPECT_TRUE(run.dropped.empty());
    std::set<std::size_t> kernels;
    for (std::size_t row = 0; row < run.slices.size(); ++row) {
      if (run.arg(run.slices, row, "registers per thread")) kernels.insert(row);
    }
    EXPECT_EQ(kernels.size(), 140u);
    std::size_t linked = 0;
    for (std::size_t i = 0; i < run.links.rows; ++i) {
      const auto to = static_cast<std::size_t>(run.links.to()[i]);
      const auto from = static_cast<std::size_t>(run.links.from()[i]);
      if (!kernels.contains(to)) continue;
      ++linked;
      // Two clocks, one mapped to the other.
      EXPECT_LE(run.slices.start()[from], run.slices.start()[to] + 10'000);
    }
    EXPECT_EQ(linked, 140u);
  }
}

TEST(FullMode, leaves_out_and_counts_kernels_without_times) {
  const TemporaryFolder folder;
  run_command("STANDIN_CUPTI_UNTIMED=5 " + record_to(folder.file("run.tact"), "--mode full") +
              program("server 20 6 eager"));
  const auto run = open_recording(folder.file("run.tact"));
  EXPECT_EQ(run.dropped.at("activity_without_time"), 5u);
  std::size_t kernels = 0;
  for (std::size_t row = 0; row < run.slices.size(); ++row) {
    if (!run.arg(run.slices, row, "registers per thread")) continue;
    ++kernels;
    EXPECT_GE(run.slices.start()[row], 0);
  }
  EXPECT_EQ(kernels, 135u);
}

TEST(FullMode, gives_kernels_of_a_graph_the_stack_of_their_capture) {
  const TemporaryFolder folder;
  for (const std::string& python : pythons()) {
    SCOPED_TRACE(python);
    run_command(record_to(folder.file("run.tact"), "--mode full --stacks python") +
                launcher(python, "graph 5"));
    const Ended ended =
        run_command(TACTUS_TOOL " kernels -q --by source --json " + folder.file("run.tact"));
    EXPECT_NE(ended.out.find("\"evidence\":\"capture\""), std::string::npos) << ended.out;
    EXPECT_NE(ended.out.find("launcher.py"), std::string::npos);
  }
}

TEST(FullMode, says_who_holds_cupti_and_goes_on_in_light_mode) {
  const TemporaryFolder folder;
  const Ended plain = run_command(program("server 20 6 eager"));
  const Ended ended =
      run_command("STANDIN_CUPTI_HELD='CUPTI for somebody' " +
                  record_to(folder.file("run.tact"), "--mode full") + program("server 20 6 eager"));
  EXPECT_EQ(ended.out, plain.out);
  const auto run = open_recording(folder.file("run.tact"));
  EXPECT_EQ(count_of(run, "cuLaunchKernel"), 140u);
  const bool is_said =
      std::any_of(run.warnings.begin(), run.warnings.end(), [](const std::string& warning) {
        return warning.find("CUPTI is used by CUPTI for somebody") != std::string::npos;
      });
  EXPECT_TRUE(is_said);
}

TEST(FullMode, can_be_switched_on_and_off_in_a_program_that_runs) {
  const TemporaryFolder folder;
  const std::string agent = run_command(TACTUS_TOOL " record --print-agent").out;
  const int pid = testing::start_command({program("server"), "100000", "6"},
                                         {"LD_PRELOAD=" + agent.substr(0, agent.find('\n'))});
  const auto kernels_of = [&](const std::string& mode) {
    const std::string file = folder.file(mode + ".tact");
    std::size_t kernels = 0;
    testing::wait_until([&] {
      return run_command(TACTUS_TOOL " record -q --force --seconds 0.5 --mode " + mode + " -o " +
                         file + " --pid " + std::to_string(pid))
                 .code == 0;
    });
    const auto run = open_recording(file);
    for (std::size_t row = 0; row < run.slices.size(); ++row) {
      kernels += run.arg(run.slices, row, "registers per thread") ? 1 : 0;
    }
    return kernels;
  };
  EXPECT_GT(kernels_of("full"), 0u);
  EXPECT_EQ(kernels_of("light"), 0u);
  EXPECT_GT(kernels_of("full"), 0u);
  kill(pid, SIGKILL);
  testing::wait_for(pid);
}

TEST(Operators, of_the_dispatcher_are_read_from_native_stacks) {
  const TemporaryFolder folder;
  run_command(record_to(folder.file("run.tact"), "--stacks native --mode full") +
              program("dispatched"));
  const Ended ended = run_command(TACTUS_TOOL " kernels -q --json " + folder.file("run.tact"));
  const auto op_of = [&](const std::string& kernel) {
    const std::size_t row = ended.out.find("\"name\":\"" + kernel + "\"");
    if (row == std::string::npos) return std::string("no such kernel");
    const std::size_t op = ended.out.find("\"op\":", row);
    return ended.out.substr(op + 5, ended.out.find_first_of(",}", op) - op - 5);
  };
  EXPECT_EQ(op_of("sleep_us_1_product"), R"("aten::mm")") << ended.out.substr(0, 3000);
  EXPECT_EQ(op_of("sleep_us_1_sum"), R"("aten::add_")");
  EXPECT_EQ(op_of("sleep_us_1_other"), "null");

  run_command(record_to(folder.file("run.tact"), "--stacks native") + program("dispatched"));
  const auto run = open_recording(folder.file("run.tact"));
  const LaunchTable table = launch_table(run, {});
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.with_op, 10);
  EXPECT_EQ(table.rows[0].op, "aten::mm");
  EXPECT_EQ(table.rows[1].op, "aten::add_");
  EXPECT_EQ(table.rows[2].op, "");
  const Ended shown = run_command(TACTUS_TOOL " kernels -q " + folder.file("run.tact"));
  EXPECT_NE(shown.out.find("aten::mm"), std::string::npos) << shown.out;
}

TEST(LaunchTable, counts_launches_by_line) {
  const TemporaryFolder folder;
  const std::vector<std::string> found = pythons();
  if (found.empty()) GTEST_SKIP() << "no Python here";
  run_command(record_to(folder.file("run.tact"), "--stacks python") +
              launcher(found[0], "lines 5"));
  const auto run = open_recording(folder.file("run.tact"));
  const LaunchTable table = launch_table(run, {});
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0].launches, 20);
  EXPECT_EQ(table.with_line, 20);
  ASSERT_TRUE(table.rows[0].line);
  EXPECT_EQ(table.rows[0].line->function, "launch");
}

}  // namespace
}  // namespace tactus

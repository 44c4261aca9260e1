#include "cycles/cycles.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/progress.h"
#include "cycles/anchors/anchor_name.h"
#include "cycles/cycle_selection.h"
#include "cycles/engine_trace.h"
#include "cycles/passes/run_passes.h"
#include "sources/sources.h"
#include "support/files.h"
#include "support/run_text.h"

namespace tactus {
namespace {

using testing::add_step;
using testing::EngineNames;
using testing::EngineTrace;
using testing::import_json;
using testing::kStepLaunches;
using testing::StepShape;
namespace kernels = testing::kernels;

constexpr EngineNames kNoNames = {.category = "", .step = "", .layer = ""};

Cycles cycles_of(const tactus::Run& run, const CycleQuestion& question = {}) {
  Result<Cycles> cycles = find_cycles(run, question);
  if (!cycles) {
    ADD_FAILURE() << cycles.error().message;
    return {};
  }
  return std::move(*cycles);
}

Cycles cycles_of(const EngineTrace& trace, const CycleQuestion& question = {}) {
  return cycles_of(import_json(trace.json()), question);
}

std::size_t whole_cycles(const Cycles& cycles) {
  return static_cast<std::size_t>(std::count_if(cycles.cycles.begin(), cycles.cycles.end(),
                                                [](const Cycle& cycle) { return cycle.complete; }));
}

TEST(Cycles, an_engines_own_annotations_say_what_is_in_a_step) {
  EngineTrace trace;
  const auto step = [&](std::string_view name) {
    add_step(trace, {.category = "user_annotation", .step = name, .layer = ""});
  };
  step("execute_context_2(512)_generation_0(0)");
  step("execute_context_1(5)_generation_3(3)");
  step("execute_context_0(0)_generation_5(5)");
  step("execute_context_1(100)_generation_3(3)");
  const Cycles cycles = cycles_of(trace);
  EXPECT_EQ(cycles.method, AnchorMethod::kAnnotation);
  EXPECT_EQ(cycles.anchor, "execute_*");
  EXPECT_EQ(cycles.comparable_key, "step:annotation:execute_*");
  ASSERT_EQ(cycles.cycles.size(), 4U);
  EXPECT_EQ(cycles.cycles[0].phase, Phase::kPrefill);
  EXPECT_EQ(cycles.cycles[0].batch, 2);
  EXPECT_EQ(cycles.cycles[0].context_tokens, 512);
  EXPECT_EQ(cycles.cycles[1].phase, Phase::kMixed);
  EXPECT_EQ(cycles.cycles[1].batch, 4);
  EXPECT_EQ(cycles.cycles[2].phase, Phase::kDecode);
  EXPECT_EQ(cycles.cycles[2].generation_tokens, 5);
  EXPECT_EQ(cycles.cycles[3].phase, Phase::kPrefill) << "most tokens are those of a prompt";
  EXPECT_EQ(cycles.cycles[3].tokens, 103);
  EXPECT_EQ(cycles.cycles[3].evidence, Evidence::kEngine);
  for (const Cycle& cycle : cycles.cycles) EXPECT_EQ(cycle.launches, kStepLaunches);
}

TEST(Cycles, names_that_differ_in_numbers_are_one_anchor) {
  EngineTrace trace;
  for (int i = 0; i < 5; ++i) {
    add_step(
        trace,
        {.category = "user_annotation", .step = "ProfilerStep#" + std::to_string(i), .layer = ""});
  }
  const Cycles cycles = cycles_of(trace);
  EXPECT_EQ(cycles.anchor, "ProfilerStep#*");
  EXPECT_EQ(cycles.cycles.size(), 5U);
}

/// An engine that names each step by what it does, and a part of each.
EngineTrace named_by_phase() {
  EngineTrace trace;
  for (int i = 0; i < 12; ++i) {
    trace.around("user_annotation", i % 4 == 0 ? "prefill" : "decode", [&] {
      add_step(trace, kNoNames);
      trace.around("user_annotation", "sample", [&] { trace.launch("sample_kernel", 1'000); });
    });
  }
  return trace;
}

TEST(Cycles, steps_that_are_named_by_what_they_do_are_one_kind_of_step) {
  const Cycles cycles = cycles_of(named_by_phase());
  EXPECT_EQ(cycles.method, AnchorMethod::kAnnotation);
  EXPECT_EQ(cycles.anchor, "decode + prefill");
  EXPECT_EQ(cycles.cycles.size(), 12U);
}

TEST(Cycles, several_names_can_be_asked_for) {
  EXPECT_TRUE(is_named("decode + prefill", "prefill"));
  EXPECT_TRUE(is_named("a + b", "a + b"));
  EXPECT_FALSE(is_named("decode + prefill", "fill"));
}

TEST(Cycles, a_profiler_step_around_many_passes_is_no_step) {
  EngineTrace trace;
  trace.around("user_annotation", "ProfilerStep#1", [&] {
    for (int i = 0; i < 9; ++i) add_step(trace, kNoNames);
  });
  const Cycles cycles = cycles_of(trace);
  EXPECT_EQ(cycles.method, AnchorMethod::kKernelSequence);
  EXPECT_EQ(cycles.cycles.size(), 9U);
}

TEST(Cycles, layers_without_a_beginning_are_cut_where_the_thread_waits) {
  // Nothing but layers that are alike: the kernels do not show where a step begins.
  EngineTrace trace;
  for (int i = 0; i < 6; ++i) {
    trace.around("user_annotation", "step", [&] {
      for (int layer = 0; layer < 8; ++layer) {
        for (const std::string_view kernel : {kernels::kGemm, kernels::kSdpa, kernels::kAddNorm}) {
          trace.launch(kernel, 1500);
        }
      }
    });
    trace.wait_for_device();
  }
  const Cycles cycles = cycles_of(trace);
  EXPECT_EQ(cycles.anchor, "step");
  EXPECT_EQ(cycles.cycles.size(), 6U);
}

TEST(Cycles, waits_inside_a_pass_are_no_steps) {
  EngineTrace trace;
  for (int i = 0; i < 6; ++i) {
    add_step(trace, {.category = "user_annotation", .step = "", .layer = "step"});
  }
  EXPECT_EQ(cycles_of(trace).method, AnchorMethod::kKernelSequence);
}

TEST(Cycles, annotations_of_parts_are_no_steps) {
  EngineTrace trace;
  for (int i = 0; i < 6; ++i) {
    add_step(trace, {.category = "user_annotation", .step = "", .layer = "attention"});
  }
  EXPECT_EQ(cycles_of(trace).method, AnchorMethod::kKernelSequence);
}

TEST(Cycles, the_python_function_that_repeats_is_the_step_not_its_layers_nor_main) {
  EngineTrace trace;
  trace.around("python_function", "main.py(3): main", [&] {
    for (int i = 0; i < 12; ++i) add_step(trace, {});
  });
  const Cycles cycles = cycles_of(trace);
  EXPECT_EQ(cycles.method, AnchorMethod::kPython);
  EXPECT_EQ(cycles.anchor, "Scheduler.run_batch");
  EXPECT_EQ(cycles.comparable_key, "step:python:Scheduler.run_batch");
  ASSERT_EQ(cycles.cycles.size(), 12U);
  EXPECT_EQ(whole_cycles(cycles), 12U);
}

TEST(Cycles, modules_are_told_apart_by_class_not_by_number) {
  EngineTrace trace;
  for (int i = 0; i < 4; ++i) {
    add_step(trace, {.step = "nn.Module: LlamaForCausalLM_0", .layer = "nn.Module: Block_0"});
  }
  EXPECT_EQ(cycles_of(trace).anchor, "nn.Module: LlamaForCausalLM");
}

/// Steps of which the recording has the layers, but not the slices around them, at both edges.
EngineTrace slow_recording(int whole_steps) {
  EngineTrace trace;
  add_step(trace, {}, {.first_layer = 3});
  for (int i = 0; i < whole_steps; ++i) add_step(trace, {});
  add_step(trace, {}, {.last_layer = 5});
  return trace;
}

TEST(Cycles, a_step_that_is_cut_off_never_promotes_its_layers) {
  for (const int whole_steps : {1, 2, 3, 13}) {
    const Cycles cycles = cycles_of(slow_recording(whole_steps));
    EXPECT_EQ(cycles.anchor, "Scheduler.run_batch") << whole_steps;
    ASSERT_EQ(cycles.cycles.size(), static_cast<std::size_t>(whole_steps) + 2) << whole_steps;
    EXPECT_EQ(whole_cycles(cycles), static_cast<std::size_t>(whole_steps));
    EXPECT_FALSE(cycles.cycles.front().complete);
    EXPECT_FALSE(cycles.cycles.back().complete);
    EXPECT_EQ(cycles.cycles[1].launches, kStepLaunches);
  }
}

TEST(Cycles, framework_ops_mark_steps_where_there_is_no_python) {
  EngineTrace trace;
  for (int i = 0; i < 6; ++i) {
    add_step(trace,
             {.category = "cpu_op",
              .step = i % 2 == 0 ? "Torch-Compiled Region: 0/1" : "Torch-Compiled Region: 0/2",
              .layer = "aten::layer"});
  }
  const Cycles cycles = cycles_of(trace);
  EXPECT_EQ(cycles.method, AnchorMethod::kCpuOp);
  EXPECT_EQ(cycles.anchor, "Torch-Compiled Region: */*");
  EXPECT_EQ(cycles.cycles.size(), 6U);
}

TEST(Cycles, kernels_alone_show_the_passes_of_a_model) {
  testing::TraceText trace;
  for (int i = 0; i < 2; ++i) {
    add_pass(trace, {.unit_ns = 20'000, .gemm = kernels::kPrefillGemm, .tokens = 600});
    for (int k = 0; k < 6; ++k) add_pass(trace, {.tokens = 3, .sequences = 3});
  }
  const auto run = import_json(trace.json());
  const Cycles cycles = cycles_of(run);
  EXPECT_EQ(cycles.method, AnchorMethod::kKernelSequence);
  EXPECT_EQ(cycles.comparable_key, "step:kernels:8");
  ASSERT_EQ(cycles.cycles.size(), 14U);
  for (std::size_t i = 0; i < cycles.cycles.size(); ++i) {
    EXPECT_EQ(cycles.cycles[i].phase, i % 7 == 0 ? Phase::kPrefill : Phase::kDecode) << i;
    EXPECT_EQ(cycles.cycles[i].launches, kStepLaunches);
    if (i == 0) continue;
    const Cycle& before = cycles.cycles[i - 1];
    EXPECT_EQ(before.start_ns + before.dur_ns, cycles.cycles[i].start_ns);
  }
}

TEST(Cycles, a_cycle_ends_where_a_long_pause_begins) {
  for (const EngineNames& names : {EngineNames{}, kNoNames}) {
    EngineTrace paused;
    for (int i = 0; i < 10; ++i) {
      if (i == 5) paused.pause(50'000'000);
      add_step(paused, names);
    }
    const Cycles cycles = cycles_of(paused);
    ASSERT_EQ(cycles.cycles.size(), 10U);
    for (const Cycle& cycle : cycles.cycles) EXPECT_LT(cycle.dur_ns, 1'000'000);
  }
}

TEST(Cycles, nothing_that_repeats_leaves_only_launches) {
  EngineTrace trace;
  for (int i = 0; i < 40; ++i) trace.launch("kernel_" + std::to_string(i), 1000);
  const Cycles cycles = cycles_of(trace);
  EXPECT_EQ(cycles.method, AnchorMethod::kLaunch);
  EXPECT_EQ(cycles.comparable_key, "launch");
  EXPECT_TRUE(cycles.cycles.empty());
  EXPECT_EQ(cycles.cycle_of_slice.size(), 80U);
}

TEST(Cycles, kernels_of_a_graph_belong_to_the_step_that_launches_it) {
  EngineTrace trace;
  for (int step = 0; step < 6; ++step) {
    trace.around("python_function", "engine.py(7): step", [&] {
      trace.call("cudaGraphLaunch");
      for (int layer = 0; layer < 8; ++layer) {
        for (const std::string_view kernel :
             {kernels::kGemm, kernels::kSdpa, kernels::kGemm, kernels::kAddNorm}) {
          trace.run(kernel, 5000);
        }
      }
      trace.run(kernels::kArgmax, 900);
    });
    trace.wait_for_device().pause(5000);
  }
  const Cycles cycles = cycles_of(trace);
  EXPECT_EQ(cycles.anchor, "engine.py(7): step");
  ASSERT_EQ(cycles.cycles.size(), 6U);
  for (const Cycle& cycle : cycles.cycles) {
    EXPECT_EQ(cycle.launches, 33);
    EXPECT_EQ(cycle.gpu_busy_ns, 32 * 5000 + 900);
    EXPECT_GE(cycle.dur_ns, cycle.gpu_busy_ns);
  }
}

TEST(Cycles, work_belongs_to_the_step_that_launched_it_however_late_it_runs) {
  // The host launches a long prefill and runs ahead; the device is a step behind from then on.
  EngineTrace trace;
  add_step(trace, {}, {.unit_ns = 50'000});
  for (int i = 0; i < 6; ++i) {
    add_step(trace, {}, {.unit_ns = 2000});
    if (i > 2) trace.wait_for_device();
  }
  const auto run = import_json(trace.json());
  const Cycles cycles = cycles_of(run);
  ASSERT_EQ(cycles.cycles.size(), 7U);
  for (const Cycle& cycle : cycles.cycles) {
    EXPECT_EQ(cycle.launches, kStepLaunches);
    EXPECT_GE(cycle.dur_ns, cycle.gpu_busy_ns);
  }
  EXPECT_GT(cycles.cycles[0].dur_ns, 64 * 50'000) << "the prefill is the long one";
  EXPECT_LT(cycles.cycles[1].dur_ns, 500'000);
  // The host's slices go by the host's time all the same.
  std::size_t calls = 0;
  for (std::size_t row = 0; row < run.slices.size(); ++row) {
    const bool is_call = run.kind_of(run.slices.category()[row]) == SliceKind::kRuntime;
    if (is_call && cycles.cycle_of_slice[row] == 1) ++calls;
  }
  EXPECT_EQ(calls, static_cast<std::size_t>(kStepLaunches));
}

TEST(Cycles, what_was_launched_before_the_recording_is_no_part_of_its_first_step) {
  EngineTrace trace;
  trace.around("user_annotation", "execute_context_0(0)_generation_5(5)", [&] {
    for (int i = 0; i < 20; ++i) trace.run(kernels::kGemm, 300);  // no call of it is known
    trace.wait_for_device();
    add_step(trace, kNoNames);
  });
  const Cycles cycles = cycles_of(trace);
  ASSERT_FALSE(cycles.cycles.empty());
  EXPECT_EQ(cycles.cycles.back().launches, kStepLaunches);
}

TEST(Cycles, each_process_has_cycles_of_its_own) {
  for (const EngineNames& names : {EngineNames{}, kNoNames}) {
    EngineTrace trace(100);
    for (int i = 0; i < 5; ++i) add_step(trace, names);
    trace.other_process(200, 1);
    for (int i = 0; i < 7; ++i) add_step(trace, names);
    const auto run = import_json(trace.json());
    Cycles cycles = cycles_of(run);
    ASSERT_EQ(cycles.cycles.size(), 12U);
    const auto pid = [&](std::size_t i) { return run.processes[cycles.cycles[i].process].os_pid; };
    EXPECT_EQ(pid(4), 100);
    EXPECT_EQ(pid(5), 200);
    for (const Cycle& cycle : cycles.cycles) EXPECT_EQ(cycle.launches, kStepLaunches);
    skip_warmup(2, cycles);
    ASSERT_EQ(cycles.cycles.size(), 8U);
    EXPECT_EQ(pid(2), 100);
    EXPECT_EQ(pid(3), 200);
  }
}

TEST(Cycles, python_functions_tell_the_phase) {
  EngineTrace trace;
  for (int i = 0; i < 6; ++i) {
    const std::string_view mode =
        i == 0 ? "model_runner.py(9): forward_extend" : "model_runner.py(12): forward_decode";
    trace.around("python_function", "Scheduler.run_batch",
                 [&] { add_step(trace, {.step = mode, .layer = ""}); });
  }
  const Cycles cycles = cycles_of(trace);
  EXPECT_EQ(cycles.anchor, "Scheduler.run_batch");
  ASSERT_EQ(cycles.cycles.size(), 6U);
  EXPECT_EQ(cycles.cycles[0].phase, Phase::kPrefill);
  EXPECT_EQ(cycles.cycles[1].phase, Phase::kDecode);
  // Kernels have the phase of the function that launches them.
  const auto run = import_json(trace.json());
  RunPasses passes(run);
  const std::vector<Phase> phases = passes.phases({});
  std::size_t kernels = 0;
  for (std::size_t row = 0; row < phases.size(); ++row) {
    const std::int32_t cycle = cycles.cycle_of_slice[row];
    if (cycle < 0 || phases[row] == Phase::kUnknown) continue;
    EXPECT_EQ(phases[row], cycles.cycles[static_cast<std::size_t>(cycle)].phase);
    ++kernels;
  }
  EXPECT_GE(kernels, 6 * 8 * 8U);
}

TEST(Cycles, layers_can_be_asked_for) {
  EngineTrace with_python;
  for (int i = 0; i < 3; ++i) add_step(with_python, {});
  const Cycles by_python = cycles_of(with_python, {.by_layer = true});
  EXPECT_EQ(by_python.anchor, "Qwen3DecoderLayer.forward");
  EXPECT_EQ(by_python.comparable_key, "layer:python:Qwen3DecoderLayer.forward");
  ASSERT_EQ(by_python.cycles.size(), 24U);

  EngineTrace without;
  for (int i = 0; i < 3; ++i) add_step(without, kNoNames);
  const Cycles by_kernels = cycles_of(without, {.by_layer = true});
  EXPECT_EQ(by_kernels.method, AnchorMethod::kKernelSequence);
  EXPECT_EQ(by_kernels.comparable_key, "layer:kernels:8");
  ASSERT_EQ(by_kernels.cycles.size(), 24U);
  for (std::size_t i = 0; i < 24; ++i) {
    EXPECT_EQ(by_python.cycles[i].launches, 8);
    EXPECT_EQ(by_kernels.cycles[i].launches, 8);
  }
}

TEST(Cycles, an_anchor_can_be_asked_for_by_name) {
  EngineTrace trace;
  for (int i = 0; i < 4; ++i) {
    add_step(trace, {.step = "engine.py(7): step", .layer = "model.py(1): layer"});
  }
  EXPECT_EQ(cycles_of(trace, {.anchor = "layer"}).cycles.size(), 32U);
  EXPECT_EQ(cycles_of(trace, {.anchor = "engine.py(7): step"}).cycles.size(), 4U);
  const auto run = import_json(trace.json());
  const Result<Cycles> none = find_cycles(run, {.anchor = "nowhere"});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("nowhere"), std::string::npos);
}

TEST(Cycles, a_run_without_slices_has_none) {
  const tactus::Run run;
  EXPECT_FALSE(find_cycles(run, {}));
}

TEST(Cycles, times_leave_out_cycles_and_what_is_in_them) {
  EngineTrace trace;
  for (int i = 0; i < 6; ++i) add_step(trace, {});
  const auto run = import_json(trace.json());
  const Cycles all = cycles_of(run);
  CycleQuestion question;
  question.filter.from_ns = all.cycles[2].start_ns;
  question.filter.to_ns = all.cycles[4].start_ns;
  const Cycles some = cycles_of(run, question);
  ASSERT_EQ(some.cycles.size(), 2U);
  EXPECT_EQ(some.cycles[0].start_ns, all.cycles[2].start_ns);
  for (std::size_t row = 0; row < run.slices.size(); ++row) {
    const std::int32_t was = all.cycle_of_slice[row];
    EXPECT_EQ(some.cycle_of_slice[row], was == 2 || was == 3 ? was - 2 : -1);
  }
}

TEST(JointCycles, a_fast_and_a_slow_run_are_cut_at_the_same_anchor) {
  const auto fast = import_json(slow_recording(13).json());
  const auto slow = import_json(slow_recording(1).json());
  const Result<std::pair<Cycles, Cycles>> both = find_cycles_jointly(fast, slow, {});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->first.anchor, "Scheduler.run_batch");
  EXPECT_EQ(both->first.comparable_key, both->second.comparable_key);
  EXPECT_EQ(whole_cycles(both->second), 1U);
}

TEST(JointCycles, runs_recorded_differently_share_their_kernels) {
  EngineTrace with_python, without;
  for (int i = 0; i < 5; ++i) {
    add_step(with_python, {});
    add_step(without, kNoNames);
  }
  const auto a = import_json(with_python.json());
  const auto b = import_json(without.json());
  const Result<std::pair<Cycles, Cycles>> both = find_cycles_jointly(a, b, {});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->first.method, AnchorMethod::kKernelSequence);
  EXPECT_EQ(both->first.comparable_key, both->second.comparable_key);
  EXPECT_EQ(both->first.cycles.size(), 5U);
  EXPECT_EQ(both->second.cycles.size(), 5U);
}

TEST(JointCycles, runs_that_share_nothing_can_only_count_launches) {
  EngineTrace model, other;
  for (int i = 0; i < 5; ++i) add_step(model, {});
  for (int i = 0; i < 40; ++i) other.launch("kernel_" + std::to_string(i), 1000);
  const auto a = import_json(model.json());
  const auto b = import_json(other.json());
  const Result<std::pair<Cycles, Cycles>> both = find_cycles_jointly(a, b, {});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->first.method, AnchorMethod::kLaunch);
  EXPECT_EQ(both->second.method, AnchorMethod::kLaunch);
}

struct KnownTrace {
  const char* name;
  AnchorMethod method;
  std::size_t prefill;
  std::size_t decode;
  std::size_t unknown = 0;
};

TEST(SharedTraces, have_the_steps_that_were_run) {
  constexpr KnownTrace kKnown[] = {
      {"traces/normal.json.gz", AnchorMethod::kKernelSequence, 2, 24},
      {"traces/cpu_contention.json.gz", AnchorMethod::kKernelSequence, 2, 24},
      {"traces/cuda_graph.json.gz", AnchorMethod::kKernelSequence, 0, 0, 16},  // no shapes
      {"traces/compiled.json.gz", AnchorMethod::kAnnotation, 1, 6},
      {"traces/with_stack.json.gz", AnchorMethod::kPython, 1, 4},
      {"public/b200_eager.json.gz", AnchorMethod::kAnnotation, 1, 0},
      {"public/mi300_sglang_qwen3_prefilldecode.json.gz", AnchorMethod::kAnnotation, 1, 0},
      {"public/vllm_decode_graph.json.gz", AnchorMethod::kAnnotation, 0, 1}};
  for (const KnownTrace& known : kKnown) {
    const std::optional<std::string> path = testing::shared_file(std::string("data/") + known.name);
    if (!path) GTEST_SKIP() << "no " << known.name;
    ImportRequest request;
    request.inputs = {*path};
    NoProgress progress;
    const Result<Imported> imported = open_or_import(request, progress);
    ASSERT_TRUE(imported) << known.name;
    const Cycles cycles = cycles_of(imported->run);
    EXPECT_EQ(cycles.method, known.method) << known.name;
    std::size_t prefill = 0;
    std::size_t decode = 0;
    for (const Cycle& cycle : cycles.cycles) {
      prefill += cycle.phase == Phase::kPrefill ? 1 : 0;
      decode += cycle.phase == Phase::kDecode ? 1 : 0;
      EXPECT_TRUE(cycle.complete) << known.name;
      EXPECT_LE(cycle.gpu_busy_ns, cycle.dur_ns) << known.name;
    }
    EXPECT_EQ(cycles.cycles.size(), known.prefill + known.decode + known.unknown) << known.name;
    EXPECT_EQ(prefill, known.prefill) << known.name;
    EXPECT_EQ(decode, known.decode) << known.name;
  }
}

}  // namespace
}  // namespace tactus

#include "bounds/kernel_bounds.h"

#include <gtest/gtest.h>

#include "sources/sources.h"
#include "support/files.h"
#include "support/run_text.h"

namespace tactus {
namespace {

/// A machine with round figures: 1 byte and 1 FLOP take 1 ns.
HardwareProfile slow_machine() {
  HardwareProfile machine;
  machine.name = "slow";
  machine.memory_bandwidth.value = 1e9;
  for (auto* rates : {&machine.tensor_flops, &machine.vector_flops}) {
    for (auto& rate : *rates) rate = Figure{.value = 1e9, .source = {}, .date = {}};
  }
  return machine;
}

std::string slice(const std::string& cat, const std::string& name, int start, int dur,
                  const std::string& args = "") {
  const std::string place = cat == "kernel" ? R"("pid":0,"tid":7)" : R"("pid":1,"tid":1)";
  return R"({"ph":"X","cat":")" + cat + R"(","name":")" + name + R"(",)" + place + R"(,"ts":)" +
         std::to_string(start) + R"(,"dur":)" + std::to_string(dur) + R"(,"args":{)" + args + "}}";
}

std::string call(const std::string& name, int start, int correlation) {
  return slice("cuda_runtime", name, start, 1, R"("correlation":)" + std::to_string(correlation));
}

std::string kernel(const std::string& name, int start, int dur, int correlation) {
  return slice("kernel", name, start, dur,
               R"("device":0,"stream":7,"correlation":)" + std::to_string(correlation));
}

/// A matrix of 10 x 10 times another, in bf16: 2000 FLOP, 600 bytes.
const std::string kProduct =
    R"("Input Dims":[[10,10],[10,10]],"Input type":["c10::BFloat16","c10::BFloat16"])";

tactus::Run run_of(const std::vector<std::string>& events, const std::string& device = "") {
  std::string text = R"({"deviceProperties":[{"id":0,"name":")" + device + R"("}],"traceEvents":[)";
  for (std::size_t i = 0; i < events.size(); ++i) text += (i == 0 ? "" : ",") + events[i];
  return testing::import_json(text + "]}");
}

KernelBounds bounds_of(const tactus::Run& run, const HardwareProfile* machine) {
  return bound_kernels(run, report_kernels(run, {}), machine);
}

TEST(KernelBounds, a_row_has_the_bound_of_what_its_kernels_computed) {
  const HardwareProfile machine = slow_machine();
  const auto run = run_of({slice("cpu_op", "aten::mm", 0, 10, kProduct),
                           call("cudaLaunchKernel", 2, 1), kernel("gemm", 20, 4, 1)});
  const KernelBounds bounds = bounds_of(run, &machine);
  ASSERT_TRUE(bounds.rows.at(0).has_value());
  EXPECT_DOUBLE_EQ(bounds.rows[0]->t_sol_ns, 2000);
  EXPECT_DOUBLE_EQ(bounds.rows[0]->s, 0.5);
  EXPECT_DOUBLE_EQ(bounds.rows[0]->covered, 1);
  EXPECT_EQ(bounds.rows[0]->limit, Limit::kCompute);
  EXPECT_DOUBLE_EQ(bounds.coverage, 1);
  EXPECT_TRUE(bounds.reasons.empty());
}

TEST(KernelBounds, kernels_of_one_call_share_its_bound_by_their_time) {
  const HardwareProfile machine = slow_machine();
  const auto run = run_of({slice("cpu_op", "aten::mm", 0, 10, kProduct),
                           call("cudaLaunchKernel", 2, 1), call("cudaLaunchKernel", 4, 2),
                           kernel("splitk", 20, 3, 1), kernel("reduce", 24, 1, 2)});
  const KernelBounds bounds = bounds_of(run, &machine);
  EXPECT_DOUBLE_EQ(bounds.rows.at(0)->t_sol_ns, 1500);
  EXPECT_DOUBLE_EQ(bounds.rows.at(1)->t_sol_ns, 500);
  ASSERT_EQ(bounds.shapes.size(), 1u);
  EXPECT_EQ(bounds.shapes[0].calls, 1);
  EXPECT_EQ(bounds.shapes[0].total_ns, 4000);
  EXPECT_EQ(bounds.shapes[0].rows, (std::vector<std::uint32_t>{0, 1}));
}

TEST(KernelBounds, each_replay_of_a_captured_call_is_an_execution) {
  const HardwareProfile machine = slow_machine();
  std::vector<std::string> events = {call("cudaStreamBeginCapture", 0, 1),
                                     slice("cpu_op", "aten::mm", 5, 10, kProduct),
                                     call("cudaLaunchKernel", 6, 2), call("cudaLaunchKernel", 8, 3),
                                     call("cudaStreamEndCapture", 20, 4)};
  for (int replay = 0; replay < 3; ++replay) {
    const int start = 100 + 100 * replay;
    events.push_back(call("cudaGraphLaunch", start, 10 + replay));
    events.push_back(kernel("splitk", start + 20, 3, 10 + replay));
    events.push_back(kernel("reduce", start + 30, 1, 10 + replay));
  }
  const KernelBounds bounds = bounds_of(run_of(events), &machine);
  ASSERT_EQ(bounds.shapes.size(), 1u);
  EXPECT_EQ(bounds.shapes[0].calls, 3);
  EXPECT_EQ(bounds.shapes[0].med_ns, 4000);
  EXPECT_DOUBLE_EQ(bounds.rows.at(0)->t_sol_ns + bounds.rows.at(1)->t_sol_ns, 6000);
}

TEST(KernelBounds, a_kernel_within_the_launch_floor_has_nothing_to_gain) {
  HardwareProfile machine = slow_machine();
  const auto run = run_of({slice("cpu_op", "aten::mm", 0, 10, kProduct),
                           call("cudaLaunchKernel", 2, 1), kernel("gemm", 20, 4, 1)});
  machine.launch_floor_ns = Figure{.value = 100, .source = {}, .date = {}};
  EXPECT_EQ(bounds_of(run, &machine).gains.at(0).saved_ns, 2000);
  EXPECT_EQ(bounds_of(run, &machine).gains.at(0).what, "aten::mm (10x10 by 10x10, bf16)");
  machine.launch_floor_ns = Figure{.value = 3000, .source = {}, .date = {}};
  EXPECT_EQ(bounds_of(run, &machine).gains.at(0).saved_ns, 1000);
  EXPECT_EQ(bounds_of(run, &machine).rows.at(0)->limit, Limit::kLaunch);
  machine.launch_floor_ns->value = 5000;
  EXPECT_TRUE(bounds_of(run, &machine).gains.empty());
  machine.launch_floor_ns.reset();
  EXPECT_TRUE(bounds_of(run, &machine).gains.empty()) << "no kernel of the run is shorter";
}

TEST(KernelBounds, what_beats_memory_is_marked_if_the_cache_can_hold_it) {
  HardwareProfile machine = slow_machine();
  const std::string add = R"("Input Dims":[[1000],[1000]],"Input type":["float","float"])";
  const auto run = run_of({slice("cpu_op", "aten::add", 0, 10, add), call("cudaLaunchKernel", 2, 1),
                           kernel("add", 20, 6, 1)});
  machine.l2_size = Figure{.value = 20000, .source = {}, .date = {}};
  const KernelBounds cached = bounds_of(run, &machine);
  EXPECT_DOUBLE_EQ(cached.rows.at(0)->s, 2);
  EXPECT_TRUE(cached.rows.at(0)->fits_cache);
  EXPECT_TRUE(cached.reasons.empty());
  machine.l2_size->value = 2000;
  const KernelBounds wrong = bounds_of(run, &machine);
  EXPECT_FALSE(wrong.rows.at(0)->fits_cache);
  ASSERT_EQ(wrong.reasons.size(), 1u);
  EXPECT_NE(wrong.reasons[0].find("the bound is wrong"), std::string::npos);
}

TEST(KernelBounds, what_has_no_bound_has_a_reason) {
  const HardwareProfile machine = slow_machine();
  const auto run =
      run_of({slice("cpu_op", "aten::mm", 0, 10), call("cudaLaunchKernel", 2, 1),
              slice("cpu_op", "mine::op", 20, 10, kProduct), call("cudaLaunchKernel", 22, 2),
              call("cudaGraphLaunch", 40, 3), call("cudaLaunchKernel", 60, 4),
              kernel("a", 100, 4, 1), kernel("b", 110, 3, 2), kernel("c", 120, 2, 3),
              kernel("d", 130, 1, 4), kernel("e", 140, 1, 99)});
  const KernelBounds bounds = bounds_of(run, &machine);
  EXPECT_DOUBLE_EQ(bounds.coverage, 0);
  ASSERT_EQ(bounds.reasons.size(), 5u);
  EXPECT_EQ(bounds.reasons[0],
            "36.4% of the GPU time: ops that were recorded without shapes (aten::mm 36.4%); "
            "torch.profiler records shapes with record_shapes=True");
  EXPECT_EQ(bounds.reasons[1],
            "27.3% of the GPU time: ops whose cost is not known (mine::op 27.3%)");
  EXPECT_NE(bounds.reasons[2].find("CUDA graphs replay"), std::string::npos);
  EXPECT_NE(bounds.reasons[2].find("--capture"), std::string::npos);
}

TEST(KernelBounds, without_a_known_machine_there_are_none) {
  const std::vector<std::string> events = {slice("cpu_op", "aten::mm", 0, 10, kProduct),
                                           call("cudaLaunchKernel", 2, 1),
                                           kernel("gemm", 20, 4, 1)};
  const KernelBounds unknown = bounds_of(run_of(events, "Abacus 9000"), nullptr);
  EXPECT_EQ(unknown.hardware, nullptr);
  EXPECT_FALSE(unknown.rows.at(0).has_value());
  EXPECT_NE(unknown.reasons.at(0).find("Abacus 9000"), std::string::npos);
  EXPECT_NE(unknown.reasons.at(0).find("--hardware"), std::string::npos);
  const KernelBounds known = bounds_of(run_of(events, "NVIDIA H200"), nullptr);
  ASSERT_NE(known.hardware, nullptr);
  EXPECT_EQ(known.hardware->name, "H200");
}

TEST(KernelBounds, of_another_machine_say_so) {
  const HardwareProfile machine = slow_machine();
  const auto run = run_of({slice("cpu_op", "aten::mm", 0, 10, kProduct),
                           call("cudaLaunchKernel", 2, 1), kernel("gemm", 20, 1, 1)},
                          "NVIDIA H200");
  const KernelBounds bounds = bounds_of(run, &machine);
  EXPECT_DOUBLE_EQ(bounds.rows.at(0)->s, 2);
  EXPECT_EQ(bounds.reasons,
            std::vector<std::string>{"the bounds are those of slow, the times those of H200"});
}

TEST(KernelBounds, of_the_own_machine_as_it_was_measured_are_not_another_ones) {
  HardwareProfile machine = slow_machine();
  machine.name = "NVIDIA H200";
  machine.device_names = {"NVIDIA H200"};
  const auto run = run_of({slice("cpu_op", "aten::mm", 0, 10, kProduct),
                           call("cudaLaunchKernel", 2, 1), kernel("gemm", 20, 4, 1)},
                          "NVIDIA H200");
  EXPECT_TRUE(bounds_of(run, &machine).reasons.empty());
}

/// Real recordings: nearly everything has a bound, and no bound is beaten but by the cache.
TEST(KernelBounds, of_recordings_hold) {
  constexpr double kLargestCacheNs = 60e6 / 4.8e12 * 1e9;  // what 60 MB take from memory
  for (const char* name : {"normal", "cpu_contention", "with_stack", "compiled"}) {
    const auto path = testing::shared_file(std::string("data/traces/") + name + ".json.gz");
    if (!path) GTEST_SKIP() << "the shared recordings are not here";
    NoProgress progress;
    const auto opened = import_run({.inputs = {*path}}, progress);
    ASSERT_TRUE(opened) << opened.error().message;
    const KernelBounds bounds = bounds_of(opened->run, nullptr);
    EXPECT_GE(bounds.coverage, 0.9) << name;
    for (const TraceShape& shape : bounds.shapes) {
      const bool may_be_cached =
          shape.limit != Limit::kCompute && shape.t_sol_ns <= kLargestCacheNs;
      EXPECT_TRUE(may_be_cached || shape.s() <= 1.03) << name << " " << shape.op << shape.label;
    }
  }
}

/// One decode step of vLLM with two layers. All keys of the step take 2 * 2 * 100 * 2 * 8 = 6400
/// bytes, and with queries and output 6464 ns on the slow machine.
tactus::Run run_with_attention(int first_us, int second_us) {
  const std::string attention =
      R"("Input Dims":[[2,2,4],[2,2,4],[2,2,4],[2,2,4]],"Input type":["c10::BFloat16",)"
      R"("c10::BFloat16","c10::BFloat16","c10::BFloat16"])";
  const std::string cache =
      R"("Input Dims":[[2,50,16,2,4],[]],"Input type":["c10::BFloat16","Scalar"])";
  std::vector<std::string> events = {
      slice("user_annotation",
            "execute_2_context_0(sq0sk0sqsq0sqsk0)_generation_2(sq2sk200sqsq2sqsk200)", 0, 100)};
  for (int layer = 0; layer < 2; ++layer) {
    const int start = 10 + 40 * layer;
    events.push_back(slice("cpu_op", "vllm::unified_attention_with_output", start, 30, attention));
    events.push_back(slice("cpu_op", "aten::unbind", start + 1, 1, cache));
    events.push_back(call("cudaLaunchKernel", start + 5, layer + 1));
    events.push_back(
        kernel(layer == 0 ? "kernel_unified_attention_3d" : "kernel_unified_attention_2d",
               start + 6, layer == 0 ? first_us : second_us, layer + 1));
  }
  return run_of(events);
}

TEST(KernelBounds, of_paged_attention_come_from_the_annotation_of_the_step) {
  const HardwareProfile machine = slow_machine();
  const KernelBounds bounds = bounds_of(run_with_attention(20, 20), &machine);
  EXPECT_DOUBLE_EQ(bounds.coverage, 1);
  EXPECT_DOUBLE_EQ(bounds.at_least, 0);
  ASSERT_TRUE(bounds.rows.at(0).has_value());
  EXPECT_EQ(bounds.rows[0]->evidence, ShapeEvidence::kAnnotation);
  // 2 heads * 200 pairs * 2 * (4 + 4) FLOP
  EXPECT_DOUBLE_EQ(bounds.rows[0]->t_sol_ns, 6464);
}

TEST(KernelBounds, of_attention_that_is_too_fast_for_all_keys_count_only_the_own_ones) {
  const HardwareProfile machine = slow_machine();
  const KernelBounds bounds = bounds_of(run_with_attention(20, 3), &machine);
  EXPECT_DOUBLE_EQ(bounds.rows.at(0)->t_sol_ns, 6464);
  EXPECT_FALSE(bounds.rows.at(0)->at_least);
  EXPECT_TRUE(bounds.rows.at(1)->at_least) << "it has a window";
  EXPECT_LE(bounds.rows.at(1)->s, 1);
  EXPECT_NEAR(bounds.at_least, 3.0 / 23, 1e-9);
  ASSERT_TRUE(bounds.s.has_value());
  EXPECT_DOUBLE_EQ(*bounds.s, 0.3232) << "without what is not fully known";
  EXPECT_EQ(bounds.gains.size(), 1u);
}

TEST(KernelBounds, know_a_machine_without_a_name_by_its_facts) {
  const std::string facts =
      R"({"deviceProperties":[{"id":0,"name":"","computeMajor":9,"computeMinor":4,"warpSize":64,)"
      R"("totalGlobalMem":206141652992,"numSms":)";
  const auto run = [&](const std::string& processors) {
    return testing::import_json(facts + processors + R"(}],"traceEvents":[)" +
                                kernel("k", 0, 1, 1) + "]}");
  };
  const HardwareProfile* known = hardware_of_run(run("304"));
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(known->name, "MI300X");
  EXPECT_EQ(hardware_of_run(run("80")), nullptr) << "an MI308X";
}

}  // namespace
}  // namespace tactus

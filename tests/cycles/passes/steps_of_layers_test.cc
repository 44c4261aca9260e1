#include "cycles/passes/steps_of_layers.h"

#include <gtest/gtest.h>

#include <random>

#include "cycles/passes/run_passes.h"
#include "cycles/trace_text.h"
#include "run/run.h"
#include "support/run_text.h"

namespace tactus {
namespace {

/// Steps of eight layers of four kernels each, and nothing else.
std::vector<Pass> passes_of(int steps, std::int64_t pause_ns, double stalls = 0) {
  Run run;
  KernelStream stream;
  std::mt19937 random(1);
  std::int64_t time = 0;
  const auto add = [&](const char* name, std::int64_t idle_ns) {
    time += idle_ns;
    stream.rows.push_back(static_cast<std::uint32_t>(stream.rows.size()));
    stream.names.push_back(static_cast<std::uint32_t>(run.strings.intern(name).value));
    stream.starts.push_back(time);
    stream.durs.push_back(20'000);
    time += 20'000;
  };
  for (int step = 0; step < steps; ++step) {
    for (int layer = 0; layer < 8; ++layer) {
      for (const char* name :
           {"void rms_norm_kernel<float>(float*)", "nvjet_tst_64x32_64x16_2x1_v_bz_TNT",
            "void flash_fwd_splitkv_kernel<float>(Flash_fwd_params)",
            "nvjet_tst_128x64_64x9_2x1_v_bz_TNT"}) {
        const bool is_first = layer == 0 && std::string_view(name).starts_with("void rms");
        const bool is_stall = static_cast<double>(random() % 1000) < 1000 * stalls;
        add(name, is_first ? pause_ns : is_stall ? 5'000'000 : 1500 + random() % 1000);
      }
    }
  }
  DecodedNames names(run);
  AnnotatedSteps annotated(run);
  return find_passes(stream, names, annotated);
}

TEST(StepsOfLayers, pauses_show_steps_of_nothing_but_layers) {
  for (const double stalls : {0.0, 0.02}) {
    const std::vector<Pass> passes = passes_of(20, 300'000, stalls);
    ASSERT_EQ(passes.size(), 20U) << stalls;
    for (std::size_t i = 0; i < passes.size(); ++i) {
      EXPECT_EQ(passes[i].first, 32 * i);
      EXPECT_EQ(passes[i].layers, 8U);
    }
  }
}

/// The passes of steps of 16 layers without pauses. Each step is one annotation around its
/// launches.
std::vector<Pass> annotated_passes(const std::string& name, int kernels_late = 0) {
  testing::TraceText trace;
  constexpr int kSteps = 12, kStepKernels = 16 * 4;
  constexpr std::string_view kNames[] = {testing::kernels::kNorm, testing::kernels::kGemm,
                                         testing::kernels::kSdpa, testing::kernels::kGemm};
  for (int kernel = 0; kernel < kSteps * kStepKernels; ++kernel) {
    if ((kernel - kernels_late) % kStepKernels == 0 && !name.empty()) {
      trace.annotation("user_annotation", name, 1000 + 100 * kernel, 100 * kStepKernels - 10);
    }
    trace.launch("cudaLaunchKernel", 1000 + 100 * kernel);
    trace.kernel(kNames[kernel % 4], 1000);
  }
  const Run run = testing::import_json(trace.json());
  RunPasses passes(run);
  const auto& streams = passes.streams({});
  return streams.empty() ? std::vector<Pass>() : streams.front().passes;
}

TEST(StepsOfLayers, annotations_show_steps_without_pauses) {
  for (const char* name : {"step", "ProfilerStep#3"}) {
    const std::vector<Pass> passes = annotated_passes(name);
    ASSERT_EQ(passes.size(), 12U) << name;
    for (std::size_t i = 0; i < passes.size(); ++i) {
      EXPECT_EQ(passes[i].first, 64 * i);
      EXPECT_EQ(passes[i].layers, 16U);
    }
  }
  // Of those of one that is cut, what is there counts.
  EXPECT_EQ(annotated_passes("step", 8).size(), 13U);
}

TEST(StepsOfLayers, other_annotations_are_no_steps) {
  EXPECT_EQ(annotated_passes("").size(), 1U);
  EXPECT_EQ(annotated_passes("prepare").size(), 1U);
}

TEST(StepsOfLayers, without_pauses_nothing_tells_where_steps_begin) {
  EXPECT_EQ(passes_of(20, 2000).size(), 1U);
}

}  // namespace
}  // namespace tactus

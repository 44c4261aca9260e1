#include <gtest/gtest.h>

#include "cycles/passes/run_passes.h"
#include "cycles/trace_text.h"
#include "kernels/trace/trace_analysis.h"
#include "sources/sources.h"
#include "support/files.h"
#include "support/run_text.h"

namespace tactus {
namespace {

using testing::add_pass;
using testing::import_json;
using testing::PassShape;
using testing::TraceText;
namespace kernels = testing::kernels;

Structure structure_of(const Run& run) {
  RunPasses passes(run);
  return structure_of_trace(run, {}, passes);
}

/// "prefill 2, decode 24"
std::string phases_text(const Structure& structure) {
  std::string text;
  for (const PassGroup& group : structure.phases) {
    if (!text.empty()) text += ", ";
    text += group.phase + " " + std::to_string(group.passes);
  }
  return text;
}

TEST(TraceStructure, a_run_of_a_model_is_told_in_numbers) {
  TraceText text;
  add_pass(text, {.unit_ns = 20'000, .gemm = kernels::kPrefillGemm, .tokens = 512});
  for (int i = 0; i < 10; ++i) add_pass(text, {.tokens = 1});
  const Structure structure = structure_of(import_json(text.json()));
  EXPECT_EQ(structure.passes, 11);
  EXPECT_EQ(structure.layers, 8);
  EXPECT_EQ(structure.gemms_per_layer, 4);
  EXPECT_EQ(structure.sampled_steps, 11);
  EXPECT_EQ(structure.longest_kernel_ns, 20'000);
  EXPECT_EQ(phases_text(structure), "prefill 1, decode 10");
  EXPECT_EQ(structure.phases[0].total_ns, 8 * 8 * 20'000 + 5 * 500);
  EXPECT_EQ(structure.phases[1].total_ns, 10 * (8 * 8 * 1'000 + 5 * 500));
  EXPECT_FALSE(structure.decode_missing);
  ASSERT_EQ(structure.signs.size(), 1U);
  EXPECT_EQ(structure.signs[0], "The card is NVIDIA H200, as the recording says.");
}

/// A job of two ranks, each with a prefill and so many decode steps.
Structure structure_of_ranks(int first, int second, const std::string& name = "rank") {
  const testing::TemporaryFolder folder;
  ImportRequest request;
  for (const int steps : {first, second}) {
    TraceText text;
    add_pass(text, {.unit_ns = 20'000, .gemm = kernels::kPrefillGemm, .tokens = 512});
    for (int i = 0; i < steps; ++i) add_pass(text, {.unit_ns = 1000 + steps, .tokens = 1});
    const std::string number = std::to_string(request.inputs.size());
    request.inputs.push_back(folder.write(name + number + ".json", text.json()));
  }
  NoProgress progress;
  const Result<Imported> imported = open_or_import(request, progress);
  EXPECT_TRUE(imported) << imported.error().message;
  return structure_of(imported->run);
}

TEST(TraceStructure, of_several_ranks_is_that_of_one_and_lists_all) {
  const Structure structure = structure_of_ranks(6, 10);
  EXPECT_EQ(structure.passes, 11);
  EXPECT_EQ(phases_text(structure), "prefill 1, decode 10");
  EXPECT_EQ(structure.of_rank, "rank 1");
  ASSERT_EQ(structure.ranks.size(), 2u);
  EXPECT_EQ(structure.ranks[0].label, "rank 0");
  EXPECT_EQ(structure.ranks[0].rank, 0);
  EXPECT_EQ(structure.ranks[0].passes, 7);
  EXPECT_EQ(structure.ranks[0].layers, 8);
  EXPECT_EQ(structure.ranks[1].passes, 11);
  EXPECT_GT(structure.ranks[1].total_ns, structure.ranks[0].total_ns);

  const Structure unnamed = structure_of_ranks(6, 7, "part");
  EXPECT_EQ(unnamed.ranks[0].rank, std::nullopt);
  EXPECT_TRUE(unnamed.of_rank.starts_with("GPU 0 of ")) << unnamed.of_rank;
}

TEST(TraceStructure, of_one_rank_lists_none) {
  TraceText text;
  for (int i = 0; i < 3; ++i) add_pass(text, {.tokens = 1});
  const Structure structure = structure_of(import_json(text.json()));
  EXPECT_TRUE(structure.ranks.empty());
  EXPECT_TRUE(structure.of_rank.empty());
}

TEST(TraceStructure, what_cannot_be_told_is_not_there) {
  const Structure structure = structure_of(import_json(R"({"traceEvents":[]})"));
  EXPECT_FALSE(structure.passes);
  EXPECT_FALSE(structure.layers);
  EXPECT_FALSE(structure.sampled_steps);
  EXPECT_TRUE(structure.phases.empty());
  EXPECT_FALSE(structure.decode_missing);
}

TEST(TraceStructure, graph_launches_without_kernels_mean_that_decode_is_missing) {
  TraceText text;
  add_pass(text, {});
  for (int i = 0; i < 30; ++i) text.launch("cudaGraphLaunch", text.now_ns() + 1'000 * i);
  const Structure structure = structure_of(import_json(text.json()));
  EXPECT_TRUE(structure.decode_missing);
  EXPECT_EQ(structure.decode_missing_why,
            "30 of 30 graph launches have no kernels in the recording.");
}

TEST(TraceStructure, graph_launches_with_their_kernels_are_not_missing) {
  TraceText text;
  for (int i = 0; i < 5; ++i) {
    text.launch("cudaGraphLaunch", text.now_ns());
    add_pass(text, {});
  }
  EXPECT_FALSE(structure_of(import_json(text.json())).decode_missing);
}

struct SharedTrace {
  std::string file;
  std::int64_t passes;
  std::int64_t layers;
  std::int64_t gemms_per_layer;
  std::string phases;
};

/// Counted by hand: attention kernels are layers times passes.
TEST(TraceStructure, recordings_of_real_models_are_understood) {
  const SharedTrace traces[] = {
      {"data/traces/normal.json.gz", 26, 16, 7, "prefill 2, decode 24"},
      {"data/traces/cpu_contention.json.gz", 26, 16, 7, "prefill 2, decode 24"},
      {"data/traces/with_stack.json.gz", 5, 16, 7, "prefill 1, decode 4"},
      {"data/traces/compiled.json.gz", 7, 16, 7, "prefill 1, decode 6"},
      {"data/traces/cuda_graph.json.gz", 16, 16, 7, "unknown 16"},
      {"data/public/b200_eager.json.gz", 1, 36, 3, "prefill 1"},
      {"data/public/h100_qwen1.5.json.gz", 2, 24, 7, "unknown 2"},  // neither cache nor words
      {"data/public/mi300_bert.json.gz", 1, 4, 6, "unknown 1"},
      {"data/public/mi300_sglang_qwen3_prefilldecode.json.gz", 1, 36, 4, "prefill 1"},
      {"data/public/vllm_decode_graph.json.gz", 1, 24, 3, "decode 1"},
  };
  for (const SharedTrace& trace : traces) {
    const std::optional<std::string> file = testing::shared_file(trace.file);
    if (!file) GTEST_SKIP() << trace.file << " is not here";
    NoProgress progress;
    auto imported = import_run({.inputs = {*file}}, progress);
    ASSERT_TRUE(imported) << trace.file;
    const Structure structure = structure_of(imported->run);
    EXPECT_EQ(structure.passes, trace.passes) << trace.file;
    EXPECT_EQ(structure.layers, trace.layers) << trace.file;
    EXPECT_EQ(structure.gemms_per_layer, trace.gemms_per_layer) << trace.file;
    EXPECT_EQ(phases_text(structure), trace.phases) << trace.file;
    EXPECT_FALSE(structure.decode_missing) << trace.file;
  }
}

TEST(TraceStructure, a_program_that_is_no_model_has_no_passes) {
  const std::optional<std::string> file =
      testing::shared_file("data/public/nsys_cloverleaf.sqlite");
  if (!file) GTEST_SKIP();
  NoProgress progress;
  auto imported = import_run({.inputs = {*file}}, progress);
  ASSERT_TRUE(imported);
  EXPECT_FALSE(structure_of(imported->run).passes);
}

}  // namespace
}  // namespace tactus

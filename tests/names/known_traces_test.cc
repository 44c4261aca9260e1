// Recordings of vLLM, SGLang and plain PyTorch on several devices: hardly any time may go to
// kernels that nobody knows.
#include <gtest/gtest.h>

#include "launches/kernel_instances.h"
#include "names/kernel_name.h"
#include "sources/sources.h"
#include "support/files.h"

namespace tactus {
namespace {

constexpr double kMostUnknown = 0.01;  ///< share of the time

class KnownTraces : public ::testing::TestWithParam<const char*> {};

TEST_P(KnownTraces, have_kernels_of_known_families) {
  const std::optional<std::string> path = testing::shared_file(GetParam());
  if (!path) GTEST_SKIP() << GetParam() << " is not here";
  NoProgress progress;
  const Result<Imported> imported = import_run({.inputs = {*path}}, progress);
  ASSERT_TRUE(imported) << imported.error().message;
  const KernelTable table = summarise_kernels(imported->run, {});
  ASSERT_GT(table.total_ns, 0);
  std::int64_t unknown_ns = 0;
  std::string unknown;
  for (const KernelRow& row : table.rows) {
    if (decode_kernel_name(row.name).family != Family::kOther) continue;
    unknown_ns += row.total_ns;
    unknown += row.name.substr(0, 200) + "\n";
  }
  EXPECT_LT(static_cast<double>(unknown_ns), kMostUnknown * static_cast<double>(table.total_ns))
      << unknown;
}

INSTANTIATE_TEST_SUITE_P(
    All, KnownTraces,
    ::testing::Values("data/public/b200_eager.json.gz", "data/public/h100_qwen1.5.json.gz",
                      "data/public/mi300_bert.json.gz",
                      "data/public/mi300_sglang_qwen3_prefilldecode.json.gz",
                      "data/public/vllm_decode_graph.capture.json.gz",
                      "data/public/vllm_decode_graph.json.gz", "data/traces/compiled.json.gz",
                      "data/traces/cpu_contention.json.gz", "data/traces/cuda_graph.json.gz",
                      "data/traces/normal.json.gz", "data/traces/with_stack.json.gz"),
    [](const auto& trace) {
      std::string name = trace.param;
      for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
      return name;
    });

}  // namespace
}  // namespace tactus

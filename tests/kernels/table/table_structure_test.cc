#include <gtest/gtest.h>

#include <limits>

#include "kernels/table/model_table.h"

namespace tactus {
namespace {

using testing::kSeed001;
using testing::kSeed002;
using testing::Model;
using testing::NamedTable;
using testing::seed_table;
using testing::table_of;

const PassGroup* find_phase(const Structure& structure, std::string_view phase) {
  for (const PassGroup& group : structure.phases) {
    if (group.phase == phase) return &group;
  }
  return nullptr;
}

std::int64_t passes_of(const Structure& structure, std::string_view phase) {
  const PassGroup* group = find_phase(structure, phase);
  return group == nullptr ? -1 : group->passes;
}

const Identity* find_identity(const Structure& structure, std::string_view text) {
  for (const Identity& identity : structure.identities) {
    if (identity.text.starts_with(text)) return &identity;
  }
  return nullptr;
}

const SplitRow* find_split(const Structure& structure, std::string_view word) {
  for (const SplitRow& row : structure.split_rows) {
    if (row.name.find(word) != std::string::npos) return &row;
  }
  return nullptr;
}

bool any_sign_says(const Structure& structure, std::string_view word) {
  for (const std::string& sign : structure.signs) {
    if (sign.find(word) != std::string::npos) return true;
  }
  return false;
}

void expect_all_identities_hold(const Structure& structure) {
  EXPECT_FALSE(structure.identities.empty());
  for (const Identity& identity : structure.identities) {
    EXPECT_TRUE(identity.holds()) << identity.text << ": " << identity.expected << " against "
                                  << identity.actual;
  }
}

/// The list that SGLang captures, up to a size.
std::vector<std::int64_t> sizes_up_to(std::int64_t largest) {
  std::vector<std::int64_t> sizes = {1, 2, 4, 8, 12};
  for (std::int64_t size = 16; size <= largest; size += 8) sizes.push_back(size);
  return sizes;
}

TEST(TableStructure, of_a_run_without_graphs_has_prefill_and_decode) {
  const Structure found = table_of({}).structure();
  EXPECT_EQ(found.layers, 24);
  EXPECT_EQ(found.passes, 23);
  EXPECT_EQ(found.gemms_per_layer, 4);
  EXPECT_EQ(found.sampled_steps, 23);
  EXPECT_EQ(passes_of(found, "prefill"), 3);
  EXPECT_EQ(passes_of(found, "decode"), 20);
  EXPECT_EQ(find_phase(found, "graph_capture"), nullptr);
  EXPECT_FALSE(found.decode_missing);
  EXPECT_EQ(found.decode_missing_why, "");
  EXPECT_TRUE(found.capture_sizes.empty());
  EXPECT_EQ(found.longest_kernel_ns, 5'000'000);
  expect_all_identities_hold(found);
}

TEST(TableStructure, divides_the_time_between_prefill_and_decode) {
  const NamedTable made = table_of({});
  const Structure found = made.structure();
  // 72 prefill layers of 3 x 5 + 2 ms in GEMMs and 0.6 + 0.2 + 0.8 + 2 x 0.2 + 2 x 0.3 ms beside.
  const double expected = 72 * 19.6e6;
  const PassGroup* prefill = find_phase(found, "prefill");
  ASSERT_TRUE(prefill != nullptr && prefill->total_ns);
  EXPECT_NEAR(static_cast<double>(*prefill->total_ns), expected, expected * 0.001);
  const PassGroup* decode = find_phase(found, "decode");
  ASSERT_TRUE(decode != nullptr && decode->total_ns);
  const std::int64_t argmax_ns = 23 * 40'000;
  EXPECT_NEAR(static_cast<double>(*prefill->total_ns + *decode->total_ns),
              static_cast<double>(made.table.total_ns - argmax_ns), 10);
}

TEST(TableStructure, takes_rows_of_two_kinds_apart) {
  const Structure found = table_of({}).structure();
  const SplitRow* silu = find_split(found, "silu");
  ASSERT_NE(silu, nullptr);
  ASSERT_EQ(silu->parts.size(), 2U);
  EXPECT_EQ(silu->parts[0].phase, "prefill");
  EXPECT_EQ(silu->parts[0].instances, 24 * 3);
  EXPECT_NEAR(static_cast<double>(silu->parts[0].avg_ns), 800'000, 100);
  EXPECT_EQ(silu->parts[1].phase, "decode");
  EXPECT_EQ(silu->parts[1].instances, 24 * 20);
  EXPECT_NEAR(static_cast<double>(silu->parts[1].avg_ns), 5'000, 100);
  EXPECT_EQ(find_split(found, "prefill_wide"), nullptr);
  EXPECT_EQ(find_split(found, "decode_gemm"), nullptr);
}

TEST(TableStructure, tells_that_decode_is_missing_where_graphs_were_replayed) {
  const Structure found =
      table_of({.decode = 0, .sampled = 33, .capture_sizes = sizes_up_to(64)}).structure();
  EXPECT_EQ(found.passes, 27);
  EXPECT_EQ(passes_of(found, "prefill"), 3);
  EXPECT_EQ(passes_of(found, "decode"), 0);
  EXPECT_TRUE(found.decode_missing);
  EXPECT_NE(found.decode_missing_why.find("--cuda-graph-trace=node"), std::string::npos);
}

TEST(TableStructure, finds_the_captured_sizes_in_the_tiles_of_the_gemms) {
  const Structure found =
      table_of({.decode = 0, .sampled = 13, .capture_sizes = sizes_up_to(128)}).structure();
  EXPECT_EQ(passes_of(found, "graph_capture"), 40);
  EXPECT_EQ(found.capture_sizes, sizes_up_to(128));
  EXPECT_TRUE(found.decode_missing);
  EXPECT_NE(found.decode_missing_why.find("10 decode steps"), std::string::npos);
  expect_all_identities_hold(found);
}

TEST(TableStructure, has_eager_decode_beside_captures) {
  const Structure found =
      table_of({.decode = 20, .sampled = 23, .capture_sizes = sizes_up_to(64)}).structure();
  EXPECT_EQ(passes_of(found, "decode"), 20);
  EXPECT_EQ(passes_of(found, "graph_capture"), 24);
  EXPECT_EQ(found.capture_sizes, sizes_up_to(64));
  EXPECT_FALSE(found.decode_missing);
  // Their times cannot be told apart.
  EXPECT_FALSE(find_phase(found, "decode")->total_ns);
  EXPECT_FALSE(find_phase(found, "graph_capture")->total_ns);
}

TEST(TableStructure, tells_that_decode_is_missing_where_only_prefill_was_recorded) {
  const Structure found = table_of({.prefill = 4, .decode = 1, .sampled = 20}).structure();
  EXPECT_EQ(found.layers, 24);
  EXPECT_TRUE(found.decode_missing);
  EXPECT_EQ(passes_of(found, "decode"), 1);
  EXPECT_NE(found.decode_missing_why.find("only 1 passes"), std::string::npos);
}

TEST(TableStructure, does_not_guess_what_passes_without_samples_were) {
  const Structure found = table_of({.sampled = 0}).structure();
  EXPECT_EQ(found.layers, 24);
  EXPECT_EQ(passes_of(found, "prefill"), 3);
  EXPECT_EQ(passes_of(found, "unknown"), 20);
  EXPECT_FALSE(found.sampled_steps);
  EXPECT_FALSE(found.decode_missing);
}

TEST(TableStructure, counts_layers_by_norms_that_are_not_fused) {
  const Structure found = table_of({.layers = 40, .fused_norms = false}).structure();
  EXPECT_EQ(found.layers, 40);
  EXPECT_EQ(found.passes, 23);
  const Identity* norms = find_identity(found, "rms_norm = (2 x layers + 1) x passes");
  ASSERT_NE(norms, nullptr);
  EXPECT_TRUE(norms->holds());
}

TEST(TableStructure, needs_no_activation) {
  const Structure found = table_of({.layers = 61, .silu = false}).structure();
  EXPECT_EQ(found.layers, 61);
  EXPECT_EQ(found.passes, 23);
}

TEST(TableStructure, leaves_gemms_per_layer_open_where_layers_differ) {
  NamedTable made = table_of({});
  made.add("first_layers_only", Family::kGemm, 3 * 2 * 23, 10'000).dtype_in = "bf16";
  made.add("experts", Family::kMoe, 24 * 23, 90'000);
  const Structure found = made.structure();
  EXPECT_EQ(found.layers, 24);
  EXPECT_FALSE(found.gemms_per_layer);
}

TEST(TableStructure, keeps_gemms_of_another_type_at_start_up_apart) {
  NamedTable made = table_of({});
  made.add("half", Family::kGemm, 2, 10'000).dtype_in = "fp16";
  const Structure found = made.structure();
  EXPECT_EQ(found.gemms_per_layer, 4);
  const Identity* gemms = find_identity(found, "gemm and gemv");
  ASSERT_NE(gemms, nullptr);
  EXPECT_NE(gemms->text.find("+ 2 at start-up"), std::string::npos);
  EXPECT_TRUE(gemms->holds());
}

TEST(TableStructure, shows_which_count_does_not_fit) {
  NamedTable made = table_of({});
  made.add("extra", Family::kActivation, 24, 5'000).op = "silu_and_mul";
  const Structure found = made.structure();
  const Identity* silu = find_identity(found, "silu_and_mul");
  ASSERT_NE(silu, nullptr);
  EXPECT_FALSE(silu->holds());
  EXPECT_EQ(silu->actual - silu->expected, 24);
}

TEST(TableStructure, counts_the_sums_of_tensor_parallel_layers) {
  NamedTable made = table_of({});
  made.add("sum", Family::kCollective, (2 * 24 + 1) * 23, 9'000).op = "all_reduce";
  const Structure found = made.structure();
  const Identity* sums = find_identity(found, "all_reduce = (2 x layers + 1)");
  ASSERT_NE(sums, nullptr);
  EXPECT_TRUE(sums->holds());
}

TEST(TableStructure, is_empty_where_there_are_no_layers) {
  NamedTable made;
  made.add("a", Family::kElementwise, 100, 1'000);
  made.add("b", Family::kGemm, 7, 2'000);
  made.add("c", Family::kAttention, 13, 2'000);
  made.finish();
  const Structure found = made.structure();
  EXPECT_FALSE(found.layers);
  EXPECT_FALSE(found.passes);
  EXPECT_FALSE(found.gemms_per_layer);
  EXPECT_TRUE(found.phases.empty());
  EXPECT_TRUE(found.identities.empty());
  EXPECT_TRUE(found.signs.empty());
  EXPECT_EQ(found.longest_kernel_ns, 2'000);
}

TEST(TableStructure, of_nothing_is_nothing) {
  EXPECT_FALSE(NamedTable{}.structure().layers);
  NamedTable nameless = table_of({});
  nameless.names.clear();
  EXPECT_FALSE(nameless.structure().layers);
}

TEST(TableStructure, survives_counts_and_times_that_cannot_be) {
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLow = std::numeric_limits<std::int64_t>::min();
  for (const std::int64_t value : {kHuge, kLow, std::int64_t{-1}, std::int64_t{0},
                                   std::int64_t{1} << 40, std::int64_t{1} << 39}) {
    for (std::size_t broken = 0; broken < table_of({}).table.rows.size(); ++broken) {
      NamedTable counts = table_of({});
      counts.table.rows[broken].instances = value;
      counts.structure();
      counts.groups();
      NamedTable times = table_of({.decode = 0, .capture_sizes = sizes_up_to(64)});
      KernelRow& row = times.table.rows[broken];
      row.total_ns = row.avg_ns = value;
      row.med_ns = row.min_ns = row.max_ns = row.stddev_ns = value;
      times.structure();
      times.groups();
      inconsistencies(times.table);
    }
    NamedTable all = table_of({});
    for (KernelRow& row : all.table.rows) row.instances = row.total_ns = value;
    all.structure();
    all.groups();
    inconsistencies(all.table);
  }
}

TEST(TableStructure, of_seed_001_is_36_graphs_captured_and_decode_missing) {
  const auto seed = seed_table(kSeed001);
  if (!seed) GTEST_SKIP() << "the seeds are not here";
  const Structure found = seed->structure();
  EXPECT_EQ(found.layers, 32);
  EXPECT_EQ(found.passes, 74);
  EXPECT_EQ(found.gemms_per_layer, 4);
  EXPECT_EQ(found.sampled_steps, 32);
  EXPECT_EQ(found.longest_kernel_ns, 12'387'000);
  EXPECT_EQ(passes_of(found, "prefill"), 2);
  EXPECT_EQ(passes_of(found, "decode"), 0);
  EXPECT_EQ(passes_of(found, "graph_capture"), 72);
  EXPECT_TRUE(found.decode_missing);
  EXPECT_NE(found.decode_missing_why.find("30 decode steps"), std::string::npos);
  EXPECT_NE(found.decode_missing_why.find("960 instances"), std::string::npos);
  EXPECT_EQ(found.capture_sizes, sizes_up_to(256));
  EXPECT_EQ(found.capture_sizes.size(), 36U);
  expect_all_identities_hold(found);
  for (const auto& [text, count] : std::vector<std::pair<const char*, std::int64_t>>{
           {"add_rms_norm = 2 x layers x passes", 4736},
           {"rms_norm = passes", 74},
           {"silu_and_mul = layers x passes", 2368},
           {"index_put = 2 x layers x passes", 4736},
           {"rope = layers x passes", 2368},
           {"attention = layers x passes", 2368},
           {"gemm and gemv = (4 x layers + 1) x passes + 1 at start-up", 9547},
           {"split-K gemm = splitk_reduce", 2880},
           {"attention_prepare with 4 warps", 576}}) {
    const Identity* identity = find_identity(found, text);
    ASSERT_NE(identity, nullptr) << text;
    EXPECT_EQ(identity->actual, count) << text;
  }
}

TEST(TableStructure, of_seed_001_takes_its_time_apart) {
  const auto seed = seed_table(kSeed001);
  if (!seed) GTEST_SKIP() << "the seeds are not here";
  const Structure found = seed->structure();
  const auto milliseconds = [&](std::string_view phase) {
    const PassGroup* group = find_phase(found, phase);
    return group == nullptr ? 0 : static_cast<double>(group->total_ns.value_or(0)) / 1e6;
  };
  EXPECT_NEAR(milliseconds("prefill"), 1627, 8);
  EXPECT_NEAR(milliseconds("graph_capture"), 555, 8);
  EXPECT_NEAR(milliseconds("start_up"), 39, 1);
  const SplitRow* silu = find_split(found, "act_and_mul_kernel");
  ASSERT_NE(silu, nullptr);
  EXPECT_EQ(silu->parts[0].instances, 64);
  EXPECT_EQ(silu->parts[1].instances, 2304);
  EXPECT_EQ(silu->parts[1].phase, "graph_capture");
  EXPECT_LT(silu->parts[0].avg_ns, 829'739);
}

TEST(TableStructure, of_seed_001_shows_a_hopper_and_cuda_12) {
  const auto seed = seed_table(kSeed001);
  if (!seed) GTEST_SKIP() << "the seeds are not here";
  const Structure found = seed->structure();
  EXPECT_TRUE(any_sign_says(found, "Hopper or Blackwell"));
  EXPECT_TRUE(any_sign_says(found, "8-wide fill"));
  EXPECT_TRUE(any_sign_says(found, "Policy1000"));
  EXPECT_TRUE(any_sign_says(found, "15 template arguments"));
  EXPECT_FALSE(any_sign_says(found, "not an H100"));
}

TEST(TableStructure, of_seed_002_is_8_graphs_captured_and_decode_present) {
  const auto seed = seed_table(kSeed002);
  if (!seed) GTEST_SKIP() << "the seeds are not here";
  const Structure found = seed->structure();
  EXPECT_EQ(found.layers, 32);
  EXPECT_EQ(found.passes, 48);
  EXPECT_EQ(found.gemms_per_layer, 4);
  EXPECT_EQ(found.sampled_steps, 32);
  EXPECT_EQ(passes_of(found, "prefill"), 2);
  EXPECT_EQ(passes_of(found, "decode"), 30);
  EXPECT_EQ(passes_of(found, "graph_capture"), 16);
  EXPECT_FALSE(found.decode_missing);
  EXPECT_EQ(found.capture_sizes, (std::vector<std::int64_t>{1, 2, 4, 8, 12, 16, 24, 32}));
  expect_all_identities_hold(found);
  const Identity* gemms = find_identity(found, "gemm and gemv");
  ASSERT_NE(gemms, nullptr);
  EXPECT_EQ(gemms->actual, 6193);
  const SplitRow* gemm = find_split(found, "ampere_bf16_s1688gemm_bf16_128x64_sliced1x2_ldg8");
  ASSERT_NE(gemm, nullptr);
  EXPECT_EQ(gemm->parts[0].instances, 64);
  EXPECT_EQ(gemm->parts[1].instances, 1920);
}

TEST(TableStructure, of_seed_002_shows_that_it_is_no_h200) {
  const auto seed = seed_table(kSeed002);
  if (!seed) GTEST_SKIP() << "the seeds are not here";
  const Structure found = seed->structure();
  EXPECT_TRUE(any_sign_says(found, "not an H100, H200 or B200"));
  EXPECT_TRUE(any_sign_says(found, "Policy900"));
  EXPECT_TRUE(any_sign_says(found, "14 template arguments"));
  EXPECT_FALSE(any_sign_says(found, "Hopper or Blackwell"));
}

}  // namespace
}  // namespace tactus

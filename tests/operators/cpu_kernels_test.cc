// Our kernels for the CPU, for each instruction set that this machine has, against the definitions.
#include <gtest/gtest.h>

#include <map>
#include <span>

#include "operators/cpu/isa.h"
#include "operators/definition.h"
#include "support/kernel_run.h"

namespace tactus::testing {
namespace {

struct InstructionSet {
  std::string_view name;
  std::span<const tactus_entry> entries;
};

std::vector<InstructionSet> instruction_sets() {
  std::vector<InstructionSet> sets = {{"plain", plain_entries()}};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    sets.push_back({"avx2", avx2_entries()});
  }
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    sets.push_back({"avx512", avx512_entries()});
  }
#endif
  return sets;
}

ShapeParameters shape_of(std::vector<std::pair<std::string, std::int64_t>> values,
                         NumberType dtype = NumberType::kBf16,
                         std::vector<SequenceRun> sequences = {}) {
  ShapeParameters shape;
  shape.values = std::move(values);
  shape.dtype = dtype;
  shape.sequences = std::move(sequences);
  return shape;
}

/// All instruction sets, with one thread and with several.
void expect_right(std::string_view name, const std::vector<ShapeParameters>& shapes) {
  const Result<const OperatorDefinition*> definition = find_definition(name);
  ASSERT_TRUE(definition) << definition.error().message;
  for (const InstructionSet& set : instruction_sets()) {
    const tactus_entry* entry = nullptr;
    for (const tactus_entry& each : set.entries) {
      if (each.operator_name == name) entry = &each;
    }
    ASSERT_NE(entry, nullptr) << name << " has no kernel for " << set.name;
    std::uint64_t seed = 1;
    for (const ShapeParameters& shape : shapes) {
      ++seed;
      const unsigned threads = seed % 2 == 0 ? 3 : 1;
      EXPECT_EQ(wrong_with_entry(*entry, **definition, shape, seed, threads), "")
          << name << " for " << set.name << ", shape " << seed - 2;
    }
  }
}

constexpr NumberType kBf16 = NumberType::kBf16;
constexpr NumberType kFp16 = NumberType::kFp16;
constexpr NumberType kFp32 = NumberType::kFp32;
constexpr NumberType kFnuz = NumberType::kFp8E4m3Fnuz;

/// Rows of whole vectors, of less than one, and with a rest; all types.
std::vector<ShapeParameters> row_shapes(const char* rows, const char* width) {
  return {shape_of({{rows, 37}, {width, 256}}),       shape_of({{rows, 5}, {width, 1152}}),
          shape_of({{rows, 3}, {width, 2047}}),       shape_of({{rows, 1}, {width, 7}}),
          shape_of({{rows, 9}, {width, 100}}, kFp16), shape_of({{rows, 65}, {width, 64}}, kFp32),
          shape_of({{rows, 1300}, {width, 2048}})};
}

TEST(CpuKernels, have_every_operator) {
  for (const InstructionSet& set : instruction_sets()) {
    std::map<std::string_view, int> count;
    for (const tactus_entry& entry : set.entries) ++count[entry.operator_name];
    for (const auto& group : {operator_definitions(), generic_definitions()}) {
      for (const OperatorDefinition* definition : group) {
        EXPECT_EQ(count[definition->name], 1) << definition->name << " for " << set.name;
      }
    }
    EXPECT_EQ(set.entries.size(), operator_definitions().size() + generic_definitions().size());
  }
}

TEST(CpuKernels, generic_products) {
  const auto gemm = [](std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch,
                       std::int64_t out_bytes, NumberType dtype) {
    return shape_of({{"m", m}, {"n", n}, {"k", k}, {"batch", batch}, {"out_bytes", out_bytes}},
                    dtype);
  };
  expect_right("gemm", {gemm(1, 300, 200, 1, 2, kBf16), gemm(70, 65, 33, 1, 2, kFp16),
                        gemm(7, 40, 64, 1, 4, kFp32), gemm(5, 9, 100, 3, 4, kBf16),
                        gemm(9, 130, 128, 2, 2, NumberType::kFp8E4m3)});
}

TEST(CpuKernels, generic_attention) {
  const auto lengths = [](std::int64_t q_len, std::int64_t kv_len, std::int64_t causal,
                          NumberType dtype) {
    return shape_of({{"batch", 2},
                     {"heads", 4},
                     {"kv_heads", 2},
                     {"head_dim", 40},
                     {"head_dim_v", 24},
                     {"q_len", q_len},
                     {"kv_len", kv_len},
                     {"causal", causal}},
                    dtype);
  };
  expect_right("attention", {lengths(20, 20, 1, kBf16), lengths(1, 77, 0, kBf16),
                             lengths(3, 50, 1, kFp16), lengths(5, 1, 0, kFp16)});
}

TEST(CpuKernels, generic_rows_and_numbers) {
  expect_right("softmax", row_shapes("rows", "columns"));
  for (const std::string_view name : {"add", "sub", "mul", "div", "silu", "gelu"}) {
    expect_right(name, {shape_of({{"elements", 5000}}), shape_of({{"elements", 17}}, kFp16),
                        shape_of({{"elements", 70001}}, kFp32)});
  }
  expect_right("copy", {shape_of({{"read_bytes", 5000}}), shape_of({{"read_bytes", 300004}}, kFp32),
                        shape_of({{"read_bytes", 77}}, NumberType::kFp8E4m3)});
  const auto cast = [](std::int64_t elements, std::int64_t from, NumberType to) {
    return shape_of({{"elements", elements}, {"from_bytes", from}}, to);
  };
  expect_right("cast", {cast(40001, 4, kBf16), cast(99, 2, kFp32), cast(1000, 2, kBf16),
                        cast(500, 4, NumberType::kFp8E4m3), cast(500, 1, kFp16)});
}

TEST(CpuKernels, generic_pairs_with_rows_and_columns) {
  for (const std::string_view name : {"add", "sub", "mul", "div"}) {
    expect_right(name, {shape_of({{"elements", 4000}, {"row", 40}}),
                        shape_of({{"elements", 51}, {"row", 17}}, kFp16),
                        shape_of({{"elements", 60000}, {"row", 20000}}, kFp32),
                        shape_of({{"elements", 4000}, {"column", 40}}),
                        shape_of({{"elements", 20}, {"column", 1}}, kFp16),
                        shape_of({{"elements", 40002}, {"column", 20001}}, kFp32)});
  }
}

TEST(CpuKernels, generic_reductions) {
  const auto matrix = [](std::int64_t rows, std::int64_t columns, std::int64_t first,
                         NumberType dtype) {
    return shape_of({{"rows", rows}, {"columns", columns}, {"first", first}}, dtype);
  };
  for (const std::string_view name : {"sum", "mean", "max"}) {
    expect_right(name,
                 {matrix(40, 300, 0, kBf16), matrix(1, 70001, 0, kFp32), matrix(3, 1, 0, kFp16),
                  matrix(40, 300, 1, kBf16), matrix(2001, 3, 1, kFp32), matrix(1, 17, 1, kFp16)});
  }
}

TEST(CpuKernels, generic_moves) {
  const auto rows = [](std::int64_t count, std::int64_t a, std::int64_t b, NumberType dtype) {
    return shape_of({{"rows", count}, {"a_columns", a}, {"b_columns", b}}, dtype);
  };
  expect_right("cat", {rows(40, 64, 64, kBf16), rows(3, 70001, 5, kFp32), rows(1, 1, 1, kFp16),
                       rows(7, 3, 20, NumberType::kFp8E4m3)});
  const auto table = [](std::int64_t count, std::int64_t columns, std::int64_t index_bytes,
                        NumberType dtype) {
    return shape_of(
        {{"rows", count}, {"columns", columns}, {"table_rows", 50}, {"index_bytes", index_bytes}},
        dtype);
  };
  expect_right("gather", {table(40, 64, 8, kBf16), table(3, 20001, 4, kFp32),
                          table(200, 1, 8, NumberType::kFp8E4m3)});
  expect_right("fill", {shape_of({{"write_bytes", 5000}}), shape_of({{"write_bytes", 4}}, kFp32),
                        shape_of({{"write_bytes", 100003}}, NumberType::kFp8E4m3)});
}

TEST(CpuKernels, norms) {
  expect_right("rms_norm", row_shapes("tokens", "hidden"));
  expect_right("fused_add_rms_norm", row_shapes("tokens", "hidden"));
  expect_right("gated_rms_norm", row_shapes("rows", "hidden"));
  expect_right("l2_norm", row_shapes("tokens", "hidden"));
  expect_right("layer_norm", row_shapes("tokens", "hidden"));
}

TEST(CpuKernels, norm_of_heads) {
  const auto heads = [](std::int64_t tokens, std::int64_t q, std::int64_t kv, std::int64_t width,
                        NumberType dtype) {
    return shape_of({{"tokens", tokens}, {"heads", q}, {"kv_heads", kv}, {"head_dim", width}},
                    dtype);
  };
  expect_right("fused_qk_rmsnorm", {heads(1, 32, 4, 128, kFp16), heads(7, 3, 1, 72, kBf16),
                                    heads(5, 2, 2, 9, kFp32), heads(1, 1, 1, 1, kFp16)});
}

TEST(CpuKernels, quantisation) {
  const std::vector<ShapeParameters> rows = {
      shape_of({{"tokens", 40}, {"hidden", 512}}), shape_of({{"tokens", 33}, {"hidden", 1001}}),
      shape_of({{"tokens", 1}, {"hidden", 3}}), shape_of({{"tokens", 2200}, {"hidden", 2048}})};
  expect_right("fp8_dynamic_per_token_quant", rows);
  expect_right("fused_rmsnorm_quant", rows);
  const auto groups = [](std::int64_t tokens, std::int64_t hidden, std::int64_t group,
                         NumberType dtype) {
    return shape_of({{"tokens", tokens}, {"hidden", hidden}, {"group_size", group}}, dtype);
  };
  expect_right(
      "per_token_group_quant_fp8",
      {groups(33, 512, 128, kBf16), groups(20, 384, 128, kFnuz), groups(3, 300, 100, kFnuz),
       groups(4, 35, 7, kBf16), groups(2200, 2048, 128, kBf16)});
}

TEST(CpuKernels, activations_and_sums) {
  std::vector<ShapeParameters> shapes = row_shapes("tokens", "width");
  shapes[2] = shape_of({{"tokens", 3}, {"width", 2046}});
  shapes[3] = shape_of({{"tokens", 1}, {"width", 2}});
  shapes.push_back(shape_of({{"tokens", 2}, {"width", 20000}}));
  expect_right("silu_and_mul", shapes);
  const auto sums = [](std::int64_t tokens, std::int64_t k, std::int64_t hidden, NumberType dtype) {
    return shape_of({{"tokens", tokens}, {"top_k", k}, {"hidden", hidden}}, dtype);
  };
  expect_right("moe_sum_reduce", {sums(9, 8, 256, kBf16), sums(3, 5, 77, kFp16),
                                  sums(2, 1, 3, kFp32), sums(1100, 2, 2048, kBf16)});
}

TEST(CpuKernels, convolution) {
  const auto conv = [](std::int64_t tokens, std::int64_t channels, std::int64_t width,
                       NumberType dtype) {
    return shape_of({{"tokens", tokens}, {"channels", channels}, {"width", width}}, dtype);
  };
  expect_right("causal_conv1d",
               {conv(1, 70, 4, kBf16), conv(2, 9, 4, kBf16), conv(17, 33, 4, kFp16),
                conv(100, 12, 2, kBf16), conv(53, 6, 12, kBf16), conv(40, 5, 8, kFp32),
                conv(2048, 1100, 4, kBf16), conv(1, 5, 3, kFp32)});
}

TEST(CpuKernels, rotations) {
  const auto rope = [](std::int64_t tokens, std::int64_t heads, std::int64_t kv, std::int64_t width,
                       std::int64_t dim, NumberType dtype) {
    return shape_of({{"tokens", tokens},
                     {"heads", heads},
                     {"kv_heads", kv},
                     {"head_dim", width},
                     {"rope_dim", dim}},
                    dtype);
  };
  expect_right("fused_qkv_rope", {rope(1, 32, 4, 128, 128, kBf16), rope(9, 5, 2, 72, 34, kFp16),
                                  rope(30, 1, 1, 10, 6, kFp32)});
  expect_right("mrope", {rope(21, 16, 1, 128, 128, kBf16), rope(6, 3, 2, 100, 80, kFp16),
                         rope(3, 1, 1, 16, 16, kFp32)});
}

TEST(CpuKernels, cache_write) {
  const auto cache = [](std::int64_t tokens, std::int64_t heads, std::int64_t width,
                        std::int64_t block, NumberType dtype) {
    return shape_of(
        {{"tokens", tokens}, {"heads", heads}, {"head_dim", width}, {"block_size", block}}, dtype);
  };
  expect_right("reshape_and_cache", {cache(1, 4, 128, 16, kBf16), cache(77, 2, 64, 16, kFp16),
                                     cache(30, 3, 5, 7, kFp32), cache(1500, 16, 128, 16, kBf16)});
}

TEST(CpuKernels, routing) {
  const auto experts = [](std::int64_t tokens, std::int64_t k, std::int64_t count) {
    return shape_of({{"tokens", tokens}, {"top_k", k}, {"experts", count}});
  };
  const auto align = [](std::int64_t tokens, std::int64_t k, std::int64_t count,
                        std::int64_t block) {
    return shape_of({{"tokens", tokens}, {"top_k", k}, {"experts", count}, {"block_size", block}});
  };
  expect_right("moe_align_block_size", {align(1, 8, 128, 128), align(3000, 8, 128, 128),
                                        align(100, 3, 7, 5), align(2, 1, 1, 4)});
  expect_right("moe_count_and_sort",
               {experts(1, 8, 128), experts(3000, 8, 128), experts(50, 3, 7)});
  expect_right("moe_topk_gating_softmax",
               {experts(1, 8, 128), experts(37, 8, 256), experts(16, 8, 8), experts(20, 3, 50),
                experts(5, 17, 17), experts(3, 1, 1)});
}

TEST(CpuKernels, filter) {
  const auto filter = [](std::int64_t tokens, std::int64_t vocabulary, std::int64_t k) {
    return shape_of({{"tokens", tokens}, {"vocabulary", vocabulary}, {"top_k", k}});
  };
  expect_right("topk_filter", {filter(5, 4002, 50), filter(1, 151936, 50), filter(40, 2048, 50),
                               filter(3, 100, 50), filter(4, 7, 7), filter(6, 3000, 900),
                               filter(2, 1, 1), filter(600, 2048, 1)});
}

TEST(CpuKernels, products) {
  const auto scaled = [](std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t gn,
                         std::int64_t gk) {
    return shape_of({{"m", m}, {"n", n}, {"k", k}, {"group_n", gn}, {"group_k", gk}});
  };
  expect_right("block_scaled_mm", {scaled(37, 256, 512, 128, 128), scaled(3, 200, 300, 128, 128),
                                   scaled(500, 70, 130, 10, 20), scaled(1, 1, 1, 1, 1),
                                   scaled(7, 300, 1000, 128, 64)});
  const auto linear = [](std::int64_t tokens, std::int64_t hidden, std::int64_t out,
                         NumberType dtype) {
    return shape_of({{"tokens", tokens}, {"hidden", hidden}, {"out", out}}, dtype);
  };
  expect_right("linear_sigmoid_mul", {linear(33, 512, 256, kBf16), linear(5, 77, 130, kFp16),
                                      linear(490, 40, 65, kBf16), linear(1, 1, 1, kBf16)});
}

TEST(CpuKernels, mixtures_of_experts) {
  const auto moe = [](std::int64_t tokens, std::int64_t hidden, std::int64_t inner,
                      std::int64_t experts, std::int64_t k) {
    return shape_of({{"tokens", tokens},
                     {"hidden", hidden},
                     {"intermediate", inner},
                     {"experts", experts},
                     {"top_k", k}});
  };
  const std::vector<ShapeParameters> shapes = {moe(33, 256, 128, 4, 2), moe(1, 128, 384, 16, 8),
                                               moe(9, 130, 70, 3, 2), moe(2, 1, 1, 1, 1),
                                               moe(90, 300, 200, 5, 3)};
  expect_right("fused_moe", shapes);
  expect_right("fp8_blockscale_fused_moe", shapes);
}

TEST(CpuKernels, mixtures_in_more_than_one_wave) {
  const std::vector<ShapeParameters> shapes = {shape_of(
      {{"tokens", 1100}, {"hidden", 64}, {"intermediate", 40}, {"experts", 12}, {"top_k", 8}})};
  expect_right("fused_moe", shapes);
  expect_right("fp8_blockscale_fused_moe", shapes);
}

TEST(CpuKernels, attention_over_sequences) {
  const auto forward = [](std::int64_t heads, std::int64_t width,
                          std::vector<SequenceRun> sequences, NumberType dtype = kBf16) {
    return shape_of({{"heads", heads}, {"head_dim", width}}, dtype, std::move(sequences));
  };
  expect_right("attention_forward",
               {forward(2, 72, {{200, 1}}), forward(1, 128, {{1, 1}, {65, 2}, {7, 1}}, kFp16),
                forward(3, 5, {{70, 1}, {400, 1}})});
  const auto unified = [](std::int64_t heads, std::int64_t kv, std::int64_t width,
                          std::int64_t block, std::vector<SequenceRun> sequences,
                          NumberType dtype = kBf16) {
    return shape_of(
        {{"heads", heads}, {"kv_heads", kv}, {"head_dim", width}, {"block_size", block}}, dtype,
        std::move(sequences));
  };
  expect_right("unified_attention",
               {unified(10, 1, 128, 16, {{130, 2}, {7, 1}}), unified(4, 2, 80, 16, {{100, 1}}),
                unified(2, 2, 33, 5, {{1, 2}, {230, 1}, {64, 1}}, kFp16),
                unified(200, 1, 8, 16, {{20, 1}})});
}

TEST(CpuKernels, attention_of_one_query) {
  const auto paged = [](std::int64_t sequences, std::int64_t context, std::int64_t heads,
                        std::int64_t kv, std::int64_t width, std::int64_t block, NumberType dtype) {
    return shape_of({{"sequences", sequences},
                     {"context", context},
                     {"heads", heads},
                     {"kv_heads", kv},
                     {"head_dim", width},
                     {"block_size", block}},
                    dtype);
  };
  expect_right("paged_attention_decode",
               {paged(5, 64, 16, 16, 128, 16, kBf16), paged(2, 130, 16, 2, 256, 16, kFp16),
                paged(3, 50, 3, 3, 70, 16, kBf16), paged(2, 100, 6, 2, 20, 7, kFp16),
                paged(1, 1, 1, 1, 1, 1, kBf16), paged(2, 90, 2, 1, 24, 40, kBf16)});
  const auto mla = [](std::int64_t batch, std::int64_t context, std::int64_t heads,
                      std::int64_t latent, std::int64_t rope, NumberType dtype) {
    return shape_of({{"batch", batch},
                     {"context", context},
                     {"heads", heads},
                     {"latent", latent},
                     {"rope_dim", rope}},
                    dtype);
  };
  expect_right("mla_decode_attention", {mla(2, 100, 16, 512, 64, kBf16),
                                        mla(3, 77, 5, 30, 7, kFp16), mla(1, 1, 1, 1, 1, kBf16)});
}

std::vector<ShapeParameters> delta_shapes(const char* shared) {
  const auto delta = [shared](std::int64_t batch, std::int64_t tokens, std::int64_t heads,
                              std::int64_t value_heads, std::int64_t key, std::int64_t value,
                              std::int64_t states, std::int64_t chunk) {
    return shape_of({{"batch", batch},
                     {"tokens", tokens},
                     {shared, heads},
                     {"v_heads", value_heads},
                     {"key_dim", key},
                     {"value_dim", value},
                     {"states", states},
                     {"chunk", chunk}});
  };
  return {delta(1, 130, 1, 2, 128, 128, 3, 64), delta(2, 37, 2, 4, 40, 24, 5, 16),
          delta(1, 50, 3, 3, 7, 70, 2, 11), delta(1, 1, 1, 1, 1, 1, 1, 64),
          delta(1, 20, 1, 6, 33, 100, 2, 8)};
}

TEST(CpuKernels, delta_rules) {
  expect_right("chunk_delta_rule_output", delta_shapes("q_heads"));
  expect_right("chunk_gated_delta_rule_state", delta_shapes("k_heads"));
  expect_right("gated_delta_rule_update", delta_shapes("q_heads"));
}

}  // namespace
}  // namespace tactus::testing

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "operators/definitions/attend.h"
#include "operators/definitions/attention.h"
#include "operators/definitions/terms.h"

namespace tactus {
namespace {

// paged_attention_decode: one query per sequence; the layout of the cache is for 16-byte loads.

constexpr std::int64_t kPack = 8;  // numbers of a key that are stored together

std::int64_t decode_blocks(const Problem& problem) {
  return problem.at("sequences") * ceil_div(problem.at("context"), problem.at("block_size")) + 16;
}

Problem paged_attention_decode_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const NumberType type = half_type(shape);
  const std::int64_t sequences = problem.at("sequences");
  const std::int64_t kv_heads = problem.at("kv_heads");
  const std::int64_t width = problem.at("head_dim");
  const std::int64_t block_size = problem.at("block_size");
  const std::int64_t blocks = decode_blocks(problem);
  problem.inputs = {
      {"query", type, {sequences, problem.at("heads"), width}, Draw::kNormal, 0, 1},
      {"k_cache",
       type,
       {blocks, kv_heads, ceil_div(width, kPack), block_size, kPack},
       Draw::kNormal,
       0,
       1},
      {"v_cache", type, {blocks, kv_heads, width, block_size}, Draw::kNormal, 0, 1},
      {"block_tables",
       NumberType::kInt32,
       {sequences, ceil_div(problem.at("context"), block_size)},
       Draw::kOperator,
       0,
       static_cast<double>(blocks),
       Refresh::kIds},
      {"seq_lens", NumberType::kInt32, {sequences}, Draw::kOperator, 0, 1, Refresh::kNumbers}};
  problem.outputs = {{"out", type, {sequences, problem.at("heads"), width}}};
  problem.parameters = {{"scale", inverse_root(width)},
                        {"max_length", static_cast<double>(problem.at("context"))}};
  return problem;
}

/// Sequences end somewhere in their last `tail` tokens.
void draw_ragged(const HostTensor& lengths, std::int64_t context, std::int64_t tail,
                 Random& random) {
  for (std::int64_t i = 0; i < lengths.elements(); ++i) {
    lengths.as<std::int32_t>()[i] =
        static_cast<std::int32_t>(context - random.below(std::min(tail, context)));
  }
}

void paged_attention_decode_draw(const Problem& problem, const HostTensors& tensors,
                                 Random& random) {
  // Inside the last block, so that the number of blocks read is that of the shape.
  const std::int64_t context = problem.at("context");
  const std::int64_t block_size = problem.at("block_size");
  draw_ragged(tensors.input("seq_lens"), context, (context - 1) % block_size + 1, random);
  draw_blocks(tensors.input("block_tables"), decode_blocks(problem), random);
  draw_uneven_queries(tensors.input("query"), problem.at("head_dim"), random);
}

std::int64_t paged_attention_decode_units(const Problem& problem) {
  return problem.at("sequences") * problem.at("heads");
}

double paged_attention_decode_work(const Problem& problem) {
  return 4.0 * static_cast<double>(problem.at("head_dim")) *
         static_cast<double>(problem.at("context"));
}

void paged_attention_decode_expect(const Problem& problem, const HostTensors& before,
                                   std::int64_t unit, Expected& into) {
  const std::int64_t heads = problem.at("heads");
  const std::int64_t kv_heads = problem.at("kv_heads");
  const std::int64_t width = problem.at("head_dim");
  const std::int64_t block_size = problem.at("block_size");
  const std::int64_t sequence = unit / heads;
  const std::int64_t kv_head = shared_head(unit % heads, heads, kv_heads);
  const std::int64_t table_columns = ceil_div(problem.at("context"), block_size);
  const std::int32_t* table =
      before.input("block_tables").as<std::int32_t>() + sequence * table_columns;
  const HostTensor& k_cache = before.input("k_cache");
  const HostTensor& v_cache = before.input("v_cache");
  const std::int64_t packs = ceil_div(width, kPack);
  const auto read_key = [&](std::int64_t j, std::span<double> row) {
    const std::int64_t base = (table[j / block_size] * kv_heads + kv_head) * packs;
    for (std::int64_t d = 0; d < width; ++d) {
      row[static_cast<std::size_t>(d)] =
          k_cache.get(((base + d / kPack) * block_size + j % block_size) * kPack + d % kPack);
    }
  };
  const auto read_value = [&](std::int64_t j, std::span<double> row) {
    const std::int64_t base = (table[j / block_size] * kv_heads + kv_head) * width;
    for (std::int64_t d = 0; d < width; ++d) {
      row[static_cast<std::size_t>(d)] = v_cache.get((base + d) * block_size + j % block_size);
    }
  };
  const std::vector<double> query = row_of(before.input("query"), unit * width, width);
  const std::int64_t keys = before.input("seq_lens").as<std::int32_t>()[sequence];
  ExpectedRun run = attend(query, keys, problem.value("scale"), width, half_type(problem.shape),
                           read_key, read_value);
  run.first = unit * width;
  into.push_back(std::move(run));
}

// mla_decode_attention: one latent row is key and, in its first part, value for all heads.

std::int64_t mla_width(const Problem& problem) {
  return problem.at("latent") + problem.at("rope_dim");
}

Problem mla_decode_attention_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const NumberType type = half_type(shape);
  const std::int64_t batch = problem.at("batch");
  const std::int64_t width = mla_width(problem);
  problem.inputs = {
      {"q", type, {batch, problem.at("heads"), width}, Draw::kNormal, 0, 1},
      {"kv_cache", type, {batch * problem.at("context"), 1, width}, Draw::kNormal, 0, 1},
      {"seq_lens", NumberType::kInt32, {batch}, Draw::kOperator, 0, 1, Refresh::kNumbers}};
  problem.outputs = {{"out", type, {batch, problem.at("heads"), problem.at("latent")}}};
  problem.parameters = {{"scale", inverse_root(width)},
                        {"max_length", static_cast<double>(problem.at("context"))}};
  return problem;
}

void mla_decode_attention_draw(const Problem& problem, const HostTensors& tensors, Random& random) {
  // A few rows fewer than in the shape: the work stays about the same.
  draw_ragged(tensors.input("seq_lens"), problem.at("context"), 8, random);
  draw_uneven_queries(tensors.input("q"), mla_width(problem), random);
}

std::int64_t mla_decode_attention_units(const Problem& problem) {
  return problem.at("batch") * problem.at("heads");
}

double mla_decode_attention_work(const Problem& problem) {
  return 2.0 * static_cast<double>(mla_width(problem) + problem.at("latent")) *
         static_cast<double>(problem.at("context"));
}

void mla_decode_attention_expect(const Problem& problem, const HostTensors& before,
                                 std::int64_t unit, Expected& into) {
  const std::int64_t width = mla_width(problem);
  const std::int64_t latent = problem.at("latent");
  const std::int64_t sequence = unit / problem.at("heads");
  const std::int64_t first = sequence * problem.at("context");
  const HostTensor& cache = before.input("kv_cache");
  const auto read = [&](std::int64_t j, std::span<double> row) {
    read_row(cache, (first + j) * width, row);
  };
  const std::vector<double> query = row_of(before.input("q"), unit * width, width);
  const std::int64_t keys = before.input("seq_lens").as<std::int32_t>()[sequence];
  ExpectedRun run =
      attend(query, keys, problem.value("scale"), latent, half_type(problem.shape), read, read);
  run.first = unit * latent;
  into.push_back(std::move(run));
}

constexpr std::array<std::string_view, 6> kDecode = {"sequences", "context",  "heads",
                                                     "kv_heads",  "head_dim", "block_size"};
constexpr std::array<std::string_view, 5> kMla = {"batch", "context", "heads", "latent",
                                                  "rope_dim"};

}  // namespace

double inverse_root(std::int64_t width) {
  return 1 / std::sqrt(static_cast<double>(width));
}

void draw_blocks(const HostTensor& table, std::int64_t blocks, Random& random) {
  const std::vector<std::int64_t> drawn = draw_distinct(table.elements(), blocks, random);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    table.as<std::int32_t>()[i] = static_cast<std::int32_t>(drawn[i]);
  }
}

std::string kv_head_objection(const ShapeParameters& shape) {
  const std::int64_t heads = *shape.find("heads");
  const std::int64_t kv_heads = *shape.find("kv_heads");
  if (heads % kv_heads == 0) return {};
  return fmt::format("heads of {} is not a multiple of kv_heads of {}", heads, kv_heads);
}

OperatorDefinition paged_attention_decode_definition() {
  return {.name = "paged_attention_decode",
          .shape_parameters = kDecode,
          .problem = paged_attention_decode_problem,
          .draw = paged_attention_decode_draw,
          .units = paged_attention_decode_units,
          .unit_work = paged_attention_decode_work,
          .expect = paged_attention_decode_expect,
          .objection = kv_head_objection};
}

OperatorDefinition mla_decode_attention_definition() {
  return {.name = "mla_decode_attention",
          .shape_parameters = kMla,
          .problem = mla_decode_attention_problem,
          .draw = mla_decode_attention_draw,
          .units = mla_decode_attention_units,
          .unit_work = mla_decode_attention_work,
          .expect = mla_decode_attention_expect};
}

}  // namespace tactus

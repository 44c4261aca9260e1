#include "operators/definitions/attention.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "operators/definitions/attend.h"
#include "operators/definitions/groups.h"
#include "operators/definitions/terms.h"

namespace tactus {
namespace {

// A unit is one query row of one head, everywhere.

std::int64_t token_count(const ShapeParameters& shape) {
  std::int64_t tokens = 0;
  for (const SequenceRun& run : shape.sequences) tokens += run.length * run.count;
  return tokens;
}

std::int64_t sequence_count(const ShapeParameters& shape) {
  std::int64_t count = 0;
  for (const SequenceRun& run : shape.sequences) count += run.count;
  return count;
}

std::int64_t longest(const ShapeParameters& shape) {
  std::int64_t length = 0;
  for (const SequenceRun& run : shape.sequences) length = std::max(length, run.length);
  return length;
}

void set_lengths(const HostTensor& starts, const ShapeParameters& shape) {
  std::int64_t at = 0;
  std::int64_t index = 0;
  starts.as<std::int32_t>()[index++] = 0;
  for (const SequenceRun& run : shape.sequences) {
    for (std::int64_t i = 0; i < run.count; ++i) {
      starts.as<std::int32_t>()[index++] = static_cast<std::int32_t>(at += run.length);
    }
  }
}

/// Which sequence a row belongs to, from the row numbers at which they start.
std::int64_t sequence_of(const HostTensor& starts, std::int64_t row) {
  const std::int32_t* first = starts.as<std::int32_t>();
  const std::int32_t* end = first + starts.elements();
  return std::upper_bound(first, end, row) - first - 1;
}

constexpr double kMostTokens = 0x1p31 - 1;

std::string sequence_objection(const ShapeParameters& shape) {
  double tokens = 0;
  for (const SequenceRun& run : shape.sequences) {
    if (run.length < 1 || run.count < 1) return "a run of sequences is empty";
    // Candidates count rows in int32.
    tokens += static_cast<double>(run.length) * static_cast<double>(run.count);
    if (tokens > kMostTokens) return "the sequences have more tokens than int32 can count";
  }
  return shape.sequences.empty() ? "the sequences are missing" : "";
}

std::string unified_objection(const ShapeParameters& shape) {
  const std::string found = sequence_objection(shape);
  return found.empty() ? kv_head_objection(shape) : found;
}

double longest_work(const Problem& problem) {
  return 4.0 * static_cast<double>(problem.at("head_dim")) *
         static_cast<double>(longest(problem.shape));
}

std::int64_t token_head_units(const Problem& problem) {
  return token_count(problem.shape) * problem.at("heads");
}

// attention_forward: every token of a sequence sees all of it.

Problem attention_forward_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const NumberType type = half_type(shape);
  const std::vector<std::int64_t> rows = {token_count(shape), problem.at("heads"),
                                          problem.at("head_dim")};
  const std::vector<std::int64_t> starts = {sequence_count(shape) + 1};
  problem.inputs = {
      {"q", type, rows, Draw::kNormal, 0, 1},
      {"k", type, rows, Draw::kNormal, 0, 1},
      {"v", type, rows, Draw::kNormal, 0, 1},
      {"cu_seqlens_q", NumberType::kInt32, starts, Draw::kOperator, 0, 1, Refresh::kNothing},
      {"cu_seqlens_k", NumberType::kInt32, starts, Draw::kOperator, 0, 1, Refresh::kNothing}};
  problem.outputs = {{"out", type, rows}};
  problem.parameters = {{"scale", inverse_root(problem.at("head_dim"))},
                        {"max_length", static_cast<double>(longest(shape))}};
  return problem;
}

void attention_forward_draw(const Problem& problem, const HostTensors& tensors, Random& random) {
  draw_uneven_queries(tensors.input("q"), problem.at("head_dim"), random);
  set_lengths(tensors.input("cu_seqlens_q"), problem.shape);
  set_lengths(tensors.input("cu_seqlens_k"), problem.shape);
}

void attention_forward_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                              Expected& into) {
  const std::int64_t heads = problem.at("heads");
  const std::int64_t width = problem.at("head_dim");
  const std::int64_t head = unit % heads;
  const HostTensor& starts = before.input("cu_seqlens_k");
  const std::int64_t sequence = sequence_of(before.input("cu_seqlens_q"), unit / heads);
  const std::int64_t first = starts.as<std::int32_t>()[sequence];
  const std::int64_t keys = starts.as<std::int32_t>()[sequence + 1] - first;
  const auto reader = [&](const HostTensor& tensor) {
    return [&, heads, width](std::int64_t j, std::span<double> row) {
      read_row(tensor, ((first + j) * heads + head) * width, row);
    };
  };
  const std::vector<double> query = row_of(before.input("q"), unit * width, width);
  ExpectedRun run = attend(query, keys, problem.value("scale"), width, half_type(problem.shape),
                           reader(before.input("k")), reader(before.input("v")));
  run.first = unit * width;
  into.push_back(std::move(run));
}

// unified_attention: keys and values in pages; causal if there are as many keys as queries.

std::int64_t table_width(const Problem& problem) {
  return ceil_div(longest(problem.shape), problem.at("block_size")) + 2;
}

std::int64_t unified_blocks(const Problem& problem) {
  return table_width(problem) * sequence_count(problem.shape) + 64;
}

Problem unified_attention_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const NumberType type = half_type(shape);
  const std::int64_t sequences = sequence_count(shape);
  const std::int64_t width = problem.at("head_dim");
  const std::vector<std::int64_t> rows = {token_count(shape), problem.at("heads"), width};
  const std::vector<std::int64_t> cache = {unified_blocks(problem), problem.at("block_size"),
                                           problem.at("kv_heads"), width};
  problem.inputs = {
      {"q", type, rows, Draw::kNormal, 0, 1},
      {"k_cache", type, cache, Draw::kNormal, 0, 1},
      {"v_cache", type, cache, Draw::kNormal, 0, 1},
      {"cu_seqlens_q",
       NumberType::kInt32,
       {sequences + 1},
       Draw::kOperator,
       0,
       1,
       Refresh::kNothing},
      {"seqused_k", NumberType::kInt32, {sequences}, Draw::kOperator, 0, 1, Refresh::kNothing},
      {"block_table",
       NumberType::kInt32,
       {sequences, table_width(problem)},
       Draw::kOperator,
       0,
       static_cast<double>(unified_blocks(problem)),
       Refresh::kIds}};
  problem.outputs = {{"out", type, rows}};
  problem.parameters = {{"scale", inverse_root(width)},
                        {"max_length", static_cast<double>(longest(shape))}};
  return problem;
}

void unified_attention_draw(const Problem& problem, const HostTensors& tensors, Random& random) {
  const HostTensor& starts = tensors.input("cu_seqlens_q");
  set_lengths(starts, problem.shape);
  const HostTensor& used = tensors.input("seqused_k");
  for (std::int64_t s = 0; s < used.elements(); ++s) {
    used.as<std::int32_t>()[s] = starts.as<std::int32_t>()[s + 1] - starts.as<std::int32_t>()[s];
  }
  draw_blocks(tensors.input("block_table"), unified_blocks(problem), random);
  draw_uneven_queries(tensors.input("q"), problem.at("head_dim"), random);
}

void unified_attention_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                              Expected& into) {
  const std::int64_t heads = problem.at("heads");
  const std::int64_t kv_heads = problem.at("kv_heads");
  const std::int64_t width = problem.at("head_dim");
  const std::int64_t block_size = problem.at("block_size");
  const std::int64_t token = unit / heads;
  const std::int64_t kv_head = shared_head(unit % heads, heads, kv_heads);
  const HostTensor& starts = before.input("cu_seqlens_q");
  const std::int64_t sequence = sequence_of(starts, token);
  const std::int64_t first = starts.as<std::int32_t>()[sequence];
  const std::int64_t queries = starts.as<std::int32_t>()[sequence + 1] - first;
  const std::int64_t used = before.input("seqused_k").as<std::int32_t>()[sequence];
  const std::int64_t keys = queries == used ? token - first + 1 : used;
  const std::int32_t* blocks =
      before.input("block_table").as<std::int32_t>() + sequence * table_width(problem);
  const auto reader = [&](const HostTensor& cache) {
    return [&](std::int64_t j, std::span<double> row) {
      const std::int64_t slot = blocks[j / block_size] * block_size + j % block_size;
      read_row(cache, (slot * kv_heads + kv_head) * width, row);
    };
  };
  const std::vector<double> query = row_of(before.input("q"), unit * width, width);
  ExpectedRun run = attend(query, keys, problem.value("scale"), width, half_type(problem.shape),
                           reader(before.input("k_cache")), reader(before.input("v_cache")));
  run.first = unit * width;
  into.push_back(std::move(run));
}

constexpr std::array<std::string_view, 2> kForward = {"heads", "head_dim"};
constexpr std::array<std::string_view, 4> kUnified = {"heads", "kv_heads", "head_dim",
                                                      "block_size"};

}  // namespace

std::span<const OperatorDefinition> attention_definitions() {
  static const std::array kDefinitions = {OperatorDefinition{.name = "attention_forward",
                                                             .shape_parameters = kForward,
                                                             .problem = attention_forward_problem,
                                                             .draw = attention_forward_draw,
                                                             .units = token_head_units,
                                                             .unit_work = longest_work,
                                                             .expect = attention_forward_expect,
                                                             .objection = sequence_objection},
                                          OperatorDefinition{.name = "unified_attention",
                                                             .shape_parameters = kUnified,
                                                             .problem = unified_attention_problem,
                                                             .draw = unified_attention_draw,
                                                             .units = token_head_units,
                                                             .unit_work = longest_work,
                                                             .expect = unified_attention_expect,
                                                             .objection = unified_objection},
                                          paged_attention_decode_definition(),
                                          mla_decode_attention_definition()};
  return kDefinitions;
}

}  // namespace tactus

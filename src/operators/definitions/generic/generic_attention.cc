#include <algorithm>
#include <array>
#include <cmath>

#include "operators/definitions/attend.h"
#include "operators/definitions/generic/generic.h"

namespace tactus {
namespace {

// attention: softmax(q . k * scale) v for sequences of one length. Causal: the last query sees all
// keys, the one before it one less. A unit is one query row of one head.

struct AttentionSizes {
  std::int64_t batch, heads, kv_heads, dim, dim_v, queries, keys;
  bool causal;

  explicit AttentionSizes(const ShapeParameters& shape)
      : batch(shape.find("batch").value_or(1)),
        heads(*shape.find("heads")),
        kv_heads(shape.find("kv_heads").value_or(heads)),
        dim(*shape.find("head_dim")),
        dim_v(shape.find("head_dim_v").value_or(dim)),
        queries(*shape.find("q_len")),
        keys(*shape.find("kv_len")),
        causal(shape.find("causal").value_or(0) != 0) {}
};

std::string lengths_objection(const ShapeParameters& shape) {
  const AttentionSizes s(shape);
  for (const std::int64_t size : {s.batch, s.kv_heads, s.dim_v}) {
    if (size < 1 || size > 0x7fffffff) return "batch, kv_heads and head_dim_v must be at least 1";
  }
  if (s.heads % s.kv_heads != 0) return "heads must be a multiple of kv_heads";
  if (s.causal && s.queries > s.keys) return "causal: a query would see no key";
  if (shape.dtype == NumberType::kBf16 || shape.dtype == NumberType::kFp16) return "";
  return "needs bf16 or fp16, not " + std::string(number_type_name(shape.dtype));
}

Problem lengths_problem(const ShapeParameters& shape) {
  const AttentionSizes s(shape);
  Problem problem;
  problem.shape = shape;
  problem.inputs = {
      {"q", shape.dtype, {s.batch, s.queries, s.heads, s.dim}, Draw::kNormal, 0, 1},
      {"k", shape.dtype, {s.batch, s.keys, s.kv_heads, s.dim}, Draw::kNormal, 0, 1},
      {"v", shape.dtype, {s.batch, s.keys, s.kv_heads, s.dim_v}, Draw::kNormal, 0, 1}};
  problem.outputs = {{"out", shape.dtype, {s.batch, s.queries, s.heads, s.dim_v}}};
  problem.parameters = {{"scale", 1 / std::sqrt(static_cast<double>(s.dim))},
                        {"causal", s.causal ? 1.0 : 0.0}};
  return problem;
}

void lengths_draw(const Problem& problem, const HostTensors& tensors, Random& random) {
  draw_uneven_queries(tensors.input("q"), problem.at("head_dim"), random);
}

std::int64_t lengths_units(const Problem& problem) {
  const AttentionSizes s(problem.shape);
  return s.batch * s.queries * s.heads;
}

double lengths_work(const Problem& problem) {
  const AttentionSizes s(problem.shape);
  return 4.0 * static_cast<double>(s.keys) * static_cast<double>(s.dim + s.dim_v);
}

void lengths_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                    Expected& into) {
  const AttentionSizes s(problem.shape);
  const std::int64_t head = unit % s.heads;
  const std::int64_t query = unit / s.heads % s.queries;
  const std::int64_t sequence = unit / s.heads / s.queries;
  const std::int64_t kv_head = head / (s.heads / s.kv_heads);
  const std::int64_t seen = s.causal ? s.keys - s.queries + query + 1 : s.keys;
  const auto row_at = [&](std::int64_t key) {
    return (sequence * s.keys + key) * s.kv_heads + kv_head;
  };
  const std::vector<double> q = row_of(before.input("q"), unit * s.dim, s.dim);
  ExpectedRun run = attend(
      q, seen, problem.value("scale"), s.dim_v, problem.shape.dtype,
      [&](std::int64_t key, std::span<double> row) {
        read_row(before.input("k"), row_at(key) * s.dim, row);
      },
      [&](std::int64_t key, std::span<double> row) {
        read_row(before.input("v"), row_at(key) * s.dim_v, row);
      });
  run.first = unit * s.dim_v;
  into.push_back(std::move(run));
}

constexpr std::array<std::string_view, 4> kLengths = {"heads", "head_dim", "q_len", "kv_len"};

constexpr std::array kAttention = {OperatorDefinition{.name = "attention",
                                                      .shape_parameters = kLengths,
                                                      .problem = lengths_problem,
                                                      .draw = lengths_draw,
                                                      .units = lengths_units,
                                                      .unit_work = lengths_work,
                                                      .expect = lengths_expect,
                                                      .objection = lengths_objection}};

}  // namespace

std::span<const OperatorDefinition> generic_attention_definitions() {
  return kAttention;
}

}  // namespace tactus

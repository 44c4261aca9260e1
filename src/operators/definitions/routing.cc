#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "operators/definitions/groups.h"
#include "operators/definitions/rows.h"
#include "operators/slack.h"

namespace tactus {
namespace {

void append(ExpectedRun& run, double value) {
  run.values.push_back(value);
  run.slack.push_back(0);
}

std::int64_t one_unit(const Problem&) {
  return 1;
}

double slots_work(const Problem& problem) {
  return 16.0 * static_cast<double>(problem.at("tokens") * problem.at("top_k")) +
         static_cast<double>(problem.at("experts"));
}

void ids_draw(const Problem& problem, const HostTensors& tensors, Random& random) {
  // A token may repeat an expert. About one expert in 32 is never chosen, as in real routings, and
  // one slot in 16 goes to a preferred expert.
  const std::int64_t experts = problem.at("experts");
  const std::int64_t favourite = random.below(experts);
  const std::int64_t left_out = random.below(32);
  const HostTensor& ids = tensors.input("topk_ids");
  for (std::int64_t i = 0; i < ids.elements(); ++i) {
    std::int64_t id = random.below(16) == 0 ? favourite : random.below(experts);
    if (id % 32 == left_out) id = favourite;
    ids.as<std::int32_t>()[i] = static_cast<std::int32_t>(id);
  }
}

/// The slots of each expert, ascending.
std::vector<std::vector<std::int64_t>> slots_by_expert(const Problem& problem,
                                                       const HostTensors& before) {
  std::vector<std::vector<std::int64_t>> slots(static_cast<std::size_t>(problem.at("experts")));
  const HostTensor& ids = before.input("topk_ids");
  for (std::int64_t i = 0; i < ids.elements(); ++i) {
    slots[static_cast<std::size_t>(ids.as<std::int32_t>()[i])].push_back(i);
  }
  return slots;
}

Problem ids_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  problem.inputs = {{"topk_ids",
                     NumberType::kInt32,
                     {problem.at("tokens"), problem.at("top_k")},
                     Draw::kOperator,
                     0,
                     static_cast<double>(problem.at("experts")),
                     Refresh::kFreeIds}};
  problem.parameters = {{"experts", static_cast<double>(problem.at("experts"))}};
  return problem;
}

// moe_align_block_size: the slots (token * top_k + k) of each expert in turn, ascending, padded
// with the number of slots to whole blocks; the expert of each block; the total length. Values
// beyond that length are not checked. There is one unit.

Problem align_problem(const ShapeParameters& shape) {
  Problem problem = ids_problem(shape);
  const std::int64_t slots = problem.at("tokens") * problem.at("top_k");
  const std::int64_t block = problem.at("block_size");
  // No more blocks than this: each expert that has slots may waste all but one place of a block.
  const std::int64_t used = std::min(slots, problem.at("experts"));
  const std::int64_t blocks = (slots - used) / block + used;
  problem.outputs = {{"sorted_token_ids", NumberType::kInt32, {blocks * block}},
                     {"expert_ids", NumberType::kInt32, {blocks}},
                     {"num_tokens_post_pad", NumberType::kInt32, {1}}};
  problem.parameters.emplace_back("block_size", static_cast<double>(block));
  return problem;
}

void align_expect(const Problem& problem, const HostTensors& before, std::int64_t, Expected& into) {
  const std::int64_t block = problem.at("block_size");
  const auto padding = static_cast<double>(before.input("topk_ids").elements());
  ExpectedRun sorted;
  ExpectedRun experts;
  experts.output = 1;
  double expert = 0;
  for (const std::vector<std::int64_t>& slots : slots_by_expert(problem, before)) {
    for (const std::int64_t slot : slots) append(sorted, static_cast<double>(slot));
    while (sorted.values.size() % static_cast<std::size_t>(block) != 0) append(sorted, padding);
    while (experts.values.size() * static_cast<std::size_t>(block) < sorted.values.size()) {
      append(experts, expert);
    }
    ++expert;
  }
  into.push_back({2, 0, {static_cast<double>(sorted.values.size())}, {0}});
  into.push_back(std::move(sorted));
  into.push_back(std::move(experts));
}

// moe_count_and_sort: the slots sorted by expert, ascending within each; the count of each expert;
// the sums of the counts before it. There is one unit.

Problem count_problem(const ShapeParameters& shape) {
  Problem problem = ids_problem(shape);
  const std::int64_t experts = problem.at("experts");
  problem.outputs = {
      {"sorted_token_ids", NumberType::kInt32, {problem.at("tokens") * problem.at("top_k")}},
      {"expert_token_counts", NumberType::kInt32, {experts}},
      {"cumsum", NumberType::kInt32, {experts + 1}}};
  return problem;
}

void count_expect(const Problem& problem, const HostTensors& before, std::int64_t, Expected& into) {
  ExpectedRun sorted;
  ExpectedRun counts;
  counts.output = 1;
  ExpectedRun sums;
  sums.output = 2;
  append(sums, 0);
  for (const std::vector<std::int64_t>& slots : slots_by_expert(problem, before)) {
    for (const std::int64_t slot : slots) append(sorted, static_cast<double>(slot));
    append(counts, static_cast<double>(slots.size()));
    append(sums, static_cast<double>(sorted.values.size()));
  }
  into.push_back(std::move(sorted));
  into.push_back(std::move(counts));
  into.push_back(std::move(sums));
}

// moe_topk_gating_softmax: the top_k largest of the softmax of a row, descending, not normalised,
// and their ids. Equal ones in any order. A unit is a row.

Problem gating_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const std::int64_t tokens = problem.at("tokens");
  const std::int64_t top_k = problem.at("top_k");
  problem.inputs = {{"gating",
                     NumberType::kFp32,
                     {tokens, problem.at("experts")},
                     Draw::kNormal,
                     0,
                     1,
                     Refresh::kRowsAndColumns}};
  problem.outputs = {{"topk_weights", NumberType::kFp32, {tokens, top_k}},
                     {"topk_ids", NumberType::kInt32, {tokens, top_k}}};
  problem.parameters = {{"top_k", static_cast<double>(top_k)}};
  return problem;
}

std::string gating_objection(const ShapeParameters& shape) {
  if (*shape.find("top_k") <= *shape.find("experts")) return "";
  return "top_k must not be above experts";
}

/// Rounds some rows to multiples of `step`, so that many of their numbers are equal.
void make_ties(const HostTensor& tensor, std::int64_t row_elements, double step, Random& random) {
  const std::int64_t rows = tensor.elements() / row_elements;
  const SomeRows some = some_rows(rows, row_elements, 2, random);
  for (std::int64_t row = some.first; row < rows; row += some.step) {
    for (std::int64_t i = row * row_elements; i < (row + 1) * row_elements; ++i) {
      auto& number = tensor.as<float>()[i];
      number = static_cast<float>(std::nearbyint(number / step) * step);
    }
  }
}

void gating_draw(const Problem& problem, const HostTensors& tensors, Random& random) {
  const HostTensor& gating = tensors.input("gating");
  const std::int64_t experts = problem.at("experts");
  make_ties(gating, experts, 0.25, random);
  make_some_rows_equal(gating, experts, random);
  // Above 88, exp() overflows in fp32: without subtracting the largest there is no result.
  constexpr float kBeyondExp = 100;
  const SomeRows some = some_rows(problem.at("tokens"), experts, 4, random);
  for (std::int64_t row = some.first; row < problem.at("tokens"); row += some.step) {
    for (std::int64_t i = row * experts; i < (row + 1) * experts; ++i) {
      gating.as<float>()[i] += kBeyondExp;
    }
  }
}

double gating_work(const Problem& problem) {
  return 40.0 * static_cast<double>(problem.at("experts"));
}

/// The softmax of a row, and the possible error in fp32.
struct Softmax {
  std::vector<double> values;
  std::vector<double> slack;
};

Softmax softmax_of(const HostTensor& x, std::int64_t first, std::int64_t count) {
  double largest = -HUGE_VAL;
  for (std::int64_t i = first; i < first + count; ++i) largest = std::max(largest, x.get(i));
  Softmax softmax;
  double sum = 0;
  double furthest = 0;
  for (std::int64_t i = first; i < first + count; ++i) {
    softmax.values.push_back(std::exp(x.get(i) - largest));
    sum += softmax.values.back();
    furthest = std::max({furthest, std::fabs(x.get(i)), largest - x.get(i)});
  }
  for (double& value : softmax.values) {
    value /= sum;
    // The exponent is rounded as a difference and as a product with log2(e), its own and those in
    // the sum, with or without the largest taken off; exp, quotient and sum follow.
    const double relative = fp32_slack(1, 12 + 4 * furthest) + positive_sum_slack(1, count);
    softmax.slack.push_back(value * relative);
  }
  return softmax;
}

void gating_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                   Expected& into) {
  const std::int64_t experts = problem.at("experts");
  const auto top_k = static_cast<std::size_t>(problem.at("top_k"));
  Softmax softmax = softmax_of(before.input("gating"), unit * experts, experts);
  // Slack grows with the value, so both have the same order.
  std::sort(softmax.values.begin(), softmax.values.end(), std::greater<>());
  std::sort(softmax.slack.begin(), softmax.slack.end(), std::greater<>());
  softmax.values.resize(top_k);
  softmax.slack.resize(top_k);
  into.push_back({0, unit * problem.at("top_k"), softmax.values, softmax.slack});
}

/// The number of each id must be as large as the number that belongs at its place.
std::string gating_also(const Problem& problem, const HostTensors& before, const HostTensors& after,
                        std::int64_t unit) {
  const std::int64_t experts = problem.at("experts");
  const std::int64_t top_k = problem.at("top_k");
  const Softmax softmax = softmax_of(before.input("gating"), unit * experts, experts);
  std::vector<double> sorted = softmax.values;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  std::vector<bool> seen(static_cast<std::size_t>(experts));
  for (std::int64_t k = 0; k < top_k; ++k) {
    const std::int64_t id = after.output("topk_ids").as<std::int32_t>()[unit * top_k + k];
    const auto where = [&] { return fmt::format("row {}: id {} in place {}", unit, id, k); };
    if (id < 0 || id >= experts) return where() + " is not an expert";
    const auto at = static_cast<std::size_t>(id);
    if (seen[at]) return where() + " appears twice";
    seen[at] = true;
    const double wanted = sorted[static_cast<std::size_t>(k)];
    // Twice: kernels compare two numbers that are both rounded.
    if (std::fabs(softmax.values[at] - wanted) <= 2 * softmax.slack[at]) continue;
    return fmt::format("{} has weight {}, expected one of {}", where(), softmax.values[at], wanted);
  }
  return "";
}

// topk_filter: numbers below the top_k-th largest of their row become -infinity; all that equal it
// stay. A unit is a row.

Problem filter_problem(const ShapeParameters& shape) {
  Problem problem;
  problem.shape = shape;
  const std::vector<std::int64_t> rows = {problem.at("tokens"), problem.at("vocabulary")};
  problem.inputs = {{"logits", NumberType::kFp32, rows, Draw::kNormal, 0, 1}};
  problem.outputs = {{"out", NumberType::kFp32, rows}};
  problem.parameters = {{"top_k", static_cast<double>(problem.at("top_k"))}};
  return problem;
}

std::string filter_objection(const ShapeParameters& shape) {
  if (*shape.find("top_k") <= *shape.find("vocabulary")) return "";
  return "top_k must not be above vocabulary";
}

void filter_draw(const Problem& problem, const HostTensors& tensors, Random& random) {
  make_ties(tensors.input("logits"), problem.at("vocabulary"), 0.125, random);
  make_some_rows_equal(tensors.input("logits"), problem.at("vocabulary"), random);
}

double filter_work(const Problem& problem) {
  return 12.0 * static_cast<double>(problem.at("vocabulary"));
}

void filter_expect(const Problem& problem, const HostTensors& before, std::int64_t unit,
                   Expected& into) {
  const std::int64_t vocabulary = problem.at("vocabulary");
  const float* logits = before.input("logits").as<float>() + unit * vocabulary;
  std::vector<float> sorted(logits, logits + vocabulary);
  const auto last = sorted.begin() + (problem.at("top_k") - 1);
  std::nth_element(sorted.begin(), last, sorted.end(), std::greater<>());
  const float threshold = *last;
  ExpectedRun run;
  run.first = unit * vocabulary;
  for (std::int64_t i = 0; i < vocabulary; ++i) {
    append(run, logits[i] >= threshold ? logits[i] : -HUGE_VAL);
  }
  into.push_back(std::move(run));
}

constexpr std::array<std::string_view, 4> kAlign = {"tokens", "top_k", "experts", "block_size"};
constexpr std::array<std::string_view, 3> kExperts = {"tokens", "top_k", "experts"};
constexpr std::array<std::string_view, 3> kFilter = {"tokens", "vocabulary", "top_k"};

constexpr std::array kDefinitions = {
    OperatorDefinition{.name = "moe_align_block_size",
                       .shape_parameters = kAlign,
                       .problem = align_problem,
                       .draw = ids_draw,
                       .units = one_unit,
                       .unit_work = slots_work,
                       .expect = align_expect,
                       .may_stay = 0b11},
    OperatorDefinition{.name = "moe_count_and_sort",
                       .shape_parameters = kExperts,
                       .problem = count_problem,
                       .draw = ids_draw,
                       .units = one_unit,
                       .unit_work = slots_work,
                       .expect = count_expect},
    OperatorDefinition{.name = "moe_topk_gating_softmax",
                       .shape_parameters = kExperts,
                       .problem = gating_problem,
                       .draw = gating_draw,
                       .units = tokens_of,
                       .unit_work = gating_work,
                       .expect = gating_expect,
                       .also = gating_also,
                       .judged_by_also = 1u << 1,
                       .objection = gating_objection},
    OperatorDefinition{.name = "topk_filter",
                       .shape_parameters = kFilter,
                       .problem = filter_problem,
                       .draw = filter_draw,
                       .units = tokens_of,
                       .unit_work = filter_work,
                       .expect = filter_expect,
                       .objection = filter_objection},
};

}  // namespace

std::span<const OperatorDefinition> routing_definitions() {
  return kDefinitions;
}

}  // namespace tactus

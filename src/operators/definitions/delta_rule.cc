#include "operators/definitions/delta_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "operators/definitions/groups.h"
#include "operators/definitions/terms.h"
#include "operators/number_formats.h"

namespace tactus {
namespace {

std::int64_t state_elements(const Problem& problem) {
  return problem.at("v_heads") * problem.at("key_dim") * problem.at("value_dim");
}

std::int64_t free_rows(const Problem& problem) {
  return pool_rows(problem) - problem.at("batch");
}

/// How much of each free row one unit checks.
std::int64_t stretch(const Problem& problem) {
  const std::int64_t wanted = 65536 / std::max<std::int64_t>(free_rows(problem), 1);
  return std::min(std::max<std::int64_t>(wanted, 64), state_elements(problem));
}

}  // namespace

std::int64_t stripe_count(const Problem& problem) {
  return problem.at("batch") * problem.at("v_heads") * ceil_div(problem.at("value_dim"), kStripe);
}

Stripe stripe_of(const Problem& problem, std::int64_t unit) {
  const std::int64_t stripes = ceil_div(problem.at("value_dim"), kStripe);
  const std::int64_t heads = problem.at("v_heads");
  const std::int64_t first = unit % stripes * kStripe;
  return {unit / stripes / heads, unit / stripes % heads, first,
          std::min(kStripe, problem.at("value_dim") - first)};
}

std::int64_t pool_rows(const Problem& problem) {
  return std::max(problem.at("states"), problem.at("batch"));
}

void draw_pool_indices(const Problem& problem, const HostTensor& indices, Random& random) {
  const std::vector<std::int64_t> rows =
      draw_distinct(problem.at("batch"), pool_rows(problem), random);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    indices.as<std::int32_t>()[i] = static_cast<std::int32_t>(rows[i]);
  }
}

std::int64_t untouched_units(const Problem& problem) {
  if (free_rows(problem) < 1) return 0;
  // Few compared with the others, so that most checks are about computed values.
  return std::min(std::max<std::int64_t>(stripe_count(problem) / 16, 1),
                  ceil_div(state_elements(problem), stretch(problem)));
}

void expect_untouched(const Problem& problem, const HostTensors& before, const HostTensor& indices,
                      std::uint32_t output, std::int64_t index, Expected& into) {
  std::vector<bool> owned(static_cast<std::size_t>(pool_rows(problem)));
  for (std::int64_t i = 0; i < indices.elements(); ++i) {
    owned[static_cast<std::size_t>(indices.as<std::int32_t>()[i])] = true;
  }
  // The same part of every free row; the index of the unit decides which part.
  const std::int64_t count = stretch(problem);
  const std::int64_t elements = state_elements(problem);
  const std::int64_t last = std::max<std::int64_t>(untouched_units(problem) - 1, 1);
  const std::int64_t place = (elements - count) * index / last;
  for (std::size_t row = 0; row < owned.size(); ++row) {
    if (owned[row]) continue;
    ExpectedRun run;
    run.output = output;
    run.first = static_cast<std::int64_t>(row) * elements + place;
    run.values = row_of(before.outputs[output], run.first, count);
    run.slack.assign(run.values.size(), 0);
    into.push_back(std::move(run));
  }
}

void draw_decays(const Problem& problem, const HostTensor& g, double fall, double jitter,
                 Random& random) {
  const std::int64_t heads = problem.at("v_heads");
  const std::int64_t tokens = problem.at("tokens");
  const std::int64_t chunk = problem.at("chunk");
  for (std::int64_t i = 0; i < g.elements(); ++i) {
    const std::int64_t at = i / heads % tokens % chunk;
    const double part = static_cast<double>(at + 1) / static_cast<double>(chunk);
    g.set(i, -fall * part - jitter * random.uniform());
  }
}

std::string head_objection(const ShapeParameters& shape, std::string_view shared) {
  const std::int64_t value_heads = *shape.find("v_heads");
  const std::int64_t shared_heads = *shape.find(shared);
  if (value_heads % shared_heads == 0) return {};
  return fmt::format("v_heads of {} is not a multiple of {} of {}", value_heads, shared,
                     shared_heads);
}

double as_bf16(double value) {
  return static_cast<double>(bf16_to_float(float_to_bf16(static_cast<float>(value))));
}

std::span<const OperatorDefinition> delta_rule_definitions() {
  static const std::array kDefinitions = {chunk_delta_rule_output_definition(),
                                          chunk_gated_delta_rule_state_definition(),
                                          gated_delta_rule_update_definition()};
  return kDefinitions;
}

}  // namespace tactus

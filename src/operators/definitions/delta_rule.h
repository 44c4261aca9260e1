#pragma once

#include <cstdint>
#include <string>

#include "operators/definition.h"

namespace tactus {

// Code that the delta rules share. The columns of a state (one per number of a value) are
// independent of each other: a unit of an operator with a state is a stripe of columns of one head
// of one sequence.

OperatorDefinition chunk_delta_rule_output_definition();
OperatorDefinition chunk_gated_delta_rule_state_definition();
OperatorDefinition gated_delta_rule_update_definition();

inline constexpr std::int64_t kStripe = 8;

struct Stripe {
  std::int64_t sequence = 0;
  std::int64_t head = 0;
  std::int64_t first = 0;    ///< column
  std::int64_t columns = 0;  ///< at most kStripe
};

/// Units that are computed; those after them check rows of the pool without an owner.
std::int64_t stripe_count(const Problem& problem);
Stripe stripe_of(const Problem& problem, std::int64_t unit);

/// Rows of the pool of states: as the shape says, but one for each sequence.
std::int64_t pool_rows(const Problem& problem);

/// A different row for each sequence.
void draw_pool_indices(const Problem& problem, const HostTensor& indices, Random& random);

/// Units that check that rows without an owner do not change.
std::int64_t untouched_units(const Problem& problem);
void expect_untouched(const Problem& problem, const HostTensors& before, const HostTensor& indices,
                      std::uint32_t output, std::int64_t index, Expected& into);

/// Decays as they are inside a chunk: falling overall, but not from each token to the next, so that
/// pairs in the wrong order occur.
void draw_decays(const Problem& problem, const HostTensor& g, double fall, double jitter,
                 Random& random);

/// Value heads must be a multiple of the heads of q and k.
std::string head_objection(const ShapeParameters& shape, std::string_view shared);

/// bf16 and back; fast.
double as_bf16(double value);

}  // namespace tactus

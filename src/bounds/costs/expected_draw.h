#pragma once

namespace tactus {

// The average of a random choice of experts, if there is no recorded draw.

/// Experts that at least one of `tokens` tokens names, when each names `top_k` different ones.
double expected_experts_distinct(double experts, double tokens, double top_k);
/// The same for `slots` independent choices, which may repeat.
double expected_experts_repeated(double experts, double slots);
/// Different (token, expert) pairs when each token makes `top_k` independent choices.
double expected_pairs_repeated(double experts, double tokens, double top_k);

/// Blocks of `block_size` slots when `slots` independent choices are sorted by expert and each
/// expert's slots are padded to whole blocks. Exact where it matters; if the counts per expert
/// spread by more than a thousand, remainders are assumed to be uniform.
double expected_blocks(double experts, double slots, double block_size);

}  // namespace tactus

#pragma once

namespace tactus {

// What a random choice of experts comes to on average, where no recorded draw says it.

/// Experts that at least one of `tokens` tokens names, when each names `top_k` different ones.
double expected_experts_distinct(double experts, double tokens, double top_k);
/// The same for `slots` independent choices, which may repeat.
double expected_experts_repeated(double experts, double slots);
/// Different (token, expert) pairs when each token makes `top_k` independent choices.
double expected_pairs_repeated(double experts, double tokens, double top_k);

/// Blocks of `block_size` slots when `slots` independent choices are sorted by expert and each
/// expert's slots padded to whole blocks. Exact where it matters; where the numbers an expert gets
/// spread by more than a thousand, remainders are taken to be uniform.
double expected_blocks(double experts, double slots, double block_size);

}  // namespace tactus

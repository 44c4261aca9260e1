#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "watch/step.h"

namespace tactus::watch {

/// A deployment that does not exist, with known truth: its steps follow the form of the model, with
/// noise whose neighbours are alike, a few steps of a heavy tail, and requests that arrive at
/// random.
struct Deployment {
  std::string name;
  double base_us = 29'000;  ///< each step
  double per_sequence_us = 60;
  double per_context_us = 0.25;  ///< per token of context
  double tile_us = 1500;         ///< more than 1, 8, 16, 32, 64 and 128 sequences, each
  double per_prompt_token_us = 170;
  double spread = 0.013;           ///< of the noise
  double alike = 0.7;              ///< correlation of neighbours
  double tail_share = 0.002;       ///< steps that take 15% more on average, some far more
  double arrivals_per_step = 0.1;  ///< requests, on average
  double most_sequences = 128;
  double prompt = 400;   ///< mean tokens of a prompt
  double answer = 250;   ///< mean tokens of an answer
  double budget = 2048;  ///< tokens of prompts per step
};

/// The published one, and others: another size of model, other noise.
std::vector<Deployment> deployments();

StepStream make_steps(const Deployment& deployment, std::size_t count, std::uint64_t seed);

}  // namespace tactus::watch

#include "watch/evaluate/synthetic.h"

#include <algorithm>
#include <cmath>

#include "watch/evaluate/injection.h"
#include "watch/latency_model.h"

namespace tactus::watch {
namespace {

/// Where one more tile is needed in these deployments; not what the model looks for.
constexpr double kTileEdges[] = {1, 8, 16, 32, 64, 128};

/// A count of arrivals with that mean (Knuth).
std::size_t arrivals(double mean, Random& random) {
  const double limit = std::exp(-mean);
  std::size_t count = 0;
  for (double product = random.uniform(); product > limit && count < 64; ++count) {
    product *= random.uniform();
  }
  return count;
}

struct Request {
  double waiting = 0;  ///< tokens of its prompt that are not computed yet
  double context = 0;
  double left = 0;  ///< tokens to produce
};

}  // namespace

std::vector<Deployment> deployments() {
  return {
      {.name = "like the published file"},
      {.name = "small model, fast GPU",
       .base_us = 3'800,
       .per_sequence_us = 9,
       .per_context_us = 0.02,
       .tile_us = 180,
       .per_prompt_token_us = 9,
       .spread = 0.006,
       .alike = 0.9,
       .arrivals_per_step = 0.12,
       .prompt = 800,
       .answer = 180,
       .budget = 8192},
      {.name = "noisy host",
       .base_us = 12'000,
       .per_sequence_us = 30,
       .per_context_us = 0.08,
       .tile_us = 400,
       .per_prompt_token_us = 40,
       .spread = 0.04,
       .alike = 0.5,
       .arrivals_per_step = 0.08},
      {.name = "many short pauses",
       .base_us = 18'000,
       .per_sequence_us = 45,
       .per_context_us = 0.12,
       .tile_us = 900,
       .per_prompt_token_us = 70,
       .spread = 0.01,
       .alike = 0.8,
       .tail_share = 0.01},
      {.name = "always reading prompts",
       .base_us = 15'000,
       .per_sequence_us = 40,
       .per_context_us = 0.1,
       .tile_us = 700,
       .per_prompt_token_us = 25,
       .spread = 0.015,
       .alike = 0.7,
       .arrivals_per_step = 0.5,
       .most_sequences = 200,
       .prompt = 900,
       .answer = 120,
       .budget = 1024},
  };
}

StepStream make_steps(const Deployment& d, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  StepStream stream{.name = d.name, .rank = {}, .steps = {}};
  stream.steps.reserve(count);
  std::vector<Request> requests;
  double noise = 0;
  // Load rises and falls over some 20,000 steps, so that workloads come and go.
  std::int64_t now = 1'700'000'000'000'000'000;
  for (std::size_t i = 0; i < count; ++i) {
    const double load = 1 + 0.8 * std::sin(static_cast<double>(i) * 2 * M_PI / 20'000);
    std::size_t arrived = arrivals(d.arrivals_per_step * load, random);
    if (requests.empty()) arrived = std::max<std::size_t>(arrived, 1);
    for (std::size_t a = 0; a < arrived; ++a) {
      if (static_cast<double>(requests.size()) >= d.most_sequences) break;
      const double prompt = std::clamp(d.prompt * std::exp(0.5 * random.normal()), 8.0, 16'384.0);
      requests.push_back({.waiting = std::round(prompt),
                          .context = 0,
                          .left = std::round(1 - d.answer * std::log(1 - random.uniform()))});
    }
    Step step{.start_ns = now, .sequences = 0, .context = 0, .prompt_tokens = 0, .prompts = 0};
    double budget = d.budget;
    for (Request& request : requests) {
      if (request.waiting > 0) {
        const double part = std::min(request.waiting, budget);
        if (part <= 0) continue;
        budget -= part;
        request.waiting -= part;
        request.context += part;
        step.prompt_tokens += part;
        ++step.prompts;
      } else {
        ++step.sequences;
        ++request.context;
        step.context += request.context;
        --request.left;
      }
    }
    std::erase_if(requests, [](const Request& r) { return r.waiting <= 0 && r.left <= 0; });
    step.phase = step.prompt_tokens > 0 ? (step.sequences > 0 ? Phase::kMixed : Phase::kPrefill)
                                        : Phase::kDecode;
    double us = d.base_us + d.per_sequence_us * step.sequences + d.per_context_us * step.context;
    for (const double edge : kTileEdges) us += step.sequences > edge ? d.tile_us : 0;
    us += d.per_prompt_token_us * std::max(0.0, step.prompt_tokens - 128);
    noise = d.alike * noise + std::sqrt(1 - d.alike * d.alike) * d.spread * random.normal();
    us *= std::exp(noise);
    if (random.uniform() < d.tail_share) us *= 1 - 0.15 * std::log(1 - random.uniform());
    step.dur_us = us;
    now += static_cast<std::int64_t>(us * 1e3);
    stream.steps.push_back(step);
  }
  return stream;
}

}  // namespace tactus::watch

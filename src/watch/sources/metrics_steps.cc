#include "watch/sources/metrics_steps.h"

#include <algorithm>
#include <cmath>

namespace tactus::watch {
namespace {

/// An engine with running requests that makes no token for so long stalls. Longer than the prefill
/// of a very long prompt takes.
constexpr double kStallNs = 30e9;

double first_known(const EngineMetrics& metrics, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const double value = metrics.value(name);
    if (!std::isnan(value)) return value;
  }
  return NAN;
}

double tokens_seen(const EngineMetrics& metrics) {
  return first_known(metrics,
                     {"inter_token_latency_seconds_count", "time_per_output_token_seconds_count"});
}

double seconds_seen(const EngineMetrics& metrics) {
  return first_known(metrics,
                     {"inter_token_latency_seconds_sum", "time_per_output_token_seconds_sum"});
}

double running(const EngineMetrics& metrics) {
  return first_known(metrics, {"num_requests_running", "num_running_reqs"});
}

/// Tokens of context of all running requests; of vLLM only the share of the cache is known, which
/// is proportional to it, and the model learns the factor.
double context(const EngineMetrics& metrics) {
  const double tokens = first_known(metrics, {"decode_sum_seq_lens", "num_used_tokens"});
  if (!std::isnan(tokens)) return tokens;
  return 1e6 * first_known(metrics, {"kv_cache_usage_perc", "gpu_cache_usage_perc", "token_usage"});
}

}  // namespace

std::optional<Step> MetricsSteps::difference(Before& before, const EngineMetrics& now,
                                             std::int64_t now_ns) {
  const double tokens = tokens_seen(now) - tokens_seen(before.metrics);
  const double seconds = seconds_seen(now) - seconds_seen(before.metrics);
  if (std::isnan(tokens) || std::isnan(seconds)) return std::nullopt;
  if (tokens < 0 || seconds < 0) {
    ++restarts_;
    before.token_ns = now_ns;
    return std::nullopt;
  }
  if (tokens == 0) {
    const auto silent_ns = static_cast<double>(now_ns - before.token_ns);
    // Told again only when it is twice as long.
    if (!(running(now) > 0) || !(running(before.metrics) > 0) || before.last.dur_us == 0) {
      before.token_ns = now_ns;
      return std::nullopt;
    }
    if (silent_ns < kStallNs || silent_ns < 2 * before.told_ns) return std::nullopt;
    before.told_ns = silent_ns;
    Step stalled = before.last;
    stalled.start_ns = before.token_ns;
    stalled.dur_us = silent_ns / 1e3;
    stalled.weight = 1;
    return stalled;
  }
  before.told_ns = 0;
  const double iterations = now.value("iteration_tokens_total_count") -
                            before.metrics.value("iteration_tokens_total_count");
  const double made =
      now.value("generation_tokens_total") - before.metrics.value("generation_tokens_total");
  const double read =
      now.value("prompt_tokens_total") - before.metrics.value("prompt_tokens_total");
  const double at_once = (running(now) + running(before.metrics)) / 2;
  Step step{.start_ns = before.time_ns, .dur_us = 1e6 * seconds / tokens};
  if (!(step.dur_us > 0)) return std::nullopt;
  step.sequences = iterations > 0 && made > 0 ? made / iterations : at_once;
  if (!(step.sequences > 0)) step.sequences = std::max(1.0, at_once);
  if (std::isnan(step.sequences)) return std::nullopt;
  const double steps = iterations > 0 ? iterations : std::max(1.0, tokens / step.sequences);
  step.context = (context(now) + context(before.metrics)) / 2;
  step.prompt_tokens = std::isnan(read) ? 0 : std::max(0.0, read) / steps;
  step.prompts = NAN;
  step.weight = std::max(1.0, steps);
  // Less than a token per step is a prompt or two in many steps of decoding.
  step.phase = step.prompt_tokens < 1 ? Phase::kDecode : Phase::kMixed;
  before.token_ns = now_ns;
  before.last = step;
  return step;
}

std::vector<MetricsSteps::Found> MetricsSteps::add(
    const std::map<std::string, EngineMetrics>& engines, std::int64_t now_ns) {
  std::vector<Found> found;
  for (const auto& [name, metrics] : engines) {
    if (std::isnan(tokens_seen(metrics)) || std::isnan(running(metrics))) continue;
    was_understood_ = true;
    const auto [at, is_new] = before_.try_emplace(name);
    if (is_new) {
      at->second.token_ns = now_ns;
    } else if (std::optional<Step> step = difference(at->second, metrics, now_ns)) {
      found.push_back({name, *step});
    }
    at->second.metrics = metrics;
    at->second.time_ns = now_ns;
  }
  return found;
}

}  // namespace tactus::watch

#include "watch/sources/engine_log.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace tactus::watch {
namespace {

/// SGLang logs decoding every 40 steps unless told otherwise.
constexpr double kDecodeInterval = 40;
constexpr double kMost = 1e12;

/// The number behind a word: "#token: 11584" gives 11584 for "#token:".
std::optional<double> number_behind(std::string_view line, std::string_view word) {
  std::size_t at = line.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  at += word.size();
  while (at < line.size() && line[at] == ' ') ++at;
  double value = 0;
  const auto [end, error] = std::from_chars(line.data() + at, line.data() + line.size(), value);
  if (error != std::errc() || !std::isfinite(value) || value < 0 || value > kMost) {
    return std::nullopt;
  }
  return value;
}

/// The number in front of a word: "512 context tokens" gives 512 for " context tokens".
std::optional<double> number_before(std::string_view line, std::string_view word) {
  const std::size_t end = line.find(word);
  if (end == std::string_view::npos) return std::nullopt;
  std::size_t begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  double value = 0;
  const auto [stop, error] = std::from_chars(line.data() + begin, line.data() + end, value);
  if (error != std::errc() || begin == end || value > kMost) return std::nullopt;
  return value;
}

/// "TP3]" or "TP3 " in the head of a line.
std::optional<std::int64_t> rank_of(std::string_view line) {
  const std::string_view head = line.substr(0, line.find("batch"));
  const std::optional<double> rank = number_behind(head, " TP");
  if (!rank) return std::nullopt;
  return static_cast<std::int64_t>(*rank);
}

}  // namespace

std::optional<EngineLog::Found> EngineLog::add_vllm(std::string_view line) {
  const std::optional<double> prompts = number_before(line, " context requests");
  const std::optional<double> prompt_tokens = number_before(line, " context tokens");
  const std::optional<double> requests = number_before(line, " generation requests");
  const std::optional<double> ms = number_behind(line, "iteration elapsed time:");
  if (!prompts || !prompt_tokens || !requests || !ms || !(*ms > 0) || *ms > 3.6e6) {
    ++bad_lines_;
    return std::nullopt;
  }
  if (line.find("(dummy)") != std::string_view::npos) return std::nullopt;
  const double all = *prompts + *requests;
  if (all < requests_ && requests_ > 0) context_ *= all / requests_;
  Found found{.stream = "vllm", .rank = {}, .step = {}};
  Step& step = found.step;
  step.start_ns = clock_ns_;
  step.dur_us = *ms * 1e3;
  step.sequences = *requests;
  step.context = context_;
  step.prompts = *prompts;
  step.prompt_tokens = *prompt_tokens;
  step.phase = *prompt_tokens == 0 ? Phase::kDecode
               : *requests == 0    ? Phase::kPrefill
                                   : Phase::kMixed;
  context_ = std::min(context_ + *prompt_tokens + *requests, kMost);
  requests_ = all;
  clock_ns_ += static_cast<std::int64_t>(*ms * 1e6);
  return found;
}

void EngineLog::add_prefill(std::string_view line) {
  const std::optional<double> tokens = number_behind(line, "#new-token:");
  const std::optional<double> prompts = number_behind(line, "#new-seq:");
  if (!tokens || !prompts) {
    ++bad_lines_;
    return;
  }
  prompt_tokens_ += *tokens;
  prompts_ += *prompts;
}

std::optional<EngineLog::Found> EngineLog::add_decode(std::string_view line) {
  const std::optional<double> running = number_behind(line, "#running-req:");
  const std::optional<double> rate = number_behind(line, "gen throughput (token/s):");
  std::optional<double> tokens = number_behind(line, "#token:");
  if (!tokens) tokens = number_behind(line, "#full token:");
  const double prompt_tokens = std::exchange(prompt_tokens_, 0);
  const double prompts = std::exchange(prompts_, 0);
  if (!running || !rate) {
    ++bad_lines_;
    return std::nullopt;
  }
  // Nothing ran, or so little that the time is that of waiting.
  if (*running < 1 || !(*rate > 0)) return std::nullopt;
  const double per_step = *running * number_behind(line, "accept len:").value_or(1);
  Found found{.stream = "sglang", .rank = rank_of(line), .step = {}};
  Step& step = found.step;
  step.start_ns = clock_ns_;
  step.dur_us = 1e6 * per_step / *rate;
  if (!(step.dur_us > 0) || step.dur_us > 3.6e9) {
    ++bad_lines_;
    return std::nullopt;
  }
  step.sequences = *running;
  step.context = tokens.value_or(NAN);
  step.prompts = prompts / kDecodeInterval;
  step.prompt_tokens = prompt_tokens / kDecodeInterval;
  step.phase = prompt_tokens > 0 ? Phase::kMixed : Phase::kDecode;
  step.weight = kDecodeInterval;
  clock_ns_ += static_cast<std::int64_t>(step.dur_us * 1e3 * kDecodeInterval);
  return found;
}

std::optional<EngineLog::Found> EngineLog::add(std::string_view line) {
  ++lines_;
  if (line.find("Iteration(") != std::string_view::npos) return add_vllm(line);
  if (line.find("Prefill batch") != std::string_view::npos) add_prefill(line);
  if (line.find("Decode batch") != std::string_view::npos) return add_decode(line);
  return std::nullopt;
}

}  // namespace tactus::watch

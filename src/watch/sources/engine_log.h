#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "watch/step.h"

namespace tactus::watch {

/// Reads the lines that engines log about their steps:
///
///   vLLM, --enable-logging-iteration-details, one per step:
///     Iteration(7): 1 context requests, 512 context tokens, 31 generation requests, 31 generation
///     tokens, iteration elapsed time: 41.20 ms
///   SGLang, one per prompt batch, and one per 40 decode steps:
///     [2026-09-30 08:30:15 TP0] Prefill batch, #new-seq: 1, #new-token: 64, ...
///     [2026-09-30 08:30:35 TP0] Decode batch, #running-req: 9, #token: 11584, ..., gen throughput
///     (token/s): 622.40, ...
///
/// vLLM does not say how long the contexts are; they are estimated by adding what each step
/// computes, and taking away a mean context for each request that is gone.
class EngineLog {
 public:
  struct Found {
    std::string stream;
    std::optional<std::int64_t> rank;
    Step step;
  };
  /// Nothing for other lines.
  std::optional<Found> add(std::string_view line);

  std::uint64_t lines() const { return lines_; }
  std::uint64_t bad_lines() const { return bad_lines_; }

 private:
  std::optional<Found> add_vllm(std::string_view line);
  std::optional<Found> add_decode(std::string_view line);
  void add_prefill(std::string_view line);

  double context_ = 0;
  double requests_ = 0;       ///< of the step before, those with prompts too
  double prompt_tokens_ = 0;  ///< SGLang: since the last line about decoding
  double prompts_ = 0;
  std::int64_t clock_ns_ = 0;  ///< durations so far: vLLM's lines have no time that is fine enough
  std::uint64_t lines_ = 0;
  std::uint64_t bad_lines_ = 0;
};

}  // namespace tactus::watch

#include "cycles/phases/step_annotation.h"

#include <array>
#include <charconv>

namespace tactus {
namespace {

std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take(std::string_view& text, std::string_view beginning) {
  if (!text.starts_with(beginning)) return false;
  text.remove_prefix(beginning.size());
  return true;
}

/// The number after a key, anywhere in the text: "bs=15".
std::optional<std::int64_t> number_after(std::string_view text, std::string_view key) {
  const std::size_t found = text.find(key);
  if (found == std::string_view::npos) return std::nullopt;
  text.remove_prefix(found + key.size());
  return take_number(text);
}

/// Requests and tokens of one kind: "32(sq32sk55086...)", "1(888_788544)", "0(0)".
struct Share {
  std::int64_t requests = 0;
  std::optional<std::int64_t> tokens;
  std::optional<std::int64_t> context;
};

std::optional<Share> take_share(std::string_view& text) {
  const std::optional<std::int64_t> requests = take_number(text);
  if (!requests) return std::nullopt;
  Share share{.requests = *requests};
  if (take(text, "(")) {
    const std::size_t end = text.find(')');
    if (end == std::string_view::npos) return std::nullopt;
    std::string_view inside = text.substr(0, end);
    text.remove_prefix(end + 1);
    take(inside, "sq");
    share.tokens = take_number(inside);
    if (take(inside, "sk")) share.context = take_number(inside);
  }
  if (*requests == 0 && !share.tokens) share.tokens = 0;
  return share;
}

std::optional<StepAnnotation> parse_vllm(std::string_view text) {
  if (!take(text, "execute_")) return std::nullopt;
  if (!text.starts_with("context_") && (!take_number(text) || !take(text, "_"))) {
    return std::nullopt;
  }
  if (!take(text, "context_")) return std::nullopt;
  const std::optional<Share> context = take_share(text);
  if (!context || !take(text, "_generation_")) return std::nullopt;
  const std::optional<Share> generation = take_share(text);
  if (!generation) return std::nullopt;
  StepAnnotation step;
  step.batch = context->requests + generation->requests;
  if (context->requests > 0) step.phase = Phase::kPrefill;
  if (generation->requests > 0) {
    step.phase = step.phase == Phase::kPrefill ? Phase::kMixed : Phase::kDecode;
  }
  step.prompts = context->requests;
  if (step.phase == Phase::kMixed && context->tokens && generation->tokens) {
    // Tokens that were drafted for those that generate make no step a prefill.
    step.phase = phase_of_work(static_cast<double>(*context->tokens + generation->requests),
                               static_cast<double>(*step.batch));
  }
  if (context->context && generation->context) {
    step.context = *context->context + *generation->context;
  }
  step.context_tokens = context->tokens;
  step.generation_tokens = generation->tokens;
  return step;
}

/// "32(sq32sk55086sqsq32sqsk55086)", "1(888_788544)", "2(512)", "0(0)".
std::optional<LengthSums> take_lengths(std::string_view& text) {
  const std::optional<std::int64_t> sequences = take_number(text);
  if (!sequences || !take(text, "(")) return std::nullopt;
  LengthSums sums{.sequences = *sequences};
  const bool named = take(text, "sq");
  const std::optional<std::int64_t> queries = take_number(text);
  if (!queries) return std::nullopt;
  sums.queries = *queries;
  if (named) {
    if (take(text, "sk")) sums.keys = take_number(text);
    if (take(text, "sqsq")) sums.query_squares = take_number(text);
    if (take(text, "sqsk")) sums.query_keys = take_number(text);
  } else if (take(text, "_")) {
    sums.query_squares = take_number(text);
  }
  if (!take(text, ")")) return std::nullopt;
  // Each sequence has a query at least, and its keys contain its queries.
  const bool fits = sums.queries >= sums.sequences &&
                    sums.keys.value_or(INT64_MAX) >= sums.queries &&
                    sums.query_squares.value_or(INT64_MAX) >= sums.queries &&
                    sums.query_keys.value_or(INT64_MAX) >= sums.query_squares.value_or(0);
  if (!fits) return std::nullopt;
  return sums;
}

std::optional<std::int64_t> sum_of(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  std::int64_t sum = 0;
  if (!a || !b || __builtin_add_overflow(*a, *b, &sum)) return std::nullopt;
  return sum;
}

/// An empty part has no length at all, whichever sums were written for it.
LengthSums without_gaps(LengthSums part) {
  if (part.sequences != 0 || part.queries != 0) return part;
  return {.sequences = 0, .queries = 0, .keys = 0, .query_squares = 0, .query_keys = 0};
}

/// SGLang's forward modes. Checking drafted tokens is part of decoding.
constexpr std::array<std::pair<std::string_view, Phase>, 8> kModes = {{
    {"EXTEND", Phase::kPrefill},
    {"SPLIT_PREFILL", Phase::kPrefill},
    {"DECODE", Phase::kDecode},
    {"TARGET_VERIFY", Phase::kDecode},
    {"DRAFT_EXTEND", Phase::kDecode},
    {"DRAFT_EXTEND_V2", Phase::kDecode},
    {"MIXED", Phase::kMixed},
    {"IDLE", Phase::kUnknown},
}};

std::optional<StepAnnotation> parse_sglang(std::string_view text) {
  if (!take(text, "step[")) return std::nullopt;
  const std::string_view mode = text.substr(0, text.find_first_of(" ]"));
  StepAnnotation step;
  bool known = false;
  for (const auto& [name, phase] : kModes) {
    if (mode != name) continue;
    step.phase = phase;
    known = true;
  }
  step.batch = number_after(text, " bs=");
  if (!known && !step.batch) return std::nullopt;
  const std::optional<std::int64_t> tokens = number_after(text, " toks=");
  if (step.phase == Phase::kPrefill) {
    step.context_tokens = tokens;
    step.generation_tokens = 0;
    step.prompts = step.batch;
  }
  if (step.phase == Phase::kMixed) {
    const std::optional<std::int64_t> prompts = number_after(text, " prompt_toks=");
    if (prompts && tokens && *prompts <= *tokens) {
      step.context_tokens = prompts;
      step.generation_tokens = *tokens - *prompts;
      step.prompts = number_after(text, " prompts=");
    }
  }
  if (step.phase == Phase::kDecode) {
    step.context_tokens = 0;
    step.generation_tokens = tokens;
    step.prompts = 0;
    if (!tokens && mode == "DECODE") step.generation_tokens = step.batch;  // one per request
  }
  return step;
}

}  // namespace

std::optional<StepAnnotation> parse_step_annotation(std::string_view name) {
  if (name.starts_with("execute_")) return parse_vllm(name);
  if (name.starts_with("step[")) return parse_sglang(name);
  return std::nullopt;
}

LengthSums StepLengths::all() const {
  const LengthSums a = without_gaps(context);
  const LengthSums b = without_gaps(generation);
  return {.sequences = sum_of(a.sequences, b.sequences).value_or(0),
          .queries = sum_of(a.queries, b.queries).value_or(0),
          .keys = sum_of(a.keys, b.keys),
          .query_squares = sum_of(a.query_squares, b.query_squares),
          .query_keys = sum_of(a.query_keys, b.query_keys)};
}

std::optional<StepLengths> parse_step_lengths(std::string_view text) {
  if (!take(text, "execute_")) return std::nullopt;
  if (!text.starts_with("context_") && (!take_number(text) || !take(text, "_"))) {
    return std::nullopt;
  }
  if (!take(text, "context_")) return std::nullopt;
  const std::optional<LengthSums> context = take_lengths(text);
  if (!context || !take(text, "_generation_")) return std::nullopt;
  const std::optional<LengthSums> generation = take_lengths(text);
  if (!generation) return std::nullopt;
  return StepLengths{*context, *generation};
}

Phase phase_of_annotation(std::string_view name) {
  const std::optional<StepAnnotation> step = parse_step_annotation(name);
  return step ? step->phase : Phase::kUnknown;
}

}  // namespace tactus

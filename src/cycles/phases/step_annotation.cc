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
  if (step.phase == Phase::kMixed && context->tokens && generation->tokens) {
    step.phase = phase_of_work(static_cast<double>(*context->tokens + *generation->tokens),
                               static_cast<double>(*step.batch));
  }
  if (context->context && generation->context) {
    step.context = *context->context + *generation->context;
  }
  step.context_tokens = context->tokens;
  step.generation_tokens = generation->tokens;
  return step;
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
  }
  if (step.phase == Phase::kDecode) {
    step.context_tokens = 0;
    step.generation_tokens = tokens;
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

Phase phase_of_annotation(std::string_view name) {
  const std::optional<StepAnnotation> step = parse_step_annotation(name);
  return step ? step->phase : Phase::kUnknown;
}

}  // namespace tactus

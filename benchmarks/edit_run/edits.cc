#include "edit_run/edits.h"

#include <array>
#include <cmath>

#include "base/text.h"

namespace tactus::edit_run {
namespace {

Error wrong(std::string_view text, std::string_view expected) {
  return usage_error(std::string(text) + ": expected " + std::string(expected));
}

std::optional<double> factor_in(std::string_view text) {
  const std::optional<double> number = finite_number(text);
  return number && *number > 0 ? number : std::nullopt;
}

std::optional<std::int64_t> whole_in(std::string_view text) {
  const std::optional<double> number = finite_number(text);
  if (!number || std::abs(*number) > 9e15 || std::floor(*number) != *number) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

/// "gemm:2" in two. A colon of a pair ("at::native") does not separate.
std::optional<std::pair<std::string_view, std::string_view>> split(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ':') continue;
    if (i + 1 < text.size() && text[i + 1] == ':') {
      ++i;
      continue;
    }
    return std::pair(text.substr(0, i), text.substr(i + 1));
  }
  return std::nullopt;
}

std::optional<Family> family_called(std::string_view name) {
  for (std::size_t i = 0; i < kFamilies; ++i) {
    if (family_name(static_cast<Family>(i)) == name) return static_cast<Family>(i);
  }
  return std::nullopt;
}

std::optional<Phase> phase_called(std::string_view name) {
  for (std::size_t i = 0; i < kPhases; ++i) {
    if (phase_name(static_cast<Phase>(i)) == name) return static_cast<Phase>(i);
  }
  return std::nullopt;
}

/// Edits with nothing but a factor: "gaps=2".
bool add_factor(std::string_view what, std::string_view text, double factor, Edits& edits) {
  if (what == "kernels") {
    edits.work.push_back({.text = std::string(text), .factor = factor});
  } else if (what == "copies") {
    edits.work.push_back({.text = std::string(text), .factor = factor, .of_copies = true});
  } else if (what == "gaps") {
    edits.gaps *= factor;
  } else if (what == "launches") {
    edits.launches *= factor;
  } else if (what == "drift") {
    edits.drifts.push_back(factor);
  } else {
    return false;
  }
  return true;
}

/// Factors on the kernels that `of` describes: "family=gemm:2".
Status add_work_edit(std::string_view what, std::string_view text, std::string_view of,
                     double factor, Edits& edits) {
  WorkEdit edit{.text = std::string(text), .factor = factor};
  if (what == "family") {
    edit.family = family_called(of);
    if (!edit.family) return wrong(text, "the name of a family, such as gemm or attention");
  } else if (what == "phase") {
    edit.phase = phase_called(of);
    if (!edit.phase) return wrong(text, "prefill, decode, mixed or unknown");
  } else if (what == "rank") {
    edit.rank = whole_in(of);
    if (!edit.rank) return wrong(text, "the number of a rank");
  } else {
    edit.from_step = whole_in(of);
    if (!edit.from_step) return wrong(text, "the number of a step");
  }
  edits.work.push_back(std::move(edit));
  return {};
}

/// Edits of two parts: "stall=10:500".
Status add_pair(std::string_view what, std::string_view text, std::string_view value,
                Edits& edits) {
  const auto parts = split(value);
  if (!parts || parts->first.empty()) return wrong(text, "two parts with a colon between them");
  const auto& [first, second] = *parts;
  if (what == "rename_kernel" || what == "rename_text") {
    auto& renames = what == "rename_kernel" ? edits.renames : edits.text_renames;
    renames.push_back({std::string(first), std::string(second)});
    return {};
  }
  const std::optional<double> factor = factor_in(second);
  if (!factor) return wrong(text, "a number above 0 behind the colon");
  if (what == "counter") {
    edits.counters.push_back({std::string(first), *factor});
    return {};
  }
  if (what != "stall") return add_work_edit(what, text, first, *factor, edits);
  const std::optional<std::int64_t> every = whole_in(first);
  if (!every || *every < 1) return wrong(text, "a number of steps and one of microseconds");
  edits.stalls.push_back({*every, std::llround(*factor * 1000)});
  return {};
}

bool add_word(std::string_view word, Edits& edits) {
  if (word == "ids") return edits.has_new_ids = true;
  if (word == "no_shapes") return edits.drops_shapes = true;
  if (word == "no_host") return edits.drops_host = true;
  if (word == "no_counters") return edits.drops_counters = true;
  return false;
}

}  // namespace

Status add_edit(std::string_view text, Edits& edits) {
  edits.texts.emplace_back(text);
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return add_word(text, edits) ? Status() : wrong(text, "an edit, such as kernels=1.1");
  }
  const std::string_view what = text.substr(0, equals);
  const std::string_view value = text.substr(equals + 1);
  if (what == "offset") {
    const std::optional<std::int64_t> offset = whole_in(value);
    if (!offset) return wrong(text, "a whole number of ns");
    edits.offset_ns += *offset;
    return {};
  }
  constexpr std::array kPairs = {"family", "phase",   "rank",          "jump",
                                 "stall",  "counter", "rename_kernel", "rename_text"};
  for (const std::string_view pair : kPairs) {
    if (what == pair) return add_pair(what, text, value, edits);
  }
  const std::optional<double> factor = factor_in(value);
  if (factor && add_factor(what, text, *factor, edits)) return {};
  return wrong(text, factor ? "a known edit" : "a known edit with a number above 0");
}

Result<StepBlock> parse_block(std::string_view text) {
  const auto parts = split(text);
  StepBlock block;
  std::optional<std::int64_t> from = 0, to = INT64_MAX;
  if (parts && !parts->first.empty()) from = whole_in(parts->first);
  if (parts && !parts->second.empty()) to = whole_in(parts->second);
  if (!parts || !from || !to || *from < 0 || *to <= *from) return wrong(text, "FROM:TO");
  block.from = *from;
  block.to = *to;
  return block;
}

}  // namespace tactus::edit_run

#include "names/module_name.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace tactus {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Numbers of layers and instances are short; anything longer is not one.
std::optional<std::int64_t> small_number(std::string_view text) {
  constexpr std::size_t kMostDigits = 9;
  if (text.empty() || text.size() > kMostDigits) return std::nullopt;
  if (!std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// A name, or a number.
bool is_segment(std::string_view text) {
  if (text.empty()) return false;
  if (is_digit(text.front())) return small_number(text).has_value();
  return std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

bool is_path(std::string_view text) {
  while (true) {
    const std::size_t dot = text.find('.');
    if (!is_segment(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

/// "layer_3", "decoder_block7": a word for a layer, and its number.
std::optional<ModuleStep> numbered_layer(std::string_view segment) {
  std::size_t digits = segment.size();
  while (digits > 0 && is_digit(segment[digits - 1])) --digits;
  const std::optional<std::int64_t> number = small_number(segment.substr(digits));
  if (!number) return std::nullopt;
  ModuleStep step{.name = segment.substr(0, digits), .index = *number};
  if (step.name.ends_with('_')) {
    step.name.remove_suffix(1);
    step.separator = '_';
  }
  constexpr std::array<std::string_view, 5> kWords = {"layer", "layers", "block", "blocks",
                                                      "Layer"};
  const bool is_layer = std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
    return step.name.ends_with(word);
  });
  if (!is_layer) return std::nullopt;
  return step;
}

/// "layer3_fwd" -> "layer3": the range is that of the module all the same.
std::string_view without_ending(std::string_view name) {
  for (const std::string_view ending : {"_fwd", "_forward", ".forward"}) {
    if (name.size() > ending.size() && name.ends_with(ending)) {
      return name.substr(0, name.size() - ending.size());
    }
  }
  return name;
}

}  // namespace

std::optional<ModuleStep> read_module_frame(std::string_view frame) {
  constexpr std::string_view kModule = "nn.Module: ";
  if (!frame.starts_with(kModule)) return std::nullopt;
  ModuleStep step{.name = frame.substr(kModule.size())};
  const std::size_t line = step.name.rfind('_');
  if (line == std::string_view::npos || line == 0) return step;
  if (const auto number = small_number(step.name.substr(line + 1))) {
    return ModuleStep{.name = step.name.substr(0, line), .index = *number, .separator = '_'};
  }
  return step;
}

ModuleRange read_module_range(std::string_view name) {
  using Kind = ModuleRange::Kind;
  // As the hooks of vLLM, SGLang and TensorRT-LLM write it: a Python dictionary.
  constexpr std::string_view kDictionary = "{'Module': '";
  if (name.starts_with(kDictionary)) {
    name.remove_prefix(kDictionary.size());
    const std::string_view path = name.substr(0, name.find('\''));
    return is_path(path) ? ModuleRange{Kind::kNamed, path} : ModuleRange{};
  }
  // "transformer.blocks.3 in=[1, 4096]"
  const bool has_shapes = name.find(" in=[") != std::string_view::npos;
  const std::string_view path = without_ending(name.substr(0, name.find(" in=[")));
  if (!is_path(path)) return {};
  if (has_shapes) return {Kind::kNamed, path};
  const std::vector<ModuleStep> steps = steps_of_path(path);
  const bool is_layered =
      std::any_of(steps.begin(), steps.end(), [](const ModuleStep& s) { return s.index >= 0; });
  // A number alone names no layer.
  if (is_layered && steps.front().name.empty() && steps.size() == 1) return {};
  return {is_layered ? Kind::kLayered : Kind::kPlain, path};
}

std::vector<ModuleStep> steps_of_path(std::string_view path) {
  std::vector<ModuleStep> steps;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const std::string_view segment = path.substr(0, dot);
    path.remove_prefix(dot == std::string_view::npos ? path.size() : dot + 1);
    if (const auto number = small_number(segment)) {
      const bool joins = !steps.empty() && steps.back().index < 0;
      if (!joins) steps.emplace_back();
      steps.back().index = *number;
      steps.back().separator = joins ? '.' : '\0';
    } else if (const auto layer = numbered_layer(segment)) {
      steps.push_back(*layer);
    } else {
      steps.push_back({.name = segment});
    }
  }
  return steps;
}

std::vector<ModuleStep> steps_of_hierarchy(std::string_view text) {
  std::vector<ModuleStep> steps;
  while (!text.empty()) {
    // name(Class)::method.
    const std::size_t open = text.find('(');
    const std::size_t close = open == std::string_view::npos ? open : text.find(')', open);
    if (close == std::string_view::npos) break;
    const std::string_view attribute = text.substr(0, open);
    const std::string_view type = text.substr(open + 1, close - open - 1);
    if (attribute == "TOP") {
      steps.push_back({.name = type});
    } else if (const auto number = small_number(attribute)) {
      const bool joins = steps.size() > 1 && steps.back().index < 0;
      if (!joins) steps.emplace_back();
      steps.back().index = *number;
      steps.back().separator = joins ? '.' : '\0';
    } else if (attribute != "SELF" && !attribute.empty()) {
      steps.push_back({.name = attribute});
    }
    const std::size_t next = text.find('.', close);
    text.remove_prefix(next == std::string_view::npos ? text.size() : next + 1);
  }
  return steps;
}

}  // namespace tactus

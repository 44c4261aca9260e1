#include "cycles/anchors/anchor_name.h"

#include <algorithm>
#include <cctype>

#include "cycles/phases/step_annotation.h"
#include "names/python_frame.h"

namespace tactus {
namespace {

using Trust = AnchorName::Trust;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// A hash, as compilers put into names: "fs4unmpputjrfoi7dce2ydrq3fwljydwii2pzav".
bool is_hash(std::string_view word) {
  return word.size() >= 20 && std::any_of(word.begin(), word.end(), is_digit) &&
         std::any_of(word.begin(), word.end(), is_letter);
}

/// Numbers and hashes become '*'. With `stand_alone`, a number inside a word stays.
std::string without_numbers(std::string_view name, bool stand_alone) {
  std::string text;
  for (std::size_t i = 0; i < name.size();) {
    std::size_t end = i;
    while (end < name.size() && (is_digit(name[end]) || is_letter(name[end]))) ++end;
    const std::string_view word = name.substr(i, end - i);
    const bool is_number = !word.empty() && std::all_of(word.begin(), word.end(), is_digit);
    if (is_number || is_hash(word)) {
      text += '*';
    } else {
      for (const char c : word) {
        const bool replaced = is_digit(c) && !stand_alone;
        if (!replaced) text += c;
        if (replaced && (text.empty() || text.back() != '*')) text += '*';
      }
    }
    if (end < name.size()) text += name[end];
    i = end + 1;
  }
  return text;
}

AnchorName annotation(std::string_view name) {
  if (parse_step_annotation(name)) {
    return {name.starts_with("step[") ? "step[*]" : "execute_*", Trust::kEngine};
  }
  if (name == "step") return {"step", Trust::kWaits};
  if (name.starts_with("ProfilerStep#")) return {"ProfilerStep#*", Trust::kStep};
  return {without_numbers(name, false), Trust::kPlain};
}

std::string_view without_instance(std::string_view module) {
  const std::size_t last = module.find_last_not_of("0123456789");
  if (last == std::string_view::npos || last + 1 == module.size() || module[last] != '_') {
    return module;
  }
  return module.substr(0, last);
}

std::optional<AnchorName> python(std::string_view name) {
  if (name.empty() || name.starts_with("<built-in")) return std::nullopt;
  const PythonFrame frame = read_python_frame(name);
  if (frame.kind == PythonFrame::Kind::kModule) {
    return AnchorName{"nn.Module: " + std::string(without_instance(frame.function)), Trust::kPlain};
  }
  const bool is_plumbing =
      frame.kind == PythonFrame::Kind::kPlumbing || frame.function == "<module>";
  return AnchorName{std::string(name), is_plumbing ? Trust::kPlumbing : Trust::kPlain};
}

}  // namespace

std::optional<AnchorName> anchor_name(SliceKind kind, std::string_view name) {
  switch (kind) {
    case SliceKind::kAnnotation:
    case SliceKind::kGpuAnnotation: return annotation(name);
    case SliceKind::kPython: return python(name);
    case SliceKind::kCpuOp: return AnchorName{without_numbers(name, true), Trust::kPlain};
    default: return std::nullopt;
  }
}

bool is_named(std::string_view anchor, std::string_view name) {
  if (anchor == name) return true;
  for (;;) {
    const std::size_t end = anchor.find(kBetweenNames);
    if (anchor.substr(0, end) == name) return true;
    if (end == std::string_view::npos) return false;
    anchor.remove_prefix(end + kBetweenNames.size());
  }
}

bool names_layer(SliceKind kind, std::string_view name) {
  // Folders called "layers" hold much else: only the function or module counts.
  std::string word(kind == SliceKind::kPython ? read_python_frame(name).function : name);
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word.find("layer") != std::string::npos || word.find("block") != std::string::npos;
}

}  // namespace tactus

#include "names/dispatcher_op.h"

#include <algorithm>
#include <iterator>

namespace tactus {
namespace {

/// Overloads that begin with a small letter; the others do with a capital: add_Tensor.
constexpr std::string_view kOverloads[] = {
    "out",       "dim",          "int",           "self",          "start",       "start_step",
    "start_out", "dim_IntList",  "dim_max",       "dim_min",       "dim_values",  "vec",
    "dtype",     "dtype_layout", "device",        "other",         "prim_Device", "correction",
    "values",    "stable",       "values_stable", "memory_format", "input",       "forward",
    "step",      "complex",      "generator",     "from",          "to",          "int_out",
    "vec_out",   "grad_input",   "grad",          "mode",          "dim_out",
};

bool is_overload(std::string_view text) {
  if (text.empty()) return false;
  if (text[0] >= 'A' && text[0] <= 'Z') return true;
  return std::find(std::begin(kOverloads), std::end(kOverloads), text) != std::end(kOverloads);
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// "sum_dim_IntList" to "sum", "add__Tensor" to "add_".
std::string_view without_overload(std::string_view name) {
  for (std::size_t at = name.find('_', 1); at != std::string_view::npos;
       at = name.find('_', at + 1)) {
    if (is_overload(name.substr(at + 1))) return name.substr(0, at);
  }
  return name;
}

}  // namespace

std::optional<std::string> dispatcher_op(std::string_view frame) {
  constexpr std::string_view kBegin = "at::_ops::";
  // In front of it, the demangled name of a template has the type that it returns.
  const std::size_t begin = frame.find(kBegin);
  const std::size_t arguments = frame.find('(');
  if (begin == std::string_view::npos || arguments == std::string_view::npos || begin > arguments) {
    return std::nullopt;
  }
  if (begin != 0 && frame[begin - 1] != ' ') return std::nullopt;
  const std::string_view rest =
      frame.substr(begin + kBegin.size(), arguments - begin - kBegin.size());
  const std::size_t end = rest.find("::");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view function = rest.substr(end + 2);
  const std::string_view name = rest.substr(0, end);
  if ((function != "call" && function != "redispatch") || !is_name(name)) return std::nullopt;
  return "aten::" + std::string(without_overload(name));
}

}  // namespace tactus

#include <fmt/format.h>

#include "views/common/text_table.h"
#include "views/kernels/kernel_name_json.h"
#include "views/kernels/kernels_view.h"

namespace tactus {
namespace {

std::string number_or_unknown(const std::optional<int>& number) {
  return number ? std::to_string(*number) : "?";
}

/// "bf16", or "fp8 -> bf16" where they differ.
std::string dtype_text(const KernelName& name) {
  if (name.dtype_in == name.dtype_out) return std::string(name.dtype_in);
  return fmt::format("{} -> {}", name.dtype_in.empty() ? "?" : name.dtype_in,
                     name.dtype_out.empty() ? "?" : name.dtype_out);
}

std::string tile_text(const KernelName& name) {
  std::string text;
  if (name.tile) {
    text = number_or_unknown(name.tile->m) + "x" + number_or_unknown(name.tile->n) + "x" +
           number_or_unknown(name.tile->k);
  }
  if (name.stages) text += fmt::format(", {} stages", *name.stages);
  if (name.cluster) {
    const auto& [x, y, z] = *name.cluster;
    text += fmt::format(", cluster {}x{}x{}", x, y, z);
  }
  return text.starts_with(", ") ? text.substr(2) : text;
}

std::string source_text(const Launcher& launcher) {
  std::string text(launcher.file);
  if (!launcher.function.empty()) text += fmt::format(", {}", launcher.function);
  return launcher.certain ? text : text + " (a guess)";
}

std::string line(std::string_view head, std::string_view text) {
  return text.empty() ? "" : fmt::format("  {:<9} {}\n", head, printable(text));
}

std::string decoded_text(const std::string& text, const KernelName& name) {
  std::string out = printable(text) + "\n";
  out += line("family", family_name(name.family));
  out += line("operator", name.op);
  out += line("library", name.library);
  out += line("types", dtype_text(name));
  out += line("tile", tile_text(name));
  if (name.split_k) out += line("split", "K: a reduce kernel follows");
  if (name.kv_split) out += line("split", "keys: a combine kernel follows");
  if (name.head_dim) out += line("head dim", std::to_string(*name.head_dim));
  if (name.causal) out += line("mask", *name.causal ? "causal" : "not causal");
  if (name.vector_width) out += line("width", std::to_string(*name.vector_width));
  out += line("era", name.era);
  if (name.launcher) out += line("source", source_text(*name.launcher));
  return out;
}

}  // namespace

std::string show_decoded(std::span<const std::string> names, std::span<const KernelName> decoded,
                         bool as_json) {
  if (!as_json) {
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i) out += decoded_text(names[i], decoded[i]);
    return out;
  }
  Json list = Json::array();
  for (std::size_t i = 0; i < names.size(); ++i) {
    Json object;
    object["name"] = names[i];
    add_kernel_name(object, decoded[i]);
    list.push_back(std::move(object));
  }
  return to_text(list);
}

}  // namespace tactus

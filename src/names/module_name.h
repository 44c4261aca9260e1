#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tactus {

/// One step of a path through the modules of a model: a class or an attribute, and which of
/// several.
///
///   nn.Module: LlamaDecoderLayer_3   ->  LlamaDecoderLayer, 3
///   model.layers.3.mlp               ->  model; layers, 3; mlp
struct ModuleStep {
  std::string_view name;
  std::int64_t index = -1;  ///< -1 if it has no number
  char separator = 0;       ///< between name and number; 0 if there is none

  bool operator==(const ModuleStep&) const = default;
};

/// The module of a Python frame, if it is one.
std::optional<ModuleStep> read_module_frame(std::string_view frame);

/// What the name of a range (record_function, NVTX) says about a module.
struct ModuleRange {
  enum class Kind : std::uint8_t {
    kNone,
    kPlain,    ///< could be a module: "self_attn", "model.norm"; its surroundings must tell
    kLayered,  ///< numbers a layer: "model.layers.3.mlp", "layer_3"
    kNamed,    ///< says that it is a module: "{'Module': 'model.norm', 'Inputs': ...}"
  };
  Kind kind = Kind::kNone;
  std::string_view path;  ///< with dots; empty for kNone
};

ModuleRange read_module_range(std::string_view name);

/// The steps of a path with dots.
std::vector<ModuleStep> steps_of_path(std::string_view path);

/// The steps of TorchScript's "Module Hierarchy":
///
///   TOP(ResNet)::forward.layer1(Sequential)::forward.0(BasicBlock)::forward.SELF(BasicBlock)::f
///   ->  ResNet; layer1, 0
std::vector<ModuleStep> steps_of_hierarchy(std::string_view text);

}  // namespace tactus

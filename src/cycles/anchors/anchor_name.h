#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "run/facts.h"

namespace tactus {

/// What the slices of one anchor have in common: "ProfilerStep#*", "nn.Module: LlamaForCausalLM".
struct AnchorName {
  /// How well a name marks a step.
  enum class Trust : std::uint8_t {
    kPlumbing,  ///< a wrapper of the framework or of Python
    kPlain,
    kWaits,   ///< what `tactus record` calls a step: what a thread launches until it waits
    kStep,    ///< a range that profilers and programs put around a step
    kEngine,  ///< a range that an engine puts around each of its steps, with its contents
  };
  std::string text;
  Trust trust = Trust::kPlain;
};

/// The anchor that a slice of a kind could belong to; nothing for names that cannot be anchors.
std::optional<AnchorName> anchor_name(SliceKind kind, std::string_view name);

/// An anchor that has several names: "decode + prefill".
inline constexpr std::string_view kBetweenNames = " + ";
/// Whether a name is this anchor, or one of its names.
bool is_named(std::string_view anchor, std::string_view name);

/// True for names that programs give the layers of a model: "nn.Module: Qwen3DecoderLayer_7".
bool names_layer(SliceKind kind, std::string_view name);

}  // namespace tactus

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tactus {

/// What a step of an engine works on: prompts, one new token per request, or both at once.
enum class Phase : std::uint8_t { kUnknown, kPrefill, kDecode, kMixed };
inline constexpr std::size_t kPhases = 4;

/// As in output: "prefill".
constexpr std::string_view phase_name(Phase phase) {
  switch (phase) {
    case Phase::kPrefill: return "prefill";
    case Phase::kDecode: return "decode";
    case Phase::kMixed: return "mixed";
    case Phase::kUnknown: break;
  }
  return "unknown";
}

}  // namespace tactus

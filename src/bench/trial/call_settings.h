#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "bench/rooms/gpu_stage.h"
#include "operators/random.h"

namespace tactus {

/// What a call finds.
enum class CallSetting : std::uint8_t {
  kPoisoned,  ///< new inputs, poisoned outputs
  kDecoy,     ///< new inputs, outputs that hold the right results of other ones
  kRepeated,  ///< new inputs at the place of an earlier call, and its results
  kTwisted,   ///< nearly the inputs of an earlier call at the same place, and its results
};
inline constexpr std::array kSettings = {CallSetting::kPoisoned, CallSetting::kDecoy,
                                         CallSetting::kTwisted, CallSetting::kRepeated};
/// Of large tensors on the CPU only pieces change, so results of earlier calls would be right in
/// part.
inline constexpr std::size_t kSettingsOfLarge = 3;

inline bool stays(CallSetting setting) {
  return setting == CallSetting::kRepeated || setting == CallSetting::kTwisted;
}

inline std::size_t index_of(CallSetting setting) {
  return static_cast<std::size_t>(setting);
}

inline OutputsHold hold_of(CallSetting setting) {
  return setting == CallSetting::kPoisoned ? OutputsHold::kPoison
         : setting == CallSetting::kDecoy  ? OutputsHold::kDecoy
                                           : OutputsHold::kStay;
}

/// All settings, one after the other in random order; then all again in another one.
class SettingsInTurn {
 public:
  /// The first `count` of kSettings.
  explicit SettingsInTurn(std::size_t count) : count_(count) {}

  CallSetting next(Random& random) {
    if (left_ == 0) left_ = count_;
    const auto chosen = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(left_)));
    std::swap(order_[chosen], order_[--left_]);
    return order_[left_];
  }

 private:
  std::size_t count_;
  std::size_t left_ = 0;
  std::array<CallSetting, kSettings.size()> order_ = kSettings;
};

}  // namespace tactus

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "watch/detector.h"
#include "watch/step.h"

namespace tactus::watch {

/// A slowdown that is put into a stream of steps, by its form and size.
enum class InjectionForm : std::uint8_t {
  kStep,      ///< from one step on, all take `factor` times as long
  kRamp,      ///< the factor grows from 1 over `length` steps
  kSpike,     ///< `length` steps
  kPeriodic,  ///< every `length`th step
  kStalls,    ///< 20 ms more with a chance of 5%
  kJitter,    ///< noise three times as large, around the same mean
  kEnding,    ///< a step that ends after `length` steps
};

struct Injection {
  InjectionForm form = InjectionForm::kStep;
  double factor = 1;
  std::size_t length = 0;

  std::string name() const;
  /// The shape that a detector should call it; for those that have one.
  std::optional<Shape> shape() const;
};

/// All of the protocol.
std::vector<Injection> injections();

/// Changes the durations from `onset` on. `seed` chooses what is random.
/// The value: one past the last step that was changed.
std::size_t inject(const Injection& injection, std::size_t onset, std::uint64_t seed,
                   std::vector<Step>& steps, const std::vector<double>& predicted_us);

/// Small and the same on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15U + 0x1234567U) {}
  std::uint64_t next();
  double uniform();  ///< 0 <= x < 1
  double normal();
  std::size_t below(std::size_t n) {
    return static_cast<std::size_t>(uniform() * static_cast<double>(n));
  }

 private:
  std::uint64_t state_;
};

}  // namespace tactus::watch

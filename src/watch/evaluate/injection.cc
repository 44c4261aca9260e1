#include "watch/evaluate/injection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tactus::watch {

std::uint64_t Random::next() {  // splitmix64
  state_ += 0x9E3779B97F4A7C15U;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

double Random::uniform() {
  return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

double Random::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * M_PI * uniform());
}

std::string Injection::name() const {
  switch (form) {
    case InjectionForm::kStep: return fmt::format("step x{:g}", factor);
    case InjectionForm::kRamp: return fmt::format("ramp to x{:g} in {} steps", factor, length);
    case InjectionForm::kSpike:
      return length == 1 ? fmt::format("one step x{:g}", factor)
                         : fmt::format("{} steps x{:g}", length, factor);
    case InjectionForm::kPeriodic: return fmt::format("every {}th step x{:g}", length, factor);
    case InjectionForm::kStalls: return "+20 ms in 5% of the steps";
    case InjectionForm::kJitter: return "noise x3, same mean";
    case InjectionForm::kEnding: break;
  }
  return fmt::format("step x{:g} for {} steps", factor, length);
}

std::optional<Shape> Injection::shape() const {
  switch (form) {
    case InjectionForm::kStep:
    case InjectionForm::kEnding: return Shape::kStep;
    case InjectionForm::kRamp: return Shape::kRamp;
    case InjectionForm::kSpike: return Shape::kSpike;
    case InjectionForm::kPeriodic: return Shape::kPeriodic;
    case InjectionForm::kStalls: return Shape::kIrregular;
    case InjectionForm::kJitter: break;
  }
  return std::nullopt;
}

std::vector<Injection> injections() {
  using enum InjectionForm;
  std::vector<Injection> all;
  for (const double factor : {1.05, 1.08, 1.1, 1.2, 1.5, 2.0, 4.0})
    all.push_back({kStep, factor, 0});
  for (const std::size_t length : {20U, 50U, 200U}) all.push_back({kRamp, 1.5, length});
  for (const std::size_t length : {1U, 3U}) {
    for (const double factor : {1.3, 1.5, 2.0, 4.0}) all.push_back({kSpike, factor, length});
  }
  for (const std::size_t length : {5U, 10U, 25U}) {
    for (const double factor : {1.2, 1.5}) all.push_back({kPeriodic, factor, length});
  }
  all.push_back({kStalls, 1, 0});
  all.push_back({kJitter, 1, 0});
  all.push_back({kEnding, 1.2, 40});
  return all;
}

std::size_t inject(const Injection& injection, std::size_t onset, std::uint64_t seed,
                   std::vector<Step>& steps, const std::vector<double>& predicted_us) {
  constexpr double kStallUs = 20'000;
  constexpr double kStallShare = 0.05;
  Random random(seed);
  std::size_t last = onset;
  for (std::size_t i = onset; i < steps.size(); ++i) {
    const std::size_t after = i - onset;
    double factor = 1;
    double more_us = 0;
    switch (injection.form) {
      case InjectionForm::kStep: factor = injection.factor; break;
      case InjectionForm::kEnding:
      case InjectionForm::kSpike: factor = after < injection.length ? injection.factor : 1; break;
      case InjectionForm::kRamp:
        factor =
            1 + (injection.factor - 1) * std::min(1.0, static_cast<double>(after + 1) /
                                                           static_cast<double>(injection.length));
        break;
      case InjectionForm::kPeriodic:
        factor = after % injection.length == 0 ? injection.factor : 1;
        break;
      case InjectionForm::kStalls: more_us = random.uniform() < kStallShare ? kStallUs : 0; break;
      case InjectionForm::kJitter:
        // Twice the residual of this step on top of it.
        if (predicted_us[i] > 0) factor = std::pow(steps[i].dur_us / predicted_us[i], 2);
        break;
    }
    if (factor == 1 && more_us == 0) continue;
    steps[i].dur_us = steps[i].dur_us * factor + more_us;
    last = i + 1;
  }
  return last;
}

}  // namespace tactus::watch

#include "inject/request.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tactus::inject {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"step", "ramp", "spike", "square"};
constexpr double kPeriod = 2;      // [s]
constexpr double kSpikeFor = 0.2;  // [s]

}  // namespace

std::string_view shape_name(Shape shape) {
  return kNames[static_cast<std::size_t>(shape)];
}

std::optional<Shape> shape_of(std::string_view name) {
  const auto at = std::find(kNames.begin(), kNames.end(), name);
  if (at == kNames.end()) return std::nullopt;
  return static_cast<Shape>(at - kNames.begin());
}

double level_at(Shape shape, double intensity, double seconds, double since_begin) {
  if (since_begin < 0 || since_begin >= seconds) return 0;
  const double in_period = std::fmod(since_begin, kPeriod);
  switch (shape) {
    case Shape::kStep: return intensity;
    case Shape::kRamp: return intensity * since_begin / seconds;
    case Shape::kSpike: return in_period < kSpikeFor ? intensity : 0;
    case Shape::kSquare: return in_period < kPeriod / 2 ? intensity : 0;
  }
  return 0;
}

}  // namespace tactus::inject

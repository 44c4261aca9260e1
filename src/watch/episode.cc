#include "watch/episode.h"

namespace tactus::watch {
namespace {

constexpr double kAlertSteps = 200;
constexpr double kAlertUs = 10e6;
constexpr std::uint64_t kLeastAlarms = 3;

}  // namespace

std::string_view shape_name(Shape shape) {
  switch (shape) {
    case Shape::kStep: return "step";
    case Shape::kRamp: return "ramp";
    case Shape::kSpike: return "spike";
    case Shape::kPeriodic: return "periodic";
    case Shape::kIrregular: return "irregular";
    case Shape::kStall: break;
  }
  return "stall";
}

bool is_alert(const Episode& episode) {
  if (episode.by == Alarm::kStall) return true;
  return episode.alarms >= kLeastAlarms &&
         ((episode.served_steps >= kAlertSteps && episode.busy_us >= kLeastAlertUs) ||
          episode.busy_us >= kAlertUs);
}

}  // namespace tactus::watch

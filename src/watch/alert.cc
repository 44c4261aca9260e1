#include "watch/alert.h"

namespace tactus::watch {
namespace {

constexpr double kAlertSteps = 200;
constexpr double kAlertUs = 10e6;
/// 200 steps of a small model can be over in 50 ms; nobody is called for less than a second.
constexpr double kLeastUs = 1e6;
constexpr std::uint64_t kLeastAlarms = 3;

}  // namespace

bool is_alert(const Episode& episode) {
  if (episode.by == Alarm::kStall) return true;
  return episode.alarms >= kLeastAlarms &&
         ((episode.served_steps >= kAlertSteps && episode.busy_us >= kLeastUs) ||
          episode.busy_us >= kAlertUs);
}

}  // namespace tactus::watch

#include "watch/alert.h"

namespace tactus::watch {
namespace {

constexpr std::uint64_t kAlertSteps = 200;
constexpr std::int64_t kAlertNs = 10'000'000'000;
constexpr std::uint64_t kLeastAlarms = 3;

}  // namespace

bool is_alert(const Episode& episode) {
  if (episode.by == Alarm::kStall) return true;
  return episode.alarms >= kLeastAlarms && (episode.steps() >= kAlertSteps ||
                                            episode.last_ns - episode.first_ns >= kAlertNs);
}

}  // namespace tactus::watch

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tactus::watch {

/// What raised an alarm.
enum class Alarm : std::uint8_t { kNone, kSum, kSpike, kReturning, kStall };

/// The form of a slowdown in time.
enum class Shape : std::uint8_t { kStep, kRamp, kSpike, kPeriodic, kIrregular, kStall };
std::string_view shape_name(Shape shape);

/// A stretch of steps that are too long.
struct Episode {
  std::uint64_t first_step = 0;  ///< counts the steps of the stream
  std::int64_t first_ns = 0;     ///< when it began
  std::uint64_t alarm_step = 0;  ///< when it was noticed
  std::int64_t alarm_ns = 0;
  std::uint64_t last_step = 0;  ///< the last step with an alarm
  std::int64_t last_ns = 0;     ///< its end
  std::uint64_t alarms = 0;     ///< steps with an alarm
  double busy_us = 0;  ///< of all steps from the first to the last; pauses between them not counted
  double served_steps = 0;  ///< .. and how many steps these stand for
  Alarm by = Alarm::kNone;  ///< what noticed it
  bool has_sum = false;     ///< the sum was above its limit at some time
  double extra_us = 0;      ///< time that its steps took beyond their prediction

  double size = 0;  ///< ln of how many times as long; the next two: its 95% interval
  double low = 0;
  double high = 0;
  Shape shape = Shape::kStep;
  std::optional<double> period;  ///< steps from one long step to the next, if they are regular

  std::uint64_t steps() const { return last_step - first_step + 1; }
};

/// Nobody is called for what is over within a second: 200 steps of a small model take 50 ms. Nor is
/// anybody told that an alert is over before a second without any alarm.
inline constexpr double kLeastAlertUs = 1e6;

/// When an episode is worth waking somebody: it lasts for at least 200 steps and 1 s, or 10 s of
/// steps, from its first long one to the last so far, with an alarm in at least three of them; or a
/// step stalled. What is shorter is an episode: counted and shown, but nobody is called.
bool is_alert(const Episode& episode);

}  // namespace tactus::watch

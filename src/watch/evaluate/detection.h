#pragma once

#include <span>

#include "watch/evaluate/evaluation.h"
#include "watch/evaluate/folds.h"

namespace tactus::watch {

/// Streams of fewer steps are not tested.
inline constexpr std::size_t kLeastSteps = 80;

/// What the rules say to steps with known predictions; 0 is a step that is not judged.
struct Replayed {
  std::vector<bool> alarm;        ///< by step
  std::vector<Episode> episodes;  ///< the last one may be open
  std::size_t alerts = 0;
};
Replayed replay(std::span<const Step> steps, std::span<const double> predicted_us, double spread);

/// Alarms closer than 20 steps are one episode.
std::size_t count_episodes(const std::vector<bool>& alarm);

/// All injections into all streams that are long enough: at the middle, or also at ten places.
std::vector<DetectionRow> detect_injections(const StepTable& table, const Folds& folds,
                                            const std::vector<bool>& leave_out, bool anywhere,
                                            const EvaluateOptions& options);

/// Streams as they are, each by itself.
QuietRow count_false(const StepTable& table, const Folds& folds, const std::vector<bool>& leave_out,
                     std::string what);
/// Streams drawn with replacement, one after another as one stream, up to that many steps.
QuietRow bootstrap(const StepTable& table, const Folds& folds, const std::vector<bool>& leave_out,
                   std::string what, const EvaluateOptions& options);

/// 1,000 steps as they are and 200 that take longer, drawn at random, 20 times.
std::vector<F1Row> original_protocol(const StepTable& table, const Folds& folds,
                                     const std::vector<bool>& leave_out, std::string rule,
                                     const EvaluateOptions& options);

/// Streams whose batch jumps from 16 to 64 in the middle: how many there are, and how many raise an
/// alarm.
std::pair<std::size_t, std::size_t> count_jumps(const StepTable& table, const Folds& folds,
                                                const std::vector<bool>& leave_out);

}  // namespace tactus::watch

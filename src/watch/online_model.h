#pragma once

#include <array>
#include <optional>

#include "watch/detector.h"
#include "watch/step_memory.h"

namespace tactus::watch {

struct LearningOptions {
  /// Steps before the first judgement. 100 give an error of 1.3% on the published file.
  std::size_t ready_after = 100;
};

/// Why a step was not judged.
enum class Judged : std::uint8_t { kYes, kLearning, kNewWork, kUnknownWork };

struct ScoredStep {
  Judged judged = Judged::kLearning;
  Alarm alarm = Alarm::kNone;
  double predicted_us = 0;  ///< 0 if it was not judged, as the next
  double residual = 0;
};

/// Learns how long the steps of one kind take, while it judges them. Nothing that looks suspicious
/// is learnt: a step waits until the 64 steps behind it raised no alarm.
class OnlineModel {
 public:
  OnlineModel(ModelKind kind, const LearningOptions& options, const DetectorRules& rules)
      : options_(options), model_(kind), memory_(kind), detector_(rules) {}

  ScoredStep add(const Step& step);
  /// Learns a step of a recording that is known to be sound.
  void learn(const Step& step);
  /// Fits what was learnt, now.
  void fit();

  const LatencyModel& model() const { return model_; }
  const Detector& detector() const { return detector_; }
  bool is_ready() const;
  /// Too noisy to be judged, even by means of many steps: what is usual is larger than a slowdown
  /// that anybody looks for.
  bool is_too_noisy() const;
  std::uint64_t learnt() const { return memory_.seen(); }
  std::uint64_t fits() const { return fits_; }
  /// Slow change that was taken over, as a factor of all predictions.
  double drift() const { return factor_; }

 private:
  static constexpr std::size_t kWaiting = 64;

  bool needs_quieter_means() const;
  void remember(const Step& step);
  void fit_if_due();
  void adapt(const Step& step, double residual);
  void queue(const Step& step);

  LearningOptions options_;
  LatencyModel model_;
  StepMemory memory_;
  Detector detector_;
  std::array<Step, kWaiting> waiting_;
  std::size_t waiting_from_ = 0;
  std::size_t waiting_count_ = 0;
  std::uint64_t next_fit_ = 0;
  std::uint64_t fits_ = 0;
  double drift_ = 0;  ///< ln of the factor
  double factor_ = 1;
  double mean_residual_ = 0;  ///< of about the last 2,000 quiet steps
  std::optional<std::int64_t> adapted_ns_;
};

}  // namespace tactus::watch

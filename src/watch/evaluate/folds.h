#pragma once

#include <string>
#include <vector>

#include "watch/latency_model.h"
#include "watch/step.h"

namespace tactus::watch {

/// Decode models of five folds of whole jobs: each job is predicted by a model that never saw it.
class Folds {
 public:
  static constexpr std::size_t kFolds = 5;

  Folds(const StepTable& table, std::uint64_t seed, unsigned threads);

  std::size_t fold_of(std::size_t stream) const { return fold_of_[stream]; }
  const LatencyModel& model_of(std::size_t stream) const { return models_[fold_of_[stream]]; }
  /// Decode steps of all streams outside of a fold, with the streams they belong to.
  void training(std::size_t fold, std::vector<Step>& steps,
                std::vector<std::uint32_t>& blocks) const;
  /// By stream and step [us]; 0 for steps that are not decode.
  const std::vector<double>& predicted(std::size_t stream) const { return predicted_[stream]; }
  /// Streams whose median |residual| is above 5% in a model that did not see them.
  const std::vector<bool>& is_contaminated() const { return is_contaminated_; }

 private:
  const StepTable& table_;
  std::vector<std::size_t> fold_of_;
  std::vector<LatencyModel> models_;
  std::vector<std::vector<double>> predicted_;
  std::vector<bool> is_contaminated_;
};

/// Mean of |error| / duration over decode steps of the streams that are wanted.
double decode_error(const StepTable& table, const Folds& folds, const std::vector<bool>& leave_out);

}  // namespace tactus::watch

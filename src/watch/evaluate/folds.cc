#include "watch/evaluate/folds.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/median.h"
#include "base/parallel.h"
#include "watch/evaluate/injection.h"

namespace tactus::watch {

Folds::Folds(const StepTable& table, std::uint64_t seed, unsigned threads)
    : table_(table), fold_of_(table.streams.size()), models_(kFolds) {
  std::vector<std::size_t> order(table.streams.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random(seed);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  for (std::size_t i = 0; i < order.size(); ++i) fold_of_[order[i]] = i % kFolds;
  parallel_for(threads, kFolds, [&](std::size_t fold, unsigned) {
    std::vector<Step> steps;
    std::vector<std::uint32_t> blocks;
    training(fold, steps, blocks);
    models_[fold] = LatencyModel::fit(ModelKind::kDecode, steps, blocks);
  });
  for (std::size_t i = 0; i < table.streams.size(); ++i) {
    std::vector<double>& predicted = predicted_.emplace_back();
    std::vector<double> sizes;
    for (const Step& step : table.streams[i].steps) {
      const bool is_decode = kind_of(step) == ModelKind::kDecode;
      predicted.push_back(is_decode ? model_of(i).predict(step) : 0);
      if (is_decode) sizes.push_back(std::abs(std::log(step.dur_us / predicted.back())));
    }
    // A handful of steps says more about their labels than about the job.
    is_contaminated_.push_back(sizes.size() >= 40 && upper_median(std::move(sizes)) > 0.05);
  }
}

void Folds::training(std::size_t fold, std::vector<Step>& steps,
                     std::vector<std::uint32_t>& blocks) const {
  for (std::size_t i = 0; i < table_.streams.size(); ++i) {
    if (fold_of_[i] == fold) continue;
    for (const Step& step : table_.streams[i].steps) {
      if (kind_of(step) != ModelKind::kDecode) continue;
      steps.push_back(step);
      blocks.push_back(static_cast<std::uint32_t>(i));
    }
  }
}

double decode_error(const StepTable& table, const Folds& folds,
                    const std::vector<bool>& leave_out) {
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < table.streams.size(); ++i) {
    if (!leave_out.empty() && leave_out[i]) continue;
    for (std::size_t k = 0; k < table.streams[i].steps.size(); ++k) {
      const double predicted = folds.predicted(i)[k];
      if (predicted == 0) continue;
      sum += std::abs(predicted / table.streams[i].steps[k].dur_us - 1);
      ++count;
    }
  }
  return count > 0 ? sum / count : NAN;
}

}  // namespace tactus::watch

#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "judge/judgement.h"

namespace tactus {

/// The steps of one phase of one rank on both sides, and which of them are compared: each class of
/// work that both sides have counts with a weight, the same on both sides.
class PhaseSamples {
 public:
  using Members = std::array<std::vector<std::pair<std::size_t, std::size_t>>, 2>;

  PhaseSamples(const std::array<Side, 2>& sides, const Members& members,
               std::optional<PhaseKind> wanted);

  /// The same steps, but their calm level instead of their mean wherever values are compared
  /// (calm_values of stats/series.h).
  PhaseSamples calm() const {
    PhaseSamples calm = *this;
    calm.is_calm_ = true;
    return calm;
  }

  bool empty() const { return used_[0].empty() || used_[1].empty(); }
  /// The steps that are compared, of a side.
  std::size_t size(std::size_t side) const { return used_[side].size(); }
  std::size_t all(std::size_t side) const { return places_[side].size(); }
  bool same_work() const { return same_work_; }
  const MeasuredStep& step(std::size_t side, std::size_t i) const {
    return *steps_[side][used_[side][i]];
  }
  /// The values of a column of the compared steps, in the order of time; nothing counts as 0.
  std::vector<double> values(
      std::size_t side,
      const std::function<const std::vector<double>&(const RankMeasure&)>& column) const;
  std::vector<double> lengths(std::size_t side) const;
  /// Calls f(rank measure, index of the step there) for the compared steps.
  template <class F>
  void for_each(std::size_t side, F&& f) const {
    for (const std::size_t i : used_[side]) f(*ranks_[side][i], places_[side][i].step);
  }

  /// The means of values of both sides, of the same mix of work, and how certain they are.
  std::array<SeriesMean, 2> means(const std::array<std::vector<double>, 2>& values) const;
  /// The difference of the means of values. Between recordings if each side has several.
  Difference compare(const std::array<std::vector<double>, 2>& values) const;
  /// The difference of the logarithms of the means of positive values.
  Difference compare_logs_of_means(const std::array<std::vector<double>, 2>& values) const;
  /// The same of values that not all steps have, so classes of work do not count.
  Difference compare_some(const std::array<std::vector<double>, 2>& values) const;
  /// The difference of two means as they are.
  Difference compare_means(const std::array<SeriesMean, 2>& means) const {
    return difference(means[0], means[1], distance_);
  }
  /// The steps of the abnormal run become longer and longer, beyond doubt and by far, and those of
  /// the normal run do not. Then steps are compared around what they drift along: a drift is no
  /// noise, and says nothing against the mean.
  bool drifts() const { return drifts_; }
  bool is_between_recordings() const { return recordings_[0] > 1 && recordings_[1] > 1; }

  /// Removes the within-run relation of time and tokens from logarithms of lengths, if there is
  /// one.
  std::optional<double> growth() const { return growth_; }

 private:
  struct Place {
    std::size_t recording = 0;
    std::size_t step = 0;
  };

  /// Of each recording that has some of the steps.
  std::array<std::vector<double>, 2> means_of_recordings(
      const std::array<std::vector<double>, 2>& values) const;
  /// The values as their spread is to be taken.
  std::vector<double> spread_of(std::size_t side, std::span<const double> values) const;
  void find_growth();
  void find_drift();
  void find_distance(const std::array<Side, 2>& sides);

  std::array<std::vector<const MeasuredStep*>, 2> steps_;
  std::array<std::vector<const RankMeasure*>, 2> ranks_;
  std::array<std::vector<Place>, 2> places_;
  std::array<std::vector<std::size_t>, 2> used_;   ///< of steps_
  std::array<std::vector<std::size_t>, 2> class_;  ///< of each used step, from 0
  std::vector<double> weight_;                     ///< by class
  std::array<std::size_t, 2> recordings_ = {1, 1};
  bool same_work_ = true;
  std::optional<double> growth_;
  double distance_ = 1;  ///< of the two recordings, over their length
  bool is_calm_ = false;
  bool drifts_ = false;
};

}  // namespace tactus

#include "classic/roles/role_clusters.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/parallel.h"

namespace tactus {
namespace {

constexpr std::size_t kFewRoles = 10;            // with so few roles the threshold stays
constexpr std::size_t kFruitlessBeforeFit = 30;  // comparisons
constexpr std::size_t kLeastScores = 10;
constexpr double kClearGap = 5;  // times the second widest
// Scores that hardly differ also have a widest gap, but it separates nothing.
constexpr double kLeastGap = std::numbers::ln2;

class Clustering {
 public:
  Clustering(std::size_t roles, const RoleScore& score, const ClusterOptions& options)
      : score_(score), options_(options), rows_(roles), seen_(roles) {
    clusters_.leader.resize(roles);
    std::iota(clusters_.leader.begin(), clusters_.leader.end(), std::size_t{0});
    clusters_.threshold = options.threshold;
  }

  Clusters run() && {
    while (!pass()) {
    }
    for (std::size_t& leader : clusters_.leader) {
      while (clusters_.leader[leader] != leader) leader = clusters_.leader[leader];
    }
    return std::move(clusters_);
  }

 private:
  bool leads(std::size_t role) const { return clusters_.leader[role] == role; }

  /// Compares the remaining leaders; false if the threshold was raised meanwhile, so earlier pairs
  /// must be checked again.
  bool pass() {
    for (std::size_t first = 0; first < rows_.size(); ++first) {
      if (!leads(first)) continue;
      score_all_with(first);
      for (std::size_t second = first + 1; second < rows_.size(); ++second) {
        if (!leads(second)) continue;
        const double score = rows_[first][second];
        if (second >= seen_[first]) {
          seen_[first] = second + 1;
          new_scores_.push_back(score);
          ++clusters_.comparisons;
          ++fruitless_;
        }
        if (score < clusters_.threshold) {
          clusters_.leader[second] = first;
          fruitless_ = 0;
          next_fit_ = kFruitlessBeforeFit;
        } else if (fruitless_ == next_fit_) {
          next_fit_ *= 2;
          if (raise_threshold()) return false;
        }
      }
    }
    return true;
  }

  /// Scores against every later leader, all at once: each pair is needed in any case.
  void score_all_with(std::size_t first) {
    std::vector<double>& row = rows_[first];
    if (!row.empty()) return;
    row.resize(rows_.size());
    constexpr std::size_t kPiece = 16;
    const std::size_t left = rows_.size() - first - 1;
    parallel_for(options_.threads, (left + kPiece - 1) / kPiece, [&](std::size_t piece, unsigned) {
      const std::size_t begin = first + 1 + piece * kPiece;
      for (std::size_t i = begin; i < std::min(begin + kPiece, rows_.size()); ++i) {
        if (leads(i)) row[i] = score_(first, i);
      }
    });
  }

  bool raise_threshold() {
    if (!options_.fit_threshold || rows_.size() <= kFewRoles) return false;
    std::sort(new_scores_.begin(), new_scores_.end());
    const auto middle = scores_.insert(scores_.end(), new_scores_.begin(), new_scores_.end());
    std::inplace_merge(scores_.begin(), middle, scores_.end());
    new_scores_.clear();
    const double fitted = gap_threshold(scores_);
    if (!(fitted > clusters_.threshold)) return false;
    clusters_.threshold = fitted;
    return true;
  }

  const RoleScore& score_;
  const ClusterOptions& options_;
  std::vector<std::vector<double>> rows_;  ///< scores of a leader with the roles after it
  std::vector<std::size_t> seen_;          ///< of each leader: compared with all roles before this
  std::vector<double> scores_;             ///< of all comparisons but the newest, ascending
  std::vector<double> new_scores_;
  std::size_t fruitless_ = 0;  ///< comparisons since the last two similar roles
  std::size_t next_fit_ = kFruitlessBeforeFit;
  Clusters clusters_;
};

}  // namespace

double gap_threshold(std::span<const double> ascending_scores) {
  if (ascending_scores.size() < kLeastScores) return 0;
  double widest = 0;
  double second = 0;
  std::size_t at = 0;
  double log = std::log1p(ascending_scores[0]);
  for (std::size_t i = 1; i < ascending_scores.size(); ++i) {
    const double next =
        ascending_scores[i] == ascending_scores[i - 1] ? log : std::log1p(ascending_scores[i]);
    const double gap = next - log;
    log = next;
    if (gap > widest) {
      second = widest;
      widest = gap;
      at = i;
    } else if (gap > second) {
      second = gap;
    }
  }
  if (!(widest > kClearGap * second) || widest < kLeastGap) return 0;
  const double low = ascending_scores[at - 1];
  const double high = ascending_scores[at];
  return low == 0 ? high / 2 : std::min(std::ceil(low), std::sqrt(low * high));
}

Clusters find_clusters(std::size_t roles, const RoleScore& score, const ClusterOptions& options) {
  return Clustering(roles, score, options).run();
}

}  // namespace tactus

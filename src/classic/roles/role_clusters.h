#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace tactus {

struct ClusterOptions {
  double threshold = 5;       ///< roles whose score is below it are alike
  bool fit_threshold = true;  ///< raise it to the gap between the scores, if there is a clear one
  unsigned threads = 1;
};

struct Clusters {
  std::vector<std::size_t> leader;  ///< of each role: the first role of its cluster
  double threshold = 0;             ///< the threshold used in the end
  std::size_t comparisons = 0;
};

/// The score of two roles, the first as the normal one. May be called from several threads.
using RoleScore = std::function<double(std::size_t, std::size_t)>;

/// Groups similar roles: each joins the first leader that it is like, or becomes a leader.
Clusters find_clusters(std::size_t roles, const RoleScore& score, const ClusterOptions& options);

/// The threshold at the widest gap between scores, on a logarithmic scale. 0 if there are fewer
/// than ten scores, or if no gap is five times as wide as every other and at least a factor of two.
double gap_threshold(std::span<const double> ascending_scores);

}  // namespace tactus

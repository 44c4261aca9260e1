#include "measure/measurement.h"

#include <algorithm>

namespace tactus {
namespace {

class JoinedMeasurement final : public Measurement {
 public:
  explicit JoinedMeasurement(std::vector<std::unique_ptr<Measurement>> parts)
      : parts_(std::move(parts)) {
    kind_of_cycle = parts_.front()->kind_of_cycle;
    cycles_joined = parts_.front()->cycles_joined;
    origin_ns = parts_.front()->origin_ns;
    is_trace = parts_.front()->is_trace;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      has_host = has_host || parts_[part]->has_host;
      for (std::size_t rank = 0; rank < parts_[part]->ranks.size(); ++rank) {
        ranks.push_back(std::move(parts_[part]->ranks[rank]));
        origin_.emplace_back(part, rank);
      }
    }
  }

  FunctionCosts functions(std::size_t rank) const override {
    return parts_[origin_[rank].first]->functions(origin_[rank].second);
  }

 private:
  std::vector<std::unique_ptr<Measurement>> parts_;
  std::vector<std::pair<std::size_t, std::size_t>> origin_;  ///< part and rank there
};

}  // namespace

std::unique_ptr<Measurement> join_ranks(std::vector<std::unique_ptr<Measurement>> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  return std::make_unique<JoinedMeasurement>(std::move(parts));
}

void split_collectives(Measurement& measurement) {
  std::vector<RankMeasure>& ranks = measurement.ranks;
  constexpr auto kCollective = static_cast<std::size_t>(part_of(Family::kCollective));
  constexpr auto kWaiting = static_cast<std::size_t>(Part::kOtherRanks);
  if (ranks.size() < 2) return;
  const std::size_t steps = ranks.front().steps.size();
  for (const RankMeasure& rank : ranks) {
    if (rank.steps.size() != steps || rank.parts[kCollective].empty()) return;
  }
  for (RankMeasure& rank : ranks) rank.parts[kWaiting].resize(steps, 0);
  for (std::size_t step = 0; step < steps; ++step) {
    double least = ranks.front().parts[kCollective][step];
    for (const RankMeasure& rank : ranks) least = std::min(least, rank.parts[kCollective][step]);
    for (RankMeasure& rank : ranks) {
      rank.parts[kWaiting][step] += rank.parts[kCollective][step] - least;
      rank.parts[kCollective][step] = least;
    }
  }
}

void scale_to_launches(double launches, Measurement& measurement) {
  for (RankMeasure& rank : measurement.ranks) {
    for (std::size_t i = 0; i < rank.steps.size(); ++i) {
      MeasuredStep& step = rank.steps[i];
      const double factor = step.launches > 0 ? launches / step.launches : 1;
      step.ns *= factor;
      step.scale *= factor;
      step.launches = launches;
      for (std::vector<double>& part : rank.parts) {
        if (!part.empty()) part[i] *= factor;
      }
      for (EffortColumns& effort : rank.efforts) {
        if (!effort.ns.empty()) effort.ns[i] *= factor;
        if (!effort.bytes.empty()) effort.bytes[i] *= factor;
        if (!effort.count.empty()) {
          effort.count[i] = static_cast<float>(static_cast<double>(effort.count[i]) * factor);
        }
      }
    }
  }
}

void keep_ranks(const std::function<bool(const RankMeasure&)>& is_wanted,
                Measurement& measurement) {
  for (RankMeasure& rank : measurement.ranks) {
    if (!is_wanted(rank)) rank.steps.clear();
  }
}

}  // namespace tactus

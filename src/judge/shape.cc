#include "judge/shape.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/summary.h"

namespace tactus {
namespace {

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

/// The sum of squares around the mean.
double spread_of(std::span<const double> values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

/// The distance at which the marked steps come again, if nearly all do.
std::size_t period_of(const std::vector<std::size_t>& marked) {
  if (marked.size() < 3) return 0;
  std::vector<double> gaps;
  for (std::size_t i = 1; i < marked.size(); ++i) {
    gaps.push_back(static_cast<double>(marked[i] - marked[i - 1]));
  }
  const double usual = median(gaps);
  const auto same = std::count(gaps.begin(), gaps.end(), usual);
  return 10 * same >= 8 * static_cast<std::ptrdiff_t>(gaps.size()) ? static_cast<std::size_t>(usual)
                                                                   : 0;
}

/// The place that cuts the values into two levels best, and what remains of the spread.
std::pair<std::size_t, double> best_cut(std::span<const double> values) {
  std::size_t best = 0;
  double least = spread_of(values);
  double sum = 0;
  double squares = 0;
  double all = 0;
  double all_squares = 0;
  for (const double value : values) {
    all += value;
    all_squares += value * value;
  }
  const auto n = static_cast<double>(values.size());
  for (std::size_t i = 1; i < values.size(); ++i) {
    sum += values[i - 1];
    squares += values[i - 1] * values[i - 1];
    const auto left = static_cast<double>(i);
    const double rest = squares - sum * sum / left + (all_squares - squares) -
                        (all - sum) * (all - sum) / (n - left);
    if (rest < least) {
      least = rest;
      best = i;
    }
  }
  return {best, least};
}

/// What remains of the spread around a straight line.
double spread_around_line(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  const double middle = (n - 1) / 2;
  const double mean = mean_of(values);
  double xx = 0;
  double xy = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = static_cast<double>(i) - middle;
    xx += x * x;
    xy += x * (values[i] - mean);
  }
  return xx > 0 ? spread_of(values) - xy * xy / xx : spread_of(values);
}

}  // namespace

ShapeOfChange shape_of_change(std::span<const double> normal, std::span<const double> abnormal) {
  ShapeOfChange found{.shape = ChangeShape::kEvery, .steps = abnormal.size()};
  if (normal.size() < kLeastValues || abnormal.size() < kLeastValues) return found;
  const double change = mean_of(abnormal) - mean_of(normal);
  // Some steps: those beyond all normal steps, if the others are as they were.
  const double highest = *std::max_element(normal.begin(), normal.end());
  const double lowest = *std::min_element(normal.begin(), normal.end());
  const double limit = highest + std::max(0.25 * (highest - lowest), 0.05);
  std::vector<std::size_t> beyond;
  std::vector<double> longer, usual;
  for (std::size_t i = 0; i < abnormal.size(); ++i) {
    if (abnormal[i] > limit) {
      beyond.push_back(i);
      longer.push_back(abnormal[i]);
    } else {
      usual.push_back(abnormal[i]);
    }
  }
  const auto n = static_cast<double>(abnormal.size());
  const double share = static_cast<double>(beyond.size()) / n;
  const bool others_are_usual =
      !usual.empty() && std::abs(mean_of(usual) - mean_of(normal)) < 0.25 * std::abs(change);
  const double total = spread_of(abnormal);
  const auto [cut, around_levels] = best_cut(abnormal);
  const double around_line = spread_around_line(abnormal);
  // A level or a line has to explain most of what the steps differ by, else it is chance.
  const bool is_ordered = total > 0 && std::min(around_levels, around_line) < 0.4 * total;
  const bool is_large = total / n > 0.04 * change * change;
  if (is_ordered && is_large && change > 0) {
    if (around_levels < around_line && cut > 0) {
      const double step = mean_of(abnormal.subspan(cut)) - mean_of(abnormal.first(cut));
      if (std::abs(step) > 0.5 * std::abs(change) && cut >= 3 && abnormal.size() - cut >= 3) {
        found.shape = ChangeShape::kJump;
        found.at = cut;
        found.is_early = step < 0;
        return found;
      }
    } else {
      const std::size_t third = abnormal.size() / 3;
      if (mean_of(abnormal.last(third)) - mean_of(abnormal.first(third)) > 0.5 * std::abs(change)) {
        found.shape = ChangeShape::kDrift;
        found.at = abnormal.size() - third;
        const std::size_t tenth = std::max<std::size_t>(1, abnormal.size() / 10);
        found.factor = std::exp(mean_of(abnormal.last(tenth)) - mean_of(normal));
        return found;
      }
    }
  }
  if (!beyond.empty() && share < 0.9 && others_are_usual) {
    found.shape = ChangeShape::kSome;
    found.share = share;
    found.factor = std::exp(mean_of(longer) - mean_of(usual));
    found.period = period_of(beyond);
  }
  return found;
}

std::string_view shape_name(ChangeShape shape) {
  switch (shape) {
    case ChangeShape::kEvery: return "every";
    case ChangeShape::kSome: return "some";
    case ChangeShape::kDrift: return "drift";
    case ChangeShape::kJump: return "jump";
    case ChangeShape::kNone: break;
  }
  return "none";
}

}  // namespace tactus

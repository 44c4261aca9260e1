#include "judge/work_classes.h"

#include <algorithm>
#include <cmath>

namespace tactus {
namespace {

const double kTokensAlike = std::log(1.12);
const double kContextAlike = std::log(2);

struct Place {
  std::size_t side = 0;
  std::size_t step = 0;
  double value = 0;
};

/// Sorted values in classes: each spans at most `width` from its smallest value.
std::vector<std::vector<Place>> split(std::vector<Place> places, double width) {
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.value < b.value; });
  std::vector<std::vector<Place>> classes;
  for (const Place& place : places) {
    if (classes.empty() || place.value > classes.back().front().value + width)
      classes.emplace_back();
    classes.back().push_back(place);
  }
  return classes;
}

/// Steps by the number of their kernels. Only where most steps of each side have counterparts on
/// the other: a program that was changed launches other numbers.
WorkClasses classes_of_launches(std::span<const std::vector<const MeasuredStep*>> sides) {
  WorkClasses found;
  std::vector<Place> all;
  for (std::size_t side = 0; side < sides.size(); ++side) {
    found.of_step.emplace_back(sides[side].size(), 0);
    for (std::size_t i = 0; i < sides[side].size(); ++i) {
      all.push_back({side, i, std::log(std::max(1.0, sides[side][i]->launches))});
    }
  }
  WorkClasses pooled = found;
  found.count = 0;
  std::vector<std::size_t> with_counterpart(sides.size(), 0);
  for (const std::vector<Place>& one : split(std::move(all), kTokensAlike)) {
    std::vector<std::size_t> steps(sides.size(), 0);
    for (const Place& place : one) {
      found.of_step[place.side][place.step] = found.count;
      ++steps[place.side];
    }
    ++found.count;
    if (std::find(steps.begin(), steps.end(), 0u) != steps.end()) continue;
    for (std::size_t side = 0; side < sides.size(); ++side) with_counterpart[side] += steps[side];
  }
  for (std::size_t side = 0; side < sides.size(); ++side) {
    if (2 * with_counterpart[side] < sides[side].size()) return pooled;
  }
  return found;
}

}  // namespace

WorkClasses work_classes(std::span<const std::vector<const MeasuredStep*>> sides) {
  WorkClasses found;
  std::vector<Place> all;
  bool has_tokens = true;
  bool has_context = true;
  for (std::size_t side = 0; side < sides.size(); ++side) {
    found.of_step.emplace_back(sides[side].size(), 0);
    std::size_t known = 0;
    for (std::size_t i = 0; i < sides[side].size(); ++i) {
      const StepWork& work = sides[side][i]->work;
      known += work.tokens ? 1 : 0;
      has_context = has_context && work.context && *work.context > 0;
      // Where the tokens of a few steps are not known, those are apart from the others.
      all.push_back({side, i, work.tokens ? std::log(std::max(1.0, *work.tokens)) : -1});
    }
    has_tokens = has_tokens && 2 * known > sides[side].size();
  }
  if (!has_tokens) return classes_of_launches(sides);
  found.count = 0;
  for (std::vector<Place>& of_tokens : split(std::move(all), kTokensAlike)) {
    std::vector<std::vector<Place>> classes;
    if (has_context) {
      for (Place& place : of_tokens) {
        place.value = std::log(*sides[place.side][place.step]->work.context);
      }
      classes = split(std::move(of_tokens), kContextAlike);
    } else {
      classes.push_back(std::move(of_tokens));
    }
    for (const std::vector<Place>& one : classes) {
      for (const Place& place : one) found.of_step[place.side][place.step] = found.count;
      ++found.count;
    }
  }
  return found;
}

}  // namespace tactus

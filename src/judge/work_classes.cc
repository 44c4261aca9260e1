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
  if (!has_tokens) return found;
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

#include "cycles/passes/steps_of_layers.h"

#include <algorithm>
#include <optional>
#include <span>

namespace tactus {
namespace {

constexpr std::size_t kFewestLayers = 4;  // of a step, as of any pass
constexpr std::size_t kMostLayers = 256;  // no model has more
constexpr std::size_t kFewestSteps = 4;
constexpr double kFarLonger = 3;  // than nearly all other idle time
constexpr std::int64_t kLeastIdle =
    1000;  // [ns] between two kernels that follow each other at once

/// How long the device idles before each kernel of a run.
std::vector<std::int64_t> idle_before(const StreamView& view, const LayerRun& run) {
  std::vector<std::int64_t> idle(run.size(), 0);
  std::int64_t busy_until = view.end_ns(run.first);
  for (std::size_t i = 1; i < run.size(); ++i) {
    const std::size_t kernel = run.first + i;
    idle[i] = std::max<std::int64_t>(0, wrapping_subtract(view.stream.starts[kernel], busy_until));
    busy_until = std::max(busy_until, view.end_ns(kernel));
  }
  return idle;
}

/// The value that so many of a hundred do not exceed.
std::int64_t percentile(std::vector<std::int64_t> values, std::size_t percent) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() * percent / 100);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// The places of pauses, if there is one every `distance` kernels.
std::optional<std::vector<std::size_t>> pauses_every(const std::vector<std::int64_t>& idle,
                                                     std::size_t distance) {
  if (idle.size() < kFewestSteps * distance) return std::nullopt;
  // Where the typical idle time is longest: a stall may be anywhere.
  std::size_t offset = 0;
  std::int64_t longest = -1;
  for (std::size_t at = 0; at < distance; ++at) {
    std::vector<std::int64_t> here;
    for (std::size_t i = at; i < idle.size(); i += distance) here.push_back(idle[i]);
    const std::int64_t typical = percentile(std::move(here), 50);
    if (typical <= longest) continue;
    longest = typical;
    offset = at;
  }
  std::vector<std::size_t> places;
  std::vector<std::int64_t> pauses, others;
  for (std::size_t i = 1; i < idle.size(); ++i) {
    if (i % distance == offset) {
      places.push_back(i);
      pauses.push_back(idle[i]);
    } else {
      others.push_back(idle[i]);
    }
  }
  // A step or two may follow at once.
  const std::int64_t usual = std::max(kLeastIdle, percentile(others, 95));
  const bool are_pauses =
      static_cast<double>(percentile(pauses, 10)) > kFarLonger * static_cast<double>(usual);
  return are_pauses ? std::optional(places) : std::nullopt;
}

/// Likewise where the device idles.
std::optional<std::vector<std::size_t>> pauses_in(const StreamView& view, const LayerRun& run) {
  const std::size_t layer = run.kernels_per_layer();
  const std::vector<std::int64_t> idle = idle_before(view, run);
  const std::size_t most = std::min(kMostLayers, run.size() / (kFewestSteps * layer));
  for (std::size_t count = kFewestLayers; count <= most; ++count) {
    if (auto pauses = pauses_every(idle, count * layer)) return pauses;
  }
  return std::nullopt;
}

/// Likewise where an annotated step begins, if nearly all of them are of whole layers.
std::optional<std::vector<std::size_t>> annotated_in(const LayerRun& run,
                                                     std::span<const std::uint32_t> steps) {
  if (steps.size() < run.end) return std::nullopt;
  std::vector<std::size_t> places;
  for (std::size_t i = run.first + 1; i < run.end; ++i) {
    if (steps[i] != 0 && steps[i] != steps[i - 1]) places.push_back(i - run.first);
  }
  std::size_t whole = 0;
  for (std::size_t i = 1; i < places.size(); ++i) {
    whole += (places[i] - places[i - 1]) % run.kernels_per_layer() == 0 ? 1 : 0;
  }
  const bool are_steps = whole > 0 && 10 * whole >= 9 * (places.size() - 1);
  return are_steps ? std::optional(places) : std::nullopt;
}

}  // namespace

std::vector<LayerRun> split_into_steps(const StreamView& view, std::vector<LayerRun> layers,
                                       AnnotatedSteps& annotated) {
  // Streams with anything else between their layers show their passes by that.
  if (layers.size() != 1 || 10 * layers.front().size() < 9 * view.size()) return layers;
  const LayerRun whole = layers.front();
  auto places = annotated_in(whole, annotated.of(view.stream));
  if (!places) places = pauses_in(view, whole);
  if (!places) return layers;
  std::vector<LayerRun> steps;
  std::size_t first = whole.first;
  for (const std::size_t place : *places) {
    steps.push_back(whole);
    steps.back().first = first;
    first = steps.back().end = whole.first + place;
  }
  steps.push_back(whole);
  steps.back().first = first;
  for (LayerRun& step : steps) {
    step.period_first = step.size() >= whole.period ? step.first : whole.period_first;
  }
  return steps;
}

}  // namespace tactus

#include "watch/step_memory.h"

#include <algorithm>
#include <cmath>

namespace tactus::watch {
namespace {

/// 64 kinds of work with 16 steps each. 1,000 steps of all kinds give the same error as 29,000, and
/// a fit of 1,024 steps takes a few milliseconds. Where nothing but launches is known, each kind
/// has a level of its own, the median of its steps: there the kinds that exist share all the room,
/// because a level of noisy steps is known only as well as their number allows.
constexpr std::size_t kCells = 64;
constexpr std::size_t kRoom = 1024;
constexpr std::size_t kPerCell = kRoom / kCells;
/// Steps of a new kind before it is judged: their mean is off by a third of their spread if
/// neighbours are alike.
constexpr std::uint32_t kLeastOfKind = 16;

std::size_t octave(double value, double per_octave) {
  return value < 1 ? 0 : static_cast<std::size_t>(std::log2(value) * per_octave) + 1;
}

}  // namespace

double StepMemory::size_of(const Step& step) const {
  switch (kind_) {
    case ModelKind::kDecode: return step.sequences;
    case ModelKind::kWithPrompts: return step.prompt_tokens;
    case ModelKind::kByLaunches: break;
  }
  return step.launches;
}

std::size_t StepMemory::region_of(const Step& step) const {
  if (kind_ == ModelKind::kByLaunches) return launch_class(step.launches);
  if (kind_ == ModelKind::kWithPrompts) {
    return std::min<std::size_t>(octave(step.prompt_tokens, 1), kRegions - 1);
  }
  std::size_t region = 0;
  for (const double edge : kStepsAt) region += step.sequences > edge ? 1 : 0;
  return region;
}

std::size_t StepMemory::cell_of(const Step& step) const {
  if (kind_ == ModelKind::kByLaunches) return launch_class(step.launches) % kCells;
  const double b = std::isnan(step.sequences) ? 0 : step.sequences;
  const double s = std::isnan(step.context) ? 0 : step.context;
  if (kind_ == ModelKind::kDecode) {
    // Half octaves of the batch, octaves of the mean context.
    return (octave(b, 2) * 5 + octave(s / std::max(b, 1.0), 1)) % kCells;
  }
  return (octave(step.prompt_tokens, 1) * 5 + octave(b, 1)) % kCells;
}

/// A little beyond what was learnt is fine: a quarter of the batch, half of the context.
bool StepMemory::holds(const Region& region, const Step& step, bool at_any_context) const {
  if (region.count < kLeastOfKind) return false;
  const double size = size_of(step);
  if (size > 1.25 * static_cast<double>(region.most) + 1) return false;
  if (size < 0.75 * static_cast<double>(region.least) - 1) return false;
  return at_any_context || std::isnan(step.context) ||
         step.context <= 1.5 * static_cast<double>(region.most_context) + 256;
}

bool StepMemory::is_covered(const Step& step, bool at_any_context) const {
  return holds(fitted_[region_of(step)], step, at_any_context);
}

void StepMemory::Cell::note(const Step& step) {
  if (latest.size() < kLatest) {
    latest.push_back(step);
  } else {
    latest[next % kLatest] = step;
  }
  ++next;
  ++seen;
}

/// If three quarters of the latest steps take less than half as long as the typical one that is
/// kept. A kind of work spans less than that. The latest take the places of those.
bool StepMemory::Cell::forget_slow_ones(std::size_t room) {
  if (seen < 2 * kLatest || next % kLatest != 0 || steps.empty()) return false;
  const auto sorted = [](const std::vector<Step>& of) {
    std::vector<double> times;
    for (const Step& step : of) times.push_back(step.dur_us);
    std::sort(times.begin(), times.end());
    return times;
  };
  const double slow_us = 0.5 * sorted(steps)[steps.size() / 2];
  if (sorted(latest)[3 * kLatest / 4] >= slow_us) return false;
  steps = latest;
  std::erase_if(steps, [&](const Step& step) { return step.dur_us > slow_us; });
  seen = steps.size();
  if (steps.size() > room)
    steps.erase(steps.begin(), steps.end() - static_cast<std::ptrdiff_t>(room));
  return true;
}

bool StepMemory::add(const Step& step) {
  if (cells_.empty()) cells_.resize(kCells);
  const auto grow = [&](Region& region) {
    const auto size = static_cast<float>(size_of(step));
    const auto context = static_cast<float>(std::isnan(step.context) ? 0 : step.context);
    region.least = region.count == 0 ? size : std::min(region.least, size);
    region.most = region.count == 0 ? size : std::max(region.most, size);
    region.most_context = std::max(region.most_context, context);
    ++region.count;
  };
  const std::size_t at = region_of(step);
  if (!is_covered(step)) {
    grow(fresh_[at]);
    has_news_ = has_news_ || fresh_[at].count >= kLeastOfKind;
  }
  grow(regions_[at]);
  Cell& cell = cells_[cell_of(step)];
  if (cell.next == 0) make_room();
  cell.note(step);
  ++seen_;
  if (cell.forget_slow_ones(per_cell_)) return true;  // the step is among the latest
  if (cell.steps.size() < per_cell_) {
    cell.steps.push_back(step);
    return false;
  }
  // Each step that a cell saw is kept with the same chance.
  const std::uint64_t place = random() % cell.seen;
  if (place < per_cell_) cell.steps[place] = step;
  return false;
}

/// One more kind of work: each has a smaller share.
void StepMemory::make_room() {
  ++used_cells_;
  per_cell_ = kind_ == ModelKind::kByLaunches ? kRoom / used_cells_ : kPerCell;
  for (Cell& cell : cells_) {
    while (cell.steps.size() > per_cell_) {
      cell.steps[random() % cell.steps.size()] = cell.steps.back();
      cell.steps.pop_back();
    }
  }
}

std::uint64_t StepMemory::random() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return random_;
}

std::vector<Step> StepMemory::steps() const {
  std::vector<Step> all;
  for (const Cell& cell : cells_) all.insert(all.end(), cell.steps.begin(), cell.steps.end());
  return all;
}

void StepMemory::note_fit() {
  fitted_ = regions_;
  fresh_ = {};
  has_news_ = false;
}

}  // namespace tactus::watch

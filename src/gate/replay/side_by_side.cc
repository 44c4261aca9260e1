#include "gate/replay/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

namespace tactus::gate {
namespace {

constexpr std::size_t kFew = 20;   ///< kernels of a process that were alone: too few to go by
constexpr double kFewAtPlace = 3;  ///< with fewer, a kernel is compared with little but itself
constexpr double kSlowest = 0.02;

/// From when on a kernel could slow down others: one in front of which there was nothing in its
/// stream is on its way to the device until it starts.
std::int64_t begin_ns(const KernelSpan& span) {
  return span.was_queued() ? span.ready_ns : span.start_ns;
}

double length_ns(const KernelSpan& span) {
  return static_cast<double>(span.end_ns - begin_ns(span));
}

}  // namespace

SideBySide::SideBySide(const LaunchTrace& trace, std::span<const KernelSpan> spans,
                       std::int64_t from_ns, std::int64_t to_ns)
    : trace_(trace), spans_(spans), from_ns_(from_ns), to_ns_(to_ns) {
  find_others();
  find_kinds();
  add_up();
  for (const auto& [process, others] : others_run_) find_rates(process);
}

void SideBySide::find_others() {
  for (const KernelSpan& span : spans_) others_run_.try_emplace(span.process);
  for (auto& [process, others] : others_run_) {
    std::vector<Intervals::One> work;
    std::vector<Intervals::One> runs;
    for (const KernelSpan& span : spans_) {
      if (span.process == process) continue;
      work.emplace_back(begin_ns(span), span.end_ns);
      runs.emplace_back(span.start_ns, span.end_ns);
    }
    others_have_work_[process] = Intervals(std::move(work));
    others = Intervals(std::move(runs));
  }
}

void SideBySide::find_kinds() {
  const auto name_at = [&](std::size_t i, std::uint32_t process) -> std::uint64_t {
    const bool is_there = i < spans_.size() && spans_[i].process == process;
    return is_there ? trace_.kernels[spans_[i].kernel].name.value + 1 : 0;
  };
  std::map<std::array<std::uint64_t, 4>, std::size_t> numbers;
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    const std::uint32_t process = spans_[i].process;
    const std::size_t before = i == 0 ? spans_.size() : i - 1;
    const std::array<std::uint64_t, 4> key = {process, name_at(before, process),
                                              name_at(i, process), name_at(i + 1, process)};
    const auto [at, is_new] = numbers.try_emplace(key, kinds_.size());
    if (is_new) kinds_.emplace_back().process = process;
    kind_.push_back(at->second);
  }
}

double SideBySide::unshared_ns(const KernelSpan& span) const {
  const Intervals& others = others_have_work_.at(span.process);
  return length_ns(span) - static_cast<double>(others.overlap(begin_ns(span), span.end_ns));
}

/// No kernel of others ran. Some may have waited for this one: that does not slow it down.
bool SideBySide::was_alone(const KernelSpan& span) const {
  return others_run_.at(span.process).overlap(begin_ns(span), span.end_ns) == 0;
}

/// A kernel that was alone is compared with those at its place of other units: of a kind, some may
/// have more to do than others.
void SideBySide::add_up() {
  std::unordered_map<std::size_t, Mean> places;
  for (const KernelSpan& span : spans_) {
    if (!is_known(span)) continue;
    places[span.place].sum += length_ns(span);
    places[span.place].count += 1;
  }
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    const KernelSpan& span = spans_[i];
    if (!is_known(span)) continue;
    Kind& kind = kinds_[kind_[i]];
    kind.length_ns += length_ns(span);
    kind.unshared_ns += unshared_ns(span);
    const Mean& place = places[span.place];
    if (place.count < kFewAtPlace || !was_alone(span)) continue;
    ++kind.were_alone;
    kind.alone_ns += length_ns(span);
    kind.usual_ns += place.sum / place.count;
  }
}

/// All kernels of a kind take `alone_ns / usual_ns` of their length if they are alone. The part of
/// it that is not unshared was done beside others. Kinds that were never alone are taken to be
/// slowed down like the rest of their process.
void SideBySide::find_rates(std::uint32_t process) {
  double length = 0;
  double known_length = 0;
  double known_own = 0;
  std::size_t were_alone = 0;
  for (const Kind& kind : kinds_) {
    if (kind.process != process) continue;
    length += kind.length_ns;
    were_alone += kind.were_alone;
    if (!kind.is_known()) continue;
    known_length += kind.length_ns;
    known_own += kind.alone_ns / kind.usual_ns * kind.length_ns;
  }
  const bool is_known = were_alone >= kFew && known_length > 0;
  for (Kind& kind : kinds_) {
    if (kind.process != process) continue;
    const double of_length =
        kind.is_known() ? kind.alone_ns / kind.usual_ns : known_own / known_length;
    const double shared = kind.length_ns - kind.unshared_ns;
    if (!is_known) {
      kind.rate = 1.0 / static_cast<double>(others_run_.size());
    } else if (shared > 0) {
      const double beside = of_length * kind.length_ns - kind.unshared_ns;
      kind.rate = std::clamp(beside / shared, kSlowest, 1.0);
    }
  }
  constexpr double kMost = 0.5;
  if (!is_known) {
    notes_.emplace_back(
        "a process of the recording was hardly ever alone on the GPU: how much faster it is then "
        "is not known, and taken to be by as many times as there are processes; a recording at "
        "less load would show it");
  } else if (known_length < kMost * length) {
    notes_.push_back(fmt::format(
        "side by side, kernels with {:.0f}% of the time of a process were hardly ever alone on the "
        "GPU: how much faster they are then is not known, and taken to be as for the rest of its "
        "kernels; a recording at less load would show it",
        100 * (1 - known_length / length)));
  }
}

std::map<std::uint32_t, double> SideBySide::rates() const {
  std::map<std::uint32_t, Mean> means;  // of the shared time
  for (const Kind& kind : kinds_) {
    const double shared = kind.length_ns - kind.unshared_ns;
    means[kind.process].sum += kind.rate * shared;
    means[kind.process].count += shared;
  }
  std::map<std::uint32_t, double> out;
  for (const auto& [process, mean] : means) {
    out[process] = mean.count > 0 ? mean.sum / mean.count : 1;
  }
  return out;
}

/// Kernels around the ends of the recording are taken to be like those at their places.
std::vector<std::int64_t> SideBySide::own_times() const {
  std::vector<std::int64_t> own;
  own.reserve(spans_.size());
  std::unordered_map<std::size_t, Mean> places;
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    const KernelSpan& span = spans_[i];
    const double unshared = unshared_ns(span);
    const double took = unshared + kinds_[kind_[i]].rate * (length_ns(span) - unshared);
    own.push_back(static_cast<std::int64_t>(took));
    if (!is_known(span)) continue;
    places[span.place].sum += took;
    places[span.place].count += 1;
  }
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    const auto place = places.find(spans_[i].place);
    if (is_known(spans_[i]) || place == places.end()) continue;
    own[i] = static_cast<std::int64_t>(place->second.sum / place->second.count);
  }
  return own;
}

}  // namespace tactus::gate

#include "gate/replay/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

namespace tactus::gate {
namespace {

constexpr std::size_t kFew = 20;   ///< kernels that were alone: too few to go by
constexpr double kFewAtPlace = 3;  ///< with fewer, a kernel is compared with little but itself
constexpr double kSlowest = 0.02;  ///< a rate of 0 would mean that a kernel never ends

/// From when on a kernel could slow down others: one in front of which there was nothing in its
/// stream is on its way to the device until it starts.
std::int64_t begin_ns(const KernelSpan& span) {
  return span.was_queued() ? span.ready_ns : span.start_ns;
}

}  // namespace

SideBySide::Parts& SideBySide::Parts::operator+=(const Parts& more) {
  alone_ns += more.alone_ns;
  beside_ns += more.beside_ns;
  return *this;
}

SideBySide::SideBySide(const LaunchTrace& trace, std::span<const KernelSpan> spans,
                       std::int64_t from_ns, std::int64_t to_ns)
    : trace_(trace), spans_(spans), from_ns_(from_ns), to_ns_(to_ns) {
  find_others();
  find_kinds();
  add_up();
  for (const auto& [process, others] : others_) find_rates(process);
}

void SideBySide::find_others() {
  for (const KernelSpan& span : spans_) others_.try_emplace(span.process);
  for (auto& [process, others] : others_) {
    std::vector<Intervals::One> times;
    for (const KernelSpan& span : spans_) {
      if (span.process != process) times.emplace_back(begin_ns(span), span.end_ns);
    }
    others = Intervals(std::move(times));
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

SideBySide::Parts SideBySide::parts(const KernelSpan& span) const {
  const std::int64_t begin = begin_ns(span);
  const std::int64_t beside = others_.at(span.process).overlap(begin, span.end_ns);
  return {.alone_ns = static_cast<double>(span.end_ns - begin - beside),
          .beside_ns = static_cast<double>(beside)};
}

/// Kernels are compared with those at their place of other units: of a kind, some may have more to
/// do than others.
void SideBySide::add_up() {
  std::unordered_map<std::size_t, std::pair<Parts, double>> at_place;  // sum, count
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    if (!is_known(spans_[i])) continue;
    const Parts taken = parts(spans_[i]);
    kinds_[kind_[i]].all += taken;
    auto& [sum, count] = at_place[spans_[i].place];
    sum += taken;
    count += 1;
  }
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    if (!is_known(spans_[i])) continue;
    const Parts taken = parts(spans_[i]);
    const auto& [sum, count] = at_place[spans_[i].place];
    if (taken.beside_ns > 0 || count < kFewAtPlace) continue;
    Kind& kind = kinds_[kind_[i]];
    ++kind.were_alone;
    kind.alone_ns += taken.alone_ns;
    kind.usual += {.alone_ns = sum.alone_ns / count, .beside_ns = sum.beside_ns / count};
  }
}

/// Kernels that were alone did the same as those at their places: `alone + rate * beside` of them.
/// Kinds that were never alone are taken to be slowed down like the rest of their process.
void SideBySide::find_rates(std::uint32_t process) {
  const auto clamped = [](double rate) { return std::clamp(rate, kSlowest, 1.0); };
  std::size_t were_alone = 0;
  double done = 0;  // beside others, as time alone
  double known = 0;
  double unknown = 0;
  for (Kind& kind : kinds_) {
    if (kind.process != process) continue;
    were_alone += kind.were_alone;
    if (kind.usual.beside_ns <= 0) {
      unknown += kind.all.beside_ns;
      continue;
    }
    kind.rate = clamped((kind.alone_ns - kind.usual.alone_ns) / kind.usual.beside_ns);
    done += kind.rate * kind.all.beside_ns;
    known += kind.all.beside_ns;
  }
  const bool was_alone = were_alone >= kFew && known > 0;
  const double assumed = 1.0 / static_cast<double>(others_.size());
  for (Kind& kind : kinds_) {
    if (kind.process != process) continue;
    if (!was_alone || kind.usual.beside_ns <= 0) kind.rate = was_alone ? done / known : assumed;
  }
  note_unknown(was_alone, was_alone ? unknown / (known + unknown) : 1);
}

void SideBySide::note_unknown(bool was_alone, double unknown_share) {
  constexpr double kMost = 0.5;
  if (!was_alone) {
    notes_.emplace_back(
        "a process of the recording was hardly ever alone on the GPU: how much faster it is then "
        "is not known, and taken to be by as many times as there are processes; a recording at "
        "less load would show it");
  } else if (unknown_share > kMost) {
    notes_.push_back(fmt::format(
        "side by side, kernels with {:.0f}% of the time that a process shared were never alone on "
        "the GPU: how much faster they are then is not known, and taken to be as for its other "
        "kernels; what is said of a gate may be far off, and a recording at less load would show "
        "more",
        100 * unknown_share));
  }
}

std::map<std::uint32_t, double> SideBySide::rates() const {
  std::map<std::uint32_t, double> done;  // beside others, as time alone
  std::map<std::uint32_t, double> beside;
  for (const Kind& kind : kinds_) {
    done[kind.process] += kind.rate * kind.all.beside_ns;
    beside[kind.process] += kind.all.beside_ns;
  }
  std::map<std::uint32_t, double> out;
  for (const auto& [process, ns] : beside) out[process] = ns > 0 ? done[process] / ns : 1;
  return out;
}

/// Kernels around the ends of the recording are taken to be like those at their places.
std::vector<std::int64_t> SideBySide::own_times() const {
  std::vector<std::int64_t> own;
  own.reserve(spans_.size());
  std::unordered_map<std::size_t, std::pair<double, double>> at_place;  // sum, count
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    const Parts taken = parts(spans_[i]);
    const double alone = taken.alone_ns + kinds_[kind_[i]].rate * taken.beside_ns;
    own.push_back(static_cast<std::int64_t>(alone));
    if (!is_known(spans_[i])) continue;
    auto& [sum, count] = at_place[spans_[i].place];
    sum += alone;
    count += 1;
  }
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    if (is_known(spans_[i])) continue;
    const auto [sum, count] = at_place[spans_[i].place];
    if (count > 0) own[i] = static_cast<std::int64_t>(sum / count);
  }
  return own;
}

}  // namespace tactus::gate

#include "explain/not_known.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tactus {
namespace {

constexpr std::string_view kRuns[] = {"The normal run", "The other run"};

bool has_steps(const ComparedSide& side) {
  return std::any_of(side.recordings.begin(), side.recordings.end(), [](const auto& recording) {
    return std::any_of(recording->ranks.begin(), recording->ranks.end(),
                       [](const RankMeasure& rank) { return !rank.steps.empty(); });
  });
}

/// A counter of the host, or of a device of the run: other devices say nothing about it.
/// Its ranks exchange data, or copy between devices.
bool uses_links(const ComparedSide& side) {
  return std::any_of(side.recordings.begin(), side.recordings.end(), [](const auto& recording) {
    return recording->ranks.size() > 1 ||
           std::any_of(recording->ranks.begin(), recording->ranks.end(),
                       [](const RankMeasure& rank) {
                         const auto effort = static_cast<std::size_t>(Effort::kCollectives);
                         return !rank.efforts[effort].count.empty();
                       });
  });
}

bool has_counter(const ComparedSide& side, std::string_view counter) {
  const auto is_own = [&](const std::string& device) {
    if (!device.starts_with("GPU")) return true;
    bool any = false;
    for (const auto& recording : side.recordings) {
      for (const RankMeasure& rank : recording->ranks) {
        if (rank.device == device) return true;
        any = any || !rank.device.empty();
      }
    }
    return !any;
  };
  return std::any_of(side.counters.begin(), side.counters.end(), [&](const CounterValues& values) {
    return values.counter == counter && is_own(values.device);
  });
}

std::string seconds(std::int64_t ns) {
  const double s = static_cast<double>(ns) * 1e-9;
  return s >= 3600 ? fmt::format("{:.3g} h", s / 3600)
         : s >= 1  ? fmt::format("{:.3g} s", s)
                   : fmt::format("{:.3g} ms", s * 1e3);
}

/// Why samples that there are say nothing; empty if there are none, or some lie in the steps.
std::string why_no_sample(std::string_view run, const SampleRange& range) {
  if (range.samples == 0 && !range.unknown.empty()) {
    return fmt::format(
        "{} has counters whose names Tactus does not know ({}{}), so they show no "
        "cause: docs/meters.md lists the names.",
        run, range.unknown.front(),
        range.unknown.size() > 1 ? fmt::format(" and {} more", range.unknown.size() - 1) : "");
  }
  if (range.samples == 0 || range.inside > 0) return {};
  const bool is_late = range.first_ns > range.end_ns;
  if (!is_late && range.last_ns >= range.begin_ns) {
    return fmt::format(
        "{} has {} samples of counters before and after its steps, and none lies in them: sample "
        "more often.",
        run, range.samples);
  }
  return fmt::format(
      "{} has {} samples of counters, and none lies in its steps: the {} one is {} {} them. They "
      "are of another time, or of a clock that is set otherwise.",
      run, range.samples, is_late ? "first" : "last",
      seconds(is_late ? range.first_ns - range.end_ns : range.begin_ns - range.last_ns),
      is_late ? "after" : "before");
}

/// The share of the time of the steps that lies between the first and the last sample.
double covered(const SampleRange& range) {
  if (range.inside == 0 || range.end_ns <= range.begin_ns) return 1;
  const std::int64_t from = std::max(range.first_ns, range.begin_ns);
  const std::int64_t to = std::min(range.last_ns, range.end_ns);
  return static_cast<double>(to - from) / static_cast<double>(range.end_ns - range.begin_ns);
}

constexpr double kNearlyAll = 0.8;

}  // namespace

std::vector<std::string> not_known(const ComparedSide& normal, const ComparedSide& abnormal) {
  std::vector<std::string> into;
  // Without steps nothing is looked for, so nothing is missing either.
  if (!has_steps(normal) || !has_steps(abnormal)) return into;
  const std::array<const ComparedSide*, 2> sides = {&normal, &abnormal};
  const auto has_host = [](const ComparedSide* side) { return side->recordings.front()->has_host; };
  if (!std::all_of(sides.begin(), sides.end(), has_host)) {
    into.emplace_back(
        "The work of the host was not recorded, so the CPU cannot be ruled out: record CPU "
        "activity too.");
  }
  for (std::size_t side = 0; side < 2; ++side) {
    for (const SampleRange& range : sides[side]->ranges) {
      if (std::string why = why_no_sample(kRuns[side], range); !why.empty()) {
        into.push_back(std::move(why));
      }
    }
  }
  if (normal.counters.empty() || abnormal.counters.empty()) {
    into.emplace_back(
        "No counters were recorded during the steps of both runs, so no resource can be named or "
        "ruled out by them: record counters too, and put them beside each trace (X.counters.csv "
        "beside X.json.gz).");
    return into;
  }
  struct Gap {
    std::string_view counter, what;
    bool is_of_links = false;
  };
  constexpr Gap kGaps[] = {{"host_cpu_usage", "load of the host's CPU"},
                           {"cpu_frequency", "clock of the CPU"},
                           {"gpu_sm_frequency", "clock of the GPU"},
                           {"gpu_pcie_transmit", "traffic over PCIe"},
                           {"gpu_link_transmit", "traffic over NVLink", true}};
  std::string missing;
  for (const Gap& gap : kGaps) {
    if (has_counter(normal, gap.counter) && has_counter(abnormal, gap.counter)) continue;
    if (gap.is_of_links && !uses_links(normal) && !uses_links(abnormal)) continue;
    missing += fmt::format("{}{}", missing.empty() ? "" : ", ", gap.what);
  }
  if (!missing.empty()) {
    into.push_back("Not recorded, so neither named nor ruled out: " + missing + ".");
  }
  return into;
}

std::vector<std::string> gaps_of_samples(const ComparedSide& normal, const ComparedSide& abnormal,
                                         std::span<const CounterShift> shifts) {
  constexpr double kSparse = 0.5;
  std::vector<std::string> gaps;
  const std::array<const ComparedSide*, 2> sides = {&normal, &abnormal};
  for (std::size_t side = 0; side < 2; ++side) {
    for (const SampleRange& range : sides[side]->ranges) {
      if (range.inside == 0 || covered(range) >= kNearlyAll) continue;
      gaps.push_back(fmt::format(
          "{} has samples of counters for {:.0f}% of the time of its steps only: they begin {} "
          "after the first step and end {} before the last one. The rest is not known.",
          kRuns[side], 100 * covered(range),
          seconds(std::max<std::int64_t>(0, range.first_ns - range.begin_ns)),
          seconds(std::max<std::int64_t>(0, range.end_ns - range.last_ns))));
    }
  }
  double least = 1;
  double most = 0;
  std::size_t sparse = 0;
  const CounterShift* last = nullptr;
  for (const CounterShift& shift : shifts) {
    const auto [before, after] = shift.coverage;
    if (!before || !after || std::min(*before, *after) >= kSparse) continue;
    ++sparse;
    last = &shift;
    least = std::min({least, *before, *after});
    most = std::max(most, std::min(*before, *after));
  }
  if (sparse > 0) {
    const std::string share = least < 0.995 * most
                                  ? fmt::format("{:.0f}% to {:.0f}%", 100 * least, 100 * most)
                                  : fmt::format("{:.0f}%", 100 * most);
    gaps.push_back(fmt::format(
        "{} a sample in only {} of the steps of a run: what is shorter than a few steps does not "
        "show there.",
        sparse == 1 ? last->counter + " has" : fmt::format("{} counters have", sparse), share));
  }
  return gaps;
}

bool samples_cover_steps(const ComparedSide& normal, const ComparedSide& abnormal) {
  const auto is_covered = [](const ComparedSide& side) {
    return std::all_of(side.ranges.begin(), side.ranges.end(), [](const SampleRange& range) {
      return range.inside == 0 || covered(range) >= kNearlyAll;
    });
  };
  return is_covered(normal) && is_covered(abnormal);
}

}  // namespace tactus

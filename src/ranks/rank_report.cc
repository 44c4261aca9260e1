#include "ranks/rank_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/median.h"
#include "base/parallel.h"
#include "hardware/profile.h"
#include "ranks/imbalance.h"
#include "run/identity.h"
#include "stats/series.h"

namespace tactus {
namespace {

/// A rank costs something worth naming from this share of a step on: less is hard to feel.
constexpr double kLeastCost = 0.01;
constexpr auto kCollectivePart = static_cast<std::size_t>(part_of(Family::kCollective));

std::int64_t mean_of(double sum, std::size_t count) {
  return count == 0 ? 0 : std::llround(sum / static_cast<double>(count));
}

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double effort_ns(const RankMeasure& rank, Effort effort) {
  return sum_of(rank.efforts[static_cast<std::size_t>(effort)].ns);
}

RankSummary row_of(const Run& run, const RankMeasure& rank) {
  RankSummary row;
  row.rank = rank.rank;
  row.label = rank.rank ? fmt::format("rank {}", *rank.rank) : "pid " + rank.pid_text;
  const HostId host = run.processes[rank.process].host;
  if (host.valid() && host.value < run.hosts.size())
    row.host = run.strings[run.hosts[host.value].name];
  // "GPU 0 of rank 1" says the rank twice.
  row.device = rank.device.substr(0, rank.device.find(" of rank "));
  const std::size_t steps = rank.steps.size();
  row.steps = static_cast<std::int64_t>(steps);
  double length = 0;
  for (const MeasuredStep& step : rank.steps) length += step.ns;
  double idle = 0;
  for (std::size_t part = 0; part < kParts; ++part) {
    if (is_idle_part(static_cast<Part>(part))) {
      idle += sum_of(rank.parts[part]);
    } else if (static_cast<Part>(part) != Part::kDeviceWait) {
      row.device_known = row.device_known || sum_of(rank.parts[part]) > 0;
    }
  }
  row.step_ns = mean_of(length, steps);
  row.idle_ns = mean_of(idle, steps);
  row.busy_ns = row.step_ns - row.idle_ns;
  row.exposed_comm_ns = mean_of(sum_of(rank.parts[kCollectivePart]), steps);
  row.copy_ns = mean_of(
      effort_ns(rank, Effort::kCopiesToDevice) + effort_ns(rank, Effort::kCopiesFromDevice), steps);
  return row;
}

/// Which step of a rank a time belongs to; none for times between steps.
std::optional<std::size_t> step_at(const RankMeasure& rank, std::int64_t time_ns) {
  const auto after = std::upper_bound(
      rank.steps.begin(), rank.steps.end(), time_ns,
      [](std::int64_t time, const MeasuredStep& step) { return time < step.start_ns; });
  if (after == rank.steps.begin() || time_ns >= std::prev(after)->end_ns) return std::nullopt;
  return static_cast<std::size_t>(std::prev(after) - rank.steps.begin());
}

/// Adds up who came when.
class Arrivals {
 public:
  Arrivals(const Measurement& measurement, const Collectives& collectives, RankReport& report)
      : measurement_(measurement), report_(report), kinds_(collectives.kinds.size()) {
    for (const RankMeasure& rank : measurement.ranks) late_.emplace_back(rank.steps.size(), 0.0);
    wait_ns_.resize(measurement.ranks.size(), 0);
    late_ns_.resize(measurement.ranks.size(), 0);
  }

  void add(std::span<const CollectiveCall> calls) {
    // Without a common clock, a rank came as much later as it was inside for a shorter time: all
    // leave together.
    const auto arrival = [&](const CollectiveCall& call) {
      return report_.one_clock ? call.start_ns : -call.dur_ns();
    };
    const CollectiveCall* first = &calls.front();
    const CollectiveCall* last = &calls.front();
    std::int64_t shortest = INT64_MAX;
    for (const CollectiveCall& call : calls) {
      if (arrival(call) < arrival(*first)) first = &call;
      if (arrival(call) > arrival(*last)) last = &call;
      shortest = std::min(shortest, call.dur_ns());
    }
    std::int64_t before_last = INT64_MIN;
    KindSum& sum = kinds_[calls.front().kind];
    for (const CollectiveCall& call : calls) {
      if (&call != last) before_last = std::max(before_last, arrival(call));
      const std::int64_t wait =
          std::min(arrival(*last) - arrival(call), std::max<std::int64_t>(call.dur_ns(), 0));
      wait_ns_[call.rank] += wait;
      sum.rank_wait_ns += wait;
    }
    ++sum.count;
    sum.wait_ns += arrival(*last) - arrival(*first);
    sum.time_ns += shortest;
    ++sum.first[first->rank];
    ++sum.last[last->rank];
    ++report_.ranks[last->rank].was_last;
    const std::int64_t late = arrival(*last) - before_last;
    late_ns_[last->rank] += late;
    if (const auto step = step_at(measurement_.ranks[last->rank], last->start_ns)) {
      late_[last->rank][*step] += static_cast<double>(late);
    }
  }

  void finish(const Collectives& collectives) {
    for (std::size_t i = 0; i < report_.ranks.size(); ++i) {
      const std::size_t steps = measurement_.ranks[i].steps.size();
      report_.ranks[i].wait_ns = mean_of(static_cast<double>(wait_ns_[i]), steps);
      report_.ranks[i].late_ns = mean_of(static_cast<double>(late_ns_[i]), steps);
    }
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      if (kinds_[i].count != 0) report_.collectives.push_back(row(kinds_[i], collectives.kinds[i]));
    }
    std::stable_sort(
        report_.collectives.begin(), report_.collectives.end(),
        [](const CollectiveRow& a, const CollectiveRow& b) { return a.wait_ns > b.wait_ns; });
  }

  const std::vector<double>& late_by_step(std::size_t rank) const { return late_[rank]; }

 private:
  struct KindSum {
    std::int64_t count = 0;
    std::int64_t wait_ns = 0;
    std::int64_t rank_wait_ns = 0;
    std::int64_t time_ns = 0;
    std::map<std::uint32_t, std::int64_t> first;
    std::map<std::uint32_t, std::int64_t> last;
  };

  static CollectiveRow row(const KindSum& sum, const CollectiveKind& kind) {
    CollectiveRow row{.kind = kind,
                      .count = sum.count,
                      .wait_ns = sum.wait_ns,
                      .rank_wait_ns = sum.rank_wait_ns,
                      .time_ns = sum.time_ns};
    const auto most = [](const std::map<std::uint32_t, std::int64_t>& times, std::uint32_t& rank,
                         std::int64_t& count) {
      for (const auto& [of, number] : times) {
        if (number > count) std::tie(rank, count) = std::tie(of, number);
      }
    };
    most(sum.first, row.first_rank, row.first_times);
    most(sum.last, row.last_rank, row.last_times);
    if (kind.bytes && sum.time_ns > 0) {
      const double bytes = static_cast<double>(*kind.bytes) * static_cast<double>(sum.count);
      row.bus_bytes_per_s = bytes / (static_cast<double>(sum.time_ns) * 1e-9) *
                            bus_factor(kind.name, kind.group_size);
    }
    return row;
  }

  const Measurement& measurement_;
  RankReport& report_;
  std::vector<KindSum> kinds_;
  std::vector<std::vector<double>> late_;  ///< by rank and step
  std::vector<std::int64_t> wait_ns_;
  std::vector<std::int64_t> late_ns_;
};

/// The mean of a part per step.
double part_mean(const RankMeasure& rank, std::size_t part) {
  const std::size_t steps = rank.steps.size();
  return steps == 0 ? 0 : sum_of(rank.parts[part]) / static_cast<double>(steps);
}

/// The part in which a rank is longest beyond the median of the others.
void explain(const Measurement& measurement, LateRank& straggler) {
  for (std::size_t part = 0; part < kParts; ++part) {
    if (part == kCollectivePart || part == static_cast<std::size_t>(Part::kOtherRanks)) continue;
    std::vector<double> others;
    for (std::size_t i = 0; i < measurement.ranks.size(); ++i) {
      if (i != straggler.rank) others.push_back(part_mean(measurement.ranks[i], part));
    }
    const double more =
        part_mean(measurement.ranks[straggler.rank], part) - upper_median(std::move(others));
    if (std::llround(more) > straggler.longer_ns) {
      straggler.longer_ns = std::llround(more);
      straggler.longer = static_cast<Part>(part);
    }
  }
}

/// How late the average of the other ranks came, by step.
std::vector<double> others_late(const Arrivals& arrivals, std::size_t ranks, std::size_t rank) {
  std::vector<double> mean;
  for (std::size_t i = 0; i < ranks; ++i) {
    if (i == rank) continue;
    const std::vector<double>& late = arrivals.late_by_step(i);
    if (mean.size() < late.size()) mean.resize(late.size(), 0.0);
    for (std::size_t step = 0; step < late.size(); ++step) {
      mean[step] += late[step] / static_cast<double>(ranks - 1);
    }
  }
  return mean;
}

/// Somebody is always last, by chance. A straggler is later than the others are.
void add_stragglers(const Measurement& measurement, const Arrivals& arrivals, RankReport& report) {
  for (std::uint32_t i = 0; i < report.ranks.size(); ++i) {
    const RankSummary& row = report.ranks[i];
    const Difference cost = difference(series_mean(others_late(arrivals, report.ranks.size(), i)),
                                       series_mean(arrivals.late_by_step(i)));
    if (!cost.low || *cost.low <= 0) continue;
    if (cost.value < kLeastCost * static_cast<double>(row.step_ns)) continue;
    LateRank straggler{.rank = i,
                       .cost_ns = std::llround(cost.value),
                       .low_ns = std::llround(*cost.low),
                       .high_ns = std::llround(*cost.high),
                       .was_last = row.was_last,
                       .of = report.matched};
    explain(measurement, straggler);
    report.stragglers.push_back(straggler);
  }
  std::stable_sort(report.stragglers.begin(), report.stragglers.end(),
                   [](const LateRank& a, const LateRank& b) { return a.cost_ns > b.cost_ns; });
}

/// Whether the clocks of all ranks agree: all leave a collective at the same time, so the ends of
/// one collective differ by less than it takes.
bool clocks_agree(const MatchedCollectives& matched, std::size_t ranks) {
  if (matched.size() == 0) return true;
  std::vector<std::vector<std::int64_t>> apart(ranks);  // from the first of the group, by rank
  std::vector<std::int64_t> durations;
  for (std::size_t i = 0; i < matched.size(); ++i) {
    for (const CollectiveCall& call : matched[i]) {
      apart[call.rank].push_back(call.end_ns - matched[i].front().end_ns);
      durations.push_back(call.dur_ns());
    }
  }
  const std::int64_t allowed = upper_median(std::move(durations)) / 4;
  return std::all_of(apart.begin(), apart.end(), [&](std::vector<std::int64_t>& times) {
    return times.empty() || std::abs(upper_median(std::move(times))) <= allowed;
  });
}

/// What the link of the devices can carry, if kernels of different devices use it.
void add_link_limits(const Run& run, const Measurement& measurement, RankReport& report) {
  bool shares_device = false;
  std::map<std::pair<std::string, std::string>, int> ranks_of_device;
  for (const RankMeasure& rank : measurement.ranks) {
    if (++ranks_of_device[{rank.host, rank.device}] > 1) shares_device = true;
  }
  const HardwareProfile* hardware = nullptr;
  for (const Device& device : run.devices) {
    if (hardware == nullptr) hardware = hardware_of_device(run.strings[device.name]);
  }
  if (shares_device || hardware == nullptr || !hardware->link_bandwidth) return;
  for (CollectiveRow& row : report.collectives) {
    if (row.kind.on_device && row.bus_bytes_per_s) {
      row.link_bytes_per_s = hardware->link_bandwidth->value;
    }
  }
}

/// By rank. What a measurement can read later goes by the old order; nothing here asks for that.
std::unique_ptr<Measurement> measure_ranks(const Run& run, const Cycles& cycles,
                                           const Loops& loops) {
  std::unique_ptr<Measurement> measurement = measure_trace(run, cycles, loops);
  std::stable_sort(measurement->ranks.begin(), measurement->ranks.end(),
                   [](const RankMeasure& a, const RankMeasure& b) {
                     return a.rank.value_or(INT64_MAX) < b.rank.value_or(INT64_MAX);
                   });
  return measurement;
}

/// The rows of the ranks, and who waited for whom.
void report_collectives(const Run& run, const Loops& loops, const Measurement& measurement,
                        RankReport& report) {
  for (const RankMeasure& rank : measurement.ranks) report.ranks.push_back(row_of(run, rank));
  if (report.ranks.empty()) return;
  const Collectives collectives = read_collectives(run, loops, measurement);
  for (std::size_t i = 0; i < report.ranks.size(); ++i) {
    double inside = 0;
    for (const CollectiveCall& call : collectives.of_rank[i]) {
      inside += static_cast<double>(call.dur_ns());
    }
    report.ranks[i].comm_ns = mean_of(inside, measurement.ranks[i].steps.size());
  }
  const MatchedCollectives matched = match_collectives(collectives);
  report.matched = static_cast<std::int64_t>(matched.size());
  report.unmatched = static_cast<std::int64_t>(matched.unmatched);
  report.one_clock = clocks_agree(matched, report.ranks.size());
  Arrivals arrivals(measurement, collectives, report);
  for (std::size_t i = 0; i < matched.size(); ++i) arrivals.add(matched[i]);
  arrivals.finish(collectives);
  add_stragglers(measurement, arrivals, report);
  add_link_limits(run, measurement, report);
}

}  // namespace

double bus_factor(std::string_view collective, std::int64_t ranks) {
  if (ranks < 2) return 1;
  const double share = static_cast<double>(ranks - 1) / static_cast<double>(ranks);
  const auto is = [&](std::string_view name) {
    return collective.find(name) != std::string_view::npos;
  };
  if (is("all_reduce") || is("allreduce")) return 2 * share;
  if (is("all_gather") || is("reduce_scatter") || is("all_to_all") || is("allgather")) return share;
  return 1;
}

RankReport report_ranks(const Run& run, const Cycles& cycles, unsigned threads) {
  RankReport report;
  std::unique_ptr<Measurement> measurement;
  OperatorTimes operators;
  parallel_for(threads, 2, [&](std::size_t i, unsigned) {
    if (i == 0) {
      const Loops loops = find_loops(run, {});
      measurement = measure_ranks(run, cycles, loops);
      report_collectives(run, loops, *measurement, report);
    } else {
      operators = operator_times(run, cycles);
    }
  });
  report.imbalance = find_imbalance(operators, *measurement);
  return report;
}

}  // namespace tactus

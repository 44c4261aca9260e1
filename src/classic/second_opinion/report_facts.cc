#include "classic/second_opinion/report_facts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "explain/explanations/causes.h"
#include "stats/summary.h"
#include "stats/tests.h"

namespace tactus {
namespace {

constexpr double kLeastBeta = 0.05;       // [%]; printed with two decimals, so a smaller beta is
                                          // mostly rounding
constexpr double kSuspicious = 10;        // the report calls a row suspicious from this score on
constexpr double kAlike = 2;              // cycles within this factor can be of one kind
constexpr double kBeyondContention = 10;  // sharing a GPU does not slow kernels by this much
constexpr double kShown = 1.05;           // a counter that moved less gets no row

/// A function's share of the cycle in both runs, for any counter of the row.
struct FunctionShare {
  const ClassicRow* row = nullptr;
  std::array<double, 2> beta = {0, 0};  // [%]
};

/// A function that one run lacks is all zeros there.
bool in_both(const ClassicRow& row) {
  const auto present = [&](int i) { return row.beta[i] > 0 || row.mu[i] > 0; };
  return present(0) == present(1);
}

std::vector<FunctionShare> function_shares(const ClassicReportText& report) {
  std::map<std::pair<std::string, std::string>, std::vector<const ClassicRow*>> functions;
  for (const ClassicRow& row : report.rows) {
    if (!std::isnan(row.beta[0]) && !std::isnan(row.beta[1])) {
      functions[{row.function, row.device}].push_back(&row);
    }
  }
  std::vector<FunctionShare> shares;
  for (const auto& [key, rows] : functions) {
    FunctionShare share{.row = rows.front()};
    for (std::size_t i = 0; i < 2; ++i) {
      std::vector<double> betas;
      for (const ClassicRow* row : rows) betas.push_back(row->beta[i]);
      share.beta[i] = median(betas);
    }
    shares.push_back(share);
  }
  return shares;
}

/// How much of both runs a row's function fills.
double presence(const ClassicRow& row) {
  const double least = std::min(row.beta[0], row.beta[1]);
  return std::isnan(least) ? 0 : least;
}

ReportedCounter reported_counter(const ClassicRow& from) {
  ReportedCounter reported;
  const std::optional<CounterMatch> match = match_counter(from.metric);
  reported.fact = match ? match->fact : nullptr;
  CounterShiftRow& row = reported.row;
  row.counter = from.metric;
  row.device = from.device;
  row.normal = from.mu[0];
  row.abnormal = from.mu[1];
  row.ratio = row.normal == row.abnormal ? 1 : row.abnormal / row.normal;
  row.low = row.high = NAN;
  return reported;
}

/// A report has neither intervals nor the run's own use, so a cause has to move by a quarter.
bool is_cause(const ReportedCounter& counter) {
  constexpr double kMoved = 1.25;
  const Signal* signal = counter.fact == nullptr ? nullptr : signal_of(counter.fact->name);
  if (signal == nullptr || (counter.row.q && *counter.row.q > 0.05)) return false;
  const double ratio = counter.row.ratio;
  return signal->harm == Harm::kUp ? ratio >= kMoved : ratio <= 1 / kMoved;
}

double distance(const ReportedCounter& counter) {
  return std::abs(std::log(std::max(counter.row.ratio, 1e-300)));
}

}  // namespace

bool is_collective(std::string_view function) {
  for (const std::string_view word :
       {"nccl", "rccl", "all_reduce", "allreduce", "cross_device_reduce", "all_gather"}) {
    if (function.find(word) != std::string_view::npos) return true;
  }
  return false;
}

std::optional<std::array<double, 2>> cycle_lengths(const ClassicReportText& report) {
  std::array<double, 2> lengths = {0, 0};
  for (std::size_t i = 0; i < 2; ++i) {
    if (report.avg_cycle_us[i]) {
      lengths[i] = *report.avg_cycle_us[i];
    } else if (!report.cycle_us[i].empty()) {
      lengths[i] = moments(report.cycle_us[i]).mean;
    } else {
      return std::nullopt;
    }
  }
  return lengths;
}

std::optional<WorkPerCycle> work_per_cycle(const ClassicReportText& report) {
  const auto lengths = cycle_lengths(report);
  if (!lengths) return std::nullopt;
  std::vector<std::pair<double, double>> ratios;  // with the kernel's time per normal cycle
  for (const FunctionShare& share : function_shares(report)) {
    const bool is_kernel =
        share.row->device.starts_with("GPU") && !is_collective(share.row->function);
    if (!is_kernel || share.beta[0] < kLeastBeta || share.beta[1] <= 0) continue;
    ratios.emplace_back(share.beta[1] * (*lengths)[1] / (share.beta[0] * (*lengths)[0]),
                        share.beta[0]);
  }
  if (ratios.empty()) return std::nullopt;
  WorkPerCycle work{.ratio = weighted_median(ratios).value_or(1), .kernels = ratios.size()};
  double all = 0;
  for (const auto& [ratio, weight] : ratios) {
    all += weight;
    if (ratio > work.ratio / 1.25 && ratio < work.ratio * 1.25) work.agreeing += weight;
  }
  work.agreeing /= all;
  for (const ReportedCounter& counter : reported_counters(report)) {
    const bool is_clock = counter.fact != nullptr && counter.fact->family == "gpu_clock";
    if (is_clock && counter.row.ratio > 0) work.by_clock = 1 / counter.row.ratio;
  }
  return work;
}

CycleKinds judge_kinds(const std::optional<std::array<double, 2>>& lengths,
                       const std::optional<WorkPerCycle>& work) {
  if (!lengths) return CycleKinds::kUnknown;
  const auto alike = [](double ratio) { return ratio > 1 / kAlike && ratio < kAlike; };
  if (!work) {
    return alike((*lengths)[1] / (*lengths)[0]) ? CycleKinds::kSame : CycleKinds::kUnknown;
  }
  const double unexplained = work->ratio / work->by_clock.value_or(1);
  if (alike(work->ratio) || alike(unexplained)) return CycleKinds::kSame;
  // Kernels do not get faster alone, and another program on the GPU slows them only to a limit.
  const bool sure = unexplained < 1 || unexplained > kBeyondContention;
  return sure ? CycleKinds::kDifferent : CycleKinds::kUnknown;
}

std::vector<ReportedCounter> reported_counters(const ClassicReportText& report) {
  // The rows of a counter repeat the same few samples; the function with most of the time in both
  // runs covers most of them.
  std::map<std::pair<std::string, std::string>, const ClassicRow*> fullest;
  for (const ClassicRow& row : report.rows) {
    if (!in_both(row)) continue;
    const ClassicRow*& chosen = fullest[{row.metric, row.device}];
    if (chosen == nullptr || presence(row) > presence(*chosen)) chosen = &row;
  }
  std::vector<ReportedCounter> counters;
  std::vector<double> p_values;
  for (const auto& [key, row] : fullest) {
    counters.push_back(reported_counter(*row));
    // A printed 0.000 can be anything up to half of the last digit.
    p_values.push_back(std::isnan(row->mu_u_p) ? NAN : std::max(row->mu_u_p, report.p_step / 2));
  }
  const std::vector<double> rates = benjamini_hochberg(p_values);
  for (std::size_t i = 0; i < counters.size(); ++i) {
    if (!std::isnan(rates[i])) counters[i].row.q = rates[i];
    counters[i].row.is_cause = is_cause(counters[i]);
  }
  std::stable_sort(counters.begin(), counters.end(),
                   [](const ReportedCounter& a, const ReportedCounter& b) {
                     if (a.row.is_cause != b.row.is_cause) return a.row.is_cause;
                     return distance(a) > distance(b);
                   });
  return counters;
}

std::vector<TimeBreakdownRow> reported_times(const ClassicReportText& report) {
  std::vector<TimeBreakdownRow> time_breakdown;
  const auto lengths = cycle_lengths(report);
  if (!lengths) return time_breakdown;
  const double whole = (*lengths)[1] - (*lengths)[0];  // [us]
  const bool is_share_of_something = std::abs(whole) > (kShown - 1) * (*lengths)[0];
  for (const FunctionShare& share : function_shares(report)) {
    const double normal = share.beta[0] / 100 * (*lengths)[0];
    const double abnormal = share.beta[1] / 100 * (*lengths)[1];
    // Less than the last printed digit of beta can show.
    if (std::abs(abnormal - normal) < kLeastBeta / 100 * (*lengths)[0]) continue;
    time_breakdown.push_back({.what = share.row->function,
                              .kind = "function",
                              .delta_ns_per_cycle = 1000 * (abnormal - normal),
                              .share = is_share_of_something ? (abnormal - normal) / whole : NAN,
                              .ratio = abnormal / normal});
  }
  std::stable_sort(time_breakdown.begin(), time_breakdown.end(),
                   [](const TimeBreakdownRow& a, const TimeBreakdownRow& b) {
                     return std::abs(a.delta_ns_per_cycle) > std::abs(b.delta_ns_per_cycle);
                   });
  return time_breakdown;
}

TableQuality table_quality(const ClassicReportText& report) {
  TableQuality quality{.rows = report.rows.size()};
  std::map<std::pair<std::string, std::string>, int> readings;
  for (const ClassicRow& row : report.rows) {
    ++readings[{row.metric, row.device}];
    for (const double p : {row.beta_p, row.beta_u_p, row.mu_p, row.mu_u_p}) {
      if (p < 0.05) ++quality.small_p;
    }
    const double larger = std::max(std::abs(row.mu[0]), std::abs(row.mu[1]));
    const bool moved = std::abs(row.mu[1] - row.mu[0]) > (kShown - 1) * larger;
    if (moved && row.mu_z == 0 && in_both(row) && !report.only_findings) ++quality.erased;
    if (!moved && row.suspicion > kSuspicious) ++quality.unmoved_suspects;
    quality.largest_z = std::max({quality.largest_z, std::abs(row.beta_z), std::abs(row.log_mu_z)});
  }
  quality.readings = readings.size();
  return quality;
}

}  // namespace tactus

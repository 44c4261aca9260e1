#include "bounds/mining/mine.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cycles/passes/run_passes.h"
#include "stats/summary.h"

namespace tactus {
namespace {

/// With a smaller share, the shapes would say nothing about the run.
constexpr double kLeastCoverage = 0.01;
/// A phase with a smaller share of the time is not named.
constexpr double kSmallPhase = 0.1;

std::string key_of(const TraceShape& shape) {
  std::string key = shape.operator_name + '\n' + shape.op + '\n' + shape.label;
  for (const auto& [name, value] : shape.parameters.values) key += ' ' + std::to_string(value);
  return key;
}

std::string phase_text(double prefill, double decode, double other) {
  const double all = prefill + decode + other;
  if (all <= 0 || other > (1 - kSmallPhase) * all) return {};
  const bool has_prefill = prefill > kSmallPhase * all;
  const bool has_decode = decode > kSmallPhase * all;
  if (has_prefill && has_decode) return "prefill/decode";
  return has_prefill ? "prefill" : has_decode ? "decode" : "";
}

/// The part of a run in a shape on its machine.
struct Part {
  const HardwareProfile* hardware;
  const TraceShape* shape;
};

std::vector<MinedTime> times_of(const std::vector<Part>& parts) {
  std::vector<MinedTime> times;
  for (const Part& part : parts) {
    auto at = std::find_if(times.begin(), times.end(),
                           [&](const MinedTime& time) { return time.hardware == part.hardware; });
    if (at == times.end()) {
      at = times.insert(at, MinedTime{.hardware = part.hardware,
                                      .t_sol_ns = part.shape->t_sol_ns,
                                      .limit = part.shape->limit});
    }
    at->calls += part.shape->calls;
    at->total_ns += part.shape->total_ns;
  }
  for (MinedTime& time : times) {
    std::vector<std::pair<double, double>> medians;  // of the runs, each counted by its calls
    for (const Part& part : parts) {
      if (part.hardware != time.hardware) continue;
      medians.emplace_back(part.shape->med_ns, part.shape->calls);
    }
    time.med_ns = weighted_median(std::move(medians)).value_or(0);
  }
  return times;
}

double bounded_ns(const MinedRun& run) {
  double ns = 0;
  for (const TraceShape& shape : run.shapes) ns += static_cast<double>(shape.total_ns);
  return ns;
}

/// A shape over all runs, during collection.
struct Gathered {
  std::vector<Part> parts;
  double share = 0;
  double prefill = 0, decode = 0, other = 0;
};

void finish_operator(MinedOperator& op) {
  double sol_ns = 0;
  for (const MinedShape& shape : op.shapes) {
    op.share += shape.share;
    op.calls += shape.calls;
    for (const MinedTime& time : shape.times) {
      op.total_ns += time.total_ns;
      sol_ns += time.t_sol_ns * static_cast<double>(time.calls);
    }
  }
  if (op.total_ns > 0) op.s = sol_ns / static_cast<double>(op.total_ns);
  std::stable_sort(op.shapes.begin(), op.shapes.end(),
                   [](const MinedShape& a, const MinedShape& b) { return a.share > b.share; });
}

std::int64_t runs_with(std::span<const MinedRun> runs, std::string_view operator_name) {
  return std::count_if(runs.begin(), runs.end(), [&](const MinedRun& run) {
    return std::any_of(run.shapes.begin(), run.shapes.end(), [&](const TraceShape& shape) {
      return shape.operator_name == operator_name;
    });
  });
}

std::string method_text(std::span<const MinedRun> runs) {
  std::string share =
      "share of the GPU time of kernels whose shape is known; importance adds up to 1";
  if (runs.size() == 1) return share;
  return fmt::format("{}; mean over {} runs, each counting the same however long it is", share,
                     runs.size());
}

}  // namespace

double MinedTime::s() const {
  return total_ns > 0 ? t_sol_ns * static_cast<double>(calls) / static_cast<double>(total_ns) : 0;
}

Status Miner::add(const Run& run, const KernelReport& report, const HardwareProfile* hardware,
                  const std::string& label) {
  if (run.kernel_summary) {
    return usage_error(label +
                       ": is a table, which does not say what its kernels computed; give a trace "
                       "(torch.profiler with record_shapes=True)");
  }
  if (report.kernels.size() == 0) {
    return usage_error(label +
                       ": holds no kernels; record them with torch.profiler "
                       "(activities=[CPU, CUDA], record_shapes=True)");
  }
  KernelBounds bounds = bound_kernels(run, report, hardware);
  if (bounds.hardware == nullptr) {
    return usage_error(fmt::format("{}: {}", label, bounds.reasons.front()));
  }
  if (bounds.shapes.empty() || bounds.coverage < kLeastCoverage) {
    return usage_error(fmt::format(
        "{}: shapes are known for {:.1f}% of the GPU time only, too little to learn from ({})",
        label, 100 * bounds.coverage, bounds.reasons.empty() ? "?" : bounds.reasons.front()));
  }
  std::vector<PhaseTimes> phases(bounds.shapes.size());
  for (std::size_t i = 0; i < report.kernels.size(); ++i) {
    if (bounds.shape_of[i] == kNoRow) continue;
    const Phase phase = i < report.phases.size() ? report.phases[i] : Phase::kUnknown;
    PhaseTimes& times = phases[bounds.shape_of[i]];
    double& time = phase == Phase::kPrefill  ? times.prefill
                   : phase == Phase::kDecode ? times.decode
                                             : times.other;
    time += static_cast<double>(report.kernels.durs[i]);
  }
  phases_.push_back(std::move(phases));
  runs_.push_back({.label = label,
                   .hardware = bounds.hardware,
                   .total_ns = report.table.total_ns,
                   .coverage = bounds.coverage,
                   .floor_ns = bounds.floor_ns,
                   .shapes = std::move(bounds.shapes),
                   .reasons = std::move(bounds.reasons)});
  return {};
}

Mined Miner::finish() {
  Mined mined;
  mined.runs = std::move(runs_);
  std::map<std::string, Gathered> gathered;
  for (std::size_t r = 0; r < mined.runs.size(); ++r) {
    const MinedRun& run = mined.runs[r];
    const double weight = 1.0 / (bounded_ns(run) * static_cast<double>(mined.runs.size()));
    for (std::size_t i = 0; i < run.shapes.size(); ++i) {
      Gathered& shape = gathered[key_of(run.shapes[i])];
      shape.parts.push_back({run.hardware, &run.shapes[i]});
      shape.share += static_cast<double>(run.shapes[i].total_ns) * weight;
      shape.prefill += phases_[r][i].prefill;
      shape.decode += phases_[r][i].decode;
      shape.other += phases_[r][i].other;
    }
  }
  std::map<std::string, MinedOperator> operators;
  for (const auto& [key, shape] : gathered) {
    const TraceShape& first = *shape.parts.front().shape;
    MinedOperator& op = operators[first.operator_name];
    op.name = first.operator_name;
    MinedShape added = {.shape = first,
                        .share = shape.share,
                        .phase = phase_text(shape.prefill, shape.decode, shape.other),
                        .calls = 0,
                        .times = times_of(shape.parts)};
    for (const MinedTime& time : added.times) added.calls += time.calls;
    op.shapes.push_back(std::move(added));
  }
  for (auto& [name, op] : operators) {
    finish_operator(op);
    op.runs = runs_with(mined.runs, name);
    mined.operators.push_back(std::move(op));
  }
  std::stable_sort(
      mined.operators.begin(), mined.operators.end(),
      [](const MinedOperator& a, const MinedOperator& b) { return a.share > b.share; });
  mined.method = method_text(mined.runs);
  phases_.clear();
  return mined;
}

}  // namespace tactus

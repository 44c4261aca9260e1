#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "watch/evaluate/injection.h"
#include "watch/latency_model.h"
#include "watch/step.h"

namespace tactus::watch {

struct LearningPoint {
  std::size_t steps = 0;
  double error = 0;       ///< mean of |error| / duration, decode steps of jobs that were held out
  double worst_fold = 0;  ///< the largest of the folds
};

/// How often and how fast an injection was found.
struct DetectionRow {
  Injection injection;
  std::size_t cases = 0;
  double found = 0;                   ///< share of the cases
  double delay_steps = 0;             ///< median; 0: in the first step that was changed
  double delay_ms = 0;                ///< median
  std::optional<double> size_error;   ///< median of |estimate / truth - 1|; of steps and spikes
  std::optional<double> shape_right;  ///< share of those found whose shape was named right
};

/// Steps without any injection.
struct QuietRow {
  std::string what;
  std::uint64_t steps = 0;
  double hours = 0;
  std::uint64_t episodes = 0;
  std::uint64_t alerts = 0;
  double not_judged = 0;  ///< share of the steps: work that is unknown or was not learnt yet
};

/// The protocol of the original: rows in random order.
struct F1Row {
  std::string rule;
  double factor = 1;
  double f1 = 0;
  double precision = 0;
  double recall = 0;
  double lag = 0;  ///< steps to the first alarm
};

/// A deployment that was made up, watched from nothing.
struct DeploymentRow {
  std::string name;
  QuietRow quiet;
  double decode_error = 0;
  std::optional<double> prompt_error;
  double found_10 = 0;  ///< steps of 1.1
  double delay_10 = 0;
  double found_20 = 0;
  double delay_20 = 0;
};

struct ChartPoint {
  double seconds = 0;
  double dur_ms = 0;
  double predicted_ms = 0;
  double residual = 0;
  double level = 0;
  bool judged = false;
  bool alarm = false;
};

struct Evaluation {
  std::string file;
  std::size_t jobs = 0;
  std::size_t streams_tested = 0;  ///< of at least 80 steps
  std::size_t steps = 0;
  std::size_t mixed_steps = 0;
  StepLosses losses;
  std::vector<std::string> contaminated;  ///< jobs that the robust fit leaves out

  double decode_error = 0;  ///< as shipped, held-out jobs
  double decode_error_clean = 0;
  double decode_error_by_workload = 0;  ///< groups of equal batch and lengths held out
  LatencyModel model;                   ///< of all jobs
  std::vector<LearningPoint> learning;
  std::vector<QuietRow> quiet;
  std::vector<DetectionRow> middle;    ///< injected in the middle of each job
  std::vector<DetectionRow> anywhere;  ///< and at ten random places
  std::vector<DetectionRow> middle_clean;
  std::vector<F1Row> f1;
  std::size_t jumps = 0;  ///< of the batch, from 16 to 64, each without a fault
  std::size_t jumps_with_alarm = 0;
  std::vector<DeploymentRow> deployments;
  double ns_per_step = 0;         ///< to score
  std::vector<ChartPoint> chart;  ///< one job with a step of 1.1 in its middle
  std::string chart_job;
  std::size_t chart_onset = 0;
};

struct EvaluateOptions {
  std::uint64_t seed = 42;
  std::size_t bootstrap_steps = 300'000;
  std::size_t synthetic_steps = 60'000;  ///< of each deployment
  unsigned threads = 1;
};

/// Scores the model and the rules on a file of steps: five folds of whole jobs, steps in the order
/// of time, injections of every form and size. Everything random follows from the seed.
Result<Evaluation> evaluate(const StepTable& table, const EvaluateOptions& options,
                            Progress& progress);

}  // namespace tactus::watch

#include "watch/evaluate/evaluation.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <tuple>

#include "stats/summary.h"
#include "watch/evaluate/detection.h"
#include "watch/evaluate/synthetic.h"
#include "watch/streams.h"

namespace tactus::watch {
namespace {

double error_of(const LatencyModel& model, std::span<const Step> steps) {
  double sum = 0;
  for (const Step& step : steps) sum += std::abs(model.predict(step) / step.dur_us - 1);
  return steps.empty() ? NAN : sum / static_cast<double>(steps.size());
}

/// The error on held-out jobs after so many steps, drawn at random from the others.
std::vector<LearningPoint> learning_curve(const StepTable& table, const Folds& folds,
                                          const std::vector<bool>& leave_out,
                                          const EvaluateOptions& options) {
  constexpr std::size_t kDraws = 8;
  std::vector<LearningPoint> curve;
  for (const std::size_t wanted : {50U, 100U, 200U, 500U, 1000U, 5000U}) {
    LearningPoint point{.steps = wanted};
    double count = 0;
    Random random(options.seed + wanted);
    for (std::size_t fold = 0; fold < Folds::kFolds; ++fold) {
      std::vector<Step> pool;
      std::vector<Step> test;
      for (std::size_t i = 0; i < table.streams.size(); ++i) {
        if (leave_out[i]) continue;
        for (const Step& step : table.streams[i].steps) {
          if (kind_of(step) != ModelKind::kDecode) continue;
          (folds.fold_of(i) == fold ? test : pool).push_back(step);
        }
      }
      if (pool.size() < wanted || test.empty()) continue;
      double of_fold = 0;
      for (std::size_t draw = 0; draw < kDraws; ++draw) {
        std::vector<Step> drawn;
        for (std::size_t i = 0; i < wanted; ++i) drawn.push_back(pool[random.below(pool.size())]);
        of_fold += error_of(LatencyModel::fit(ModelKind::kDecode, drawn), test) / kDraws;
      }
      point.error += of_fold;
      point.worst_fold = std::max(point.worst_fold, of_fold);
      ++count;
    }
    if (count == 0) continue;
    point.error /= count;
    curve.push_back(point);
  }
  return curve;
}

/// Held out: steps of equal batch and lengths instead of whole jobs.
double error_by_workload(const StepTable& table, std::uint64_t seed) {
  std::map<std::pair<double, double>, std::vector<Step>> groups;
  for (const StepStream& stream : table.streams) {
    for (const Step& step : stream.steps) {
      if (kind_of(step) == ModelKind::kDecode) {
        groups[{step.sequences, step.context}].push_back(step);
      }
    }
  }
  std::vector<Step> train;
  std::vector<Step> test;
  Random random(seed);
  for (const auto& [key, steps] : groups) {
    std::vector<Step>& into = random.uniform() < 0.2 ? test : train;
    into.insert(into.end(), steps.begin(), steps.end());
  }
  return error_of(LatencyModel::fit(ModelKind::kDecode, train), test);
}

/// The product itself: everything in the order of time as one stream, learnt from nothing.
QuietRow watch_from_nothing(const StepTable& table, const std::vector<bool>& leave_out,
                            std::string what) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < table.streams.size(); ++i) {
    if (leave_out.empty() || !leave_out[i]) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return table.streams[a].steps.front().start_ns < table.streams[b].steps.front().start_ns;
  });
  QuietRow row{.what = std::move(what)};
  StreamWatch watch("all", std::nullopt, {});
  std::vector<WatchEvent> events;
  std::vector<bool> alarm;
  double not_judged = 0;
  for (const std::size_t i : order) {
    for (const Step& step : table.streams[i].steps) {
      const ScoredStep scored = watch.add(step, events);
      alarm.push_back(scored.alarm != Alarm::kNone);
      not_judged += scored.judged != Judged::kYes ? 1 : 0;
      row.hours += step.dur_us / 3.6e9;
    }
  }
  row.steps = alarm.size();
  row.episodes = count_episodes(alarm);
  row.alerts = watch.account().alerts;
  row.not_judged = alarm.empty() ? 0 : not_judged / static_cast<double>(alarm.size());
  return row;
}

/// A slowdown from `onset` on: when it was noticed.
std::optional<double> delay_of(const std::vector<Step>& steps, std::size_t onset,
                               std::size_t length, double factor, StreamWatch watch_copyless) {
  std::vector<WatchEvent> events;
  for (std::size_t i = onset; i < onset + length && i < steps.size(); ++i) {
    Step step = steps[i];
    step.dur_us *= factor;
    if (watch_copyless.add(step, events).alarm != Alarm::kNone) {
      return static_cast<double>(i - onset);
    }
  }
  return std::nullopt;
}

DeploymentRow try_deployment(const Deployment& deployment, const EvaluateOptions& options) {
  DeploymentRow row{.name = deployment.name};
  const StepStream stream = make_steps(deployment, options.synthetic_steps, options.seed);
  StreamWatch watch(stream.name, std::nullopt, {});
  std::vector<WatchEvent> events;
  std::vector<bool> alarm;
  double not_judged = 0;
  double sums[2] = {0, 0};
  double counts[2] = {0, 0};
  for (const Step& step : stream.steps) {
    const ScoredStep scored = watch.add(step, events);
    alarm.push_back(scored.alarm != Alarm::kNone);
    row.quiet.hours += step.dur_us / 3.6e9;
    if (scored.judged != Judged::kYes) {
      ++not_judged;
      continue;
    }
    const std::size_t which = step.phase == Phase::kDecode ? 0 : 1;
    sums[which] += std::abs(scored.predicted_us / step.dur_us - 1);
    ++counts[which];
  }
  row.quiet.what = deployment.name;
  row.quiet.steps = alarm.size();
  row.quiet.episodes = count_episodes(alarm);
  row.quiet.alerts = watch.account().alerts;
  row.quiet.not_judged = not_judged / static_cast<double>(alarm.size());
  row.decode_error = counts[0] > 0 ? sums[0] / counts[0] : NAN;
  if (counts[1] > 0) row.prompt_error = sums[1] / counts[1];
  // Slowdowns after some 5,000 steps of learning, each in a stream of its own.
  constexpr std::size_t kLearnt = 5000;
  constexpr std::size_t kLasting = 200;
  constexpr std::size_t kTries = 40;
  for (const double factor : {1.1, 1.2}) {
    std::vector<double> delays;
    for (std::size_t i = 0; i < kTries; ++i) {
      const StepStream own =
          make_steps(deployment, kLearnt + kLasting + 64, options.seed + 100 + i);
      StreamWatch fresh(own.name, std::nullopt, {});
      for (std::size_t k = 0; k < kLearnt; ++k) fresh.add(own.steps[k], events);
      events.clear();
      const std::optional<double> delay =
          delay_of(own.steps, kLearnt, kLasting, factor, std::move(fresh));
      if (delay) delays.push_back(*delay);
    }
    const double found = static_cast<double>(delays.size()) / kTries;
    (factor < 1.15 ? row.found_10 : row.found_20) = found;
    (factor < 1.15 ? row.delay_10 : row.delay_20) = median(delays);
  }
  return row;
}

/// Processor time of this thread: other programs on the machine do not count.
double thread_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

double time_scoring(const StepTable& table) {
  std::vector<WatchEvent> events;
  const double start = thread_ns();
  std::size_t steps = 0;
  StreamWatch watch("all", std::nullopt, {});
  for (const StepStream& stream : table.streams) {
    for (const Step& step : stream.steps) {
      watch.add(step, events);
      ++steps;
    }
  }
  return steps == 0 ? 0 : (thread_ns() - start) / static_cast<double>(steps);
}

/// How far apart the predictions of a stream are: large where its work changes.
double range_of(const std::vector<double>& predicted) {
  double least = INFINITY;
  double most = 0;
  for (const double us : predicted) {
    if (us == 0) continue;
    least = std::min(least, us);
    most = std::max(most, us);
  }
  return most > 0 ? most / least : 0;
}

/// A control chart: the sound job whose work changes most, 10% slower from its middle on.
void draw_chart(const StepTable& table, const Folds& folds, Evaluation& result) {
  constexpr std::size_t kLeast = 150;  // steps, if there is such a job
  std::size_t best = table.streams.size();
  const auto rank = [&](std::size_t i) {
    const bool is_long = table.streams[i].steps.size() >= kLeast;
    return std::pair(is_long, range_of(folds.predicted(i)));
  };
  for (std::size_t i = 0; i < table.streams.size(); ++i) {
    if (folds.is_contaminated()[i]) continue;
    if (best == table.streams.size() || rank(i) > rank(best)) best = i;
  }
  if (best == table.streams.size()) return;
  std::vector<Step> steps = table.streams[best].steps;
  result.chart_job = table.streams[best].name;
  result.chart_onset = steps.size() / 2;
  inject({InjectionForm::kStep, 1.1, 0}, result.chart_onset, 0, steps, folds.predicted(best));
  Detector detector;
  detector.set_spread(folds.model_of(best).spread());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double predicted = folds.predicted(best)[i];
    ChartPoint point{.seconds = static_cast<double>(steps[i].start_ns - steps[0].start_ns) / 1e9,
                     .dur_ms = steps[i].dur_us / 1e3,
                     .predicted_ms = predicted / 1e3,
                     .judged = predicted > 0};
    if (point.judged) {
      point.residual = std::log(steps[i].dur_us / predicted);
      point.alarm = detector.add({steps[i].start_ns, steps[i].dur_us, predicted, point.residual}) !=
                    Alarm::kNone;
    } else {
      detector.skip();
    }
    point.level = detector.level();
    result.chart.push_back(point);
  }
}

}  // namespace

Result<Evaluation> evaluate(const StepTable& table, const EvaluateOptions& options,
                            Progress& progress) {
  Evaluation result;
  result.jobs = table.streams.size();
  result.steps = table.steps();
  result.losses = table.losses;
  std::size_t decode = 0;
  for (const StepStream& stream : table.streams) {
    if (stream.steps.size() >= kLeastSteps) ++result.streams_tested;
    for (const Step& step : stream.steps) {
      decode += kind_of(step) == ModelKind::kDecode ? 1 : 0;
      result.mixed_steps += step.phase == Phase::kMixed || step.phase == Phase::kPrefill ? 1 : 0;
    }
  }
  if (table.streams.size() < Folds::kFolds || result.streams_tested == 0 || decode < 500) {
    return input_error(
        "holds too little to be split: at least 5 jobs, one of them of 80 steps, and 500 "
        "decode steps in all are needed");
  }
  constexpr std::uint64_t kParts = 8;
  std::uint64_t part = 0;
  const auto next = [&](std::string_view what) { progress.update(what, part++, kParts); };
  next("fitting five folds");
  const Folds folds(table, options.seed, options.threads);
  const std::vector<bool>& contaminated = folds.is_contaminated();
  const std::vector<bool> none(table.streams.size(), false);
  for (std::size_t i = 0; i < table.streams.size(); ++i) {
    if (contaminated[i]) result.contaminated.push_back(table.streams[i].name);
  }
  result.decode_error = decode_error(table, folds, none);
  result.decode_error_clean = decode_error(table, folds, contaminated);
  result.decode_error_by_workload = error_by_workload(table, options.seed);
  std::vector<Step> all;
  std::vector<std::uint32_t> blocks;
  folds.training(Folds::kFolds, all, blocks);
  result.model = LatencyModel::fit(ModelKind::kDecode, all, blocks);
  next("learning curve");
  result.learning = learning_curve(table, folds, contaminated, options);
  next("false alarms");
  result.quiet.push_back(count_false(table, folds, none, "each job by itself, as shipped"));
  result.quiet.push_back(count_false(table, folds, contaminated, "each job by itself, sound jobs"));
  result.quiet.push_back(bootstrap(table, folds, contaminated,
                                   "sound jobs drawn at random, one after another", options));
  result.quiet.push_back(
      watch_from_nothing(table, none, "in order of time, learnt from nothing, as shipped"));
  result.quiet.push_back(
      watch_from_nothing(table, contaminated, "in order of time, learnt from nothing, sound jobs"));
  next("injections");
  result.middle = detect_injections(table, folds, none, false, options);
  result.middle_clean = detect_injections(table, folds, contaminated, false, options);
  next("injections at ten places");
  result.anywhere = detect_injections(table, folds, none, true, options);
  next("the protocol of the original");
  result.f1 = original_protocol(table, folds, none, "ours, all jobs", options);
  for (F1Row& row : original_protocol(table, folds, contaminated, "ours, sound jobs", options)) {
    result.f1.push_back(row);
  }
  std::tie(result.jumps, result.jumps_with_alarm) = count_jumps(table, folds, contaminated);
  next("deployments that were made up");
  for (const Deployment& deployment : deployments()) {
    result.deployments.push_back(try_deployment(deployment, options));
  }
  result.ns_per_step = time_scoring(table);
  draw_chart(table, folds, result);
  return result;
}

}  // namespace tactus::watch

#include "watch/evaluate/detection.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "stats/summary.h"
#include "watch/episode.h"

namespace tactus::watch {
namespace {

constexpr std::size_t kMergedWithin = 20;
/// Random places leave room for a slowdown to be seen, and for steps before it.
constexpr std::size_t kBefore = 20;
constexpr std::size_t kAfter = 40;
constexpr std::size_t kPlaces = 10;

/// One injection into one stream.
struct Case {
  bool found = false;
  double delay_steps = 0;
  double delay_ms = 0;
  double size = 0;
  std::optional<Shape> shape;
};

Case try_injection(const Injection& injection, std::size_t onset, std::uint64_t seed,
                   const std::vector<Step>& original, const std::vector<double>& predicted,
                   double spread) {
  std::vector<Step> steps = original;
  const std::size_t end = inject(injection, onset, seed, steps, predicted);
  const Replayed seen = replay(steps, predicted, spread);
  Case result;
  double ms = 0;
  for (std::size_t i = onset; i < end; ++i) {
    ms += steps[i].dur_us / 1e3;
    if (!seen.alarm[i]) continue;
    result.found = true;
    result.delay_steps = static_cast<double>(i - onset);
    result.delay_ms = ms;
    break;
  }
  if (!result.found) return result;
  const auto noticed = onset + static_cast<std::size_t>(result.delay_steps);
  for (const Episode& episode : seen.episodes) {
    if (episode.first_step > noticed || episode.last_step < noticed) continue;
    result.shape = episode.shape;
    result.size = episode.size;
  }
  return result;
}

DetectionRow summarise(const Injection& injection, const std::vector<Case>& cases) {
  DetectionRow row{.injection = injection, .cases = cases.size()};
  std::vector<double> steps;
  std::vector<double> ms;
  std::vector<double> sizes;
  double right = 0;
  for (const Case& of : cases) {
    if (!of.found) continue;
    steps.push_back(of.delay_steps);
    ms.push_back(of.delay_ms);
    sizes.push_back(std::abs(std::exp(of.size) / injection.factor - 1));
    right += of.shape == injection.shape() ? 1 : 0;
  }
  const auto found = static_cast<double>(steps.size());
  row.found = cases.empty() ? 0 : found / static_cast<double>(cases.size());
  row.delay_steps = median(steps);
  row.delay_ms = median(ms);
  const bool has_size =
      injection.form == InjectionForm::kStep || injection.form == InjectionForm::kSpike ||
      injection.form == InjectionForm::kEnding || injection.form == InjectionForm::kPeriodic;
  if (has_size && found > 0) row.size_error = median(sizes);
  if (injection.shape() && found > 0) row.shape_right = right / found;
  return row;
}

bool is_tested(const StepTable& table, const std::vector<bool>& leave_out, std::size_t stream) {
  return table.streams[stream].steps.size() >= kLeastSteps &&
         (leave_out.empty() || !leave_out[stream]);
}

double hours_of(std::span<const Step> steps) {
  double us = 0;
  for (const Step& step : steps) us += step.dur_us;
  return us / 3.6e9;
}

}  // namespace

Replayed replay(std::span<const Step> steps, std::span<const double> predicted_us, double spread) {
  Replayed seen;
  Detector detector;
  detector.set_spread(spread);
  bool is_told = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Alarm alarm = Alarm::kNone;
    if (predicted_us[i] > 0) {
      alarm = detector.add({.start_ns = steps[i].start_ns,
                            .dur_us = steps[i].dur_us,
                            .predicted_us = predicted_us[i],
                            .residual = std::log(steps[i].dur_us / predicted_us[i])});
      if (detector.ended()) {
        seen.episodes.push_back(*detector.ended());
        is_told = false;
      }
      if (alarm != Alarm::kNone && !is_told && is_alert(*detector.episode())) {
        is_told = true;
        ++seen.alerts;
      }
    } else {
      detector.skip();
    }
    seen.alarm.push_back(alarm != Alarm::kNone);
  }
  if (const std::optional<Episode> open = detector.episode()) seen.episodes.push_back(*open);
  return seen;
}

std::size_t count_episodes(const std::vector<bool>& alarm) {
  std::size_t count = 0;
  std::optional<std::size_t> last;
  for (std::size_t i = 0; i < alarm.size(); ++i) {
    if (!alarm[i]) continue;
    if (!last || i - *last >= kMergedWithin) ++count;
    last = i;
  }
  return count;
}

std::vector<DetectionRow> detect_injections(const StepTable& table, const Folds& folds,
                                            const std::vector<bool>& leave_out, bool anywhere,
                                            const EvaluateOptions& options) {
  const std::vector<Injection> all = injections();
  std::vector<DetectionRow> rows(all.size());
  parallel_for(options.threads, all.size(), [&](std::size_t which, unsigned) {
    std::vector<Case> cases;
    for (std::size_t i = 0; i < table.streams.size(); ++i) {
      if (!is_tested(table, leave_out, i)) continue;
      const std::vector<Step>& steps = table.streams[i].steps;
      Random random(options.seed * 1000 + i);
      std::vector<std::size_t> places = {steps.size() / 2};
      for (std::size_t k = 0; anywhere && k < kPlaces; ++k) {
        places.push_back(kBefore + random.below(steps.size() - kBefore - kAfter));
      }
      for (const std::size_t place : places) {
        cases.push_back(try_injection(all[which], place, random.next(), steps, folds.predicted(i),
                                      folds.model_of(i).spread()));
      }
    }
    rows[which] = summarise(all[which], cases);
  });
  return rows;
}

QuietRow count_false(const StepTable& table, const Folds& folds, const std::vector<bool>& leave_out,
                     std::string what) {
  QuietRow row{.what = std::move(what)};
  double not_judged = 0;
  for (std::size_t i = 0; i < table.streams.size(); ++i) {
    if (!is_tested(table, leave_out, i)) continue;
    const std::vector<Step>& steps = table.streams[i].steps;
    const Replayed seen = replay(steps, folds.predicted(i), folds.model_of(i).spread());
    row.steps += steps.size();
    row.hours += hours_of(steps);
    row.episodes += count_episodes(seen.alarm);
    row.alerts += seen.alerts;
    not_judged +=
        static_cast<double>(std::count(folds.predicted(i).begin(), folds.predicted(i).end(), 0.0));
  }
  row.not_judged = row.steps > 0 ? not_judged / static_cast<double>(row.steps) : 0;
  return row;
}

QuietRow bootstrap(const StepTable& table, const Folds& folds, const std::vector<bool>& leave_out,
                   std::string what, const EvaluateOptions& options) {
  QuietRow row{.what = std::move(what)};
  std::vector<std::size_t> drawable;
  for (std::size_t i = 0; i < table.streams.size(); ++i) {
    if (is_tested(table, leave_out, i)) drawable.push_back(i);
  }
  if (drawable.empty()) return row;
  Random random(options.seed + 1);
  std::vector<Step> steps;
  std::vector<double> predicted;
  double spread = 0;
  std::int64_t now = 0;
  double not_judged = 0;
  while (steps.size() < options.bootstrap_steps) {
    const std::size_t i = drawable[random.below(drawable.size())];
    spread = std::max(spread, folds.model_of(i).spread());
    for (std::size_t k = 0; k < table.streams[i].steps.size(); ++k) {
      Step step = table.streams[i].steps[k];
      step.start_ns = now;
      now += static_cast<std::int64_t>(step.dur_us * 1e3);
      steps.push_back(step);
      predicted.push_back(folds.predicted(i)[k]);
      not_judged += predicted.back() == 0 ? 1 : 0;
    }
  }
  const Replayed seen = replay(steps, predicted, spread);
  row.steps = steps.size();
  row.hours = hours_of(steps);
  row.episodes = count_episodes(seen.alarm);
  row.alerts = seen.alerts;
  row.not_judged = not_judged / static_cast<double>(steps.size());
  return row;
}

std::vector<F1Row> original_protocol(const StepTable& table, const Folds& folds,
                                     const std::vector<bool>& leave_out, std::string rule,
                                     const EvaluateOptions& options) {
  constexpr std::size_t kNormal = 1000;
  constexpr std::size_t kAbnormal = 200;
  constexpr std::size_t kTrials = 20;
  std::vector<std::pair<const Step*, double>> pool;  // and its prediction
  double spread = 0;
  for (std::size_t i = 0; i < table.streams.size(); ++i) {
    if (!leave_out.empty() && leave_out[i]) continue;
    for (std::size_t k = 0; k < table.streams[i].steps.size(); ++k) {
      pool.emplace_back(&table.streams[i].steps[k], folds.predicted(i)[k]);
    }
    spread = std::max(spread, folds.model_of(i).spread());
  }
  std::vector<F1Row> rows;
  if (pool.empty()) return rows;
  for (const double factor : {1.1, 1.2, 1.5, 2.0, 4.0}) {
    Random random(options.seed + 2);
    F1Row row{.rule = rule, .factor = factor};
    for (std::size_t trial = 0; trial < kTrials; ++trial) {
      std::vector<Step> steps;
      std::vector<double> predicted;
      for (std::size_t i = 0; i < kNormal + kAbnormal; ++i) {
        const auto& [step, of] = pool[random.below(pool.size())];
        steps.push_back(*step);
        steps.back().dur_us *= i < kNormal ? 1 : factor;
        predicted.push_back(of);
      }
      const Replayed seen = replay(steps, predicted, spread);
      // A step that cannot be judged is what the step before it was.
      std::vector<bool> says = seen.alarm;
      for (std::size_t i = 1; i < says.size(); ++i) {
        if (predicted[i] == 0) says[i] = says[i - 1];
      }
      double right = 0;
      double wrong = 0;
      double lag = kAbnormal;
      for (std::size_t i = 0; i < says.size(); ++i) {
        if (!says[i]) continue;
        (i < kNormal ? wrong : right) += 1;
        if (i >= kNormal) lag = std::min(lag, static_cast<double>(i - kNormal));
      }
      const double precision = right + wrong > 0 ? right / (right + wrong) : 1;
      const double recall = right / kAbnormal;
      row.precision += precision / kTrials;
      row.recall += recall / kTrials;
      row.f1 +=
          precision + recall > 0 ? 2 * precision * recall / (precision + recall) / kTrials : 0;
      row.lag += lag / kTrials;
    }
    rows.push_back(row);
  }
  return rows;
}

std::pair<std::size_t, std::size_t> count_jumps(const StepTable& table, const Folds& folds,
                                                const std::vector<bool>& leave_out) {
  std::vector<std::size_t> small;
  std::vector<std::size_t> large;
  for (std::size_t i = 0; i < table.streams.size(); ++i) {
    if (!is_tested(table, leave_out, i)) continue;
    double most = 0;
    for (const Step& step : table.streams[i].steps) most = std::max(most, step.sequences);
    if (most == 16) small.push_back(i);
    if (most == 64) large.push_back(i);
  }
  std::size_t jumps = 0;
  std::size_t alarms = 0;
  for (const std::size_t a : small) {
    for (const std::size_t b : large) {
      std::vector<Step> steps;
      std::vector<double> predicted;
      for (const auto& [stream, from, to] :
           {std::tuple(a, std::size_t{0}, table.streams[a].steps.size() / 2),
            std::tuple(b, table.streams[b].steps.size() / 2, table.streams[b].steps.size())}) {
        for (std::size_t k = from; k < to; ++k) {
          steps.push_back(table.streams[stream].steps[k]);
          predicted.push_back(folds.predicted(stream)[k]);
        }
      }
      const Replayed seen = replay(steps, predicted, folds.model_of(a).spread());
      ++jumps;
      alarms += count_episodes(seen.alarm) > 0 ? 1 : 0;
    }
  }
  return {jumps, alarms};
}

}  // namespace tactus::watch

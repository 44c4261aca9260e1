#include "views/watch/evaluation_tables.h"

#include <fmt/format.h>

#include <cmath>

#include "views/common/numbers.h"

namespace tactus {
namespace {

using namespace watch;

std::string percent(double share, int decimals = 1) {
  return std::isfinite(share) ? fmt::format("{:.{}f}%", 100 * share, decimals) : "unknown";
}

std::string percent(const std::optional<double>& share) {
  return share ? percent(*share) : "";
}

std::string number(double value, int decimals) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : "";
}

EvaluationTable learning_table(const Evaluation& e) {
  TextTable table({"error", "worst fold", "steps learnt"});
  for (const LearningPoint& point : e.learning) {
    table.add({percent(point.error, 2), percent(point.worst_fold, 2),
               format_count(static_cast<std::uint64_t>(point.steps))});
  }
  table.add({percent(e.decode_error_clean, 2), "", "all other jobs"});
  table.add({percent(e.decode_error, 2), "", "all other jobs, with the jobs that are not sound"});
  table.add({percent(e.decode_error_by_workload, 2), "",
             "80% of the workloads, tested on the others (as the original splits)"});
  return {
      "How well it predicts",
      "Mean of |error| / duration over decode steps of jobs that were held out; sound jobs unless "
      "said otherwise; steps drawn at random from the other jobs, 8 draws per fold.",
      std::move(table)};
}

EvaluationTable quiet_table(const Evaluation& e) {
  TextTable table({"steps", "hours", "episodes", "per 1,000 steps", "per hour", "alerts",
                   "not judged", "steps without any injection"});
  const auto add = [&](const QuietRow& row, const std::string& what) {
    const auto steps = static_cast<double>(row.steps);
    table.add({format_count(row.steps), number(row.hours, 1), format_count(row.episodes),
               number(1000 * static_cast<double>(row.episodes) / steps, 2),
               number(static_cast<double>(row.episodes) / row.hours, 1), format_count(row.alerts),
               percent(row.not_judged), what});
  };
  for (const QuietRow& row : e.quiet) add(row, row.what);
  for (const DeploymentRow& row : e.deployments) add(row.quiet, "made up: " + row.name);
  return {
      "False alarms",
      "An episode is a stretch of alarms less than 20 steps apart; an alert is one that lasts for "
      "200 steps or 10 s, or a stall. In the rows \"as shipped\", jobs that are really slow count "
      "as "
      "false.",
      std::move(table)};
}

EvaluationTable detection_table(const Evaluation& e) {
  TextTable table({"found", "delay, steps", "delay, ms", "size off by", "shape right",
                   "found, sound jobs", "found, 11 places", "injected"});
  for (std::size_t i = 0; i < e.middle.size(); ++i) {
    const DetectionRow& row = e.middle[i];
    table.add({percent(row.found), number(row.delay_steps, 1), number(row.delay_ms, 0),
               percent(row.size_error), percent(row.shape_right), percent(e.middle_clean[i].found),
               percent(e.anywhere[i].found), row.injection.name()});
  }
  return {"What is found",
          fmt::format(
              "Injected into each of {} jobs from its middle on; the last column but one: in the "
              "middle and at ten random places. Delay is the median; 0 is the first step that was "
              "changed.",
              e.middle.empty() ? 0 : e.middle.front().cases),
          std::move(table)};
}

EvaluationTable f1_table(const Evaluation& e) {
  TextTable table({"slower by", "F1", "precision", "recall", "first alarm after", "rule"});
  for (const F1Row& row : e.f1) {
    table.add({fmt::format("x{:g}", row.factor), number(row.f1, 3), number(row.precision, 3),
               number(row.recall, 3), number(row.lag, 1), row.rule});
  }
  return {
      "The protocol of the original",
      "1,000 steps as they are, then 200 that take longer, all drawn at random with replacement, "
      "which puts unrelated work side by side; the mean of 20 trials, scored step by step.",
      std::move(table)};
}

EvaluationTable deployment_table(const Evaluation& e) {
  TextTable table({"decode error", "error with prompts", "x1.1 found", "after", "x1.2 found",
                   "after", "deployment that was made up"});
  for (const DeploymentRow& row : e.deployments) {
    table.add({percent(row.decode_error, 2), row.prompt_error ? percent(*row.prompt_error, 2) : "",
               percent(row.found_10), number(row.delay_10, 1), percent(row.found_20),
               number(row.delay_20, 1), row.name});
  }
  return {
      "Deployments that the rules were not made on",
      "Synthetic steps with known truth, watched from nothing: learnt for 5,000 steps, then slower "
      "for 200 steps, in 40 streams each. Steps of all kinds, also those with prompts.",
      std::move(table)};
}

EvaluationTable model_table(const Evaluation& e) {
  TextTable table({"us", "term"});
  for (std::size_t i = 0; i < term_count(e.model.kind()); ++i) {
    std::string value;
    append_short(e.model.coefficients()[i], value);
    table.add({value, std::string(term_name(e.model.kind(), i))});
  }
  return {"What it learnt", "The coefficients of a decode step, fitted on all jobs.",
          std::move(table)};
}

}  // namespace

std::string evaluation_summary(const Evaluation& e) {
  std::string out = fmt::format(
      "{} steps of {} jobs, {} of them with prompts; {} jobs have at least 80 steps. ",
      format_count(static_cast<std::uint64_t>(e.steps)), e.jobs,
      percent(static_cast<double>(e.mixed_steps) / static_cast<double>(e.steps)), e.streams_tested);
  if (e.losses.total() > 0) {
    out += fmt::format(
        "Left out: {} calls that did nothing, {} rows that cannot be read, {} without a "
        "duration, {} out of order. ",
        e.losses.empty_calls, e.losses.bad_rows, e.losses.not_positive, e.losses.backwards);
  }
  if (!e.contaminated.empty()) {
    out += "Not sound (more than 5% off in a model that did not see them): ";
    for (std::size_t i = 0; i < e.contaminated.size(); ++i) {
      out += (i > 0 ? ", " : "") + e.contaminated[i];
    }
    out += ". ";
  }
  out += fmt::format("Batch jumps from 16 to 64 without a fault: {}, of which {} raised an alarm. ",
                     e.jumps, e.jumps_with_alarm);
  out += fmt::format("Scoring and learning took {:.2f} us of processor time per step.",
                     e.ns_per_step / 1e3);
  return out;
}

std::vector<EvaluationTable> evaluation_tables(const Evaluation& e) {
  std::vector<EvaluationTable> tables;
  tables.push_back(learning_table(e));
  tables.push_back(quiet_table(e));
  tables.push_back(detection_table(e));
  tables.push_back(f1_table(e));
  tables.push_back(deployment_table(e));
  tables.push_back(model_table(e));
  return tables;
}

}  // namespace tactus

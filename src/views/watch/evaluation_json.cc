#include <cmath>

#include "views/common/json.h"
#include "views/common/json_fields.h"
#include "views/watch/evaluation_view.h"

namespace tactus {
namespace {

using watch::DetectionRow;
using watch::Evaluation;
using watch::QuietRow;

Json finite_number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json detection_json(const std::vector<DetectionRow>& rows) {
  Json out = Json::array();
  for (const DetectionRow& row : rows) {
    out.push_back({{"injected", row.injection.name()},
                   {"factor", row.injection.factor},
                   {"cases", row.cases},
                   {"found", row.found},
                   {"delay_steps", finite_number_or_null(row.delay_steps)},
                   {"delay_ms", finite_number_or_null(row.delay_ms)},
                   {"size_error", value_or_null(row.size_error)},
                   {"shape_right", value_or_null(row.shape_right)}});
  }
  return out;
}

Json quiet_json(const QuietRow& row) {
  return {{"what", row.what},         {"steps", row.steps},   {"hours", row.hours},
          {"episodes", row.episodes}, {"alerts", row.alerts}, {"not_judged", row.not_judged}};
}

constexpr JsonField kEvaluationFields[] = {
    {"file", "text", "", "what was read"},
    {"jobs", "integer", "", "in it"},
    {"steps", "integer", "", "in it"},
    {"steps_with_prompts", "integer", "", "steps that computed prompts"},
    {"streams_tested", "integer", "", "jobs of at least 80 steps"},
    {"not_sound", "list", "", "jobs that are more than 5% off in a model that did not see them"},
    {"not_sound[]", "text", "", "one of them", kSometimes},
    {"decode_error", "object", "", "mean of |error| / duration of decode steps"},
    {"decode_error.held_out_jobs", "number?", "0..1", "five folds of whole jobs"},
    {"decode_error.held_out_sound_jobs", "number?", "0..1",
     "the same without jobs that are not sound"},
    {"decode_error.held_out_workloads", "number?", "0..1", "a fifth of the workloads held out"},
    {"learning", "list", "", "the error after so many steps"},
    {"learning[]", "object", "", "one point", kSometimes},
    {"learning[].steps", "integer", "", "that were learnt"},
    {"learning[].error", "number", "0..1", "mean of the folds"},
    {"learning[].worst_fold", "number", "0..1", "the largest of the folds"},
    {"quiet", "list", "", "steps without any injection"},
    {"quiet[]", "object", "", "one way to replay them", kSometimes},
    {"quiet[].what", "text", "", "how they were replayed"},
    {"quiet[].steps", "integer", "", "that were replayed"},
    {"quiet[].hours", "number", "h", "time of these steps"},
    {"quiet[].episodes", "integer", "", "stretches of alarms"},
    {"quiet[].alerts", "integer", "", "those that lasted"},
    {"quiet[].not_judged", "number", "0..1", "steps of unknown or new work"},
    {"middle", "list", "", "injections from the middle of each job on"},
    {"middle[]", "object", "", "one injection", kSometimes},
    {"middle[].injected", "text", "", "its form and size"},
    {"middle[].factor", "number", "", "its size"},
    {"middle[].cases", "integer", "", "jobs that it was put into"},
    {"middle[].found", "number", "0..1", "share of the cases"},
    {"middle[].delay_steps", "number?", "", "median"},
    {"middle[].delay_ms", "number?", "ms", "median"},
    {"middle[].size_error", "number?", "", "median of |estimate / truth - 1|"},
    {"middle[].shape_right", "number?", "0..1", "of those found"},
    {"middle_sound", "list", "", "the same without jobs that are not sound"},
    {"middle_sound[]", "json", "", "as in middle", kSometimes},
    {"anywhere", "list", "", "the same in the middle and at ten random places"},
    {"anywhere[]", "json", "", "as in middle", kSometimes},
    {"f1", "list", "", "the protocol of the original"},
    {"f1[]", "object", "", "one rule and size", kSometimes},
    {"f1[].rule", "text", "", "the rule"},
    {"f1[].factor", "number", "", "size of the slowdown"},
    {"f1[].f1", "number", "0..1", "mean of 20 trials, as the next three"},
    {"f1[].precision", "number", "0..1", "alarms that are right"},
    {"f1[].recall", "number", "0..1", "slow steps with an alarm"},
    {"f1[].lag", "number", "", "steps to the first alarm"},
    {"jumps", "integer", "", "streams whose batch jumps from 16 to 64 without a fault"},
    {"jumps_with_alarm", "integer", "", "those that raised an alarm"},
    {"made_up", "list", "", "synthetic deployments, watched from nothing"},
    {"made_up[]", "object", "", "one of them", kSometimes},
    {"made_up[].name", "text", "", "its name"},
    {"made_up[].quiet", "json", "", "as in quiet"},
    {"made_up[].decode_error", "number?", "0..1", "of decode steps"},
    {"made_up[].prompt_error", "number?", "0..1", "of steps with prompts"},
    {"made_up[].found_10", "number", "0..1", "slowdowns of 1.1 that were found"},
    {"made_up[].delay_10", "number?", "", "median steps until then"},
    {"made_up[].found_20", "number", "0..1", "slowdowns of 1.2 that were found"},
    {"made_up[].delay_20", "number?", "", "median steps until then"},
    {"ns_per_step", "number", "ns", "to score a step and learn from it, on this machine, now"},
    {"coefficients", "list", "", "of a decode step, in us, fitted on all jobs"},
    {"coefficients[]", "number", "us", "one of them", kSometimes},
    {"dropped", "object", "", "rows that were left out, by reason"},
    {"dropped.*", "integer", "", "how many", kSometimes},
    {"warnings", "list", "", "sentences about the file"},
    {"warnings[]", "text", "", "one of them", kSometimes},
};

}  // namespace

std::string show_evaluation_json(const Evaluation& e) {
  Json out = {{"file", e.file},
              {"jobs", e.jobs},
              {"steps", e.steps},
              {"steps_with_prompts", e.mixed_steps},
              {"streams_tested", e.streams_tested}};
  out["not_sound"] = Json(e.contaminated);
  out["decode_error"] = {{"held_out_jobs", finite_number_or_null(e.decode_error)},
                         {"held_out_sound_jobs", finite_number_or_null(e.decode_error_clean)},
                         {"held_out_workloads", finite_number_or_null(e.decode_error_by_workload)}};
  out["learning"] = Json::array();
  for (const watch::LearningPoint& point : e.learning) {
    out["learning"].push_back(
        {{"steps", point.steps}, {"error", point.error}, {"worst_fold", point.worst_fold}});
  }
  out["quiet"] = Json::array();
  for (const QuietRow& row : e.quiet) out["quiet"].push_back(quiet_json(row));
  out["middle"] = detection_json(e.middle);
  out["middle_sound"] = detection_json(e.middle_clean);
  out["anywhere"] = detection_json(e.anywhere);
  out["f1"] = Json::array();
  for (const watch::F1Row& row : e.f1) {
    out["f1"].push_back({{"rule", row.rule},
                         {"factor", row.factor},
                         {"f1", row.f1},
                         {"precision", row.precision},
                         {"recall", row.recall},
                         {"lag", row.lag}});
  }
  out["jumps"] = e.jumps;
  out["jumps_with_alarm"] = e.jumps_with_alarm;
  out["made_up"] = Json::array();
  for (const watch::DeploymentRow& row : e.deployments) {
    out["made_up"].push_back({{"name", row.name},
                              {"quiet", quiet_json(row.quiet)},
                              {"decode_error", finite_number_or_null(row.decode_error)},
                              {"prompt_error", value_or_null(row.prompt_error)},
                              {"found_10", row.found_10},
                              {"delay_10", finite_number_or_null(row.delay_10)},
                              {"found_20", row.found_20},
                              {"delay_20", finite_number_or_null(row.delay_20)}});
  }
  out["ns_per_step"] = e.ns_per_step;
  out["coefficients"] = Json::array();
  for (std::size_t i = 0; i < watch::term_count(e.model.kind()); ++i) {
    out["coefficients"].push_back(Json(e.model.coefficients()[i]));
  }
  out["dropped"] = Json::object();
  for (const auto& [reason, count] :
       {std::pair("bad_row", e.losses.bad_rows), std::pair("no_duration", e.losses.not_positive),
        std::pair("out_of_order", e.losses.backwards),
        std::pair("empty_call", e.losses.empty_calls)}) {
    if (count > 0) out["dropped"][reason] = Json(count);
  }
  out["warnings"] = Json::array();
  return to_text(out);
}

std::span<const JsonField> watch_evaluation_fields() {
  return kEvaluationFields;
}

}  // namespace tactus

#include "views/inject/inject_view.h"

#include <fmt/format.h>

#include "views/common/json.h"
#include "views/common/numbers.h"
#include "views/common/text_table.h"

namespace tactus {
namespace {

using inject::InjectAccount;
using inject::Plan;

std::string injected_text(const Plan& plan, const InjectAccount& account) {
  const double seconds = account.seconds();
  std::string text = fmt::format("injected {} for {:.2f} s: {:.2f} cores used",
                                 plan.request.scenario, seconds, account.cores);
  if (account.bytes != 0 && seconds > 0) {
    text += fmt::format(
        ", {}/s",
        format_bytes(static_cast<std::uint64_t>(static_cast<double>(account.bytes) / seconds)));
  }
  if (account.most_bytes != 0) {
    text += fmt::format(", {} of memory held", format_bytes(account.most_bytes));
  }
  if (account.stopped_share > 0) {
    text += fmt::format(", {} stops, stopped for {} of the time", account.operations,
                        percent_text(account.stopped_share));
  }
  if (!account.problem.empty()) text += "; " + account.problem;
  if (account.ending == inject::Ending::kInterrupted) text += "; interrupted";
  return text + "\n";
}

Json plan_json(const Plan& plan) {
  return {{"cores", static_cast<std::int64_t>(plan.cores.size())},
          {"memory_bytes", plan.memory_bytes},
          {"file_bytes", plan.file_bytes},
          {"bytes_per_s", plan.bytes_per_s > 0 ? Json(plan.bytes_per_s) : Json(nullptr)},
          {"text", plan.text}};
}

Json dose_json(const InjectAccount& account) {
  const double seconds = account.seconds();
  return {{"seconds", seconds},
          {"cores", account.cores},
          {"bytes", account.bytes},
          {"bytes_per_s",
           seconds > 0 ? Json(static_cast<double>(account.bytes) / seconds) : Json(nullptr)},
          {"most_bytes", account.most_bytes},
          {"operations", account.operations},
          {"stopped_share", account.stopped_share}};
}

}  // namespace

std::string show_scenarios(bool as_json, std::size_t width) {
  if (as_json) {
    Json document;
    document["scenarios"] = Json::array();
    for (const inject::Scenario& scenario : inject::scenarios()) {
      document["scenarios"].push_back(
          {{"name", scenario.name}, {"what", scenario.what}, {"moves", scenario.moves}});
    }
    document["not_built"] = Json::array();
    for (const inject::PrivilegedScenario& scenario : inject::privileged_scenarios()) {
      document["not_built"].push_back({{"name", scenario.name}, {"why", scenario.why}});
    }
    document["warnings"] = Json::array();
    document["dropped"] = Json::object();
    return to_text(document);
  }
  TextTable table({"scenario", "what it does"});
  for (const inject::Scenario& scenario : inject::scenarios()) {
    table.add({std::string(scenario.name), std::string(scenario.what)});
  }
  std::string text = table.to_text(width);
  text += "\nnot built, because no setting of the machine is changed:\n";
  for (const inject::PrivilegedScenario& scenario : inject::privileged_scenarios()) {
    text += fmt::format("  {}: {}\n", scenario.name, scenario.why);
  }
  return text;
}

std::string show_plan(const Plan& plan) {
  return fmt::format("{} for {:g} s, intensity {:g}, shape {}: {}\n", plan.request.scenario,
                     plan.request.seconds, plan.request.intensity,
                     inject::shape_name(plan.request.shape), plan.text);
}

std::string show_injection(const Plan& plan, const InjectAccount* account, bool as_json) {
  if (!as_json) return account == nullptr ? show_plan(plan) : injected_text(plan, *account);
  Json document;
  document["scenario"] = plan.request.scenario;
  document["seconds"] = plan.request.seconds;
  document["intensity"] = plan.request.intensity;
  document["shape"] = inject::shape_name(plan.request.shape);
  document["plan"] = plan_json(plan);
  document["ending"] = account == nullptr ? Json(nullptr) : Json(ending_name(account->ending));
  document["problem"] =
      account == nullptr || account->problem.empty() ? Json(nullptr) : Json(account->problem);
  // Points in time since the epoch need more digits than some readers of JSON keep.
  document["started_ns"] =
      account == nullptr ? Json(nullptr) : Json(std::to_string(account->started_ns));
  document["begin_ns"] =
      account == nullptr ? Json(nullptr) : Json(std::to_string(account->begin_ns));
  document["end_ns"] = account == nullptr ? Json(nullptr) : Json(std::to_string(account->end_ns));
  document["dose"] = account == nullptr ? Json(nullptr) : dose_json(*account);
  document["warnings"] = Json::array();
  document["dropped"] = Json::object();
  return to_text(document);
}

}  // namespace tactus

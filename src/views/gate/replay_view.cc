#include "views/gate/replay_view.h"

#include <fmt/format.h>

#include "base/printable.h"
#include "stats/summary.h"
#include "views/common/json.h"
#include "views/common/numbers.h"

namespace tactus {
namespace {

using gate::ClassExplained;
using gate::ClassOutcome;
using gate::Outcome;
using gate::PolicyExplained;
using gate::Simulation;

std::string policy_json(const PolicyExplained& explained, const Run& run) {
  Json document;
  document["policy"] = explained.policy;
  document["says"] = explained.says;
  document["max_hold_ns"] = explained.max_hold_ns;
  document["classes"] = Json::array();
  for (const ClassExplained& one : explained.classes) {
    document["classes"].push_back({{"name", one.name},
                                   {"launches", one.launches},
                                   {"graphs", one.graphs},
                                   {"heads", one.heads},
                                   {"members", one.members},
                                   {"collectives", one.collectives},
                                   {"units", one.units},
                                   {"gpu_ns", one.gpu_ns},
                                   {"longest_ns", one.longest_ns},
                                   {"longest", text_or_null(one.longest)},
                                   {"longest_unit_ns", one.longest_unit_ns},
                                   {"depth", one.depth},
                                   {"residual_ns", value_or_null(one.residual_ns)}});
  }
  document["unclassified"] = explained.unclassified;
  document["notes"] = Json::array();
  for (const std::string& note : explained.notes) document["notes"].push_back(note);
  add_account(document, run);
  return to_text(document);
}

std::string class_text(const ClassExplained& one) {
  std::string text =
      fmt::format("\n{}: {} launches in {} units, {} of GPU time\n", printable(one.name),
                  format_count(one.launches), format_count(one.units), format_duration(one.gpu_ns));
  if (one.launches == 0) return text;
  if (one.graphs > 0) {
    text += fmt::format("  {:>9} graphs, each held as one\n", format_count(one.graphs));
  }
  text += fmt::format("  {:>9} kernels that may be held: heads of groups, and those without one\n",
                      format_count(one.heads));
  if (one.members > 0) {
    text += fmt::format("  {:>9} kernels pass: they follow the head of their group\n",
                        format_count(one.members));
  }
  if (one.collectives > 0) {
    text += fmt::format("  {:>9} kernels pass: collectives, for which other processes wait\n",
                        format_count(one.collectives));
  }
  text +=
      fmt::format("  longest: {}, {}\n", format_duration(one.longest_ns), printable(one.longest));
  const std::string residual =
      one.residual_ns ? format_duration(*one.residual_ns) : std::string("unknown");
  if (one.depth > 0) {
    text += fmt::format("  closed, at most {} is still to run: a depth of {} times the longest{}\n",
                        residual, one.depth, one.units > 0 ? ", and no more than a unit" : "");
  } else {
    text += fmt::format("  closed, at most {} is still to run: without a depth, a whole unit\n",
                        residual);
  }
  return text;
}

struct Latency {
  std::optional<std::int64_t> p50_ns;
  std::optional<std::int64_t> p99_ns;
};

Latency latency_of(const ClassOutcome& outcome) {
  std::vector<std::int64_t> values = outcome.between_ns;
  if (values.empty()) return {};
  return {static_cast<std::int64_t>(quantile(values, 0.5)),
          static_cast<std::int64_t>(quantile(values, 0.99))};
}

std::optional<double> per_second(const Outcome& outcome, std::int64_t units) {
  if (outcome.took_ns <= 0) return std::nullopt;
  return static_cast<double>(units) * 1e9 / static_cast<double>(outcome.took_ns);
}

Json outcome_json(std::string_view run, const Outcome& outcome) {
  Json classes = Json::array();
  for (const ClassOutcome& one : outcome.classes) {
    const Latency latency = latency_of(one);
    classes.push_back({{"name", one.name},
                       {"units", one.units},
                       {"between_p50_ns", value_or_null(latency.p50_ns)},
                       {"between_p99_ns", value_or_null(latency.p99_ns)},
                       {"units_per_s", value_or_null(per_second(outcome, one.units))},
                       {"launches", one.launches},
                       {"held", one.held},
                       {"held_ns", one.held_ns},
                       {"expired", one.expired},
                       {"rested", one.rested},
                       {"queued", one.queued}});
  }
  return {{"run", run}, {"took_ns", outcome.took_ns}, {"classes", classes}};
}

std::string_view sharing_name(gate::Sharing sharing) {
  switch (sharing) {
    case gate::Sharing::kSlices: return "slices";
    case gate::Sharing::kSideBySide: return "side-by-side";
    case gate::Sharing::kKernels: break;
  }
  return "kernels";
}

/// How the device is shared, a phrase.
std::string sharing_text(const gate::DeviceSharing& device) {
  if (device.sharing == gate::Sharing::kKernels) {
    return "the device runs one kernel after the other, as they are ready";
  }
  if (device.sharing == gate::Sharing::kSlices) {
    return fmt::format(
        "processes get turns of {}, of which a switch takes {}, or {} if the last turn was given "
        "away",
        format_duration(device.slice_ns), format_duration(device.switch_ns),
        format_duration(device.handover_ns));
  }
  std::string rates;
  for (const auto& [process, rate] : device.rates) {
    rates += fmt::format("{}{:.2f}", rates.empty() ? "" : " and ", rate);
  }
  return fmt::format(
      "kernels of several processes run side by side, and get on {} times as fast as alone", rates);
}

std::int64_t process_number(const Run& run, std::uint32_t process) {
  const Process& one = run.processes[process];
  return one.os_pid.value_or(one.number);
}

std::string duration_or_unknown(const std::optional<std::int64_t>& ns) {
  return ns ? format_duration(*ns) : "unknown";
}

}  // namespace

std::string show_policy(const PolicyExplained& explained, const Run& run, bool as_json) {
  if (as_json) return policy_json(explained, run);
  std::string text =
      fmt::format("policy {}: {}; no launch for longer than {}\n", printable(explained.policy),
                  printable(explained.says), format_duration(explained.max_hold_ns));
  for (const ClassExplained& one : explained.classes) text += class_text(one);
  if (explained.unclassified > 0) {
    text += fmt::format("\n{} launches are of no class: never held\n",
                        format_count(explained.unclassified));
  }
  for (const std::string& note : explained.notes) text += "\nnote: " + printable(note) + "\n";
  return text;
}

std::string show_simulation(const Simulation& simulation, const Run& run, bool as_json) {
  if (as_json) {
    Json document;
    document["policy"] = simulation.policy;
    document["sharing"] = sharing_name(simulation.device.sharing);
    document["slice_ns"] = simulation.device.slice_ns;
    document["switch_ns"] = simulation.device.switch_ns;
    document["handover_ns"] = simulation.device.handover_ns;
    document["rates"] = Json::array();
    for (const auto& [process, rate] : simulation.device.rates) {
      document["rates"].push_back({{"process", process_number(run, process)}, {"rate", rate}});
    }
    document["no_gate_off"] = simulation.farthest_off;
    document["runs"] = Json::array();
    document["runs"].push_back(outcome_json("recorded", simulation.recorded));
    document["runs"].push_back(outcome_json("no gate", simulation.open));
    document["runs"].push_back(outcome_json("gate", simulation.gated));
    document["notes"] = simulation.notes;
    add_account(document, run);
    return to_text(document);
  }
  std::string text = fmt::format(
      "policy {}; {}; \"no gate\" is the same simulation without a gate: it is {:.0f}% off what "
      "was "
      "recorded, and \"gate\" may be off by that, too\n\n{:<16} {:<10} {:>8} {:>13} {:>13} {:>10} "
      "{:>8} {:>8} {:>8}\n",
      printable(simulation.policy), sharing_text(simulation.device), 100 * simulation.farthest_off,
      "class", "run", "units", "p50 between", "p99 between", "units/s", "held", "expired",
      "queued");
  for (std::size_t c = 0; c < simulation.recorded.classes.size(); ++c) {
    for (const auto& [name, outcome] :
         {std::pair("recorded", &simulation.recorded), std::pair("no gate", &simulation.open),
          std::pair("gate", &simulation.gated)}) {
      if (c >= outcome->classes.size()) continue;
      const ClassOutcome& one = outcome->classes[c];
      const Latency latency = latency_of(one);
      text += fmt::format("{:<16} {:<10} {:>8} {:>13} {:>13} {:>10.1f} {:>8} {:>8} {:>8}\n",
                          printable(one.name), name, format_count(one.units),
                          duration_or_unknown(latency.p50_ns), duration_or_unknown(latency.p99_ns),
                          per_second(*outcome, one.units).value_or(0), format_count(one.held),
                          format_count(one.expired), format_count(one.queued));
    }
  }
  for (const std::string& note : simulation.notes) text += "\nnote: " + printable(note) + "\n";
  return text;
}

}  // namespace tactus

#include "views/record/record_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/printable.h"
#include "views/common/json.h"
#include "views/common/numbers.h"
#include "views/common/text_table.h"

namespace tactus {
namespace {

using record::Ending;
using record::ProcessAccount;
using record::RecordAccount;

std::string_view name_of_ending(Ending ending) {
  switch (ending) {
    case Ending::kCommandEnded: return "ended";
    case Ending::kTimeIsUp: return "time";
    case Ending::kFileIsFull: return "max_size";
    case Ending::kInterrupted: return "interrupted";
    case Ending::kTriggered: return "trigger";
    case Ending::kFailed: return "failed";
  }
  return "failed";
}

std::string_view name_of_limit(meters::MeterRate::Limit limit) {
  using Limit = meters::MeterRate::Limit;
  switch (limit) {
    case Limit::kAsked: return "asked";
    case Limit::kSource: return "source";
    case Limit::kCost: return "cost";
    case Limit::kLate: return "late";
  }
  return "asked";
}

std::string reason_of_ending(const RecordAccount& account) {
  switch (account.ending) {
    case Ending::kTriggered: return fmt::format(", until {} was the trigger", account.trigger);
    case Ending::kTimeIsUp: return ", until --seconds was over";
    case Ending::kFileIsFull: return ", until the file had --max-size";
    case Ending::kInterrupted: return ", until it was interrupted";
    default: return "";
  }
}

std::string recorded_process_text(const ProcessAccount& process) {
  std::string line = fmt::format("  process {}{}  {}\n", process.pid,
                                 process.rank ? fmt::format(", rank {}", *process.rank) : "",
                                 printable(process.command));
  if (!process.sees_calls) {
    return line + fmt::format(
                      "    {} kernels with times; its calls cannot be seen, because the agent was "
                      "loaded while it ran\n",
                      format_count(process.kernels));
  }
  line += fmt::format("    {} launches, {} of graphs, {} copies, {} waits; {} GPU times",
                      format_count(process.launches), format_count(process.graph_launches),
                      format_count(process.copies), format_count(process.synchronisations),
                      format_count(process.gpu_times));
  if (process.gpu_clock_residual_ns) {
    line += fmt::format(" (at most {} off)", format_duration(*process.gpu_clock_residual_ns));
  }
  if (process.kernels != 0)
    line += fmt::format("; {} kernels with times", format_count(process.kernels));
  line +=
      fmt::format("; the agent took {:.2f}% of its busiest thread\n", process.agent.overhead * 100);
  return line;
}

/// What was read how often; the warnings say what was slowed down, and why.
std::string meters_text(const std::vector<meters::MeterRate>& rates) {
  using Limit = meters::MeterRate::Limit;
  std::size_t slowed = 0;
  double asked_hz = 0;
  for (const meters::MeterRate& rate : rates) {
    slowed += rate.limit == Limit::kCost || rate.limit == Limit::kLate ? 1 : 0;
    asked_hz = std::max(asked_hz, rate.wanted_hz);
  }
  if (rates.empty()) return "";
  return fmt::format("  meters: {} readers, up to {:.3g} times per second; {}\n", rates.size(),
                     asked_hz,
                     slowed == 0 ? "none slower than it should be"
                                 : fmt::format("{} slower than that, see above", slowed));
}

/// The command that shows most of what there is.
std::string_view next_command(const RecordAccount& account) {
  std::string_view next = "info";
  for (const ProcessAccount& process : account.processes) {
    if (process.gpu_times != 0) return "cycles";
    if (process.kernels != 0) next = "kernels";
  }
  return next;
}

/// Of the part that lies in the recording.
double seconds_of(const record::InjectedTruth& truth) {
  return static_cast<double>(truth.end_ns - truth.begin_ns) / 1e9;
}

Json recorded_process_json(const ProcessAccount& process) {
  // What was not seen is unknown, not none.
  const auto seen = [&](auto count) { return process.sees_calls ? Json(count) : Json(nullptr); };
  return {{"pid", process.pid},
          {"command", process.command},
          {"rank", process.rank ? Json(*process.rank) : Json(nullptr)},
          {"launches", seen(process.launches)},
          {"graph_launches", seen(process.graph_launches)},
          {"copies", seen(process.copies)},
          {"waits", seen(process.synchronisations)},
          {"gpu_times", seen(process.gpu_times)},
          {"kernels", process.kernels},
          {"gpu_times_left_out", process.agent.gpu_times_left_out},
          {"gpu_clock_residual_ns",
           process.gpu_clock_residual_ns ? Json(*process.gpu_clock_residual_ns) : Json(nullptr)},
          {"agent_share", seen(process.agent.overhead)}};
}

std::string recording_json(const RecordAccount& account, const std::string& output) {
  Json document;
  document["output"] = output;
  document["seconds"] = account.seconds;
  document["bytes_out"] = account.bytes;
  document["records"] = account.slices;
  document["ended_by"] = name_of_ending(account.ending);
  document["exit_code"] = account.exit_code ? Json(*account.exit_code) : Json(nullptr);
  document["processes"] = Json::array();
  for (const ProcessAccount& process : account.processes) {
    document["processes"].push_back(recorded_process_json(process));
  }
  document["host"] = nullptr;
  if (account.host) {
    document["host"] = {{"threads", account.host->threads},
                        {"turns", account.host->turns},
                        {"slices", account.host->slices},
                        {"launches", account.host->launches}};
  }
  document["meters"] = Json::array();
  for (const meters::MeterRate& rate : account.meters) {
    document["meters"].push_back({{"name", rate.name},
                                  {"device", rate.device},
                                  {"readings", rate.readings},
                                  {"wanted_hz", rate.wanted_hz},
                                  {"hz", rate.readings < 2 ? Json(nullptr) : Json(rate.hz)},
                                  {"cost_ns", std::llround(rate.cost_ns)},
                                  {"limited_by", name_of_limit(rate.limit)}});
  }
  document["injections"] = Json::array();
  for (const record::InjectedTruth& truth : account.injections) {
    document["injections"].push_back({{"scenario", truth.scenario},
                                      {"intensity", truth.intensity},
                                      {"shape", truth.shape},
                                      {"seconds", seconds_of(truth)}});
  }
  document["trigger"] = account.trigger.empty() ? Json(nullptr) : Json(account.trigger);
  document["dropped"] = account.dropped;
  document["warnings"] = account.warnings;
  document["remarks"] = account.remarks;
  return to_text(document);
}

}  // namespace

std::string show_window(const record::WindowAccount& account, bool as_json) {
  if (as_json) {
    Json document;
    document["output"] = account.file;
    document["recorder_pid"] = account.recorder;
    document["from_ns"] = account.from_ns;
    document["to_ns"] = account.to_ns;
    document["kernels"] = account.kernels;
    document["dropped"] = Json::object();
    document["warnings"] = Json::array();
    if (!account.text.empty()) document["warnings"].push_back(account.text);
    return to_text(document);
  }
  const double from_s = static_cast<double>(account.from_ns) / 1e9;
  const double to_s = static_cast<double>(account.to_ns) / 1e9;
  std::string text =
      fmt::format("full mode from {:.1f} s to {:.1f} s of {}: {} kernels with their times{}\n",
                  from_s, to_s, printable(account.file), format_count(account.kernels),
                  account.text.empty() ? "" : "; " + printable(account.text));
  text += fmt::format("next: tactus kernels {} --from {:.1f}s --to {:.1f}s\n",
                      printable(account.file), from_s, to_s);
  return text;
}

std::string show_recording(const RecordAccount& account, const std::string& output, bool as_json,
                           std::size_t width) {
  if (as_json) return recording_json(account, output);
  std::string text =
      fmt::format("recorded {:.1f} s into {} ({}){}\n", account.seconds, printable(output),
                  format_bytes(account.bytes), reason_of_ending(account));
  constexpr std::size_t kMostShown = 16;
  for (std::size_t i = 0; i < account.processes.size() && i < kMostShown; ++i) {
    text += recorded_process_text(account.processes[i]);
  }
  if (account.processes.size() > kMostShown) {
    text += fmt::format("  and {} more processes (--json shows all)\n",
                        account.processes.size() - kMostShown);
  }
  if (account.host) {
    text += fmt::format("  host: {} threads came to a core {} times; {} slices",
                        format_count(account.host->threads), format_count(account.host->turns),
                        format_count(account.host->slices));
    if (account.host->launches != 0) {
      text += fmt::format("; {} launches seen from outside", format_count(account.host->launches));
    }
    text += "\n";
  }
  text += meters_text(account.meters);
  for (const record::InjectedTruth& truth : account.injections) {
    text += fmt::format("  injected meanwhile: {} at {:g} for {:.1f} s\n", truth.scenario,
                        truth.intensity, seconds_of(truth));
  }
  for (const auto& [reason, count] : account.dropped) {
    text += fmt::format("  lost: {} {}\n", format_count(count), reason);
  }
  for (const std::string& remark : account.remarks) text += paragraph("  note:", remark, width, 8);
  text += fmt::format("next: tactus {} {}\n", next_command(account), printable(output));
  return text;
}

}  // namespace tactus

#include "views/cycles/cycles_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/arithmetic.h"
#include "views/common/json.h"
#include "views/common/numbers.h"
#include "views/common/text_table.h"

namespace tactus {
namespace {

bool lacks_gpu_time(const PhaseSummary& summary) {
  return summary.gpu_busy_share == 0 && summary.launches != 0;
}

Json cycle_json(const Cycle& cycle, std::size_t index, const Run& run) {
  const Process& process = run.processes[cycle.process];
  return {{"index", index},
          {"phase", phase_name(cycle.phase)},
          {"start_ns", cycle.start_ns},
          {"dur_ns", cycle.dur_ns},
          {"pause_ns", cycle.pause_ns},
          {"gpu_busy_ns", lacks_gpu_time(cycle) ? Json(nullptr) : Json(cycle.gpu_busy_ns)},
          {"launches", cycle.launches},
          {"complete", cycle.complete},
          {"batch", value_or_null(cycle.batch)},
          {"context_tokens", value_or_null(cycle.context_tokens)},
          {"generation_tokens", value_or_null(cycle.generation_tokens)},
          {"tokens", value_or_null(cycle.tokens)},
          {"sequences", value_or_null(cycle.sequences)},
          {"context", value_or_null(cycle.context)},
          {"evidence", evidence_name(cycle.evidence)},
          {"pid", value_or_null(process.os_pid)},
          {"rank", value_or_null(process.rank)}};
}

Json summary_json(const PhaseSummary& summary) {
  const bool has_whole = summary.durations.count != 0;
  const auto if_whole = [&](Json value) { return has_whole ? std::move(value) : Json(nullptr); };
  return {{"phase", phase_name(summary.phase)},
          {"cycles", summary.durations.count},
          {"cut", summary.cut},
          {"med_ns", if_whole(summary.durations.med_ns)},
          {"p99_ns", if_whole(summary.durations.p99_ns)},
          {"max_ns", if_whole(summary.durations.max_ns)},
          {"gpu_busy", lacks_gpu_time(summary) ? Json(nullptr) : if_whole(summary.gpu_busy_share)},
          {"launches", if_whole(summary.launches)},
          {"tokens_per_second",
           summary.tokens_per_second ? Json(*summary.tokens_per_second) : Json(nullptr)}};
}

std::string cycles_json(const Cycles& cycles, std::span<const PhaseSummary> phases,
                        const Run& run) {
  Json document;
  document["method"] = anchor_method_name(cycles.method);
  document["anchor"] = cycles.anchor;
  document["comparable_key"] = cycles.comparable_key;
  document["cycles"] = Json::array();
  for (std::size_t i = 0; i < cycles.cycles.size(); ++i) {
    document["cycles"].push_back(cycle_json(cycles.cycles[i], i, run));
  }
  document["phases"] = Json::array();
  for (const PhaseSummary& summary : phases) {
    document["phases"].push_back(summary_json(summary));
  }
  add_account(document, run);
  return to_text(document);
}

std::string number_text(const std::optional<std::int64_t>& number) {
  return number ? format_count(*number) : "-";
}

std::string process_text(const Run& run, const Cycle& cycle) {
  const Process& process = run.processes[cycle.process];
  std::string text = process.os_pid ? fmt::format("pid {}", *process.os_pid) : "";
  if (process.rank) text += fmt::format("{}rank {}", text.empty() ? "" : ", ", *process.rank);
  return text;
}

/// One row per cycle. A cut cycle says so after the phase.
std::string cycle_table(const Cycles& cycles, const Run& run, const CyclesViewOptions& options) {
  TextTable table({"Cycle", "Start", "Duration", "GPU busy", "Launches", "Tokens", "Sequences",
                   "Context", "Process", "Evidence", "Phase"});
  table.set_ranks({0, 1, 0, 2, 3, 4, 6, 7, 5, 8, 0});
  const std::size_t shown =
      options.top == 0 ? cycles.cycles.size() : std::min(options.top, cycles.cycles.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Cycle& cycle = cycles.cycles[i];
    const double busy = cycle.dur_ns > 0 ? static_cast<double>(cycle.gpu_busy_ns) /
                                               static_cast<double>(cycle.dur_ns)
                                         : 0;
    table.add({std::to_string(i), format_duration(cycle.start_ns), format_duration(cycle.dur_ns),
               lacks_gpu_time(cycle) ? "-" : percent_text(busy), number_text(cycle.launches),
               number_text(cycle.tokens), number_text(cycle.sequences), number_text(cycle.context),
               process_text(run, cycle), std::string(evidence_name(cycle.evidence)),
               std::string(phase_name(cycle.phase)) + (cycle.complete ? "" : " (cut off)")});
  }
  std::string text = table.to_text(options.width);
  if (shown < cycles.cycles.size()) {
    text += fmt::format("... and {} more; --top 0 shows all.\n", cycles.cycles.size() - shown);
  }
  return text;
}

std::string tokens_text(const std::optional<double>& per_second) {
  return per_second ? format_count(static_cast<std::uint64_t>(std::max(0.0, *per_second))) : "-";
}

constexpr std::int64_t kEnoughForP99 = 100;

std::string phase_table(std::span<const PhaseSummary> phases, std::size_t width) {
  TextTable table(
      {"Cycles", "Median", "P99", "Longest", "GPU busy", "Launches", "Tokens/s", "Phase"});
  table.set_ranks({0, 0, 2, 1, 3, 5, 4, 0});
  for (const PhaseSummary& summary : phases) {
    std::string phase(phase_name(summary.phase));
    if (summary.cut != 0) phase += fmt::format(" ({} more cut off)", summary.cut);
    if (summary.durations.count == 0) {
      table.add({"0", "-", "-", "-", "-", "-", "-", phase});
      continue;
    }
    table.add(
        {format_count(summary.durations.count), format_duration(summary.durations.med_ns),
         // Of fewer than a hundred cycles, the longest says all that is known of the tail.
         summary.durations.count < kEnoughForP99 ? "-" : format_duration(summary.durations.p99_ns),
         format_duration(summary.durations.max_ns),
         lacks_gpu_time(summary) ? "-" : percent_text(summary.gpu_busy_share),
         number_text(summary.launches), tokens_text(summary.tokens_per_second), phase});
  }
  return table.to_text(width);
}

std::string anchor_text(const Cycles& cycles) {
  const std::string anchor = printable(cycles.anchor);
  switch (cycles.method) {
    case AnchorMethod::kAnnotation: return "by the annotation " + anchor;
    case AnchorMethod::kPython: return "by the Python function " + anchor;
    case AnchorMethod::kCpuOp: return "by the framework op " + anchor;
    case AnchorMethod::kKernelSequence: return "by the repeating sequence of kernels: a " + anchor;
    case AnchorMethod::kLaunch: break;
  }
  return "";
}

/// What lies between the cycles, if it is worth a word.
std::string pauses_text(const Cycles& cycles) {
  constexpr std::int64_t kOneIn = 100;
  std::size_t count = 0;
  std::int64_t pauses = 0;
  std::int64_t longest = 0;
  std::int64_t steps = 0;
  for (const Cycle& cycle : cycles.cycles) {
    count += cycle.pause_ns > 0 ? 1 : 0;
    pauses = wrapping_add(pauses, cycle.pause_ns);
    longest = std::max(longest, cycle.pause_ns);
    steps = wrapping_add(steps, cycle.dur_ns);
  }
  if (pauses < steps / kOneIn || count == 0) return {};
  return fmt::format(
      " Between them, the run pauses {} times for {} in all, at most {}: it had no requests, or "
      "something held it up that was not recorded. No cycle contains that.",
      format_count(count), format_duration(pauses), format_duration(longest));
}

}  // namespace

std::string show_cycles(const Cycles& cycles, std::span<const PhaseSummary> phases, const Run& run,
                        const CyclesViewOptions& options) {
  if (options.json) return cycles_json(cycles, phases, run);
  if (cycles.method == AnchorMethod::kLaunch) {
    return "No cycles: nothing in this recording repeats like a step. --anchor NAME uses the "
           "slices of that name as steps.\n";
  }
  if (cycles.cycles.empty())
    return "No cycles pass the filters, of those found " + anchor_text(cycles) + ".\n";
  return cycle_table(cycles, run, options) + "\n" + phase_table(phases, options.width) + "\n" +
         paragraph("",
                   fmt::format("{} {}, found {}.{}", format_count(cycles.cycles.size()),
                               cycles.cycles.size() == 1 ? "cycle" : "cycles", anchor_text(cycles),
                               pauses_text(cycles)),
                   options.width, 0);
}

}  // namespace tactus

#include "views/cycles/patterns_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "views/common/json.h"
#include "views/common/numbers.h"
#include "views/common/text_table.h"

namespace tactus {
namespace {

std::int64_t whole_ns(double ns) {
  return std::llround(ns);
}

std::int64_t cut_off(const Cycles& cycles) {
  return std::count_if(cycles.cycles.begin(), cycles.cycles.end(),
                       [](const Cycle& cycle) { return !cycle.complete; });
}

/// The share of a class in a cycle; the plain sum can exceed 100%.
std::string class_table(const PatternSummary& summary, std::size_t width) {
  TextTable table({"Plain sum", "Overlaps once", "Share of cycle", "Class"});
  const auto of_cycle = [&](double ns) {
    return summary.cycle_ns > 0 ? percent_text(ns / summary.cycle_ns) : std::string("-");
  };
  for (const ClassTime& time : summary.classes) {
    table.add({format_duration(whole_ns(time.plain_ns)), format_duration(whole_ns(time.union_ns)),
               of_cycle(time.union_ns), std::string(function_type_name(time.type))});
  }
  table.add({"-", format_duration(whole_ns(summary.gpu_idle_ns)), of_cycle(summary.gpu_idle_ns),
             "(no device is busy)"});
  return table.to_text(width);
}

std::string counter_table(const PatternSummary& summary, std::size_t width) {
  TextTable table({"Samples", "Cycles with one", "Interpolated", "Unknown", "Device", "Counter"});
  for (const CounterCoverage& counter : summary.counters) {
    std::string name = counter.counter;
    if (counter.pid) name += fmt::format(" (pid {})", *counter.pid);
    table.add({format_count(counter.samples), percent_text(counter.share),
               format_count(counter.interpolated), format_count(counter.unknown), counter.device,
               printable(name)});
  }
  return table.to_text(width);
}

Json counter_json(const CounterCoverage& counter) {
  return {{"counter", counter.counter},        {"device", counter.device},
          {"pid", value_or_null(counter.pid)}, {"samples", counter.samples},
          {"coverage", counter.share},         {"interpolated", counter.interpolated},
          {"unknown", counter.unknown}};
}

}  // namespace

std::string show_patterns_text(const PatternSummary& summary, const Cycles& cycles,
                               const PatternFiles& files, std::size_t width) {
  const std::int64_t cut = cut_off(cycles);
  std::string text = fmt::format(
      "{} cycles{}: {} rows in {}; counter samples in {}\n", format_count(cycles.cycles.size()),
      cut == 0 ? "" : fmt::format(" ({} cut off at an edge)", cut), format_count(files.rows),
      printable(files.patterns), printable(files.counters));
  if (summary.cycles == 0) return text;
  text += fmt::format("\nTime per cycle of {}, on average of {}:\n",
                      format_duration(whole_ns(summary.cycle_ns)), format_count(summary.cycles));
  text += class_table(summary, width);
  if (summary.counters.empty()) {
    return text + "\nNo known counters were recorded.\n";
  }
  text += "\nShare of the cycles that each counter covers:\n";
  return text + counter_table(summary, width);
}

std::string show_patterns_json(const PatternSummary& summary, const Cycles& cycles,
                               const PatternFiles& files, const Run& run) {
  Json document;
  document["files"] = Json::array({files.patterns, files.counters});
  document["rows"] = files.rows;
  document["cycles"] = cycles.cycles.size();
  document["cut"] = cut_off(cycles);
  document["averaged_cycles"] = summary.cycles;
  document["cycle_ns"] = whole_ns(summary.cycle_ns);
  document["gpu_idle_ns"] = whole_ns(summary.gpu_idle_ns);
  document["classes"] = Json::array();
  for (const ClassTime& time : summary.classes) {
    document["classes"].push_back({{"class", function_type_name(time.type)},
                                   {"plain_ns_per_cycle", whole_ns(time.plain_ns)},
                                   {"union_ns_per_cycle", whole_ns(time.union_ns)}});
  }
  document["counters"] = Json::array();
  for (const CounterCoverage& counter : summary.counters) {
    document["counters"].push_back(counter_json(counter));
  }
  add_account(document, run);
  return to_text(document);
}

}  // namespace tactus

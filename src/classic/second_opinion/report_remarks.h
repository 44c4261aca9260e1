#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "classic/second_opinion/report_facts.h"

namespace tactus {

/// The facts of a report, for the remarks.
struct ReportFacts {
  const ClassicReportText* report = nullptr;
  std::optional<std::array<double, 2>> lengths;  // [us]
  std::optional<WorkPerCycle> work;
  CycleKinds kinds = CycleKinds::kUnknown;
  std::vector<ReportedCounter> counters;

  const ReportedCounter* first_cause() const;
  /// How much longer the second run takes for the GPU work of a normal cycle.
  double same_work_ratio() const;
};
ReportFacts facts_of(const ClassicReportText& report);

/// "22.5", "115500", "2.49e+13"
std::string level(double value);
/// "631 ms"
std::string time_text(double us);
/// "1/54 of", "3.2 times"
std::string part_text(double ratio);
/// "14 cycles"
std::string cycles_text(const ClassicReportText& report, std::size_t run);

/// Whether the cycles of the two runs are of one kind, and the evidence.
std::vector<std::string> kinds_remarks(const ReportFacts& facts);
/// What the table shows and what it only seems to show.
std::vector<std::string> evidence_remarks(const ReportFacts& facts);
/// What the report does not say, or could not be read.
std::vector<std::string> unknown_remarks(const ReportFacts& facts);

}  // namespace tactus

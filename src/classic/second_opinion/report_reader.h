#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "classic/classic_report.h"

namespace tactus {

/// The contents of a classic comparison report, as far as its text could be read.
struct ClassicReportText {
  std::string title;  ///< empty for a CSV file
  std::array<std::string, 2> labels = {"normal", "abnormal"};
  std::array<std::optional<std::int64_t>, 2> cycles;
  std::array<std::optional<double>, 2> avg_cycle_us;
  std::array<std::vector<double>, 2> cycle_us;  ///< longest first; the order in time is not in the
                                                ///< report
  std::vector<ClassicRow> rows;                 ///< missing p-values are not-a-number
  double p_step = 0;                            ///< the smallest difference of printed p-values
  std::int64_t unreadable_rows = 0;             ///< of the detailed table
  bool has_table = false;
  bool only_findings = false;  ///< rows are from the list of findings, not from the table
  bool cut_off = false;        ///< it ends inside a row, or before the legend
  bool more_reports = false;   ///< another report follows, which is not read
};

/// Reads the `.md` or the `.csv` of a report, also inside a pasted text, with either line end.
/// Nothing if the text has no such report.
std::optional<ClassicReportText> read_classic_report(std::string_view text);

}  // namespace tactus

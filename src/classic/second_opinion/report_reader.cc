#include "classic/second_opinion/report_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sources/text/csv_splitter.h"
#include "sources/text/line_reader.h"
#include "sources/text/number.h"

namespace tactus {
namespace {

constexpr std::size_t kColumns = 17;  // of the detailed table
constexpr double kMarkdownStep = 1e-3;
constexpr double kCsvStep = 1e-6;

/// "1,234.50", "+2.36", "-93.90%", "2.47865e+13"; not-a-number for "-", "nan" and "".
double number_of(std::string_view text) {
  std::string plain;
  for (const char c : trim(text)) {
    if (c != ',' && c != '%') plain.push_back(c);
  }
  const char* begin = plain.data() + (plain.starts_with('+') ? 1 : 0);
  double value = 0;
  const auto [end, error] = std::from_chars(begin, plain.data() + plain.size(), value);
  const bool is_number = error == std::errc() && end == plain.data() + plain.size();
  return is_number && std::isfinite(value) ? value : NAN;
}

/// The cells of "| a | b |". If the number of columns is known, extra bars belong to the name in
/// the first cell. Nothing if the line is not a whole row.
std::vector<std::string_view> row_cells(std::string_view line, std::size_t columns = 0) {
  std::vector<std::string_view> cells;
  if (line.size() < 2 || !line.starts_with('|') || !line.ends_with('|')) return cells;
  line = line.substr(1, line.size() - 2);
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find('|', at), line.size());
    cells.push_back(trim(line.substr(at, end - at)));
    at = end + 1;
  }
  if (columns != 0 && cells.size() > columns) {
    const std::size_t extra = cells.size() - columns;
    const char* end = cells[extra].data() + cells[extra].size();
    cells[extra] = trim({cells[0].data(), static_cast<std::size_t>(end - cells[0].data())});
    cells.erase(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(extra));
  }
  return cells;
}

/// False if a cell must be a number and is not.
bool read_row(const std::vector<std::string_view>& cells, ClassicRow& row) {
  if (cells.size() != kColumns) return false;
  row = {.function = std::string(cells[0]),
         .metric = std::string(cells[1]),
         .device = std::string(cells[2]),
         .suspicion = number_of(cells[3]),
         .beta = {number_of(cells[4]), number_of(cells[5])},
         .beta_z = number_of(cells[7]),
         .beta_p = number_of(cells[8]),
         .beta_u_p = number_of(cells[9]),
         .mu = {number_of(cells[10]), number_of(cells[11])},
         .mu_z = number_of(cells[13]),
         .log_mu_z = number_of(cells[14]),
         .mu_p = number_of(cells[15]),
         .mu_u_p = number_of(cells[16])};
  return !std::isnan(row.suspicion) && !std::isnan(row.beta[0]) && !std::isnan(row.beta[1]) &&
         !std::isnan(row.mu[0]) && !std::isnan(row.mu[1]);
}

/// The texts between pairs of a mark: with "`", "a" and "b" of "**`a` on device `b`:**".
std::vector<std::string_view> between(std::string_view text, std::string_view mark) {
  std::vector<std::string_view> out;
  for (std::size_t at = text.find(mark); at != std::string_view::npos;) {
    const std::size_t begin = at + mark.size();
    const std::size_t end = text.find(mark, begin);
    if (end == std::string_view::npos) break;
    out.push_back(text.substr(begin, end - begin));
    at = text.find(mark, end + mark.size());
  }
  return out;
}

/// Reads Markdown, one line at a time:
///
///     # Cross Performance Comparison: folder\case (Normal PID:1 vs Abnormal PID:2)
///     ## 1. High-Level Performance Summary            | Total Cycles | 14 | 238 | 224 | - |
///     ## 2. Cycle Duration Distribution Comparison    | 1 | 645234.25 | 278,431.25 | ...
///     ### Key Findings:                               - **`oncpu` on device `Host`:**
///     ### Detailed comparison table                   | oncpu | cpu_frequency | Host | 177.764 ...
///     ## 5. Legend
class MarkdownReader {
 public:
  void add_line(std::string_view line) {
    line = trim(line);
    if (done_ || line.empty()) return;
    if (line.starts_with('#')) {
      add_heading(line);
    } else if (line.starts_with('|')) {
      add_table_line(line);
    } else if (section_ == Section::kFindings) {
      add_finding(line);
    }
  }

  std::optional<ClassicReportText> take() {
    if (!seen_) return std::nullopt;
    if (report_.rows.empty() && !findings_.empty()) {
      report_.rows = std::move(findings_);
      report_.only_findings = true;
    }
    report_.p_step = kMarkdownStep;
    report_.cut_off = !legend_ && !done_;
    return std::move(report_);
  }

 private:
  enum class Section { kNone, kSummary, kCycles, kFindings, kTable, kOther };

  void add_heading(std::string_view line) {
    const auto has = [&](std::string_view text) { return line.find(text) != line.npos; };
    if (has("Performance Comparison")) {
      done_ = report_.more_reports = seen_;
      if (done_) return;
      line.remove_prefix(line.find_first_not_of('#'));
      report_.title = trim(line);
      seen_ = true;
    } else if (has("High-Level Performance Summary")) {
      enter(Section::kSummary);
    } else if (has("Cycle Duration Distribution")) {
      enter(Section::kCycles);
    } else if (has("Key Findings")) {
      enter(Section::kFindings);
    } else if (has("Detailed comparison table")) {
      enter(Section::kTable);
    } else {
      legend_ = legend_ || (seen_ && has("Legend"));
      section_ = Section::kOther;
    }
  }

  void enter(Section section) {
    section_ = section;
    seen_ = true;
  }

  void add_table_line(std::string_view line) {
    if (line.find("Function Name") != line.npos && line.find("Suspicion Score") != line.npos) {
      enter(Section::kTable);
      report_.has_table = true;
      return;
    }
    if (section_ == Section::kTable) {
      add_detail(line);
      return;
    }
    const std::vector<std::string_view> cells = row_cells(line);
    if (cells.size() < 3) return;
    if (section_ == Section::kSummary) add_summary(cells);
    if (section_ == Section::kCycles) add_cycle(cells);
  }

  void add_summary(const std::vector<std::string_view>& cells) {
    for (std::size_t i = 0; i < 2; ++i) {
      const double value = number_of(cells[i + 1]);
      if (cells[0] == "Metric") {
        report_.labels[i] = cells[i + 1];
      } else if (cells[0] == "Total Cycles" && value >= 0 && value < 1e15) {
        report_.cycles[i] = std::llround(value);
      } else if (cells[0].starts_with("Avg Cycle Time") && value > 0) {
        report_.avg_cycle_us[i] = value;
      }
    }
  }

  void add_cycle(const std::vector<std::string_view>& cells) {
    if (std::isnan(number_of(cells[0]))) return;
    for (std::size_t i = 0; i < 2; ++i) {
      const double value = number_of(cells[i + 1]);
      if (value > 0) report_.cycle_us[i].push_back(value);
    }
  }

  void add_detail(std::string_view line) {
    if (line.starts_with("|:-") || line.starts_with("|--")) return;
    ClassicRow row;
    if (read_row(row_cells(line, kColumns), row)) {
      report_.rows.push_back(std::move(row));
    } else {
      ++report_.unreadable_rows;
    }
  }

  /// A function, its beta, or one of its counters.
  void add_finding(std::string_view line) {
    const std::vector<std::string_view> names = between(line, "`");
    if (names.size() == 2 && line.find("on device") != line.npos) {
      finding_ = {.function = std::string(names[0]), .device = std::string(names[1])};
      finding_.beta_p = finding_.beta_u_p = finding_.mu_p = finding_.mu_u_p = NAN;
      finding_.beta[0] = finding_.beta[1] = NAN;
      return;
    }
    const std::vector<std::string_view> bold = between(line, "**");
    if (bold.size() >= 3 && line.find("contribution to total cycle time") != line.npos) {
      for (std::size_t i = 0; i < 2; ++i) finding_.beta[i] = number_of(bold[i + 1]);
      return;
    }
    const std::size_t from = line.find(" from ");
    const std::size_t to = line.find(" to ", from == line.npos ? 0 : from);
    if (names.size() != 1 || from == line.npos || to == line.npos) return;
    std::string_view last = line.substr(to + 4);
    if (last.ends_with('.')) last.remove_suffix(1);
    ClassicRow row = finding_;
    row.metric = names[0];
    row.mu[0] = number_of(line.substr(from + 6, to - from - 6));
    row.mu[1] = number_of(last);
    if (!std::isnan(row.mu[0]) && !std::isnan(row.mu[1])) findings_.push_back(std::move(row));
  }

  ClassicReportText report_;
  Section section_ = Section::kNone;
  ClassicRow finding_;
  std::vector<ClassicRow> findings_;
  bool seen_ = false;
  bool legend_ = false;
  bool done_ = false;
};

/// "normal" of "β_normal(%)"
std::string label_of(std::string_view head) {
  const std::size_t begin = head.find('_');
  const std::size_t end = head.rfind("(%)");
  if (begin == head.npos || end == head.npos || end <= begin) return {};
  return std::string(head.substr(begin + 1, end - begin - 1));
}

class CsvReportReader {
 public:
  void add_line(std::string_view line) {
    is_open_ = is_open_ ? !splitter_.go_on("\n", line) : !splitter_.start(line);
    if (is_open_) return;
    const auto fields = splitter_.fields();
    const std::vector<std::string_view> cells(fields.begin(), fields.end());
    if (!report_.has_table) {
      add_header(cells);
      return;
    }
    if (cells.size() == 1 && trim(cells[0]).empty()) return;
    ClassicRow row;
    last_is_whole_ = read_row(cells, row);
    if (last_is_whole_) {
      report_.rows.push_back(std::move(row));
    } else {
      ++report_.unreadable_rows;
    }
  }

  ClassicReportText take() {
    report_.p_step = kCsvStep;
    report_.cut_off = is_open_ || !last_is_whole_;
    return std::move(report_);
  }

 private:
  void add_header(const std::vector<std::string_view>& cells) {
    report_.has_table = true;
    for (std::size_t i = 0; i < 2 && cells.size() > 5; ++i) {
      const std::string label = label_of(cells[4 + i]);
      if (!label.empty()) report_.labels[i] = label;
    }
  }

  CsvSplitter splitter_;
  ClassicReportText report_;
  bool is_open_ = false;
  bool last_is_whole_ = true;
};

template <class Reader>
void for_each_line(std::string_view text, Reader& reader) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    reader.add_line(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

std::optional<ClassicReportText> read_classic_report(std::string_view text) {
  text = without_byte_order_mark(text);
  const std::string_view head = text.substr(0, text.find('\n'));
  if (head.starts_with("Function Name,Metric Name,Device,Suspicion Score")) {
    CsvReportReader reader;
    for_each_line(text, reader);
    return reader.take();
  }
  MarkdownReader reader;
  for_each_line(text, reader);
  return reader.take();
}

}  // namespace tactus

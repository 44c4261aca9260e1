#include "views/kernels/kernels_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/check.h"
#include "names/display_names.h"
#include "views/common/numbers.h"
#include "views/common/text_table.h"
#include "views/kernels/kernel_columns.h"
#include "views/kernels/kernels_parts.h"
#include "views/kernels/launch_table_view.h"
#include "views/kernels/modules_view.h"

namespace tactus {
namespace {

/// "llama.py:217 (call)"; "llama.py:217 (call, note)" if an author's traceback says so.
std::string call_line_cell(const RowOrigin& origin) {
  if (!origin.call_line) return "-";
  const std::string& file = origin.call_line->file;
  const bool is_note = origin.call_line->evidence == SourceEvidence::kNote;
  return fmt::format("{}:{} (call{})", printable(file.substr(file.rfind('/') + 1)),
                     origin.call_line->line, is_note ? ", note" : "");
}

bool any_call_line(const KernelReport& report, std::size_t shown) {
  return std::any_of(
      report.origins.begin(),
      report.origins.begin() + static_cast<std::ptrdiff_t>(std::min(shown, report.origins.size())),
      [](const RowOrigin& origin) { return origin.call_line.has_value(); });
}

// Ranks of the columns that are not figures; see KernelColumn::rank.
constexpr int kBoundRank = 2;
constexpr int kOperatorRank = 6;
constexpr int kShapesRank = 8;
constexpr int kLineRank = 3;

/// The short ones, except where the full ones are asked for.
std::vector<std::string> names_of_rows(const KernelReport& report, std::size_t shown,
                                       bool full_names) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < shown; ++i) names.push_back(report.table.rows[i].name);
  if (full_names) return {names.begin(), names.end()};
  return display_names(names, std::span(report.names).first(shown));
}

/// With columns for bounds and shapes where there are any.
TextTable readable_table(const KernelReport& report, const KernelBounds& bounds, std::size_t shown,
                         bool full_names) {
  const bool has_bounds = bounds.coverage > 0;
  const bool has_shapes = report.coverage.shape > 0 && !report.origins.empty();
  std::vector<std::string> heads = {"Time"};
  std::vector<int> ranks = {0};
  const auto add_head = [&](std::string_view head, int rank) {
    heads.emplace_back(head);
    ranks.push_back(rank);
  };
  for (const KernelColumn& column : kernel_columns()) {
    if (!column.head.empty()) add_head(column.head, column.rank);
  }
  if (has_bounds) add_head("S", kBoundRank);
  if (has_shapes) add_head("Shapes", kShapesRank);
  add_head("Operator", kOperatorRank);
  const bool has_lines = any_call_line(report, shown);
  if (has_lines) add_head("Called at", kLineRank);
  add_head("Kernel", 0);
  TextTable table(std::move(heads));
  table.set_ranks(std::move(ranks));
  const std::vector<std::string> names = names_of_rows(report, shown, full_names);
  for (std::size_t i = 0; i < shown; ++i) {
    const KernelRow& row = report.table.rows[i];
    const KernelName& name = report.names[i];
    const std::string op = name.op.empty() ? std::string(family_name(name.family)) : name.op;
    std::vector<std::string> cells = {fmt::format("{:.1f}%", row.time_pct)};
    for (const KernelColumn& column : kernel_columns()) {
      if (!column.head.empty()) cells.push_back(table_cell(column, column.value(row)));
    }
    if (has_bounds) cells.push_back(bounds.rows[i] ? bound_cell(*bounds.rows[i]) : "-");
    if (has_shapes) cells.push_back(shapes_cell(report.origins[i]));
    cells.push_back(shorten(printable(op), 24));
    if (has_lines) cells.push_back(call_line_cell(report.origins[i]));
    cells.push_back(printable(names[i]));
    table.add(std::move(cells));
  }
  return table;
}

std::string line_kind_cell(LineKind kind) {
  return kind == LineKind::kNone ? "-" : std::string(line_kind_name(kind));
}

TextTable folded_table(const KernelReport& report, std::size_t shown,
                       const KernelsViewOptions& options) {
  const auto is_shown = [](const KernelColumn& column) {
    return !column.head.empty() && column.in_folded_table;
  };
  std::vector<std::string> heads = {"Time"};
  std::vector<int> ranks = {0};
  for (const KernelColumn& column : kernel_columns()) {
    if (!is_shown(column)) continue;
    heads.emplace_back(column.head);
    ranks.push_back(column.rank);
  }
  ranks.push_back(kOperatorRank);
  heads.emplace_back("Kernels");
  if (options.lines) {
    ranks.push_back(kLineRank);
    heads.emplace_back("Line");
  }
  ranks.push_back(0);
  heads.push_back(options.label_head);
  TextTable table(std::move(heads));
  table.set_ranks(std::move(ranks));
  for (std::size_t i = 0; i < shown; ++i) {
    const FoldedRow& row = report.folded[i];
    std::vector<std::string> cells = {fmt::format("{:.1f}%", row.sum.time_pct)};
    for (const KernelColumn& column : kernel_columns()) {
      if (is_shown(column)) cells.push_back(table_cell(column, value_of(column, row)));
    }
    cells.push_back(format_count(row.kernels));
    if (options.lines) cells.push_back(line_kind_cell(row.line_kind));
    cells.push_back(printable(row.sum.name));
    table.add(std::move(cells));
  }
  return table;
}

/// "These 20 take 97.1% of 545.139 ms in 19,493 launches of 61 kernels; --top 0 shows all."
std::string summary_line(const KernelTable& table, std::size_t shown, std::size_t width) {
  std::int64_t shown_ns = 0;
  std::int64_t launches = 0;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (i < shown) shown_ns += table.rows[i].total_ns;
    launches += table.rows[i].instances;
  }
  const std::string all = fmt::format(
      "{} in {} of {}", format_duration(table.total_ns), count_of(launches, "launch", "launches"),
      count_of(static_cast<std::int64_t>(table.rows.size()), "kernel", "kernels"));
  if (shown == table.rows.size()) return paragraph("", all + ".", width, 0);
  const double share = table.total_ns == 0 ? 0
                                           : 100.0 * static_cast<double>(shown_ns) /
                                                 static_cast<double>(table.total_ns);
  return paragraph(
      "",
      fmt::format("{} {:.1f}% of {}; --top 0 shows all.",
                  shown == 1 ? "This one takes" : fmt::format("These {} take", shown), share, all),
      width, 0);
}

/// Says what to record if there is nothing to show.
constexpr std::string_view kNoKernels =
    "No kernels. Record them with torch.profiler (activities=[CPU, CUDA]) or nsys (-t cuda); "
    "kernels of CUDA graphs need nsys --cuda-graph-trace=node.";
constexpr std::string_view kNoneMatch =
    "No kernels pass the filters; tactus info shows what the recording holds.";

std::string nothing(const KernelsViewOptions& options) {
  if (!options.filtered && options.skipped_steps != 0) {
    return paragraph(
        "",
        fmt::format("No kernels are left: --skip-warmup {} leaves out all steps; tactus "
                    "cycles lists them.",
                    options.skipped_steps),
        options.width, 0);
  }
  return paragraph("", options.filtered ? kNoneMatch : kNoKernels, options.width, 0);
}

std::string or_empty(const std::optional<std::int64_t>& ns) {
  return ns ? format_duration(*ns) : std::string();
}

/// The profiler's own columns and number formats.
std::string as_tsv(std::span<const KernelRow> rows) {
  std::string out = "Time\tTotal Time\tInstances\tAvg\tMed\tMin\tMax\tStdDev\tName\n";
  for (const KernelRow& row : rows) {
    std::string name = row.name;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '\t' || c == '\n'; }, ' ');
    out += fmt::format("{:.1f}%\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", row.time_pct,
                       format_duration(row.total_ns), row.instances, format_duration(row.avg_ns),
                       or_empty(row.med_ns), or_empty(row.min_ns), or_empty(row.max_ns),
                       or_empty(row.stddev_ns), printable(name));
  }
  return out;
}

std::string folded_csv(std::span<const FoldedRow> rows, bool lines) {
  std::string out = csv_head() + ",kernels,largest,label" + (lines ? ",line_kind\n" : "\n");
  for (const FoldedRow& row : rows) {
    out += fmt::format("{},{},{},{}", csv_cells(row), row.kernels, csv_cell(row.largest),
                       csv_cell(row.sum.name));
    if (lines) out += fmt::format(",{}", line_kind_name(row.line_kind));
    out += '\n';
  }
  return out;
}

std::string as_csv(std::span<const KernelRow> rows) {
  std::string out = csv_head() + ",name\n";
  for (const KernelRow& row : rows) out += csv_cells(row) + ',' + csv_cell(row.name) + '\n';
  return out;
}

std::string bound_csv(const std::optional<KernelBound>& bound) {
  if (!bound) return ",,,,";
  return fmt::format(",{:.1f},{:.6f},{:.6f},{}", bound->t_sol_ns, bound->s, bound->covered,
                     limit_name(bound->limit));
}

/// File, line and kind of line, and the line that called.
std::string source_csv(const RowOrigin& origin) {
  std::string out;
  if (origin.source) {
    const std::string line = origin.source->line ? std::to_string(*origin.source->line) : "";
    out = fmt::format(",{},{},{}", csv_cell(origin.source->file), line,
                      line_kind_name(origin.source->line_kind));
  } else {
    out = ",,,";
  }
  if (!origin.call_line) return out + ",";
  return out + fmt::format(",{}:{}", csv_cell(origin.call_line->file), origin.call_line->line);
}

/// Columns of bounds and of sources follow those of the other form; unknown values are empty.
std::string as_csv(const KernelReport& report, std::size_t shown, const KernelBounds& bounds,
                   bool sources) {
  std::string out = csv_head() + ",name,t_sol_ns,s,covered,limit" +
                    (sources ? ",source_file,source_line,line_kind,called_at\n" : "\n");
  for (std::size_t i = 0; i < shown; ++i) {
    const KernelRow& row = report.table.rows[i];
    out += csv_cells(row) + ',' + csv_cell(row.name);
    out += bounds.rows.empty() ? ",,,," : bound_csv(bounds.rows[i]);
    if (sources) out += source_csv(report.origins[i]);
    out += '\n';
  }
  return out;
}

std::string show_folded(const KernelReport& report, const KernelsViewOptions& options) {
  const std::size_t size = report.folded.size();
  const std::size_t shown = options.top == 0 ? size : std::min(options.top, size);
  if (options.format == TableFormat::kCsv || options.format == TableFormat::kTsv) {
    return folded_csv(std::span(report.folded).first(shown), options.lines);
  }
  const TextTable table = folded_table(report, shown, options);
  if (options.format == TableFormat::kMarkdown) return table.to_markdown();
  if (size == 0) return report.table.rows.empty() ? nothing(options) : "Nothing of that kind.\n";
  return table.to_text(options.width) + "\n" +
         summary_line(report.table, report.table.rows.size(), options.width);
}

std::string as_json(const KernelReport& report, const KernelBounds& bounds, const Run& run,
                    const KernelsViewOptions& options) {
  std::string text;
  const TextSink sink = [&](std::string_view piece) {
    text += piece;
    return Status();
  };
  CHECK(write_kernels_json(report, bounds, run, options, sink));
  return text;
}

}  // namespace

std::string kernels_csv(const KernelTable& table) {
  return as_csv(table.rows);
}

std::string show_kernels(const KernelReport& report, const KernelBounds& bounds, const Run& run,
                         const KernelsViewOptions& options) {
  if (options.format == TableFormat::kJson) return as_json(report, bounds, run, options);
  if (options.launches != nullptr) return show_launches(*options.launches, options);
  if (report.modules) return show_modules(*report.modules, report.table, options);
  if (!options.label_head.empty()) return show_folded(report, options);
  const std::size_t size = report.table.rows.size();
  const std::size_t shown = options.top == 0 ? size : std::min(options.top, size);
  const std::span<const KernelRow> rows(report.table.rows.data(), shown);
  switch (options.format) {
    case TableFormat::kTsv: return as_tsv(rows);
    case TableFormat::kCsv:
      return bounds.rows.empty() && !options.sources
                 ? as_csv(rows)
                 : as_csv(report, shown, bounds, options.sources);
    case TableFormat::kMarkdown: return readable_table(report, bounds, shown, true).to_markdown();
    case TableFormat::kJson:
    case TableFormat::kTable: break;
  }
  if (size == 0) return nothing(options);
  return readable_table(report, bounds, shown, options.full_names).to_text(options.width) + "\n" +
         summary_line(report.table, shown, options.width) + "\n" +
         kernels_remarks(report, bounds, options.idle, options.width);
}

}  // namespace tactus

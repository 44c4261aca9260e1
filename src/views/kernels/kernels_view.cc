#include "views/kernels/kernels_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "views/common/numbers.h"
#include "views/common/text_table.h"
#include "views/kernels/kernels_parts.h"

namespace tactus {
namespace {

std::string or_dash(const std::optional<std::int64_t>& ns) {
  return ns ? format_duration(*ns) : "-";
}

/// With a column for the bounds where there are any.
TextTable readable_table(const KernelReport& report, const KernelBounds& bounds,
                         std::size_t shown) {
  const bool has_bounds = bounds.coverage > 0;
  std::vector<std::string> heads = {"Time", "Total", "Count", "Avg", "Med", "P90", "P99", "Max"};
  if (has_bounds) heads.push_back("S");
  heads.push_back("Operator");
  heads.push_back("Kernel");
  TextTable table(std::move(heads));
  for (std::size_t i = 0; i < shown; ++i) {
    const KernelRow& row = report.table.rows[i];
    const KernelName& name = report.names[i];
    const std::string op = name.op.empty() ? std::string(family_name(name.family)) : name.op;
    std::vector<std::string> cells = {fmt::format("{:.1f}%", row.time_pct),
                                      format_duration(row.total_ns),
                                      format_count(row.instances),
                                      format_duration(row.avg_ns),
                                      format_duration(row.med_ns),
                                      or_dash(row.p90_ns),
                                      or_dash(row.p99_ns),
                                      format_duration(row.max_ns)};
    if (has_bounds) cells.push_back(bounds.rows[i] ? bound_cell(*bounds.rows[i]) : "-");
    cells.push_back(shorten(printable(op), 24));
    cells.push_back(printable(row.name));
    table.add(std::move(cells));
  }
  return table;
}

TextTable folded_table(const KernelReport& report, std::size_t shown, const std::string& head) {
  TextTable table({"Time", "Total", "Count", "Avg", "Med", "P99", "Max", "Kernels", head});
  for (std::size_t i = 0; i < shown; ++i) {
    const FoldedRow& row = report.folded[i];
    table.add({fmt::format("{:.1f}%", row.time_pct), format_duration(row.total_ns),
               format_count(row.instances), format_duration(row.avg_ns), or_dash(row.med_ns),
               or_dash(row.p99_ns), row.max_ns == 0 ? "-" : format_duration(row.max_ns),
               format_count(row.kernels), printable(row.label)});
  }
  return table;
}

/// "These 20 take 97.1% of 545.139 ms in 19,493 launches of 61 kernels; --top 0 shows all."
std::string summary_line(const KernelTable& table, std::size_t shown) {
  std::int64_t shown_ns = 0;
  std::int64_t launches = 0;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (i < shown) shown_ns += table.rows[i].total_ns;
    launches += table.rows[i].instances;
  }
  const std::string all = fmt::format(
      "{} in {} of {}", format_duration(table.total_ns), count_of(launches, "launch", "launches"),
      count_of(static_cast<std::int64_t>(table.rows.size()), "kernel", "kernels"));
  if (shown == table.rows.size()) return all + ".\n";
  const double share = table.total_ns == 0 ? 0
                                           : 100.0 * static_cast<double>(shown_ns) /
                                                 static_cast<double>(table.total_ns);
  return fmt::format("{} {:.1f}% of {}; --top 0 shows all.\n",
                     shown == 1 ? "This one takes" : fmt::format("These {} take", shown), share,
                     all);
}

/// Says what to record if there is nothing to show.
constexpr std::string_view kNoKernels =
    "No kernels. Record them with torch.profiler (activities=[CPU, CUDA]) or nsys (-t cuda); "
    "kernels of CUDA graphs\nneed nsys --cuda-graph-trace=node.\n";
constexpr std::string_view kNoneMatch =
    "No kernels pass the filters; tactus info shows what the recording holds.\n";

std::string nothing(const KernelsViewOptions& options) {
  return std::string(options.filtered ? kNoneMatch : kNoKernels);
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
                       format_duration(row.med_ns), format_duration(row.min_ns),
                       format_duration(row.max_ns), format_duration(row.stddev_ns), name);
  }
  return out;
}

std::string folded_csv(std::span<const FoldedRow> rows) {
  std::string out =
      "time_pct,total_ns,instances,avg_ns,med_ns,p90_ns,p99_ns,min_ns,max_ns,stddev_ns,kernels,"
      "largest,label\n";
  const auto cell = [](const std::optional<std::int64_t>& ns) {
    return ns ? std::to_string(*ns) : std::string();
  };
  for (const FoldedRow& row : rows) {
    out += fmt::format("{:.4f},{},{},{},{},{},{},{},{},{},{},{},{}\n", row.time_pct, row.total_ns,
                       row.instances, row.avg_ns, cell(row.med_ns), cell(row.p90_ns),
                       cell(row.p99_ns), row.min_ns, row.max_ns, cell(row.stddev_ns), row.kernels,
                       csv_cell(row.largest), csv_cell(row.label));
  }
  return out;
}

constexpr std::string_view kCsvHead =
    "time_pct,total_ns,instances,avg_ns,med_ns,p90_ns,p99_ns,min_ns,max_ns,stddev_ns,name";

std::string csv_cells(const KernelRow& row) {
  const auto cell = [](const std::optional<std::int64_t>& ns) {
    return ns ? std::to_string(*ns) : std::string();
  };
  return fmt::format("{:.4f},{},{},{},{},{},{},{},{},{},{}", row.time_pct, row.total_ns,
                     row.instances, row.avg_ns, row.med_ns, cell(row.p90_ns), cell(row.p99_ns),
                     row.min_ns, row.max_ns, row.stddev_ns, csv_cell(row.name));
}

std::string as_csv(std::span<const KernelRow> rows) {
  std::string out = std::string(kCsvHead) + '\n';
  for (const KernelRow& row : rows) out += csv_cells(row) + '\n';
  return out;
}

/// Columns of bounds follow those of the other form; unknown values are empty.
std::string as_csv(std::span<const KernelRow> rows, const KernelBounds& bounds) {
  std::string out = std::string(kCsvHead) + ",t_sol_ns,s,covered,limit\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += csv_cells(rows[i]);
    if (const std::optional<KernelBound>& bound = bounds.rows[i]) {
      out += fmt::format(",{:.1f},{:.6f},{:.6f},{}\n", bound->t_sol_ns, bound->s, bound->covered,
                         limit_name(bound->limit));
    } else {
      out += ",,,,\n";
    }
  }
  return out;
}

std::string show_folded(const KernelReport& report, const KernelsViewOptions& options) {
  const std::size_t size = report.folded.size();
  const std::size_t shown = options.top == 0 ? size : std::min(options.top, size);
  if (options.format == TableFormat::kCsv || options.format == TableFormat::kTsv) {
    return folded_csv(std::span(report.folded).first(shown));
  }
  const TextTable table = folded_table(report, shown, options.label_head);
  if (options.format == TableFormat::kMarkdown) return table.to_markdown();
  if (size == 0) return report.table.rows.empty() ? nothing(options) : "Nothing of that kind.\n";
  return table.to_text(options.width) + "\n" + summary_line(report.table, report.table.rows.size());
}

}  // namespace

std::string kernels_csv(const KernelTable& table) {
  return as_csv(table.rows);
}

std::string show_kernels(const KernelReport& report, const KernelBounds& bounds, const Run& run,
                         const KernelsViewOptions& options) {
  if (options.format == TableFormat::kJson) return kernels_json(report, bounds, run, options.top);
  if (!options.label_head.empty()) return show_folded(report, options);
  const std::size_t size = report.table.rows.size();
  const std::size_t shown = options.top == 0 ? size : std::min(options.top, size);
  const std::span<const KernelRow> rows(report.table.rows.data(), shown);
  switch (options.format) {
    case TableFormat::kTsv: return as_tsv(rows);
    case TableFormat::kCsv: return bounds.rows.empty() ? as_csv(rows) : as_csv(rows, bounds);
    case TableFormat::kMarkdown: return readable_table(report, bounds, shown).to_markdown();
    case TableFormat::kJson:
    case TableFormat::kTable: break;
  }
  if (size == 0) return nothing(options);
  return readable_table(report, bounds, shown).to_text(options.width) + "\n" +
         summary_line(report.table, shown) + "\n" + kernels_remarks(report, bounds, options.width);
}

}  // namespace tactus

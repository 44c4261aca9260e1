#include "views/kernels/launch_table_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "views/common/json.h"
#include "views/common/numbers.h"
#include "views/common/text_table.h"
#include "views/kernels/kernel_name_json.h"

namespace tactus {
namespace {

constexpr std::size_t kGpuTimesInText = 8;

std::size_t rows_shown(std::size_t size, std::size_t top) {
  return top == 0 ? size : std::min(top, size);
}

std::int64_t host_avg_ns(const LaunchRow& row) {
  return row.launches == 0 ? 0 : row.host_ns / row.launches;
}

/// "llama.py:217", without the folders.
std::string line_cell(const LaunchRow& row) {
  if (!row.line) return "-";
  return fmt::format("{}:{}", row.line->file.substr(row.line->file.rfind('/') + 1), row.line->line);
}

/// In Markdown all columns are there; else lines and ops only if some are known.
TextTable readable_launches(const LaunchTable& table, const KernelsViewOptions& options) {
  const bool has_all = options.format == TableFormat::kMarkdown;
  const bool has_ops = has_all || table.with_op != 0;
  std::vector<std::string> heads = {"Launches", "Host", "Host avg", "Called at"};
  std::vector<int> ranks = {0, 2, 1, table.with_line != 0 ? 0 : 9};
  if (has_ops) {
    heads.emplace_back("Op");
    ranks.push_back(0);
  }
  heads.emplace_back("Kernel");
  ranks.push_back(0);
  TextTable text(std::move(heads));
  text.set_ranks(std::move(ranks));
  for (std::size_t i = 0; i < rows_shown(table.rows.size(), options.top); ++i) {
    const LaunchRow& row = table.rows[i];
    std::vector<std::string> cells = {format_count(row.launches), format_duration(row.host_ns),
                                      format_duration(host_avg_ns(row)), line_cell(row)};
    if (has_ops) cells.push_back(row.op.empty() ? "-" : row.op);
    cells.push_back(row.name);
    text.add(std::move(cells));
  }
  return text;
}

TextTable readable_gpu_times(const LaunchTable& table) {
  TextTable text({"Count", "Total", "Med", "P99", "Max", "On the GPU"});
  text.set_ranks({0, 2, 0, 3, 1, 0});
  for (std::size_t i = 0; i < std::min(table.gpu_times.size(), kGpuTimesInText); ++i) {
    const GpuTimeRow& row = table.gpu_times[i];
    text.add({format_count(row.times.count), format_duration(row.times.total_ns),
              format_duration(row.times.med_ns), format_duration(row.times.p99_ns),
              format_duration(row.times.max_ns), row.name});
  }
  return text;
}

std::string as_text(const LaunchTable& table, const KernelsViewOptions& options) {
  const auto wrapped = [&](std::string_view text) { return paragraph("", text, options.width, 0); };
  std::string out = wrapped(
      "Launches, with the time of the host in the call. This recording has no times of single "
      "kernels.");
  out += "\n" + readable_launches(table, options).to_text(options.width);
  const std::size_t shown = rows_shown(table.rows.size(), options.top);
  if (shown < table.rows.size())
    out += fmt::format("{} more rows; --top 0 shows all\n", table.rows.size() - shown);
  if (!table.gpu_times.empty()) {
    out += "\n" + wrapped(
                      "Times of the device, from the start of the first work to the end of "
                      "the last:");
    out += "\n" + readable_gpu_times(table).to_text(options.width);
    if (table.gpu_times.size() > kGpuTimesInText) {
      out += fmt::format("{} more; --format json shows all\n",
                         table.gpu_times.size() - kGpuTimesInText);
    }
  }
  std::string end = count_of(table.launches, "launch", "launches") + ".";
  if (table.with_line == 0) end += " tactus record --stacks python adds the lines that launch.";
  end += " tactus record --mode full adds times of kernels; tactus cycles shows the steps.";
  return out + "\n" + wrapped(end);
}

/// The figures of the table as a spreadsheet reads them; what is not known is empty.
std::string as_csv(const LaunchTable& table, std::size_t top) {
  std::string out = "launches,host_ns,host_avg_ns,called_at,op,name\n";
  for (std::size_t i = 0; i < rows_shown(table.rows.size(), top); ++i) {
    const LaunchRow& row = table.rows[i];
    const std::string line = row.line ? fmt::format("{}:{}", row.line->file, row.line->line) : "";
    out += fmt::format("{},{},{},{},{},{}\n", row.launches, row.host_ns, host_avg_ns(row),
                       csv_cell(line), csv_cell(row.op), csv_cell(row.name));
  }
  return out;
}

/// The number formats of a profiler's table, with heads of its own: times are those of the host.
std::string as_tsv(const LaunchTable& table, std::size_t top) {
  std::string out = "Launches\tHost\tHost Avg\tCalled At\tOp\tName\n";
  for (std::size_t i = 0; i < rows_shown(table.rows.size(), top); ++i) {
    const LaunchRow& row = table.rows[i];
    out += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", row.launches, format_duration(row.host_ns),
                       format_duration(host_avg_ns(row)), printable(line_cell(row)),
                       row.op.empty() ? "-" : printable(row.op), printable(row.name));
  }
  return out;
}

}  // namespace

std::string show_launches(const LaunchTable& table, const KernelsViewOptions& options) {
  switch (options.format) {
    case TableFormat::kCsv: return as_csv(table, options.top);
    case TableFormat::kTsv: return as_tsv(table, options.top);
    case TableFormat::kMarkdown: return readable_launches(table, options).to_markdown();
    case TableFormat::kJson:
    case TableFormat::kTable: break;
  }
  return as_text(table, options);
}

Json launches_json(const LaunchTable& table, std::size_t top) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < rows_shown(table.rows.size(), top); ++i) {
    const LaunchRow& row = table.rows[i];
    rows.push_back({{"name", row.name},
                    {"is_graph", row.is_graph},
                    {"launches", row.launches},
                    {"host_ns", row.host_ns},
                    {"host_avg_ns", host_avg_ns(row)},
                    {"call_line", call_line_json(row.line)},
                    {"op", text_or_null(row.op)}});
  }
  Json times = Json::array();
  for (const GpuTimeRow& row : table.gpu_times) {
    times.push_back({{"name", row.name},
                     {"is_graph", row.is_graph},
                     {"instances", row.times.count},
                     {"total_ns", row.times.total_ns},
                     {"avg_ns", row.times.avg_ns},
                     {"med_ns", row.times.med_ns},
                     {"p99_ns", row.times.p99_ns},
                     {"min_ns", row.times.min_ns},
                     {"max_ns", row.times.max_ns}});
  }
  return {{"total", table.launches},
          {"with_line", table.with_line},
          {"with_op", table.with_op},
          {"rows", std::move(rows)},
          {"gpu_times", std::move(times)}};
}

std::vector<Remark> launch_remarks(const LaunchTable& table) {
  std::int64_t host_ns = 0;
  for (const LaunchRow& row : table.rows) host_ns += row.host_ns;
  std::vector<Remark> remarks;
  remarks.push_back(
      {"launches",
       fmt::format("{}; the host was in these calls for {}. Times of single kernels were not "
                   "recorded: tactus record --mode full.",
                   count_of(table.launches, "launch", "launches"), format_duration(host_ns))});
  for (std::size_t i = 0; i < std::min(table.gpu_times.size(), kGpuTimesInText); ++i) {
    const GpuTimeRow& row = table.gpu_times[i];
    remarks.push_back(
        {i == 0 ? "GPU times" : "",
         fmt::format("{}: {} on the GPU (median of {}, the longest {}), from the start of the "
                     "first work to the end of the last.",
                     row.name, format_duration(row.times.med_ns),
                     format_count(static_cast<std::uint64_t>(row.times.count)),
                     format_duration(row.times.max_ns))});
  }
  return remarks;
}

}  // namespace tactus

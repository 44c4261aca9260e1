#include "views/kernels_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "views/numbers.h"
#include "views/run_json.h"
#include "views/text_table.h"

namespace tactus {
namespace {

std::string or_dash(const std::optional<std::int64_t>& ns) {
  return ns ? format_duration(*ns) : "-";
}

TextTable readable_table(std::span<const KernelRow> rows) {
  TextTable table(
      {"Time", "Total", "Count", "Avg", "Med", "P99", "Min", "Max", "StdDev", "Kernel"});
  for (const KernelRow& row : rows) {
    table.add({fmt::format("{:.1f}%", row.time_pct), format_duration(row.total_ns),
               format_count(static_cast<std::uint64_t>(row.instances)), format_duration(row.avg_ns),
               format_duration(row.med_ns), or_dash(row.p99_ns), format_duration(row.min_ns),
               format_duration(row.max_ns), format_duration(row.stddev_ns), printable(row.name)});
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
      "{} in {} launches of {} kernels", format_duration(table.total_ns),
      format_count(static_cast<std::uint64_t>(launches)), format_count(table.rows.size()));
  if (shown == table.rows.size()) return all + ".\n";
  const double share = table.total_ns == 0 ? 0
                                           : 100.0 * static_cast<double>(shown_ns) /
                                                 static_cast<double>(table.total_ns);
  return fmt::format("These {} take {:.1f}% of {}; --top 0 shows all.\n", shown, share, all);
}

std::string as_table(const KernelTable& table, std::span<const KernelRow> rows, std::size_t width) {
  if (table.rows.empty()) return "No kernels.\n";
  return readable_table(rows).to_text(width) + "\n" + summary_line(table, rows.size());
}

/// The profiler's own columns and number forms.
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

std::string as_csv(std::span<const KernelRow> rows) {
  std::string out =
      "time_pct,total_ns,instances,avg_ns,med_ns,p90_ns,p99_ns,min_ns,max_ns,stddev_ns,name\n";
  const auto cell = [](const std::optional<std::int64_t>& ns) {
    return ns ? std::to_string(*ns) : std::string();
  };
  for (const KernelRow& row : rows) {
    out += fmt::format("{:.4f},{},{},{},{},{},{},{},{},{},{}\n", row.time_pct, row.total_ns,
                       row.instances, row.avg_ns, row.med_ns, cell(row.p90_ns), cell(row.p99_ns),
                       row.min_ns, row.max_ns, row.stddev_ns, csv_cell(row.name));
  }
  return out;
}

Json number_or_null(const std::optional<std::int64_t>& number) {
  return number ? Json(*number) : Json(nullptr);
}

std::string as_json(const KernelTable& table, std::span<const KernelRow> rows, const Run& run) {
  Json document;
  document["total_ns"] = table.total_ns;
  document["rows"] = Json::array();
  for (const KernelRow& row : rows) {
    Json entry;
    entry["name"] = row.name;
    entry["time_pct"] = row.time_pct;
    entry["total_ns"] = row.total_ns;
    entry["instances"] = row.instances;
    entry["avg_ns"] = row.avg_ns;
    entry["med_ns"] = row.med_ns;
    entry["p90_ns"] = number_or_null(row.p90_ns);
    entry["p99_ns"] = number_or_null(row.p99_ns);
    entry["min_ns"] = row.min_ns;
    entry["max_ns"] = row.max_ns;
    entry["stddev_ns"] = row.stddev_ns;
    entry["source"] = nullptr;
    if (!row.typed_source.empty()) {
      entry["source"] = {{"file", row.typed_source},
                         {"line", nullptr},
                         {"function", nullptr},
                         {"evidence", "note"}};
    }
    document["rows"].push_back(std::move(entry));
  }
  document["notes"] = Json::array();
  for (const TableNote& note : table.notes) {
    document["notes"].push_back({{"kind", note.kind}, {"line", note.line}, {"text", note.text}});
  }
  add_account(document, run);
  return to_text(document);
}

}  // namespace

std::string show_kernels(const KernelTable& table, const Run& run,
                         const KernelsViewOptions& options) {
  const std::size_t shown =
      options.top == 0 ? table.rows.size() : std::min(options.top, table.rows.size());
  const std::span<const KernelRow> rows(table.rows.data(), shown);
  switch (options.format) {
    case TableFormat::kTsv: return as_tsv(rows);
    case TableFormat::kCsv: return as_csv(rows);
    case TableFormat::kMarkdown: return readable_table(rows).to_markdown();
    case TableFormat::kJson: return as_json(table, rows, run);
    case TableFormat::kTable: break;
  }
  return as_table(table, rows, options.width);
}

}  // namespace tactus

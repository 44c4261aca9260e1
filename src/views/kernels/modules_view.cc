#include "views/kernels/modules_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "views/common/numbers.h"
#include "views/common/text_table.h"

namespace tactus {
namespace {

constexpr std::size_t kRemarkHead = 12;
/// Below this width, names need the room of some columns.
constexpr std::size_t kNarrow = 110;
/// A layer is worth a remark if it takes this much longer than the mean.
constexpr double kSlowLayer = 1.2;

constexpr std::string_view kNoModules =
    "No kernel has a module. torch.profiler records modules with with_stack=True and "
    "with_modules=True. With nsys,\nranges named after modules do: vLLM "
    "--enable-layerwise-nvtx-tracing, SGLang --enable-layerwise-nvtx-marker.\n";

double share_of(std::int64_t ns, std::int64_t total_ns) {
  return total_ns == 0 ? 0 : static_cast<double>(ns) / static_cast<double>(total_ns);
}

/// "16", "2.4"; "-" if one of the numbers is not known.
std::string ratio_text(std::int64_t count, std::int64_t of) {
  if (count == 0 || of == 0) return "-";
  if (count % of == 0) return format_count(count / of);
  return fmt::format("{:.1f}", static_cast<double>(count) / static_cast<double>(of));
}

struct ModuleColumn {
  std::string_view head;
  bool in_narrow;
  std::string (*cell)(const ModuleRow& row, std::int64_t total_ns);
};

std::string of_layers(const ModuleRow& row, std::int64_t ns) {
  return row.layers > 1 ? format_duration(ns) : "-";
}

constexpr ModuleColumn kModuleColumns[] = {
    {"Time", true,
     [](const ModuleRow& row, std::int64_t total_ns) {
       return fmt::format("{:.1f}%", 100 * share_of(row.total_ns, total_ns));
     }},
    {"Total", true,
     [](const ModuleRow& row, std::int64_t) { return format_duration(row.total_ns); }},
    {"Calls", false,
     [](const ModuleRow& row, std::int64_t) { return ratio_text(row.calls, row.passes); }},
    {"Kernels", false,
     [](const ModuleRow& row, std::int64_t) { return ratio_text(row.kernels, row.calls); }},
    {"Layer", true,
     [](const ModuleRow& row, std::int64_t) {
       return of_layers(row, row.layers == 0 ? 0 : row.total_ns / row.layers);
     }},
    {"Min", false,
     [](const ModuleRow& row, std::int64_t) { return of_layers(row, row.min_layer_ns); }},
    {"Max", true,
     [](const ModuleRow& row, std::int64_t) { return of_layers(row, row.max_layer_ns); }},
    {"At", false,
     [](const ModuleRow& row, std::int64_t) {
       return row.layers > 1 && row.max_layer ? std::to_string(*row.max_layer) : "-";
     }},
};

TextTable table_of(const ModuleTree& tree, std::int64_t total_ns,
                   const KernelsViewOptions& options) {
  const bool is_markdown = options.format == TableFormat::kMarkdown;
  const bool is_narrow = !is_markdown && options.width != 0 && options.width < kNarrow;
  std::vector<std::string> heads;
  for (const ModuleColumn& column : kModuleColumns) {
    if (column.in_narrow || !is_narrow) heads.emplace_back(column.head);
  }
  heads.emplace_back("Module");
  TextTable table(std::move(heads));
  for (const std::size_t index : modules_shown(tree, options.top)) {
    const ModuleRow& row = tree.rows[index];
    std::vector<std::string> cells;
    for (const ModuleColumn& column : kModuleColumns) {
      if (column.in_narrow || !is_narrow) cells.push_back(column.cell(row, total_ns));
    }
    std::string name;
    // Markdown drops leading spaces, but not wide ones.
    for (std::size_t i = 0; i < row.depth; ++i) name += is_markdown ? "\u2003" : "  ";
    cells.push_back(name + row.name);
    table.add(std::move(cells));
  }
  return table;
}

std::string csv_of(const ModuleTree& tree, std::int64_t total_ns, std::size_t top) {
  std::string out =
      "time_pct,total_ns,self_ns,backward_ns,calls,passes,kernels,layers,min_layer_ns,max_layer_ns,"
      "max_layer,depth,path\n";
  const auto known = [](std::int64_t count) { return count == 0 ? "" : std::to_string(count); };
  for (const std::size_t index : modules_shown(tree, top)) {
    const ModuleRow& row = tree.rows[index];
    out += fmt::format(
        "{:.4f},{},{},{},{},{},{},{},{},{},{},{},{}\n", 100 * share_of(row.total_ns, total_ns),
        row.total_ns, row.self_ns, row.backward_ns, known(row.calls), known(row.passes),
        row.kernels, row.layers, row.min_layer_ns, row.max_layer_ns,
        row.max_layer ? std::to_string(*row.max_layer) : "", row.depth, csv_cell(row.path));
  }
  return out;
}

std::string_view evidence_text(ModuleEvidence evidence) {
  switch (evidence) {
    case ModuleEvidence::kNone: return "";
    case ModuleEvidence::kFrames:
      return "from the Python stacks, which name classes, not attributes";
    case ModuleEvidence::kRanges: return "from ranges that are named after modules";
    case ModuleEvidence::kHierarchy: return "from the module hierarchy of ops";
  }
  return "";
}

/// The row with the layer that stands out most.
const ModuleRow* uneven_row(const ModuleTree& tree) {
  const ModuleRow* found = nullptr;
  double most = kSlowLayer;
  for (const ModuleRow& row : tree.rows) {
    if (row.layers < 3 || !row.max_layer || row.total_ns <= 0) continue;
    const double mean = static_cast<double>(row.total_ns) / static_cast<double>(row.layers);
    const double ratio = static_cast<double>(row.max_layer_ns) / mean;
    // What lies inside is uneven because the layer is, unless it is more so; small parts do not
    // matter.
    if (ratio <= most || (found != nullptr && row.total_ns < found->total_ns / 2)) continue;
    most = ratio;
    found = &row;
  }
  return found;
}

std::string remarks_of(const ModuleTree& tree, const KernelTable& table, std::size_t width) {
  std::string out;
  const auto add = [&](std::string_view head, const std::string& text) {
    out += paragraph(head, text, width, kRemarkHead);
  };
  std::string from(evidence_text(tree.evidence));
  if (tree.captured_ns != 0) {
    from += fmt::format("; {} of the GPU time by the graph's capture",
                        percent_text(share_of(tree.captured_ns, table.total_ns)));
  }
  if (tree.backward_ns != 0) {
    from += fmt::format("; {} of the GPU time is the backward pass, by sequence numbers",
                        percent_text(share_of(tree.backward_ns, table.total_ns)));
  }
  add("modules", from);
  if (const ModuleRow* row = uneven_row(tree)) {
    const double mean = static_cast<double>(row->total_ns) / static_cast<double>(row->layers);
    add("uneven",
        fmt::format("{}: layer {} takes {:.2f} times the mean of {} layers", row->path,
                    *row->max_layer, static_cast<double>(row->max_layer_ns) / mean, row->layers));
  }
  return out;
}

}  // namespace

std::vector<std::size_t> modules_shown(const ModuleTree& tree, std::size_t top) {
  std::vector<std::size_t> rows(tree.rows.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (top == 0 || top >= rows.size()) return rows;
  // What encloses a row takes at least as long and stands before it, so it is shown too.
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    if (tree.rows[a].is_outside != tree.rows[b].is_outside) return tree.rows[a].is_outside;
    return tree.rows[a].total_ns > tree.rows[b].total_ns;
  });
  rows.resize(top);
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::string show_modules(const ModuleTree& tree, const KernelTable& table,
                         const KernelsViewOptions& options) {
  if (options.format == TableFormat::kCsv || options.format == TableFormat::kTsv) {
    return csv_of(tree, table.total_ns, options.top);
  }
  const TextTable text = table_of(tree, table.total_ns, options);
  if (options.format == TableFormat::kMarkdown) return text.to_markdown();
  std::int64_t launches = 0;
  for (const KernelRow& row : table.rows) launches += row.instances;
  std::string out = text.to_text(options.width) + "\n";
  const std::size_t shown = modules_shown(tree, options.top).size();
  out += fmt::format("{} in {}", format_duration(table.total_ns),
                     count_of(launches, "launch", "launches"));
  out += shown < tree.rows.size()
             ? fmt::format("; {} of {} rows, --top 0 shows all.\n", shown, tree.rows.size())
             : ".\n";
  out += '\n';
  if (tree.evidence == ModuleEvidence::kNone) return out + std::string(kNoModules);
  return out + remarks_of(tree, table, options.width);
}

Json module_json(const ModuleRow& row, std::int64_t total_ns) {
  const auto known = [](std::int64_t count) { return count == 0 ? Json(nullptr) : Json(count); };
  const auto ratio = [](std::int64_t count, std::int64_t of) {
    if (count == 0 || of == 0) return Json(nullptr);
    return Json(static_cast<double>(count) / static_cast<double>(of));
  };
  return {{"path", row.path},
          {"name", row.name},
          {"depth", row.depth},
          {"time_pct", 100 * share_of(row.total_ns, total_ns)},
          {"total_ns", row.total_ns},
          {"self_ns", row.self_ns},
          {"backward_ns", row.backward_ns},
          {"calls", known(row.calls)},
          {"calls_per_pass", ratio(row.calls, row.passes)},
          {"kernels", row.kernels},
          {"kernels_per_call", ratio(row.kernels, row.calls)},
          {"layers", row.layers},
          {"min_layer_ns", row.min_layer_ns},
          {"max_layer_ns", row.max_layer_ns},
          {"max_layer", value_or_null(row.max_layer)},
          {"outside", row.is_outside}};
}

}  // namespace tactus

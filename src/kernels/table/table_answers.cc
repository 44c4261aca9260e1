#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/arithmetic.h"
#include "kernels/table/table_analysis.h"
#include "sources/nsys/summary/summary_cell.h"
#include "sources/nsys/summary/summary_layout.h"

namespace tactus {
namespace {

/// A row of the small table.
struct AskedRow {
  std::int64_t line = 0;
  std::string name;
  std::optional<std::int64_t> instances;
  std::optional<std::int64_t> total_ns;
};

std::vector<AskedRow> read_asked_rows(const TableNote& note) {
  std::vector<AskedRow> rows;
  std::optional<nsys::SummaryLayout> layout;
  std::optional<nsys::SummaryCells> cells;
  std::int64_t line_number = note.line;
  for (std::string_view text = note.text;; line_number = wrapping_add(line_number, 1)) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!layout) {
      layout = nsys::SummaryLayout::from_header(line);
      if (!layout || !layout->is_kernel_table()) return rows;
      cells.emplace(*layout);
    } else if (cells->split(line) && cells->complete()) {
      AskedRow row{.line = line_number,
                   .name = std::string((*cells)[nsys::SummaryField::kName]),
                   .instances = nsys::read_count((*cells)[nsys::SummaryField::kInstances]),
                   .total_ns = {}};
      const auto total = nsys::read_time((*cells)[nsys::SummaryField::kTotal],
                                         layout->unit(nsys::SummaryField::kTotal));
      if (total) row.total_ns = total->ns;
      if (!row.name.empty()) rows.push_back(std::move(row));
    }
    if (end == std::string_view::npos) return rows;
    text.remove_prefix(end + 1);
  }
}

/// A number that a count may be a multiple of.
struct Known {
  std::string name;
  std::int64_t count = 0;
};

std::int64_t passes_of(const Structure& structure, std::string_view phase) {
  for (const PassGroup& group : structure.phases) {
    if (group.phase == phase) return group.passes;
  }
  return 0;
}

/// The best answer first.
std::vector<Known> known_counts(const Structure& structure) {
  std::vector<Known> known;
  const auto add = [&known](std::string name, std::int64_t count) {
    if (count > 0) known.push_back({std::move(name), count});
  };
  const std::int64_t prefill = passes_of(structure, "prefill");
  const std::int64_t sampled = structure.sampled_steps.value_or(0);
  if (prefill > 0 && sampled > prefill) {
    add(fmt::format("the decode steps ({} sampled steps less {} of prefill)", sampled, prefill),
        sampled - prefill);
  }
  add("the sampled steps", sampled);
  if (structure.layers && structure.passes) {
    add("layers x passes", *structure.layers * *structure.passes);
    add("the passes through the model", *structure.passes);
    add("layers x prefill passes", *structure.layers * prefill);
    add("layers", *structure.layers);
  }
  add("the graphs' batch sizes", static_cast<std::int64_t>(structure.capture_sizes.size()));
  add("the prefill passes", prefill);
  return known;
}

std::string explain_count(std::int64_t count, const Structure& structure) {
  const std::vector<Known> known = known_counts(structure);
  for (const Known& one : known) {
    if (one.count == count) return fmt::format("its {} instances are {}", count, one.name);
  }
  for (const Known& one : known) {
    if (one.count > 2 && count % one.count == 0 && count / one.count <= 8) {
      return fmt::format("its {} instances are {} x {}", count, count / one.count, one.name);
    }
  }
  return fmt::format("its count of {} does not follow from the known counts of the run", count);
}

/// "A pointwise kernel ..." as far as the name says it.
std::string what_it_is(const KernelName& name) {
  std::string text = fmt::format("It is a kernel of the family {}", family_name(name.family));
  if (!name.op.empty()) text += fmt::format(" that computes {}", name.op);
  if (!name.library.empty()) text += fmt::format(", from {}", name.library);
  return text;
}

std::string who_launches_it(const KernelName& name) {
  if (!name.launcher) return "the name does not say who launches it";
  std::string text = name.launcher->certain ? "launched by " : "probably launched by ";
  text += name.launcher->file;
  if (!name.launcher->function.empty()) text += fmt::format(" ({})", name.launcher->function);
  return text;
}

std::string other_row(const AskedRow& asked, const KernelRow& row) {
  std::string text = row.line > 0 ? fmt::format(" It is the row in line {} of the table", row.line)
                                  : std::string(" The table has it too");
  if (asked.total_ns && *asked.total_ns != row.total_ns) {
    text +=
        fmt::format(" ({} ns there, {} ns here: another recording)", row.total_ns, *asked.total_ns);
  }
  return text + "; the two are not merged.";
}

/// `row` is null if the table has no such row.
std::string answer(const AskedRow& asked, const KernelRow* row, const KernelName& name,
                   const Structure& structure) {
  std::string text = what_it_is(name) + ", " + who_launches_it(name);
  if (asked.instances) text += "; " + explain_count(*asked.instances, structure);
  text += row == nullptr ? ". The table has no such row." : "." + other_row(asked, *row);
  return text;
}

}  // namespace

std::vector<AnsweredRow> answers(const KernelTable& table, std::span<const KernelName> names,
                                 const Structure& structure) {
  std::vector<AnsweredRow> answered;
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < std::min(table.rows.size(), names.size()); ++i) {
    places.try_emplace(table.rows[i].name, i);
  }
  for (const TableNote& note : table.notes) {
    if (note.kind != "table") continue;
    for (const AskedRow& asked : read_asked_rows(note)) {
      const auto place = places.find(asked.name);
      const bool known = place != places.end();
      const KernelRow* row = known ? &table.rows[place->second] : nullptr;
      const KernelName name = known ? names[place->second] : decode_kernel_name(asked.name);
      answered.push_back({asked.line, asked.name, answer(asked, row, name, structure)});
    }
  }
  return answered;
}

}  // namespace tactus

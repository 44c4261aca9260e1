#include "sources/nsys/summary/summary_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/arithmetic.h"
#include "sources/nsys/summary/summary_blocks.h"
#include "sources/nsys/summary/summary_headerless.h"
#include "sources/nsys/summary/summary_rows.h"
#include "sources/text/finish_source.h"
#include "sources/text/line_reader.h"

namespace tactus::nsys {
namespace {

bool has_header(const SummaryTable& table) {
  return !table.header.text.empty();
}

/// More columns count. Rows without a header may be an excerpt of the table that has one, so they
/// count only if there are more of them, too.
bool is_better(const SummaryTable& table, const SummaryTable& best) {
  const auto columns = [](const SummaryTable& one) { return one.layout.known_columns(); };
  if (has_header(table) == has_header(best)) return columns(table) > columns(best);
  const auto& [bare, whole] = has_header(best) ? std::tie(table, best) : std::tie(best, table);
  const bool bare_wins = columns(bare) > columns(whole) && bare.rows.size() > whole.rows.size();
  return bare_wins == (&bare == &table);
}

/// The kernel table with the most columns, the first of several; an excerpt that an author put
/// before or after it has fewer. The end if there is none.
std::vector<SummaryTable>::iterator find_main_table(std::vector<SummaryTable>& tables) {
  auto best = tables.end();
  for (auto table = tables.begin(); table != tables.end(); ++table) {
    if (!table->layout.is_kernel_table()) continue;
    if (best == tables.end() || is_better(*table, *best)) best = table;
  }
  return best;
}

TableNote as_note(const SummaryTable& table) {
  TableNote note{.kind = "table", .line = table.header.number, .text = table.header.text};
  for (const SummaryLine& row : table.rows) {
    if (!note.text.empty()) note.text += '\n';
    note.text += row.text;
  }
  return note;
}

/// Everything except the main table, in the order of the file.
std::vector<TableNote> collect_notes(SummaryBlocks& blocks, const SummaryTable& main_table,
                                     RunBuilder& builder) {
  std::vector<TableNote> notes = std::move(blocks.notes);
  for (const SummaryTable& table : blocks.tables) {
    if (&table != &main_table) notes.push_back(as_note(table));
  }
  std::sort(notes.begin(), notes.end(),
            [](const TableNote& a, const TableNote& b) { return a.line < b.line; });
  for (TableNote& note : notes) note.text = repaired_text(note.text, builder);
  return notes;
}

void report_other_tables(const std::vector<SummaryTable>& tables, const SummaryTable& main_table,
                         const InputBytes& bytes, RunBuilder& builder) {
  const auto rivals = std::count_if(tables.begin(), tables.end(), [&](const SummaryTable& table) {
    return table.layout.is_kernel_table() &&
           table.layout.known_columns() == main_table.layout.known_columns();
  });
  if (rivals == 1) return;
  builder.warn(bytes.path() + ": holds " + std::to_string(rivals) +
               " kernel summaries; the one in line " + std::to_string(main_table.header.number) +
               " was read, the others are kept as notes");
}

void report_missing_columns(const SummaryLayout& layout, const InputBytes& bytes,
                            RunBuilder& builder) {
  if (layout.known_columns() == kSummaryFields) return;
  builder.warn(bytes.path() + ": the kernel summary has " + std::to_string(layout.known_columns()) +
               " of the " + std::to_string(kSummaryFields) +
               " columns; the values of the others are unknown");
}

void report_whole(const KernelTable& table, const InputBytes& bytes, RunBuilder& builder) {
  if (!table.whole_ns) return;
  const double share =
      100 * static_cast<double>(table.total_ns) / static_cast<double>(*table.whole_ns);
  builder.warn(fmt::format(
      "{}: these are the top rows of a larger table, {:.1f}% of its time by their shares; "
      "what follows is about these rows only",
      bytes.path(), share));
}

void report_missing_header(const SummaryBlocks& blocks, const SummaryTable& main_table,
                           const InputBytes& bytes, RunBuilder& builder) {
  constexpr std::string_view kColumns =
      "Time, Total Time, Instances, Avg, Med, Min, Max, StdDev, Name";
  if (!has_header(main_table)) {
    builder.warn(bytes.path() + ": the table in line " + std::to_string(main_table.header.number) +
                 " has no header line; its columns were read in the order of the GUI: " +
                 std::string(kColumns));
  }
  if (blocks.lost_rows == 0) return;
  builder.drop("row_without_header", blocks.lost_rows);
  builder.warn(bytes.path() +
               ": rows of a table without its header line were not read, the first "
               "is line " +
               std::to_string(blocks.first_lost_row) + "; copy the table with its header line");
}

void report_inconsistent(const InconsistentRows& found, const InputBytes& bytes,
                         RunBuilder& builder) {
  if (found.count == 0) return;
  builder.repair("inconsistent_row", found.count);
  builder.warn(bytes.path() + ": " + std::to_string(found.count) +
               (found.count == 1 ? " row does" : " rows do") +
               " not add up (Time against Total Time, Total Time against Avg x Instances, or "
               "Min <= Med <= Max); the first is line " +
               std::to_string(found.first_line));
}

}  // namespace

bool is_summary(std::string_view head) {
  head = without_byte_order_mark(head);
  while (!head.empty()) {
    const std::size_t length = std::min(head.find('\n'), head.size());
    std::string_view line = head.substr(0, length);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::optional<SummaryLayout> layout = SummaryLayout::from_header(line);
    if (layout && layout->is_kernel_table()) return true;
    if (layout_without_header(line)) return true;
    head.remove_prefix(std::min(length + 1, head.size()));
  }
  return false;
}

Status import_summary(InputBytes& bytes, RunBuilder& builder) {
  if (builder.run().kernel_summary) {
    return input_error(bytes.path() +
                       ": a run holds one kernel summary; give two of them to `tactus kernels`");
  }
  Result<SummaryBlocks> blocks = read_blocks(bytes);
  if (!blocks) return blocks.error();
  const auto main_table = find_main_table(blocks->tables);
  if (main_table == blocks->tables.end()) {
    if (bytes.cut_short()) return input_error(bytes.problem());
    return input_error(bytes.path() +
                       ": holds no kernel summary; a line with the headings Time, Total Time, "
                       "Instances and Name was expected");
  }

  builder.begin_source(bytes.path(), "nsys_table");
  const std::vector<SummaryRow> rows = read_rows(*main_table, builder);
  KernelTable table;
  for (const SummaryRow& printed : rows) {
    table.rows.push_back(printed.row);
    table.total_ns = wrapping_add(table.total_ns, printed.row.total_ns);
  }
  table.notes = collect_notes(*blocks, *main_table, builder);
  table.whole_ns = whole_of_shares(rows, table.total_ns);
  report_whole(table, bytes, builder);
  report_inconsistent(find_inconsistent_rows(rows, table.whole_ns.value_or(table.total_ns)), bytes,
                      builder);
  report_other_tables(blocks->tables, *main_table, bytes, builder);
  report_missing_columns(main_table->layout, bytes, builder);
  report_missing_header(*blocks, *main_table, bytes, builder);
  if (table.rows.empty()) builder.warn(bytes.path() + ": the kernel summary has no rows");
  builder.run().kernel_summary = std::move(table);
  finish_source(bytes, builder);
  return {};
}

}  // namespace tactus::nsys

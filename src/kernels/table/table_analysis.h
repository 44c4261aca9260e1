#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/launch_groups.h"
#include "kernels/structure.h"
#include "names/kernel_name.h"
#include "run/kernel_table.h"

namespace tactus {

// What a kernel table alone tells, without a trace: counts are products of the model's layers and
// its passes. `names` are the decoded names of the table's rows.

Structure structure_of_table(const KernelTable& table, std::span<const KernelName> names);

std::vector<LaunchGroup> groups_of_table(const KernelTable& table,
                                         std::span<const KernelName> names);

/// Rows that contradict themselves or the table: share against total, total against average times
/// count, min <= med <= max. One sentence each, with the row's line.
std::vector<std::string> inconsistencies(const KernelTable& table);

/// A traceback that an author left near the table: its frames, outermost first, and the rows that
/// it explains (those whose launcher its innermost frame calls).
struct StackFrame {
  std::string file;
  std::int64_t line = 0;
  std::string function;
  std::string code;  ///< the line itself, if the text has it
};
struct StackNote {
  std::int64_t line = 0;  ///< of the text, where the traceback starts
  std::vector<StackFrame> frames;
  std::vector<std::size_t> rows;  ///< of the table
};
std::vector<StackNote> stack_notes(const KernelTable& table, std::span<const KernelName> names);

/// A row of a second, small table in the author's notes, and our answer.
struct AnsweredRow {
  std::int64_t line = 0;
  std::string name;
  std::string answer;  ///< a sentence: what it is, who launches it, how its count arises
};
std::vector<AnsweredRow> answers(const KernelTable& table, std::span<const KernelName> names,
                                 const Structure& structure);

}  // namespace tactus

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "run/kernel_table.h"
#include "sources/bytes/input_bytes.h"
#include "sources/nsys/summary/summary_layout.h"

namespace tactus::nsys {

struct SummaryLine {
  std::int64_t number = 0;  ///< in the file, counted from 1
  std::string text;
};

/// A table in its text form.
struct SummaryTable {
  SummaryLayout layout;
  SummaryLine header;  ///< of a table without one, the line of its first row and no text
  std::vector<SummaryLine> rows;
};

/// The parts of a summary text.
struct SummaryBlocks {
  std::vector<SummaryTable> tables;
  std::vector<TableNote> notes;  ///< of kind traceback and text; tables are separate
  /// Rows above the first header that are not those of a table without one.
  std::uint64_t lost_rows = 0;
  std::int64_t first_lost_row = 0;
};

/// Splits a text. A row belongs to the last header above it, even if other lines are between; all
/// other lines are notes:
///
///     [rank0]:   File "engine.py", line 378, in capture     a traceback, up to its last line
///     [rank0]:     self.capture()
///     these two always run together, so ...                 text, up to a blank line
Result<SummaryBlocks> read_blocks(InputBytes& bytes);

}  // namespace tactus::nsys

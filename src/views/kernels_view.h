#pragma once

#include <cstddef>
#include <string>

#include "run/run.h"

namespace tactus {

enum class TableFormat : std::uint8_t { kTable, kTsv, kCsv, kMarkdown, kJson };

struct KernelsViewOptions {
  TableFormat format = TableFormat::kTable;
  std::size_t top = 0;    ///< rows shown; 0 for all
  std::size_t width = 0;  ///< of the terminal; 0 for no limit
};

/// A kernel table as text. `run` is what it was made from: its warnings go into the JSON.
std::string show_kernels(const KernelTable& table, const Run& run,
                         const KernelsViewOptions& options);

}  // namespace tactus

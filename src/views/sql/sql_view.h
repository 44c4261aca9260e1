#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/file.h"
#include "run/run.h"
#include "sql/session.h"

namespace tactus {

/// Writes the answer of a query as its rows come.
class SqlView : public sql::RowSink {
 public:
  /// Nothing more comes; `warnings` go into the document, if it is one.
  virtual Status finish(const std::vector<std::string>& warnings) = 0;
};

/// Columns side by side. The widths are those of the first rows; `width` is that of the page, 0 for
/// no limit.
std::unique_ptr<SqlView> sql_table_view(OutputFile& file, std::size_t width);
/// A head line, then one line per row. NULL is an empty cell.
std::unique_ptr<SqlView> sql_csv_view(OutputFile& file);
/// {"columns": [...], "rows": [[...], ...], "warnings": [...], "dropped": {...}}
std::unique_ptr<SqlView> sql_json_view(OutputFile& file, const Run& run);

}  // namespace tactus

#include "sources/text/finish_source.h"

namespace tactus {

void finish_source(const InputBytes& bytes, RunBuilder& builder) {
  builder.end_source(0, bytes.disk_bytes());
  if (!bytes.problem().empty()) builder.warn(bytes.problem());
  if (bytes.cut_short()) builder.drop("truncated_input");
}

void drop_row(const CsvReader& row, const InputBytes& bytes, RunBuilder& builder) {
  builder.drop("unreadable_row");
  if (row.closed()) return;
  builder.warn(bytes.path() + ": a quoted field in line " + std::to_string(row.line_number()) +
               " is not closed; nothing after it was read");
}

}  // namespace tactus

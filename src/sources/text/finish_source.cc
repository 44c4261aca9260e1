#include "sources/text/finish_source.h"

namespace tactus {

void finish_source(const InputBytes& bytes, RunBuilder& builder) {
  builder.end_source(0, bytes.disk_bytes());
  if (!bytes.problem().empty()) builder.warn(bytes.problem());
  if (bytes.cut_short()) builder.drop("truncated_input");
}

void finish_source(const CsvReader& csv, const InputBytes& bytes, RunBuilder& builder) {
  finish_source(bytes, builder);
  if (csv.unclosed_lines() == 0) return;
  builder.repair("unclosed_quote", csv.unclosed_lines());
  builder.warn(bytes.path() + ": a quoted field in line " +
               std::to_string(csv.first_unclosed_line()) +
               " is not closed; its quote was taken as text" +
               (csv.unclosed_lines() == 1 ? "" : ", as in other lines"));
}

void drop_row(RunBuilder& builder) {
  builder.drop("unreadable_row");
}

}  // namespace tactus

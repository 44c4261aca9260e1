#pragma once

#include "run/builder.h"
#include "sources/bytes/input_bytes.h"
#include "sources/text/csv_reader.h"

namespace tactus {

/// Ends a source whose times are absolute, and tells what was wrong with its compressed form.
void finish_source(const InputBytes& bytes, RunBuilder& builder);

/// Counts a row that could not be read; one that never ends is told as well.
void drop_row(const CsvReader& row, const InputBytes& bytes, RunBuilder& builder);

}  // namespace tactus

#pragma once

#include "run/builder.h"
#include "sources/bytes/input_bytes.h"
#include "sources/text/csv_reader.h"

namespace tactus {

/// Ends a source with absolute times, and reports problems of its compressed form.
void finish_source(const InputBytes& bytes, RunBuilder& builder);

/// Counts an unreadable row; an unfinished one is also reported.
void drop_row(const CsvReader& row, const InputBytes& bytes, RunBuilder& builder);

}  // namespace tactus

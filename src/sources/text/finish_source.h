#pragma once

#include "run/builder.h"
#include "sources/bytes/input_bytes.h"
#include "sources/text/csv_reader.h"

namespace tactus {

/// Ends a source with absolute times, and reports problems of its compressed form.
void finish_source(const InputBytes& bytes, RunBuilder& builder);

/// The same for a CSV file; quotes that are not closed are counted and reported.
void finish_source(const CsvReader& csv, const InputBytes& bytes, RunBuilder& builder);

/// Counts a row that cannot be read.
void drop_row(RunBuilder& builder);

}  // namespace tactus

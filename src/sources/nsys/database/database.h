#pragma once

#include <string>
#include <string_view>

#include "base/progress.h"
#include "run/builder.h"
#include "sources/bytes/input_bytes.h"

namespace tactus::nsys {

/// True if the bytes are the start of a SQLite database.
bool is_database(std::string_view head);

/// Adds an Nsight Systems SQLite export to a Run.
Status import_database(const std::string& path, RunBuilder& builder, Progress& progress);
/// The same for one that may be compressed, or come through a pipe: SQLite reads a temporary copy.
Status import_database(InputBytes& bytes, RunBuilder& builder, Progress& progress);

}  // namespace tactus::nsys

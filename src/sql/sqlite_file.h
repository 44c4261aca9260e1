#pragma once

#include <string>

#include "base/progress.h"
#include "base/result.h"
#include "cycles/wanted_slices.h"
#include "run/run.h"

namespace tactus::sql {

/// Writes the tables of `tactus sql` into a SQLite file, as real tables with the same columns, with
/// indices for look-ups by id, time and name. `path` is a file that is empty or not there; the
/// caller gives it its name afterwards, so that no half of a file is ever seen.
Status write_sqlite(const Run& run, const WantedSlices& wanted, const std::string& path,
                    unsigned threads, Progress& progress);

}  // namespace tactus::sql

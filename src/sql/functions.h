#pragma once

#include <sqlite3.h>

#include "run/run.h"

namespace tactus::sql {

/// Functions besides those of SQLite:
///   arg(id, 'key')      the argument of a slice
///   percentile(x, p)    p from 0 to 100, linear between neighbours; an aggregate
///   median(x)           percentile(x, 50)
int add_functions(sqlite3* database, const Run& run);

}  // namespace tactus::sql

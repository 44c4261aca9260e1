#pragma once

#include <sqlite3.h>

#include <string>

#include "sql/engine.h"

namespace tactus::sql {

/// Makes the module `tactus` known to a connection: CREATE VIRTUAL TABLE x USING tactus(slices)
/// gives the table `slices` of the engine's run the name x. The engine must outlive the connection.
int add_virtual_tables(sqlite3* database, Engine& engine);

/// The columns of a table as SQL declares them: "id INTEGER, ts_ns INTEGER, ...".
std::string declared_columns(const Relation& relation);

/// Gives a cell to SQLite. `buffer` is where its text may have been written.
void set_result(sqlite3_context* context, const Cell& cell, const std::string& buffer);

}  // namespace tactus::sql

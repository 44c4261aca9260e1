#pragma once

#include <sqlite3.h>

#include <string>
#include <string_view>

#include "sql/engine.h"

namespace tactus::sql {

/// Works out the groups of a query column by column, and puts them into a small table of the
/// connection. Gives the query to run over that table instead; empty if the query has another form,
/// or if the answer could differ from SQLite's in the last digit.
std::string prepare_groups(sqlite3* database, Engine& engine, std::string_view query);

/// Removes the small tables.
void drop_groups(sqlite3* database);

}  // namespace tactus::sql

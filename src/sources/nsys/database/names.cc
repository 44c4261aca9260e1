#include "sources/nsys/database/names.h"

namespace tactus::nsys {
namespace {

constexpr std::string_view kTable = "StringIds";

}  // namespace

NameTable::NameTable(Tables& tables, RunBuilder& builder) : tables_(tables), builder_(builder) {
  if (!tables.schema.has(kTable, "id") || !tables.schema.has(kTable, "value")) return;
  // Each text is read at its first use: the table also holds much that no event refers to, for
  // example all output of the program.
  if (tables.schema.is_key(kTable, "id")) {
    Result<SqliteStatement> lookup =
        tables.database.prepare("SELECT value FROM StringIds WHERE id = ?");
    if (lookup) lookup_ = std::move(*lookup);
    return;
  }
  static constexpr std::string_view kColumns[] = {"id", "value"};
  TableRows rows(tables, kTable, kColumns, {});
  while (rows.next()) known_.try_emplace(rows.integer(0), builder.intern_repaired(rows.text(1)));
}

StringId NameTable::look_up(std::int64_t number) {
  if (!lookup_) return {};
  lookup_->restart_with(number);
  if (lookup_->next()) {
    return lookup_->is_null(0) ? StringId() : builder_.intern_repaired(lookup_->text(0));
  }
  if (!lookup_->status()) tables_.damage.note(kTable, lookup_->status().error());
  return {};
}

EnumLabels::EnumLabels(Tables& tables, std::string_view table) {
  static constexpr std::string_view kColumns[] = {"id", "label", "name"};
  TableRows rows(tables, table, kColumns, {});
  while (rows.next()) {
    labels_.try_emplace(rows.integer(0), rows.text(rows.is_null(1) ? 2 : 1));
  }
}

std::string_view EnumLabels::find(std::int64_t number) const {
  const auto at = labels_.find(number);
  return at == labels_.end() ? std::string_view() : std::string_view(at->second);
}

}  // namespace tactus::nsys

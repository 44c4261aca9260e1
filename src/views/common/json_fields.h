#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace tactus {

/// Whether a document always has a field if it has what the field is part of.
enum class JsonPresence : std::uint8_t { kAlways, kSometimes };
inline constexpr JsonPresence kSometimes = JsonPresence::kSometimes;

/// A field of a JSON document.
struct JsonField {
  /// "rows[].bound.s"; [] stands for each item of a list, * for any key of an object.
  std::string_view path;
  /// text, bool, integer, number, list, object or json (anything); with a ? it may be null.
  std::string_view type;
  std::string_view unit;  ///< "ns", "bytes", "0..1"; empty: a count, or none
  std::string_view meaning;
  JsonPresence presence = JsonPresence::kAlways;
};

/// What a command prints with --json.
struct JsonDocument {
  std::string_view command;  ///< "kernels RUN --json"
  std::string_view what;
  std::span<const JsonField> fields;
  std::string_view type;  ///< its name in TypeScript: "Kernels"
};

/// All documents. A new command adds its table here.
std::span<const JsonDocument> json_documents();

/// Documents that only the page of `report` and `serve` reads, besides those of the commands.
std::span<const JsonDocument> page_documents();

/// The types of all documents in TypeScript, and what their fields mean
/// (ui/src/generated/documents.ts).
std::string json_typescript();

/// The page docs/json.md.
std::string json_reference();

/// The same as a JSON document.
std::string json_schema();
std::span<const JsonField> schema_fields();

/// An error that names the first field which is not in the table, has another type or is missing.
Status check_json(const Json& document, std::span<const JsonField> fields);

// The tables of the commands, each beside the view that prints the document.
std::span<const JsonField> kernels_fields();
std::span<const JsonField> kernel_pairs_fields();
std::span<const JsonField> decode_fields();
std::span<const JsonField> cycles_fields();
std::span<const JsonField> ranks_fields();
std::span<const JsonField> sql_fields();
std::span<const JsonField> patterns_fields();
std::span<const JsonField> info_fields();
std::span<const JsonField> import_fields();
std::span<const JsonField> comparison_fields();
std::span<const JsonField> roles_fields();
std::span<const JsonField> operators_fields();
std::span<const JsonField> mine_fields();
std::span<const JsonField> roofline_fields();
std::span<const JsonField> bench_fields();
std::span<const JsonField> check_fields();
std::span<const JsonField> record_fields();
std::span<const JsonField> record_window_fields();
std::span<const JsonField> gate_fields();
std::span<const JsonField> gate_groups_fields();
std::span<const JsonField> gate_explain_fields();
std::span<const JsonField> gate_simulate_fields();
std::span<const JsonField> top_fields();
std::span<const JsonField> inject_fields();
std::span<const JsonField> inject_list_fields();
std::span<const JsonField> drill_fields();
std::span<const JsonField> watch_fields();
std::span<const JsonField> watch_evaluation_fields();

// The same for the documents of the page.
std::span<const JsonField> page_head_fields();
std::span<const JsonField> page_runs_fields();
std::span<const JsonField> page_overview_fields();
std::span<const JsonField> page_timeline_fields();
std::span<const JsonField> page_flame_fields();
std::span<const JsonField> page_slice_fields();
std::span<const JsonField> page_search_fields();

}  // namespace tactus

#include "views/common/json_fields.h"

#include <algorithm>
#include <array>

namespace tactus {
namespace {

bool has_type(const Json& value, std::string_view type) {
  if (type.ends_with('?')) {
    if (value.is_null()) return true;
    type.remove_suffix(1);
  }
  if (type == "text") return value.is_string();
  if (type == "bool") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "list") return value.is_array();
  if (type == "object") return value.is_object();
  return type == "json";
}

/// The field of a path. A key of an object that has no field of its own may be "*".
const JsonField* find_field(std::span<const JsonField> fields, std::string_view path) {
  const auto at = std::find_if(fields.begin(), fields.end(),
                               [&](const JsonField& field) { return field.path == path; });
  return at == fields.end() ? nullptr : &*at;
}

class Checker {
 public:
  explicit Checker(std::span<const JsonField> fields) : fields_(fields) {}

  /// `path` is that of the value, "" for the whole document.
  Status check(const Json& value, const std::string& path) const {
    const JsonField* field = path.empty() ? nullptr : find_field(fields_, path);
    if (!path.empty() && field == nullptr) return input_error(path + " is not documented");
    if (field != nullptr && !has_type(value, field->type)) {
      return input_error(path + " is " + value.dump().substr(0, 60) + " and not " +
                         std::string(field->type));
    }
    if (field != nullptr && field->type.starts_with("json")) return {};
    if (value.is_array()) return check_items(value, path);
    return value.is_object() ? check_members(value, path) : Status();
  }

 private:
  Status check_items(const Json& list, const std::string& path) const {
    for (const Json& item : list) {
      if (Status status = check(item, path + "[]"); !status) return status;
    }
    return {};
  }

  Status check_members(const Json& object, const std::string& path) const {
    const std::string prefix = path.empty() ? "" : path + ".";
    const bool any_key = find_field(fields_, prefix + "*") != nullptr;
    for (const auto& [key, value] : object.items()) {
      const bool named = find_field(fields_, prefix + key) != nullptr;
      if (Status status = check(value, prefix + (any_key && !named ? "*" : key)); !status) {
        return status;
      }
    }
    for (const JsonField& field : fields_) {
      if (field.presence == JsonPresence::kSometimes || !field.path.starts_with(prefix)) continue;
      const std::string_view key = field.path.substr(prefix.size());
      if (key.empty() || key.find_first_of(".[*") != std::string_view::npos) continue;
      if (object.find(key) == nullptr)
        return input_error(prefix + std::string(key) + " is missing");
    }
    return {};
  }

  std::span<const JsonField> fields_;
};

constexpr std::string_view kIntroduction = R"(# The JSON documents

`--json` prints one document on standard output and nothing else there. This page lists every field. It is generated
from the tables beside the views (`src/views/*/*_fields.cc`), and a test compares them with what the commands print.

* `[]` stands for each item of a list, `*` for any key of an object.
* A type with `?` may be `null`: the value is not known.
* A field in *italics* is not always there.
* Times are in nanoseconds, counted from the start of the recording. Shares go from 0 to 1.
* A later version may add fields. Programs that read these documents should ignore those that they do not know.
)";

}  // namespace

std::span<const JsonDocument> json_documents() {
  static const std::array kDocuments = {
      JsonDocument{"kernels RUN --json", "the kernels of one run", kernels_fields(), "Kernels"},
      JsonDocument{"kernels RUN RUN2 --json", "the operators of two runs side by side",
                   kernel_pairs_fields(), "KernelPairs"},
      JsonDocument{"decode NAME --json", "a list with one entry per name", decode_fields(),
                   "Decoded"},
      JsonDocument{"cycles RUN --json", "the steps of the engine", cycles_fields(), "Cycles"},
      JsonDocument{"ranks RUN --json", "the ranks of a job side by side", ranks_fields(), "Ranks"},
      JsonDocument{"sql RUN QUERY --json", "the answer of a query", sql_fields(), "SqlAnswer"},
      JsonDocument{"patterns RUN -o PREFIX --json", "what was written", patterns_fields(),
                   "Patterns"},
      JsonDocument{"info RUN --json", "what a recording holds", info_fields(), "Info"},
      JsonDocument{"import FILE -o RUN --json", "what was read", import_fields(), "Imported"},
      JsonDocument{"compare NORMAL ABNORMAL --json", "what changed between two runs",
                   comparison_fields(), "Comparison"},
      JsonDocument{"compare --roles RUN... --json",
                   "processes of many runs compared with each other", roles_fields(), "Roles"},
      JsonDocument{"operators --json", "a list with one entry per operator", operators_fields(),
                   "Operators"},
      JsonDocument{"mine RUN... --json", "a catalogue made from runs", mine_fields(), "Mined"},
      JsonDocument{"roofline --json", "bounds of the catalogue", roofline_fields(), "Roofline"},
      JsonDocument{"bench --json", "results of a benchmark", bench_fields(), "Bench"},
      JsonDocument{"check --json", "a list with one entry per thing that was checked",
                   check_fields(), "Checks"},
      JsonDocument{"record -o RUN --json -- COMMAND", "what was recorded", record_fields(),
                   "Recorded"},
      JsonDocument{"record --pid PID --mode full --json",
                   "what came of full mode in a recording that runs", record_window_fields(),
                   "RecordedWindow"},
      JsonDocument{"top PROCESS --once --json", "what a process does", top_fields(), "Top"},
      JsonDocument{"gate --json -- COMMAND", "what the gate did", gate_fields(), "Gate"},
      JsonDocument{"gate groups RUN --json", "which kernels follow others in their launch group",
                   gate_groups_fields(), "GateGroups"},
      JsonDocument{"gate explain RUN --policy P --json", "what a policy would do with a recording",
                   gate_explain_fields(), "GateExplained"},
      JsonDocument{"gate simulate RUN --policy P --json", "what it would have made of it",
                   gate_simulate_fields(), "GateSimulated"},
      JsonDocument{"watch RUN --json", "what a watch came to, at its end", watch_fields(), "Watch"},
      JsonDocument{"watch --evaluate CSV --json", "scores of the model and the rules",
                   watch_evaluation_fields(), "WatchEvaluation"},
      JsonDocument{"inject SCENARIO --json", "what was injected", inject_fields(), "Injected"},
      JsonDocument{"inject --list --json", "what can be injected", inject_list_fields(),
                   "Scenarios"},
      JsonDocument{"schema --json", "all of this", schema_fields(), "Schema"},
      JsonDocument{"drill --json -- COMMAND", "what was injected, and whether it was found",
                   drill_fields(), "Drill"},
  };
  return kDocuments;
}

std::span<const JsonDocument> page_documents() {
  static const std::array kDocuments = {
      JsonDocument{"tactus-head", "what a page is", page_head_fields(), "PageHead"},
      JsonDocument{"runs", "the runs of a page", page_runs_fields(), "Runs"},
      JsonDocument{"overview", "a run in a few sentences", page_overview_fields(), "Overview"},
      JsonDocument{"timeline", "tracks, counters and names", page_timeline_fields(), "Timeline"},
      JsonDocument{"flame", "launches by stack", page_flame_fields(), "Flame"},
      JsonDocument{"slice", "one slice", page_slice_fields(), "Slice"},
      JsonDocument{"search", "names that hold a text", page_search_fields(), "Search"},
  };
  return kDocuments;
}

Status check_json(const Json& document, std::span<const JsonField> fields) {
  return Checker(fields).check(document, "");
}

std::string json_reference() {
  std::string out(kIntroduction);
  for (const JsonDocument& document : json_documents()) {
    out += "\n## tactus " + std::string(document.command) + "\n\nPrints " +
           std::string(document.what) +
           ".\n\n| field | type | unit | meaning |\n|---|---|---|---|\n";
    for (const JsonField& field : document.fields) {
      const std::string mark = field.presence == JsonPresence::kSometimes ? "*" : "";
      out += "| " + mark + "`" + std::string(field.path) + "`" + mark + " | " +
             std::string(field.type) + " | " + std::string(field.unit) + " | " +
             std::string(field.meaning) + " |\n";
    }
  }
  return out;
}

}  // namespace tactus

#include <algorithm>

#include "views/common/json.h"
#include "views/kernels/idle_view.h"
#include "views/kernels/kernel_columns.h"
#include "views/kernels/kernel_name_json.h"
#include "views/kernels/kernels_parts.h"
#include "views/kernels/kernels_view.h"
#include "views/kernels/launch_table_view.h"
#include "views/kernels/modules_view.h"

namespace tactus {
namespace {

constexpr std::size_t kGainsShown = 20;

/// A text that is JSON itself, such as the shapes of an op's inputs.
Json embedded(std::string_view text) {
  Json value = Json::parse(text);
  return value.is_discarded() ? Json(nullptr) : value;
}

Json source_json(const std::optional<KernelSource>& source) {
  if (!source) return nullptr;
  return {{"file", source->file},
          {"line", value_or_null(source->line)},
          {"function", text_or_null(source->function)},
          {"line_kind", text_or_null(line_kind_name(source->line_kind))},
          {"evidence", evidence_name(source->evidence)}};
}

void add_origin(Json& entry, const RowOrigin& origin) {
  entry["source"] = source_json(origin.source);
  entry["call_line"] = call_line_json(origin.call_line);
  if (origin.source && origin.source->evidence == SourceEvidence::kNote) {
    entry["rule_agrees"] = origin.rule_agrees;
  }
  entry["op"] = text_or_null(origin.op);
  entry["module"] = text_or_null(origin.module);
  entry["input_dims"] = embedded(origin.dims);
  entry["input_types"] = embedded(origin.types);
  entry["sources"] = Json::array();
  for (const SourceShare& share : origin.sources) {
    Json source = source_json(share.source);
    source["instances"] = share.instances;
    source["total_ns"] = share.total_ns;
    entry["sources"].push_back(std::move(source));
  }
  entry["source_count"] = origin.source_count;
  entry["shapes"] = Json::array();
  for (const ShapeShare& share : origin.shapes) {
    entry["shapes"].push_back({{"op", text_or_null(share.op)},
                               {"input_dims", embedded(share.dims)},
                               {"input_types", embedded(share.types)},
                               {"instances", share.instances},
                               {"total_ns", share.total_ns}});
  }
  entry["shape_count"] = origin.shape_count;
}

Json bound_json(const std::optional<KernelBound>& bound) {
  if (!bound) return nullptr;
  return {{"t_sol_ns", bound->t_sol_ns},
          {"s", bound->s},
          {"covered", bound->covered},
          {"limit", text_or_null(device_limit_name(bound->limit))},
          {"limited_by", limit_name(bound->limit)},
          {"fits_cache", bound->fits_cache},
          {"at_least", bound->at_least},
          {"evidence", shape_evidence_name(bound->evidence)}};
}

/// A figure about the time of kernels; null where that was not recorded.
template <class T>
Json if_timed(T value, const KernelsViewOptions& options) {
  return options.launches == nullptr ? Json(value) : Json(nullptr);
}

/// The summary of the bounds, and the possible gains.
Json bounds_json(const KernelReport& report, const KernelBounds& bounds,
                 const KernelsViewOptions& options) {
  Json entry;
  entry["hardware"] = text_or_null(bounds.hardware != nullptr ? bounds.hardware->name : "");
  entry["coverage"] = if_timed(bounds.coverage, options);
  entry["at_least"] = if_timed(bounds.at_least, options);
  entry["s"] = value_or_null(bounds.s);
  entry["first"] = text_or_null(first_gain(report, bounds));
  entry["gains"] = Json::array();
  for (std::size_t i = 0; i < std::min(bounds.gains.size(), kGainsShown); ++i) {
    const Gain& gain = bounds.gains[i];
    entry["gains"].push_back({{"what", gain.what},
                              {"kernel", report.table.rows[gain.row].name},
                              {"s", gain.s},
                              {"share", gain.share},
                              {"saved_ns", gain.saved_ns}});
  }
  entry["reasons"] = bounds.reasons;
  return entry;
}

Json row_json(const KernelReport& report, const KernelBounds& bounds, std::size_t index) {
  const KernelRow& row = report.table.rows[index];
  Json entry;
  entry["name"] = row.name;
  add_kernel_name(entry, report.names[index]);
  if (index < report.origins.size()) add_origin(entry, report.origins[index]);
  entry["time_pct"] = row.time_pct;
  for (const KernelColumn& column : kernel_columns()) {
    entry[column.key] = value_or_null(column.value(row));
  }
  if (row.grid) entry["grid"] = value_or_null(row.grid);
  if (row.block) entry["block"] = value_or_null(row.block);
  entry["bound"] = bound_json(bounds.rows[index]);
  return entry;
}

Json folded_json(const FoldedRow& row) {
  Json entry = {{"label", row.sum.name},
                {"kernels", row.kernels},
                {"largest", row.largest},
                {"line_kind", text_or_null(line_kind_name(row.line_kind))},
                {"time_pct", row.sum.time_pct}};
  for (const KernelColumn& column : kernel_columns()) {
    entry[column.key] = value_or_null(value_of(column, row));
  }
  return entry;
}

Json coverage_json(const Coverage& coverage, const KernelBounds& bounds,
                   const KernelsViewOptions& options) {
  const auto share = [&](double value) { return if_timed(value, options); };
  return {{"source", share(coverage.source)},
          {"operator", share(coverage.with_op)},
          {"shape", share(coverage.shape)},
          {"bound", share(bounds.coverage)},
          {"by_evidence",
           {{"stack", share(coverage.stack)},
            {"capture", share(coverage.capture)},
            {"note", share(coverage.note)},
            {"rule", share(coverage.rule)}}},
          {"replayed", share(coverage.replayed)},
          {"unattributed", share(coverage.unattributed)}};
}

Json group_json(const LaunchGroup& group) {
  Json entry;
  entry["name"] = group.name;
  entry["members"] = Json::array();
  entry["optional"] = Json::array();
  entry["kernels"] = Json::array();
  for (const GroupMember& member : group.members) {
    entry["members"].push_back(member.kernels.empty() ? "" : member.kernels.front());
    entry["optional"].push_back(member.optional);
    entry["kernels"].push_back(member.kernels);
  }
  entry["instances"] = group.instances;
  entry["tail_absent"] = group.tail_absent;
  entry["total_ns"] = group.total_ns;
  entry["call"] = nullptr;
  if (group.call) {
    entry["call"] = {{"api", text_or_null(group.call->api)},
                     {"op", text_or_null(group.call->op)},
                     {"python", text_or_null(group.call->python)}};
  }
  entry["intercept_as_one"] = group.intercept_as_one;
  entry["evidence"] = group_evidence_name(group.evidence);
  entry["why"] = group.why;
  return entry;
}

Json structure_json(const Structure& structure, const KernelsViewOptions& options) {
  Json entry;
  entry["passes"] = value_or_null(structure.passes);
  entry["layers"] = value_or_null(structure.layers);
  entry["gemms_per_layer"] = value_or_null(structure.gemms_per_layer);
  entry["sampled_steps"] = value_or_null(structure.sampled_steps);
  entry["phases"] = Json::object();
  for (const PassGroup& phase : structure.phases) {
    entry["phases"][phase.phase] = {{"passes", phase.passes},
                                    {"total_ns", value_or_null(phase.total_ns)}};
  }
  entry["of_rank"] = text_or_null(structure.of_rank);
  entry["ranks"] = Json::array();
  for (const RankPasses& rank : structure.ranks) {
    entry["ranks"].push_back({{"label", rank.label},
                              {"rank", value_or_null(rank.rank)},
                              {"passes", rank.passes},
                              {"layers", value_or_null(rank.layers)},
                              {"total_ns", rank.total_ns}});
  }
  entry["decode_missing"] = structure.decode_missing;
  entry["decode_missing_why"] = text_or_null(structure.decode_missing_why);
  entry["capture_sizes"] = structure.capture_sizes;
  entry["longest_kernel_ns"] = if_timed(structure.longest_kernel_ns, options);
  entry["identities"] = Json::array();
  for (const Identity& identity : structure.identities) {
    entry["identities"].push_back({{"text", identity.text},
                                   {"expected", identity.expected},
                                   {"actual", identity.actual},
                                   {"holds", identity.holds()}});
  }
  entry["split_rows"] = Json::array();
  for (const SplitRow& row : structure.split_rows) {
    Json parts = Json::array();
    for (const RowPart& part : row.parts) {
      parts.push_back(
          {{"phase", part.phase}, {"instances", part.instances}, {"avg_ns", part.avg_ns}});
    }
    entry["split_rows"].push_back({{"name", row.name}, {"parts", std::move(parts)}});
  }
  entry["signs"] = structure.signs;
  return entry;
}

Json families_json(const KernelReport& report) {
  Json list = Json::array();
  for (const FamilyShare& share : report.families) {
    list.push_back({{"family", family_name(share.family)},
                    {"total_ns", share.total_ns},
                    {"instances", share.instances},
                    {"rows", share.rows}});
  }
  return list;
}

Json other_rows_json(const KernelReport& report) {
  Json list = Json::array();
  for (const OtherWork& work : report.other_work) {
    list.push_back({{"name", work.name},
                    {"kind", work.kind},
                    {"device", value_or_null(work.device)},
                    {"instances", work.instances},
                    {"total_ns", work.total_ns},
                    {"max_ns", work.max_ns}});
  }
  return list;
}

Json hint_json(const Hint& hint) {
  return {{"kind", hint.kind},
          {"text", hint.text},
          {"share", hint.share},
          {"total_ns", hint.total_ns},
          {"rows", hint.rows}};
}

void add_notes(Json& document, const KernelReport& report) {
  document["notes"] = Json::array();
  for (const TableNote& note : report.table.notes) {
    document["notes"].push_back({{"kind", note.kind}, {"line", note.line}, {"text", note.text}});
  }
  document["inconsistencies"] = report.inconsistencies;
  document["stacks"] = Json::array();
  for (const StackNote& note : report.stack_notes) {
    Json frames = Json::array();
    for (const StackFrame& frame : note.frames) {
      frames.push_back({{"file", frame.file},
                        {"line", frame.line},
                        {"function", frame.function},
                        {"code", text_or_null(frame.code)}});
    }
    Json rows = Json::array();
    for (const std::size_t row : note.rows) rows.push_back(report.table.rows[row].name);
    document["stacks"].push_back(
        {{"line", note.line}, {"frames", std::move(frames)}, {"explains", std::move(rows)}});
  }
  document["answers"] = Json::array();
  for (const AnsweredRow& answer : report.answers) {
    document["answers"].push_back(
        {{"line", answer.line}, {"name", answer.name}, {"answer", answer.answer}});
  }
}

/// Writes a document member by member and lists item by item. There may be very many kernels, and
/// as one tree they would take three times the memory of everything else.
class DocumentWriter {
 public:
  explicit DocumentWriter(const TextSink& sink) : sink_(sink) { text_.open_object(); }

  void add(std::string_view key, const Json& value) {
    text_.key(key).raw(value.dump());
    pass_on();
  }
  template <class ItemJson>
  void add_list(std::string_view key, std::size_t size, const ItemJson& item_json) {
    text_.key(key).open_array();
    for (std::size_t i = 0; i < size; ++i) {
      text_.raw(item_json(i).dump());
      pass_on();
    }
    text_.close_array();
  }
  void add_members(const Json& object) {
    for (const auto& [key, value] : object.items()) add(key, value);
  }

  Status finish() {
    text_.close_object();
    return status_ ? sink_(std::move(text_).take() + "\n") : status_;
  }

 private:
  void pass_on() {
    if (const auto part = text_.take_part(); part && status_) status_ = sink_(*part);
  }

  const TextSink& sink_;
  JsonText text_;
  Status status_;
};

}  // namespace

Status write_kernels_json(const KernelReport& report, const KernelBounds& bounds, const Run& run,
                          const KernelsViewOptions& options, const TextSink& sink) {
  const auto shown = [&](std::size_t size) {
    return options.top == 0 ? size : std::min(options.top, size);
  };
  DocumentWriter document(sink);
  document.add("total_ns", if_timed(report.table.total_ns, options));
  if (report.table.whole_ns) document.add("whole_ns", *report.table.whole_ns);
  document.add("coverage", coverage_json(report.coverage, bounds, options));
  document.add_list("rows", shown(report.table.rows.size()),
                    [&](std::size_t i) { return row_json(report, bounds, i); });
  if (options.launches != nullptr) {
    document.add("launches", launches_json(*options.launches, options.top));
  }
  if (!report.folded.empty()) {
    document.add_list("folded", shown(report.folded.size()),
                      [&](std::size_t i) { return folded_json(report.folded[i]); });
  }
  if (report.modules) {
    const std::vector<std::size_t> modules = modules_shown(*report.modules, options.top);
    document.add("modules_from", module_evidence_name(report.modules->evidence));
    document.add_list("modules", modules.size(), [&](std::size_t i) {
      return module_json(report.modules->rows[modules[i]], report.table.total_ns);
    });
  }
  document.add("families", families_json(report));
  document.add("other_rows", other_rows_json(report));
  if (options.idle != nullptr) document.add("idle", idle_json(*options.idle));
  document.add_list("groups", report.groups.size(),
                    [&](std::size_t i) { return group_json(report.groups[i]); });
  document.add("structure", structure_json(report.structure, options));
  document.add("bounds", bounds_json(report, bounds, options));
  document.add_list("hints", report.hints.size(),
                    [&](std::size_t i) { return hint_json(report.hints[i]); });
  Json notes;
  add_notes(notes, report);
  add_account(notes, run);
  document.add_members(notes);
  return document.finish();
}

}  // namespace tactus

#include "kernels/trace/attribution.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "base/arithmetic.h"
#include "kernels/trace/call_lines.h"
#include "launches/captured_launches.h"
#include "names/python_frame.h"
#include "run/args/arg_lookup.h"

namespace tactus {
namespace {

constexpr std::uint32_t kNoLabel = 0;  // labels[0] is "unknown"

/// Time by (row of the table, something), and the somethings of each row by their time.
class TimeByRow {
 public:
  struct Entry {
    std::uint32_t what = kNoRow;
    std::int64_t ns = 0;
    std::int64_t count = 0;
  };

  explicit TimeByRow(std::size_t rows) : rows_(rows) {}

  void add(std::size_t row, std::uint32_t what, std::int64_t ns) {
    Sum& sum = sums_[static_cast<std::uint64_t>(row) << 32 | what];
    sum.ns = wrapping_add(sum.ns, ns);
    ++sum.count;
  }

  /// By row; most time first. Equal times: the smaller id, so the answer does not depend on the
  /// map's order.
  std::vector<std::vector<Entry>> ranked() const {
    std::vector<std::vector<Entry>> ranked(rows_);
    for (const auto& [key, sum] : sums_) {
      ranked[static_cast<std::size_t>(key >> 32)].push_back(
          {static_cast<std::uint32_t>(key), sum.ns, sum.count});
    }
    for (std::vector<Entry>& entries : ranked) {
      std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return a.ns != b.ns ? a.ns > b.ns : a.what < b.what;
      });
    }
    return ranked;
  }

 private:
  struct Sum {
    std::int64_t ns = 0;
    std::int64_t count = 0;
  };

  std::size_t rows_;
  std::unordered_map<std::uint64_t, Sum> sums_;
};

std::string label_of(const KernelSource& source) {
  std::string label = source.file;
  if (source.line_kind == LineKind::kCall) {
    label += ":" + std::to_string(source.line.value_or(0)) + " (call)";
  } else if (source.line) {
    label += "(" + std::to_string(*source.line) + ")";
  }
  if (!source.function.empty()) label += ": " + source.function;
  return label;
}

std::optional<KernelSource> source_by_rule(const KernelName& name) {
  if (!name.launcher) return std::nullopt;
  return KernelSource{
      .file = std::string(name.launcher->file),
      .line = {},
      .function = std::string(name.launcher->function),
      .line_kind = LineKind::kNone,
      .evidence = name.launcher->certain ? SourceEvidence::kRule : SourceEvidence::kGuess};
}

bool is_known_op(const KernelName& name) {
  return name.family != Family::kOther;
}

/// Sources, each once, by label and evidence.
class SourceList {
 public:
  SourceList() { add(KernelSource{.file = "unknown"}); }

  std::uint32_t add(KernelSource source) {
    const std::string label = label_of(source);
    const auto next = static_cast<std::uint32_t>(sources_.size());
    const auto key = label + '\n' + std::string(evidence_name(source.evidence));
    const auto [at, is_new] = known_.try_emplace(key, next);
    if (is_new) {
      sources_.push_back(std::move(source));
      labels_.push_back(label);
    }
    return at->second;
  }
  const KernelSource& operator[](std::uint32_t index) const { return sources_[index]; }
  std::vector<std::string> labels() const { return labels_; }
  std::vector<LineKind> line_kinds() const {
    std::vector<LineKind> kinds;
    for (const KernelSource& source : sources_) kinds.push_back(source.line_kind);
    return kinds;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> known_;
  std::vector<KernelSource> sources_;
  std::vector<std::string> labels_;
};

double& share_of(Coverage& coverage, SourceEvidence evidence) {
  switch (evidence) {
    case SourceEvidence::kStack: return coverage.stack;
    case SourceEvidence::kCapture: return coverage.capture;
    case SourceEvidence::kNote: return coverage.note;
    case SourceEvidence::kRule:
    case SourceEvidence::kGuess: break;
  }
  return coverage.rule;
}

void to_shares(Coverage& coverage, double total_ns) {
  coverage.source = coverage.stack + coverage.capture + coverage.note + coverage.rule;
  coverage.unattributed = total_ns - coverage.source;
  for (double* ns :
       {&coverage.source, &coverage.stack, &coverage.capture, &coverage.note, &coverage.rule,
        &coverage.with_op, &coverage.shape, &coverage.replayed, &coverage.unattributed}) {
    *ns = total_ns > 0 ? *ns / total_ns : 0;
  }
}

/// The shapes and types of the inputs of ops, by the op's row.
class OpInputs {
 public:
  OpInputs(const Run& run, std::span<const LaunchSite> sites) {
    for (const LaunchSite& site : sites) {
      if (site.op != kNoRow) ops_.push_back(site.op);
    }
    std::sort(ops_.begin(), ops_.end());
    ops_.erase(std::unique(ops_.begin(), ops_.end()), ops_.end());
    dims_ = args_of_slices(run, ops_, "Input Dims");
    types_ = args_of_slices(run, ops_, "Input type");
  }

  /// StringIds of the JSON; kNoRow where the op has none.
  std::uint32_t dims(std::uint32_t op) const { return find(dims_, op); }
  std::uint32_t types(std::uint32_t op) const { return find(types_, op); }

 private:
  std::uint32_t find(const std::vector<std::optional<Value>>& values, std::uint32_t op) const {
    const auto at = std::lower_bound(ops_.begin(), ops_.end(), op) - ops_.begin();
    const std::optional<Value>& value = values[static_cast<std::size_t>(at)];
    const bool is_text = value && value->type == ValueType::kJson;
    return is_text ? static_cast<std::uint32_t>(value->raw) : kNoRow;
  }

  std::vector<std::uint32_t> ops_;
  std::vector<std::optional<Value>> dims_;
  std::vector<std::optional<Value>> types_;
};

/// Goes through the kernels of a trace and adds up who launched them.
class TraceAttribution {
 public:
  TraceAttribution(const Run& run, const KernelTable& table, std::span<const KernelName> names,
                   std::span<const std::uint32_t> rows)
      : run_(run),
        table_(table),
        names_(names),
        row_of_name_(rows),
        by_source_(table.rows.size()),
        by_op_(table.rows.size()),
        by_module_(table.rows.size()),
        by_shape_(table.rows.size()),
        by_call_line_(table.rows.size()) {
    for (const KernelName& name : names) {
      const std::optional<KernelSource> source = source_by_rule(name);
      rule_source_.push_back(source ? sources_.add(*source) : kNoLabel);
    }
  }

  Attribution attribute(const KernelInstances& kernels, std::span<const LaunchSite> sites) {
    const OpInputs inputs(run_, sites);
    call_lines_ = call_lines_of_ops(run_, sites);
    Attribution result;
    result.source_of.reserve(kernels.size());
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      result.source_of.push_back(add(kernels.names[i], kernels.durs[i], sites[i], inputs));
    }
    result.labels = sources_.labels();
    result.line_kinds = sources_.line_kinds();
    result.origins = origins();
    to_shares(coverage_, static_cast<double>(table_.total_ns));
    result.coverage = coverage_;
    return result;
  }

 private:
  std::uint32_t name_at(std::uint32_t row) const {
    return static_cast<std::uint32_t>(run_.slices.name()[row]);
  }

  /// Adds one kernel; returns the index of its source.
  std::uint32_t add(std::uint32_t name, std::int64_t ns, const LaunchSite& site,
                    const OpInputs& inputs) {
    const std::uint32_t row = row_of_name_[name];
    const auto time = static_cast<double>(ns);
    const std::uint32_t source = source_of(row, site, ns);
    if (source != kNoLabel) {
      by_source_.add(row, source, ns);
      share_of(coverage_, sources_[source].evidence) += time;
    }
    if (site.captured || is_replayed(site)) coverage_.replayed += time;
    if (site.module != kNoRow) by_module_.add(row, name_at(site.module), ns);
    if (site.op != kNoRow) {
      by_op_.add(row, name_at(site.op), ns);
      const std::uint32_t dims = inputs.dims(site.op);
      if (dims != kNoRow) {
        by_shape_.add(row, shape_of({name_at(site.op), dims, inputs.types(site.op)}), ns);
        coverage_.shape += time;
      }
    }
    // Without a slice of an op, the native stack may show one.
    const auto op_of_stack =
        site.op == kNoRow ? call_lines_.op_of_call.find(site.call) : call_lines_.op_of_call.end();
    const bool stack_has_op = op_of_stack != call_lines_.op_of_call.end();
    if (stack_has_op) by_op_.add(row, first_op_of_stack() + op_of_stack->second, ns);
    if (site.op != kNoRow || stack_has_op || is_known_op(names_[row])) coverage_.with_op += time;
    return source;
  }

  /// The line that runs, if the trace has it; it says more than the frame around it.
  std::uint32_t source_of_line(std::uint32_t row, const LaunchSite& site, std::int64_t ns) {
    auto line = call_lines_.of_op.find(site.op);
    if (line == call_lines_.of_op.end()) {
      line = call_lines_.of_call.find(site.call);
      if (line == call_lines_.of_call.end()) return kNoLabel;
    }
    by_call_line_.add(row, line->second, ns);
    const std::uint64_t key = std::uint64_t{line->second} << 1 | (site.captured ? 1 : 0);
    const auto [at, is_new] = line_source_.try_emplace(key);
    if (is_new) {
      const CallLine& call = call_lines_.lines[line->second];
      at->second = sources_.add(
          {.file = call.file,
           .line = call.line,
           .function = call.function,
           .line_kind = LineKind::kCall,
           .evidence = site.captured ? SourceEvidence::kCapture : SourceEvidence::kStack});
    }
    return at->second;
  }

  std::uint32_t source_of(std::uint32_t row, const LaunchSite& site, std::int64_t ns) {
    if (!call_lines_.lines.empty()) {
      const std::uint32_t source = source_of_line(row, site, ns);
      if (source != kNoLabel) return source;
    }
    if (site.frame == kNoRow) return rule_source_[row];
    const std::uint64_t key = std::uint64_t{name_at(site.frame)} << 1 | (site.captured ? 1 : 0);
    const auto [at, is_new] = frame_source_.try_emplace(key);
    if (is_new) {
      const PythonFrame frame = read_python_frame(run_.strings[StringId(name_at(site.frame))]);
      const bool has_def = frame.line && frame.function != "<module>";
      at->second = sources_.add(
          {.file = std::string(frame.file),
           .line = frame.line,
           .function = std::string(frame.function),
           .line_kind = has_def ? LineKind::kDef : LineKind::kNone,
           .evidence = site.captured ? SourceEvidence::kCapture : SourceEvidence::kStack});
    }
    return at->second;
  }

  bool is_replayed(const LaunchSite& site) {
    if (site.call == kNoRow) return false;
    const std::uint32_t api = name_at(site.call);
    const auto [at, is_new] = graph_launches_.try_emplace(api);
    if (is_new) at->second = is_graph_launch(run_.strings[StringId(api)]);
    return at->second;
  }

  /// An op and the JSON of its inputs: StringIds, kNoRow where there is none.
  using Shape = std::array<std::uint32_t, 3>;

  std::uint32_t shape_of(const Shape& shape) {
    const auto [at, is_new] =
        shape_places_.try_emplace(shape, static_cast<std::uint32_t>(shapes_.size()));
    if (is_new) shapes_.push_back(shape);
    return at->second;
  }

  /// Ops are StringIds, or behind those the ops of stacks.
  std::uint32_t first_op_of_stack() const {
    return static_cast<std::uint32_t>(run_.strings.size());
  }
  std::string op_text(std::uint32_t id) const {
    return id < first_op_of_stack() ? text_of(id) : call_lines_.ops[id - first_op_of_stack()];
  }

  std::string text_of(std::uint32_t id) const {
    return id == kNoRow ? std::string() : std::string(run_.strings[StringId(id)]);
  }

  std::vector<RowOrigin> origins() const {
    std::vector<RowOrigin> origins(table_.rows.size());
    const auto sources = by_source_.ranked();
    const auto shapes = by_shape_.ranked();
    const auto ops = by_op_.ranked();
    const auto modules = by_module_.ranked();
    for (std::size_t row = 0; row < origins.size(); ++row) {
      RowOrigin& origin = origins[row];
      origin.source_count = sources[row].size();
      origin.shape_count = shapes[row].size();
      for (const TimeByRow::Entry& entry : sources[row]) {
        if (origin.sources.size() == RowOrigin::kMostListed) break;
        origin.sources.push_back({sources_[entry.what], entry.count, entry.ns});
      }
      for (const TimeByRow::Entry& entry : shapes[row]) {
        if (origin.shapes.size() == RowOrigin::kMostListed) break;
        const auto& [op, dims, types] = shapes_[entry.what];
        origin.shapes.push_back(
            {text_of(op), text_of(dims), text_of(types), entry.count, entry.ns});
      }
      if (!origin.sources.empty()) origin.source = origin.sources.front().source;
      if (!origin.shapes.empty()) {
        origin.dims = origin.shapes.front().dims;
        origin.types = origin.shapes.front().types;
      }
      if (!ops[row].empty()) origin.op = op_text(ops[row].front().what);
      if (!modules[row].empty()) {
        origin.module = read_python_frame(text_of(modules[row].front().what)).function;
      }
    }
    const auto lines = by_call_line_.ranked();
    for (std::size_t row = 0; row < origins.size(); ++row) {
      if (lines[row].empty()) continue;
      origins[row].call_line = call_lines_.lines[lines[row].front().what];
      origins[row].call_line->evidence = origins[row].source->evidence;
    }
    return origins;
  }

  const Run& run_;
  const KernelTable& table_;
  std::span<const KernelName> names_;
  std::span<const std::uint32_t> row_of_name_;  ///< of the table, by StringId
  SourceList sources_;
  std::vector<std::uint32_t> rule_source_;  ///< by row of the table
  std::unordered_map<std::uint64_t, std::uint32_t> frame_source_;
  std::unordered_map<std::uint64_t, std::uint32_t> line_source_;
  std::unordered_map<std::uint32_t, bool> graph_launches_;
  std::map<Shape, std::uint32_t> shape_places_;
  std::vector<Shape> shapes_;
  TimeByRow by_source_, by_op_, by_module_, by_shape_, by_call_line_;
  CallLines call_lines_;
  Coverage coverage_;
};

std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

std::string_view evidence_name(SourceEvidence evidence) {
  switch (evidence) {
    case SourceEvidence::kStack: return "stack";
    case SourceEvidence::kCapture: return "capture";
    case SourceEvidence::kNote: return "note";
    case SourceEvidence::kRule: return "rule";
    case SourceEvidence::kGuess: return "guess";
  }
  return "guess";
}

std::string_view line_kind_name(LineKind kind) {
  switch (kind) {
    case LineKind::kNone: return "";
    case LineKind::kDef: return "def";
    case LineKind::kCall: return "call";
  }
  return "";
}

Attribution attribute(const Run& run, const KernelInstances& kernels,
                      std::span<const LaunchSite> sites, const KernelTable& table,
                      std::span<const KernelName> names, std::span<const std::uint32_t> rows) {
  return TraceAttribution(run, table, names, rows).attribute(kernels, sites);
}

Attribution attribute(const KernelTable& table, std::span<const KernelName> names) {
  Attribution result;
  double total = 0;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const KernelRow& row = table.rows[i];
    const auto time = static_cast<double>(row.total_ns);
    total += time;
    RowOrigin origin;
    origin.source = source_by_rule(names[i]);
    if (!row.typed_source.empty()) {
      origin.rule_agrees =
          origin.source && file_name(origin.source->file) == file_name(row.typed_source);
      origin.source = KernelSource{.file = row.typed_source,
                                   .line = {},
                                   .function = {},
                                   .line_kind = LineKind::kNone,
                                   .evidence = SourceEvidence::kNote};
    }
    if (origin.source) {
      share_of(result.coverage, origin.source->evidence) += time;
      origin.sources.push_back({*origin.source, row.instances, row.total_ns});
      origin.source_count = 1;
    }
    if (is_known_op(names[i])) result.coverage.with_op += time;
    result.labels.push_back(origin.source ? label_of(*origin.source) : "unknown");
    result.line_kinds.push_back(LineKind::kNone);
    result.source_of.push_back(static_cast<std::uint32_t>(i));
    result.origins.push_back(std::move(origin));
  }
  to_shares(result.coverage, total);
  return result;
}

}  // namespace tactus

#include "kernels/trace/call_lines.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "names/dispatcher_op.h"
#include "names/python_frame.h"
#include "names/python_stack.h"
#include "run/args/arg_lookup.h"

namespace tactus {
namespace {

constexpr std::string_view kStackKey = "@sf";

bool any_slice_has(const Run& run, std::string_view key) {
  return std::any_of(run.shapes.begin(), run.shapes.end(), [&](const ArgShape& shape) {
    return std::any_of(shape.begin(), shape.end(),
                       [&](const auto& field) { return run.strings[field.key] == key; });
  });
}

bool has_python_frames(const Run& run) {
  return std::any_of(run.categories.begin(), run.categories.end(),
                     [](const Category& category) { return category.kind == SliceKind::kPython; });
}

/// Reads one argument of ops. Every text is read once.
class LineReader {
 public:
  explicit LineReader(const Run& run) : run_(run) {}

  template <class LineOf>
  void read(std::span<const std::uint32_t> ops, std::string_view key, const LineOf& line_of) {
    std::unordered_map<std::int64_t, std::uint32_t> known;  // by StringId
    const std::vector<std::optional<Value>> texts = args_of_slices(run_, ops, key);
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (!texts[i] || texts[i]->type != ValueType::kText) continue;
      const auto [at, is_new] = known.try_emplace(texts[i]->raw, kNoRow);
      if (is_new) {
        const StringId text(static_cast<std::uint64_t>(texts[i]->raw));
        if (const auto line = line_of(run_.strings[text])) at->second = add(*line);
      }
      if (at->second != kNoRow) lines_.of_op.try_emplace(ops[i], at->second);
    }
  }
  /// The line of each call's stack. Every stack is read once.
  void read_stacks(std::span<const std::uint32_t> calls) {
    struct Known {
      std::uint32_t line = kNoRow;
      std::uint32_t op = kNoRow;
    };
    std::unordered_map<std::int64_t, Known> known;  // by StackId
    const std::vector<std::optional<Value>> stacks = args_of_slices(run_, calls, kStackKey);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (!stacks[i] || stacks[i]->type != ValueType::kStack) continue;
      const auto [at, is_new] = known.try_emplace(stacks[i]->raw);
      if (is_new) {
        const StackReading reading = read_stack(stacks[i]->raw);
        if (reading.line) at->second.line = add(*reading.line);
        if (reading.op) at->second.op = add_op(*reading.op);
      }
      if (at->second.line != kNoRow) lines_.of_call.try_emplace(calls[i], at->second.line);
      if (at->second.op != kNoRow) lines_.op_of_call.try_emplace(calls[i], at->second.op);
    }
  }
  CallLines take() && { return std::move(lines_); }

 private:
  struct StackReading {
    /// The innermost frame of the program; of PyTorch's own if there is no other.
    std::optional<PythonLine> line;
    /// The innermost op of PyTorch's dispatcher that the program's frame called.
    std::optional<std::string> op;
  };

  StackReading read_stack(std::int64_t stack) const {
    constexpr int kDeepest = 4096;  // a damaged file may have a loop
    StackReading found;
    for (int depth = 0; depth < kDeepest && stack >= 0; ++depth) {
      const auto at = static_cast<std::size_t>(stack);
      if (at >= run_.stacks.rows) break;
      const StringId text(static_cast<std::uint64_t>(run_.stacks.frame()[at]));
      const PythonFrame frame = read_python_frame(run_.strings[text]);
      if (!found.op) found.op = dispatcher_op(run_.strings[text]);
      const bool is_program = frame.kind == PythonFrame::Kind::kProgram;
      if (frame.line &&
          (is_program || (frame.kind == PythonFrame::Kind::kPlumbing && !found.line))) {
        found.line = {.file = frame.file, .line = *frame.line, .function = frame.function};
        if (is_program) break;
      }
      stack = run_.stacks.parent()[at];
    }
    return found;
  }

  std::uint32_t add_op(const std::string& op) {
    const auto [at, is_new] =
        op_places_.try_emplace(op, static_cast<std::uint32_t>(lines_.ops.size()));
    if (is_new) lines_.ops.push_back(op);
    return at->second;
  }

  std::uint32_t add(const PythonLine& line) {
    const auto next = static_cast<std::uint32_t>(lines_.lines.size());
    const auto [at, is_new] = index_.try_emplace(
        std::tuple(std::string(line.file), line.line, std::string(line.function)), next);
    if (is_new) {
      lines_.lines.push_back({.file = std::string(line.file),
                              .line = line.line,
                              .function = std::string(line.function)});
    }
    return at->second;
  }

  const Run& run_;
  std::map<std::tuple<std::string, std::int64_t, std::string>, std::uint32_t> index_;
  std::map<std::string, std::uint32_t> op_places_;
  CallLines lines_;
};

}  // namespace

CallLines call_lines_of_ops(const Run& run, std::span<const LaunchSite> sites) {
  const bool has_traces = any_slice_has(run, "stack_trace");
  const bool has_calls = any_slice_has(run, kStackKey);
  const bool has_stacks = !has_python_frames(run) && any_slice_has(run, "Call stack");
  if (!has_traces && !has_stacks && !has_calls) return {};
  LineReader reader(run);
  if (has_calls) {
    std::vector<std::uint32_t> calls;
    for (const LaunchSite& site : sites) {
      if (site.call != kNoRow) calls.push_back(site.call);
    }
    std::sort(calls.begin(), calls.end());
    calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
    reader.read_stacks(calls);
  }
  std::vector<std::uint32_t> ops;
  for (const LaunchSite& site : sites) {
    if (site.op != kNoRow) ops.push_back(site.op);
  }
  std::sort(ops.begin(), ops.end());
  ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
  reader.read(ops, "stack_trace", line_of_traceback);
  if (has_stacks) reader.read(ops, "Call stack", line_of_call_stack);
  return std::move(reader).take();
}

}  // namespace tactus

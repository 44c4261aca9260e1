#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "launches/kernel_instances.h"
#include "launches/launch_sites.h"
#include "names/kernel_name.h"

namespace tactus {

/// How we know who launched a kernel, the most certain first.
enum class SourceEvidence : std::uint8_t {
  kStack,    ///< the Python frame around the launch
  kCapture,  ///< the same, from the capture of the graph that replays it
  kNote,     ///< what the author of a table typed
  kRule,     ///< the kernel's name belongs to one source file
  kGuess,    ///< the name fits several files; this is the most likely one
};
std::string_view evidence_name(SourceEvidence evidence);

/// What the number of a line means.
enum class LineKind : std::uint8_t {
  kNone,  ///< no line is known
  kDef,   ///< where the function begins
  kCall,  ///< the line that runs while the kernel is launched
};
std::string_view line_kind_name(LineKind kind);  ///< "def", "call"; empty for kNone

/// The line of source code that launches a kernel.
struct KernelSource {
  std::string file;
  std::optional<std::int64_t> line;
  std::string function;
  LineKind line_kind = LineKind::kNone;
  SourceEvidence evidence = SourceEvidence::kRule;

  bool operator==(const KernelSource&) const = default;
};

/// The line that was running when a kernel was launched.
struct CallLine {
  std::string file;
  std::int64_t line = 0;
  std::string function;
  SourceEvidence evidence = SourceEvidence::kStack;  ///< kStack, kCapture or kNote
};

/// One of the sources of a row, and what comes from it.
struct SourceShare {
  KernelSource source;
  std::int64_t instances = 0;
  std::int64_t total_ns = 0;
};

/// One of the ops and input shapes of a row. Unknown texts are empty.
struct ShapeShare {
  std::string op;
  std::string dims;   ///< as JSON
  std::string types;  ///< as JSON
  std::int64_t instances = 0;
  std::int64_t total_ns = 0;
};

/// Who launches the kernels of one row: the answer for most of its time. Unknown texts are empty.
struct RowOrigin {
  static constexpr std::size_t kMostListed = 20;

  std::optional<KernelSource> source;
  std::string op;                    ///< the framework op: aten::mm
  std::string module;                ///< the nn.Module
  std::string dims;                  ///< of the op's inputs, as JSON
  std::string types;                 ///< of the op's inputs, as JSON
  bool rule_agrees = false;          ///< an author's note and our rule name the same file
  std::vector<SourceShare> sources;  ///< by descending time, at most kMostListed
  std::vector<ShapeShare> shapes;    ///< the same for shapes
  std::size_t source_count = 0;      ///< all that there are
  std::size_t shape_count = 0;
  std::optional<CallLine> call_line;
};

/// Shares of GPU time, 0 to 1.
struct Coverage {
  double source = 0;  ///< a source line or file is known, by any evidence
  double stack = 0;   ///< of that, by evidence
  double capture = 0;
  double note = 0;
  double rule = 0;          ///< guesses included
  double with_op = 0;       ///< the computation is known: from a framework op, or from the name
  double shape = 0;         ///< the op's input shapes are known
  double replayed = 0;      ///< replayed by a graph, captured or not
  double unattributed = 0;  ///< no line, no rule
};

struct Attribution {
  std::vector<RowOrigin> origins;        ///< by row of the table
  std::vector<std::string> labels;       ///< sources as text: "file(line): function"
  std::vector<LineKind> line_kinds;      ///< by label
  std::vector<std::uint32_t> source_of;  ///< by kernel: index of `labels`
  Coverage coverage;
};

/// Who launched the kernels of a trace. `names` are decoded by row of the table; `sites` belong to
/// the kernels; `rows` are those of the table by StringId.
Attribution attribute(const Run& run, const KernelInstances& kernels,
                      std::span<const LaunchSite> sites, const KernelTable& table,
                      std::span<const KernelName> names, std::span<const std::uint32_t> rows);

/// The same for a table, from its author's notes and from rules.
Attribution attribute(const KernelTable& table, std::span<const KernelName> names);

}  // namespace tactus

#include <algorithm>
#include <array>
#include <charconv>

#include "base/arithmetic.h"
#include "kernels/table/table_analysis.h"
#include "sources/text/number.h"

namespace tactus {
namespace {

/// The call in the innermost line of a traceback, and the kernels that it launches.
struct CallRule {
  std::string_view word;
  std::array<Family, 4> families;  ///< if there are fewer, the first is repeated
};
constexpr CallRule of(std::string_view word, Family a) {
  return {word, {a, a, a, a}};
}

constexpr CallRule linear(std::string_view word) {
  return {word, {Family::kGemm, Family::kGemv, Family::kSplitKReduce, Family::kGemm}};
}
constexpr CallRule attention(std::string_view word) {
  return {word,
          {Family::kAttention, Family::kAttentionPrepare, Family::kAttentionCombine,
           Family::kAttention}};
}

// The first match counts: a norm or a rotary embedding may be in an attention module.
constexpr CallRule kCallRules[] = {
    linear("F.linear"),
    linear("matmul"),
    linear("torch.mm"),
    linear("addmm"),
    linear("torch.bmm"),
    linear("einsum"),
    of("silu", Family::kActivation),
    of("gelu", Family::kActivation),
    of("rms_norm", Family::kNorm),
    of("rmsnorm", Family::kNorm),
    of("layer_norm", Family::kNorm),
    of("rotary", Family::kRope),
    of("apply_rope", Family::kRope),
    of("index_put", Family::kKvWrite),
    of("set_kv_buffer", Family::kKvWrite),
    of("reshape_and_cache", Family::kKvWrite),
    attention("flash_attn"),
    attention("scaled_dot_product_attention"),
    attention("paged_attention"),
    attention("attn_func"),
    of("fused_moe", Family::kMoe),
    of("fused_experts", Family::kMoe),
    of("all_reduce", Family::kCollective),
    of("all_gather", Family::kCollective),
    of("reduce_scatter", Family::kCollective),
    of("argmax", Family::kSampling),
    of("multinomial", Family::kSampling),
    of("embedding", Family::kGather),
    of("index_select", Family::kGather),
    of("cumsum", Family::kScan),
    of(".contiguous(", Family::kCopy),
    of(".copy_(", Family::kCopy),
    of("torch.cat", Family::kCopy),
    of("torch.zeros", Family::kFill),
    of(".fill_(", Family::kFill),
    of(".zero_(", Family::kFill),
};

/// `File "/x/engine.py", line 378, in capture`, with any text of a launcher before it.
bool read_frame(std::string_view line, StackFrame& frame) {
  constexpr std::string_view kFile = "File \"";
  constexpr std::string_view kLine = "\", line ";
  const std::size_t file = line.find(kFile);
  if (file == std::string_view::npos) return false;
  const std::string_view rest = line.substr(file + kFile.size());
  const std::size_t number = rest.find(kLine);
  if (number == std::string_view::npos) return false;
  const std::string_view digits = rest.substr(number + kLine.size());
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), frame.line);
  if (error != std::errc()) return false;
  frame.file = rest.substr(0, number);
  const std::string_view behind = digits.substr(static_cast<std::size_t>(end - digits.data()));
  constexpr std::string_view kIn = ", in ";
  if (behind.starts_with(kIn)) frame.function = trim(behind.substr(kIn.size()));
  return true;
}

/// A line without "[rank0]:" and blanks.
std::string_view said(std::string_view line) {
  const std::size_t end = line.find("]:");
  if (line.starts_with("[") && end != std::string_view::npos) line.remove_prefix(end + 2);
  return trim(line);
}

bool is_marker(std::string_view code) {
  return code.find_first_not_of("^~ \t") == std::string_view::npos;
}

/// Reads a note line by line; one note may hold several tracebacks.
class TracebackReader {
 public:
  explicit TracebackReader(std::int64_t first_line) : line_(first_line) {}

  void take(std::string_view line) {
    StackFrame frame;
    if (line.find("Traceback (most recent call last)") != std::string_view::npos) {
      open_ = false;
      start_line_ = line_;
    } else if (read_frame(line, frame)) {
      if (!open_) {
        stacks_.push_back({start_line_ > 0 ? start_line_ : line_, {}, {}});
        open_ = true;
        start_line_ = 0;
      }
      stacks_.back().frames.push_back(std::move(frame));
      wants_code_ = true;
    } else if (wants_code_ && !said(line).empty()) {
      if (!is_marker(said(line))) stacks_.back().frames.back().code = said(line);
      wants_code_ = false;
    }
    line_ = wrapping_add(line_, 1);
  }

  std::vector<StackNote> finish() { return std::move(stacks_); }

 private:
  std::vector<StackNote> stacks_;
  std::int64_t line_;
  std::int64_t start_line_ = 0;  ///< of a heading whose frames come later
  bool open_ = false;
  bool wants_code_ = false;
};

const CallRule* find_rule(std::string_view text) {
  const auto rule = std::find_if(
      std::begin(kCallRules), std::end(kCallRules),
      [text](const CallRule& r) { return text.find(r.word) != std::string_view::npos; });
  return rule == std::end(kCallRules) ? nullptr : rule;
}

std::vector<std::size_t> explained_rows(const StackFrame& innermost,
                                        std::span<const KernelName> names) {
  const CallRule* rule = find_rule(innermost.code);
  if (rule == nullptr) rule = find_rule(innermost.function);
  std::vector<std::size_t> rows;
  if (rule == nullptr) return rows;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::find(rule->families.begin(), rule->families.end(), names[i].family) !=
        rule->families.end()) {
      rows.push_back(i);
    }
  }
  return rows;
}

}  // namespace

std::vector<StackNote> stack_notes(const KernelTable& table, std::span<const KernelName> names) {
  names = names.first(std::min(names.size(), table.rows.size()));
  std::vector<StackNote> stacks;
  for (const TableNote& note : table.notes) {
    if (note.kind != "traceback") continue;
    TracebackReader reader(note.line);
    for (std::string_view text = note.text;;) {
      const std::size_t end = text.find('\n');
      reader.take(text.substr(0, end));
      if (end == std::string_view::npos) break;
      text.remove_prefix(end + 1);
    }
    for (StackNote& stack : reader.finish()) {
      stack.rows = explained_rows(stack.frames.back(), names);
      stacks.push_back(std::move(stack));
    }
  }
  return stacks;
}

}  // namespace tactus

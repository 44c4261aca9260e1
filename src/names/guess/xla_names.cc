#include "names/guess/xla_names.h"

#include <algorithm>
#include <array>

#include "names/guess/hints.h"

namespace tactus::names {
namespace {

using enum Family;

struct Operation {
  std::string_view opcode;  ///< with underscores, as fusions spell it
  Family family;
  std::string_view op = {};  ///< empty: the opcode
};

// All others work element by element.
constexpr auto kOperations = std::to_array<Operation>({
    {"all_reduce", kCollective},
    {"all_gather", kCollective},
    {"reduce_scatter", kCollective},
    {"ragged_all_to_all", kCollective, "all_to_all"},
    {"all_to_all", kCollective},
    {"collective_permute", kCollective, "send_recv"},
    {"collective_broadcast", kCollective, "broadcast"},
    {"send", kCollective, "send_recv"},
    {"recv", kCollective, "send_recv"},
    {"convolution", kConv, "conv"},
    {"dot", kGemm, "gemm"},
    {"sort", kSampling},
    {"argmax", kSampling},
    {"argmin", kSampling},
    {"rng_bit_generator", kSampling, "random"},
    {"rng", kSampling, "random"},
    {"scatter", kKvWrite},
    {"select_and_scatter", kReduce, "pool_backward"},
    {"reduce_window", kReduce},
    {"reduce", kReduce},
    {"gather", kGather},
    {"iota", kElementwise, "arange"},
    {"reduce_precision", kElementwise},
    {"shift_left", kElementwise},
    {"shift_right_logical", kElementwise},
    {"shift_right_arithmetic", kElementwise},
    {"exponential_minus_one", kElementwise},
    {"log_plus_one", kElementwise},
    {"round_nearest_even", kElementwise},
    {"round_nearest_afz", kElementwise},
    {"bitcast_convert", kCopy},
    {"convert", kCopy, "cast"},
    {"dynamic_update_slice", kCopy},
    {"dynamic_slice", kCopy},
    {"slice", kCopy},
    {"concatenate", kCopy, "cat"},
    {"transpose", kCopy},
    {"reverse", kCopy, "flip"},
    {"pad", kCopy},
    {"copy", kCopy},
    {"reshape", kCopy},
    {"bitcast", kCopy},
    {"broadcast", kFill},
    {"constant", kFill, "fill"},
});

/// What a fusion of several operations is: the first of these that one of them is.
constexpr auto kByWeight = std::to_array<Family>(
    {kCollective, kConv, kGemm, kSampling, kKvWrite, kReduce, kGather, kElementwise, kCopy, kFill});

bool outweighs(Family family, Family other) {
  return std::find(kByWeight.begin(), kByWeight.end(), family) <
         std::find(kByWeight.begin(), kByWeight.end(), other);
}

/// The operation at the front of "dynamic_update_slice_add"; null for one that is not listed.
const Operation* operation_at(std::string_view text) {
  const Operation* longest = nullptr;
  for (const Operation& operation : kOperations) {
    const std::size_t size = operation.opcode.size();
    if (!text.starts_with(operation.opcode)) continue;
    if (text.size() > size && text[size] != '_') continue;
    if (longest == nullptr || size > longest->opcode.size()) longest = &operation;
  }
  return longest;
}

/// "add", "add_multiply", "convert_reduce_2"
void read_operations(std::string_view text, KernelName& name) {
  name.library = "xla";
  while (!text.empty()) {
    const Operation* known = operation_at(text);
    const std::size_t size =
        known == nullptr ? std::min(text.find('_'), text.size()) : known->opcode.size();
    const std::string_view opcode = text.substr(0, size);
    text.remove_prefix(std::min(size + 1, text.size()));
    if (opcode.find_first_not_of("0123456789") == std::string_view::npos) continue;
    const Family family = known == nullptr ? kElementwise : known->family;
    if (name.op.empty() || outweighs(family, name.family)) name.family = family;
    if (!name.op.empty()) name.op += ',';
    name.op += known == nullptr || known->op.empty() ? opcode : known->op;
  }
}

/// Removes "_fusion" and what follows.
bool remove_fusion(std::string_view& text) {
  const std::size_t at = text.rfind("_fusion");
  if (at == std::string_view::npos) return false;
  const std::string_view rest = text.substr(at + std::string_view("_fusion").size());
  if (rest.find_first_not_of("_0123456789") != std::string_view::npos) return false;
  text = text.substr(0, at);
  return true;
}

/// "add", "convert_12"
bool is_opcode(std::string_view text) {
  constexpr auto kElementwiseOpcodes = std::to_array<std::string_view>(
      {"abs",      "add",         "and",   "ceil", "clamp",    "compare",   "cosine",
       "divide",   "exponential", "floor", "log",  "logistic", "maximum",   "minimum",
       "multiply", "negate",      "not",   "or",   "power",    "remainder", "rsqrt",
       "select",   "sign",        "sine",  "sqrt", "subtract", "tanh",      "xor"});
  const std::size_t last = text.find_last_not_of("_0123456789");
  text = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
  const Operation* known = operation_at(text);
  return (known != nullptr && known->opcode == text) ||
         std::find(kElementwiseOpcodes.begin(), kElementwiseOpcodes.end(), text) !=
             kElementwiseOpcodes.end();
}

bool read_fusion(std::string_view word, KernelName& name) {
  constexpr std::string_view kWrapped = "wrapped_";
  if (word.starts_with(kWrapped) && is_opcode(word.substr(kWrapped.size()))) {
    read_operations(word.substr(kWrapped.size()), name);
    return true;
  }
  if (word.starts_with("gemm_fusion_")) {
    name.library = "xla";
    name.family = kGemm;
    name.op = "gemm";
    return true;
  }
  for (const std::string_view kind : {"loop", "input", "output"}) {
    std::string_view text = word;
    if (!text.starts_with(kind) || !remove_fusion(text)) continue;
    if (text == kind) {
      if (kind != "loop") return false;  // it may be anything
      name.library = "xla";
      name.family = kElementwise;
      name.op = "fused";
      return true;
    }
    if (text[kind.size()] != '_') return false;
    read_operations(text.substr(kind.size() + 1), name);
    return true;
  }
  return false;
}

/// "all-reduce-start", "copy.5", "cublas-gemm.1"
bool read_instruction(std::string_view word, bool numbered, KernelName& name) {
  constexpr std::size_t kLongest = 48;
  if (word.size() > kLongest) return false;
  std::array<char, kLongest> spelled;
  std::replace_copy(word.begin(), word.end(), spelled.begin(), '-', '_');
  std::string_view text(spelled.data(), word.size());
  for (const std::string_view end : {"_start", "_done"}) {
    if (text.ends_with(end) && operation_at(text) != nullptr) text.remove_suffix(end.size());
  }
  const bool dashed = word.find('-') != std::string_view::npos;
  if (!is_opcode(text)) {
    if (!dashed) return false;
    if (word.starts_with("cublas-")) name.library = "cublas";
    if (word.starts_with("cudnn-")) name.library = "cudnn";
    if (const Hint* hint = hint_for(word)) {
      name.family = hint->family;
      name.op = hint->op;
    }
    return true;
  }
  if (!dashed && !numbered) return false;  // "copy" may be of anybody
  read_operations(text, name);
  return true;
}

}  // namespace

bool read_xla_name(std::string_view word, bool numbered, KernelName& name) {
  return read_fusion(word, name) || read_instruction(word, numbered, name);
}

}  // namespace tactus::names

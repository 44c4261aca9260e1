#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bounds/ops/op_shape.h"

namespace tactus {

/// An op as a reader gets it.
struct ReadOp {
  const OpCall& call;
  std::string_view base;     ///< name without namespace and the "_" of in-place ops: "mul"
  bool in_place = false;     ///< the name ends in "_"
  const KernelName& kernel;  ///< the kernel that it launched
};

/// Nothing if the op is not of the reader's kind; then the next reader is asked.
using OpReading = std::optional<Result<OpShape>>;

OpReading read_gemm_op(const ReadOp& op);
OpReading read_attention_op(const ReadOp& op);
/// Attention of serving engines, over pages of a cache.
OpReading read_paged_attention_op(const ReadOp& op);
OpReading read_moe_op(const ReadOp& op);
OpReading read_elementwise_op(const ReadOp& op);
OpReading read_reduce_op(const ReadOp& op);
OpReading read_index_op(const ReadOp& op);
OpReading read_fused_op(const ReadOp& op);
OpReading read_compiled_op(const ReadOp& op);
/// Nothing for collectives whose input is not known.
OpReading read_collective_op(const ReadOp& op);

/// An OpShape of these parameters; an error if one of them does not fit or is negative.
Result<OpShape> op_shape(std::string_view operator_name, NumberType type,
                         std::initializer_list<std::pair<std::string_view, double>> values,
                         std::string label);

/// Adds one that says how the tensors lie to each other, which costs do not depend on.
void note_layout(Result<OpShape>& shape, std::string_view name, double value);

/// "32x512x4096".
std::string dims_text(const std::vector<std::int64_t>& dims);
/// "32x512x4096, 32x512x1, fp32": inputs and their type.
std::string inputs_text(std::initializer_list<const TensorArgument*> tensors);
std::string inputs_text(std::span<const TensorArgument* const> tensors);

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words);

inline Error odd_inputs() {
  return input_error(std::string(kOddInputs));
}

}  // namespace tactus

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalogue/number_type.h"
#include "cycles/phases/step_annotation.h"

namespace tactus {

/// A tensor argument of an op.
struct TensorArgument {
  std::vector<std::int64_t> dims;
  std::vector<std::int64_t> strides;  ///< one per dim, or none if they were not recorded
  std::optional<NumberType> type;

  /// From its dims. Doubles, because damaged dims may multiply to anything.
  double elements() const;
  /// In memory: an expanded tensor (stride 0) repeats the same elements.
  double stored_elements() const;
  std::optional<double> stored_bytes() const;
};

/// An argument of an op: a tensor, a list of tensors, or a value. All are empty for None.
struct OpArgument {
  std::vector<TensorArgument> tensors;
  bool is_list = false;
  std::string value;  ///< as recorded: "True", "[-1]", "1."

  bool is_tensor() const { return !is_list && tensors.size() == 1; }
};

/// A call of a framework op as the profiler recorded it.
struct OpCall {
  std::string_view name;  ///< "aten::mm"
  std::vector<OpArgument> arguments;
  std::vector<OpCall> inner;        ///< ops inside it; only if wants_inner_ops(name)
  std::optional<StepLengths> step;  ///< what the engine wrote about the step around it

  /// The tensor at that place; null if there is none.
  const TensorArgument* tensor(std::size_t place) const;
  std::string_view value(std::size_t place) const;
  /// All that are tensors themselves, in order.
  std::vector<const TensorArgument*> tensors() const;
};

/// The profiler's JSON about the inputs of an op; empty if there is none.
struct OpCallTexts {
  std::string_view dims;      ///< [[32,4096],[4096,1024],[]]
  std::string_view types;     ///< ["c10::BFloat16","c10::BFloat16","Scalar"]
  std::string_view strides;   ///< [[4096,1],[1,4096],[]]
  std::string_view concrete;  ///< ["","","1"]
};

/// Nothing if dims and types are missing or contradict each other.
std::optional<OpCall> read_op_call(std::string_view name, const OpCallTexts& texts);

/// Ops of serving engines name a layer and not its weights or its cache; the ops inside them show
/// both.
bool wants_inner_ops(std::string_view name);

/// The tensor that a call of aten::empty or aten::empty_strided makes; nothing for other calls.
std::optional<TensorArgument> allocated_tensor(const OpCall& call);

/// The type that PyTorch calls "c10::BFloat16", "long int", ...
std::optional<NumberType> type_of_pytorch(std::string_view name);

/// The common dims of tensors after broadcasting; nothing if they do not fit.
std::optional<std::vector<std::int64_t>> broadcast(std::span<const TensorArgument* const> tensors);

/// The product; 1 for none.
double element_count(std::span<const std::int64_t> dims);

}  // namespace tactus

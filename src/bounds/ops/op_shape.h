#pragma once

#include <string>

#include "base/result.h"
#include "bounds/ops/op_call.h"
#include "catalogue/catalogue.h"
#include "names/kernel_name.h"

namespace tactus {

/// What shows the shape of an op; the best first.
enum class ShapeEvidence : std::uint8_t {
  kShapes,      ///< its own inputs
  kInnerOps,    ///< also the inputs of ops inside it
  kAnnotation,  ///< also what the engine wrote about its step
};
/// As in output: "shapes", "inner_ops", "annotation".
std::string_view shape_evidence_name(ShapeEvidence evidence);

/// What a call of an op computed, as an operator with a known cost.
struct OpShape {
  std::string operator_name;  ///< of the catalogue, or a generic one: "gemm"
  ShapeParameters parameters;
  std::string label;  ///< in words: "32x4096 by 4096x14336, bf16"
  ShapeEvidence evidence = ShapeEvidence::kShapes;
  /// Only what is certain counts, and the rest may be much more: the weights of experts, for
  /// example, if the trace does not say which experts were chosen.
  bool at_least = false;
  /// One or none: what remains certain if a call is faster than this shape allows.
  std::vector<OpShape> if_faster = {};
};

/// Why a kernel has no bound. Errors of read_op_shape continue the text "x% of the time".
inline constexpr std::string_view kUnknownOp = "ops whose cost is not known";
inline constexpr std::string_view kUnknownLengths =
    "attention over paged or packed sequences, whose lengths are not recorded";
inline constexpr std::string_view kUnknownExperts =
    "mixtures of experts, whose weights or choice of experts are not recorded";
inline constexpr std::string_view kUnknownIndices =
    "ops whose index tensors were recorded without dims";
inline constexpr std::string_view kCollective = "collectives, which need several GPUs";
inline constexpr std::string_view kOddInputs = "ops whose recorded inputs do not fit the op";

/// `kernel` is the launched kernel: its name gives the types if the op's inputs do not.
Result<OpShape> read_op_shape(const OpCall& call, const KernelName& kernel);

}  // namespace tactus

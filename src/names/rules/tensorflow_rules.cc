#include "names/rules/tables.h"

namespace tactus::names {
namespace {

using enum Family;

// Eigen builds one kernel per expression: EigenMetaKernel<TensorEvaluator<TensorAssignOp<result,
// expression>>>. What an expression does besides its arithmetic decides, the rarest first.
constexpr auto kEigenRules = std::to_array<Rule>({
    {"EigenMetaKernel ArgMaxTupleReducer", kSampling, "argmax", kUnknown,
     "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorReductionOp<"
     "Eigen::internal::ArgMaxTupleReducer<Eigen::Tuple<long, float>>>>>(int)"},
    {"EigenMetaKernel TensorReductionOp", kReduce, "reduce", kUnknown,
     "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorReductionOp<"
     "Eigen::internal::SumReducer<float>>>>(int)"},
    {"EigenMetaKernel TensorScanOp", kScan, "inclusive_scan", kUnknown,
     "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorScanOp<float>>>("
     "int)"},
    {"EigenMetaKernel TensorShufflingOp", kCopy, "transpose", kUnknown,
     "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorShufflingOp<"
     "float>>>(int)"},
    {"EigenMetaKernel TensorPaddingOp", kCopy, "pad", kUnknown,
     "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorPaddingOp<"
     "float>>>(int)"},
    {"EigenMetaKernel TensorConcatenationOp", kCopy, "cat", kUnknown,
     "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorConcatenationOp<"
     "float>>>(int)"},
    {"EigenMetaKernel TensorGeneratorOp", kGather, "gather", kUnknown,
     "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorGeneratorOp<"
     "float>>>(int)"},
    {"EigenMetaKernel TensorCwiseBinaryOp", kElementwise, "elementwise", kUnknown,
     "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorCwiseBinaryOp<"
     "Eigen::internal::scalar_product_op<float const>, float>>>(int)"},
    {"EigenMetaKernel TensorCwiseUnaryOp", kElementwise, "elementwise", kUnknown,
     "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorCwiseUnaryOp<"
     "Eigen::internal::scalar_sqrt_op<float>, float>>>(int)"},
    {"EigenMetaKernel TensorSelectOp", kElementwise, "elementwise", kUnknown,
     "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorSelectOp<"
     "bool, float, float>>>(int)"},
    {"EigenMetaKernel TensorConversionOp", kCopy, "cast", kUnknown,
     "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorConversionOp<"
     "float>>>(int)"},
    {"EigenMetaKernel scalar_constant_op", kFill, "fill", kUnknown,
     "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorCwiseNullaryOp<"
     "Eigen::internal::scalar_constant_op<float>>>>(int)"},
    {"EigenMetaKernel TensorSlicingOp", kCopy, "slice", kUnknown,
     "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorSlicingOp<"
     "float>>>(int)"},
    {"EigenMetaKernel TensorBroadcastingOp", kCopy, "broadcast", kUnknown,
     "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorBroadcastingOp<"
     "float>>>(int)"},
    // A shortened name does not show the expression; most are arithmetic.
    {"EigenMetaKernel", kElementwise, "elementwise", kUnknown,
     "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorAssignOp<int>>>("
     "int)"},
});

// What the words of their names do not say.
constexpr auto kTensorflowRules = std::to_array<Rule>({
    {"ShuffleInTensor3Simple", kCopy, "transpose", kUnknown,
     "void tensorflow::functor::ShuffleInTensor3Simple<float, 2, 1, 0, false>(int)"},
    {"SwapDimension0And2InTensor3Simple", kCopy, "transpose", kUnknown,
     "void tensorflow::functor::SwapDimension0And2InTensor3Simple<float, false>(int)"},
    {"SwapDimension1And2InTensor3UsingTiles", kCopy, "transpose", kUnknown,
     "void tensorflow::functor::SwapDimension1And2InTensor3UsingTiles<unsigned int, 1024>(int)"},
    {"PadInputCustomKernelNCHW", kCopy, "pad", kUnknown,
     "void tensorflow::functor::PadInputCustomKernelNCHW<float, 4>(int)"},
    {"PadInputCustomKernelNHWC", kCopy, "pad", kUnknown,
     "void tensorflow::functor::PadInputCustomKernelNHWC<float, 4>(int)"},
});

}  // namespace

RuleTable eigen_rules() {
  return {"eigen", kEigenRules};
}

RuleTable tensorflow_rules() {
  return {"tensorflow", kTensorflowRules};
}

}  // namespace tactus::names

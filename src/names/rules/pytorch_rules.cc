#include "names/readers/pytorch_readers.h"
#include "names/readers/triton_readers.h"
#include "names/rules/tables.h"

namespace tactus::names {
namespace {

using enum Family;

constexpr Launcher kIndex =
    launched_in("pytorch/aten/src/ATen/native/cuda/IndexKernel.cu", "gpu_index_kernel");
constexpr Launcher kIndexing = launched_in("pytorch/aten/src/ATen/native/cuda/Indexing.cu");
constexpr Launcher kGatherUtils = launched_in(
    "pytorch/aten/src/ATen/native/cuda/IndexKernelUtils.cu", "vectorized_gather_kernel_launch");
constexpr Launcher kShape =
    launched_in("pytorch/aten/src/ATen/native/cuda/Shape.cu", "parallel_cat");
constexpr Launcher kRange =
    launched_in("pytorch/aten/src/ATen/native/cuda/RangeFactories.cu", "arange_cuda_out");
constexpr Launcher kSoftmax =
    launched_in("pytorch/aten/src/ATen/native/cuda/SoftMax.cu", "host_softmax");
constexpr Launcher kWarpSoftmax = launched_in(
    "pytorch/aten/src/ATen/native/cuda/PersistentSoftmax.cuh", "dispatch_softmax_forward");
constexpr Launcher kLayerNorm = launched_in(
    "pytorch/aten/src/ATen/native/cuda/layer_norm_kernel.cu", "LayerNormKernelImplInternal");
constexpr Launcher kGroupNorm =
    launched_in("pytorch/aten/src/ATen/native/cuda/group_norm_kernel.cu");
constexpr Launcher kScatter =
    launched_in("pytorch/aten/src/ATen/native/cuda/ScatterGatherKernel.cu");
constexpr Launcher kDistribution = launched_in(
    "pytorch/aten/src/ATen/native/cuda/DistributionTemplates.h", "distribution_nullary_kernel");
constexpr Launcher kMultinomial =
    launched_in("pytorch/aten/src/ATen/native/cuda/MultinomialKernel.cu");
constexpr Launcher kTopk = launched_in("pytorch/aten/src/ATen/native/cuda/TensorTopK.cu");
constexpr Launcher kSortFile = launched_in("pytorch/aten/src/ATen/native/cuda/Sort.cu");
constexpr Launcher kScanUtils = launched_in("pytorch/aten/src/ATen/native/cuda/ScanUtils.cuh");
constexpr Launcher kArgMax =
    launched_in("pytorch/aten/src/ATen/native/cuda/ReduceArgMaxKernel.cu", "argmax_kernel_cuda");
constexpr Launcher kArgMin =
    launched_in("pytorch/aten/src/ATen/native/cuda/ReduceArgMinKernel.cu", "argmin_kernel_cuda");
constexpr Launcher kSumProd =
    launched_in("pytorch/aten/src/ATen/native/cuda/ReduceSumProdKernel.cu");
constexpr Launcher kMoment = launched_in("pytorch/aten/src/ATen/native/cuda/ReduceMomentKernel.cu");
constexpr Launcher kMaxValues =
    launched_in("pytorch/aten/src/ATen/native/cuda/ReduceMaxValuesKernel.cu");
constexpr Launcher kMinValues =
    launched_in("pytorch/aten/src/ATen/native/cuda/ReduceMinValuesKernel.cu");
constexpr Launcher kLogic = launched_in("pytorch/aten/src/ATen/native/cuda/ReduceLogicKernel.cu");
constexpr Launcher kReduceFile =
    launched_in("pytorch/aten/src/ATen/native/cuda/Reduce.cuh", "gpu_reduce_kernel");
constexpr Launcher kForeach =
    launched_in("pytorch/aten/src/ATen/native/cuda/MultiTensorApply.cuh", "multi_tensor_apply");

/// vectorized_layer_norm_kernel<T, acc, rms>: newer versions do RMS norms too.
void read_layer_norm(const NameTokens& tokens, std::size_t at, KernelName& name) {
  read_dtype(tokens, at, name);
  if (TemplateArgs(tokens, at).flag(2)) name.op = "rms_norm";
}

constexpr auto kRules = std::to_array<Rule>({
    {"index_elementwise_kernel index_put_kernel_impl", kKvWrite, "index_put", kIndex,
     "void at::native::index_elementwise_kernel<128, 4, at::native::gpu_index_kernel<"
     "at::native::index_put_kernel_impl<at::native::OpaqueType<2>>(int)::{lambda(char*)#1}>>(int)",
     read_opaque},
    {"index_elementwise_kernel index_copy_kernel_impl", kKvWrite, "index_copy", kIndex,
     "void at::native::index_elementwise_kernel<128, 4, at::native::index_copy_kernel_impl<"
     "at::native::OpaqueType<2>>(at::TensorIterator&)::{lambda(int)#1}>(long)",
     read_opaque},
    {"indexing_backward_kernel*", kKvWrite, "index_put", kIndexing,
     "void at::native::indexing_backward_kernel_stride_1<c10::BFloat16, 4>(long const*)"},
    {"index_elementwise_kernel index_kernel_impl", kGather, "index", kIndex,
     "void at::native::index_elementwise_kernel<128, 4, at::native::gpu_index_kernel<"
     "at::native::index_kernel_impl<at::native::OpaqueType<4>>(int)::{lambda(char*)#1}>>(int)",
     read_opaque},
    {"index_elementwise_kernel index_fill_kernel_impl", kFill, "index_fill", kIndex,
     "void at::native::index_elementwise_kernel<128, 4, at::native::index_fill_kernel_impl<"
     "at::native::OpaqueType<4>>(int)::{lambda(int)#1}>(int)",
     read_opaque},
    {"index_elementwise_kernel take_put_kernel_impl", kGather, "take", kIndex,
     "void at::native::index_elementwise_kernel<128, 4, at::native::take_put_kernel_impl<float>("
     "int)::{lambda(int)#1}>(int)"},
    {"index_elementwise_kernel", kGather, "index", kIndex,
     "void at::native::index_elementwise_kernel<128, 4, at::native::mine<float>>(int)",
     read_opaque},
    {"vectorized_gather_kernel", kGather, "embedding", kGatherUtils,
     "void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*, int)", read_gather},
    {"indexSelectSmallIndex", kGather, "embedding", kIndexing,
     "void at::native::(anonymous namespace)::indexSelectSmallIndex<c10::BFloat16, long, unsigned "
     "int, 2, 2, -2>(int)"},
    {"indexSelectLargeIndex", kGather, "embedding", kIndexing,
     "void at::native::(anonymous namespace)::indexSelectLargeIndex<c10::BFloat16, long, unsigned "
     "int, 2, 2, -2, true>(int)"},
    {"indexFuncSmallIndex", kGather, "index_add", kIndexing,
     "void at::native::indexFuncSmallIndex<float, long, unsigned int, 2, 2, -2>(int)"},
    {"indexFuncLargeIndex", kGather, "index_add", kIndexing,
     "void at::native::indexFuncLargeIndex<float, long, unsigned int, 2, 2, -2, true>(int)"},
    {"EmbeddingBag_updateOutputKernel*", kGather, "embedding",
     launched_in("pytorch/aten/src/ATen/native/cuda/EmbeddingBag.cu"),
     "void at::native::EmbeddingBag_updateOutputKernel_sum_mean<float, int>(int)"},
    {"_scatter_gather_elementwise_kernel scatter_gather_base_kernel", kGather, "gather", kScatter,
     "void at::native::_scatter_gather_elementwise_kernel<128, 8, "
     "at::native::_cuda_scatter_gather_internal_kernel<false, at::native::OpaqueType<4>>("
     "at::native::scatter_gather_base_kernel)::{lambda(int)#1}>(int)",
     read_opaque},
    {"_scatter_gather_elementwise_kernel", kGather, "gather", kScatter,
     "void at::native::_scatter_gather_elementwise_kernel<128, 8, "
     "at::native::_cuda_scatter_gather_internal_kernel<false, at::native::OpaqueType<4>>>(int)",
     read_opaque},
    {"CatArrayBatchedCopy*", kCopy, "cat", kShape,
     "void at::native::CatArrayBatchedCopy_alignedK_contig<at::native::OpaqueType<4u>, unsigned "
     "int, 2, 128, 1, 16>(int)",
     read_opaque},
    {"elementwise_kernel_with_index arange_cuda_out", kElementwise, "arange", kRange,
     "void (anonymous namespace)::elementwise_kernel_with_index<int, "
     "at::native::arange_cuda_out(c10::Scalar const&)::{lambda()#1}>(int)",
     read_nothing},
    {"elementwise_kernel_with_index", kElementwise, "arange", kRange,
     "void (anonymous namespace)::elementwise_kernel_with_index<int, mine>(int)", read_nothing},
    {"triu_tril_kernel", kElementwise, "triu",
     launched_in("pytorch/aten/src/ATen/native/cuda/TriangularOps.cu", "triu_tril_cuda_template"),
     "void at::native::triu_tril_kernel<float, int, true, 4, false>(int)"},

    {"cunn_SoftMaxForward*", kReduce, "softmax", kSoftmax,
     "void at::native::(anonymous namespace)::cunn_SoftMaxForward<4, float, float, float, "
     "at::native::SoftMaxForwardEpilogue>(float*)"},
    {"cunn_SoftMaxForwardSmem", kReduce, "softmax", kSoftmax,
     "void at::native::(anonymous namespace)::cunn_SoftMaxForwardSmem<8, c10::BFloat16>(int)"},
    {"cunn_SoftMaxForwardReg", kReduce, "softmax", kSoftmax,
     "void at::native::(anonymous namespace)::cunn_SoftMaxForwardReg<float, float, float>(int)"},
    {"softmax_warp_forward", kReduce, "softmax", kWarpSoftmax,
     "void (anonymous namespace)::softmax_warp_forward<float, float, float, 8, false, false>(int)"},
    {"cunn_SpatialSoftMaxForward", kReduce, "softmax", kSoftmax,
     "void at::native::(anonymous namespace)::cunn_SpatialSoftMaxForward<float, float>(int)"},
    {"vectorized_layer_norm_kernel", kNorm, "layer_norm", kLayerNorm,
     "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>("
     "int)",
     read_layer_norm},
    {"RowwiseMomentsCUDAKernel", kNorm, "layer_norm", kLayerNorm,
     "void at::native::(anonymous namespace)::RowwiseMomentsCUDAKernel<float, float>(long)",
     read_layer_norm},
    {"LayerNormForwardCUDAKernel", kNorm, "layer_norm", kLayerNorm,
     "void at::native::(anonymous namespace)::LayerNormForwardCUDAKernel<float, float>(long)",
     read_layer_norm},
    {"fused_rms_norm*", kNorm, "rms_norm", kLayerNorm,
     "void at::native::fused_rms_norm_kernel<c10::BFloat16>(int)"},
    {"ComputeFusedParamsCUDAKernel", kNorm, "group_norm", kGroupNorm,
     "void at::native::(anonymous namespace)::ComputeFusedParamsCUDAKernel<float>(long)"},
    {"batch_norm_transform_input_kernel", kNorm, "batch_norm",
     launched_in("pytorch/aten/src/ATen/native/cuda/Normalization.cuh"),
     "void at::native::batch_norm_transform_input_kernel<float, float, true, int>(int)"},

    {"distribution_elementwise_grid_stride_kernel exponential_kernel", kSampling, "exponential",
     kDistribution,
     "void at::native::(anonymous namespace)::distribution_elementwise_grid_stride_kernel<float, "
     "4, at::native::templates::cuda::exponential_kernel<at::CUDAGeneratorImpl*>>(int)"},
    {"distribution_elementwise_grid_stride_kernel", kSampling, "random", kDistribution,
     "void at::native::(anonymous namespace)::distribution_elementwise_grid_stride_kernel<float, "
     "4, at::native::templates::cuda::normal_kernel>(int)"},
    {"sampleMultinomialOnce", kSampling, "multinomial", kMultinomial,
     "void at::native::(anonymous namespace)::sampleMultinomialOnce<float, float>(long*, long)"},
    {"sampleMultinomialWithReplacement", kSampling, "multinomial", kMultinomial,
     "void at::native::(anonymous namespace)::sampleMultinomialWithReplacement<float>(int)"},
    {"renormRowsL1", kSampling, "multinomial", kMultinomial,
     "void at::native::(anonymous namespace)::renormRowsL1<float>(float*, long, long)"},
    {"fused_dropout_kernel*", kElementwise, "dropout",
     launched_in("pytorch/aten/src/ATen/native/cuda/Dropout.cu"),
     "void at::native::fused_dropout_kernel_vec<float, float, unsigned int, 1, 4, bool>(int)"},

    {"gatherTopK", kSampling, "topk", kTopk,
     "void at::native::sbtopk::gatherTopK<float, unsigned int, 2, false>(int)"},
    {"mbtopk", kSampling, "topk", kTopk,
     "void at::native::mbtopk::radixFindKthValues<float, unsigned int, unsigned int, 2>(int)"},
    {"bitonicSortKVInPlace", kSampling, "sort", kSortFile,
     "void at::native::bitonicSortKVInPlace<2, -1, 16, 16, float, long>(int)"},
    {"radixSortKVInPlace", kSampling, "sort", kSortFile,
     "void at::native::radixSortKVInPlace<2, -1, 128, 32, float, long, unsigned int>(int)"},
    {"warpMergeSortKVInPlace", kSampling, "sort", kSortFile,
     "void at::native::warpMergeSortKVInPlace<-1, -1, 4, 8, float, long>(int)"},
    {"fill_index_and_segment_kernel", kSampling, "sort",
     launched_in("pytorch/aten/src/ATen/native/cuda/Sort.cu", "segmented_sort_pairs_by_full_sort"),
     "void at::native::(anonymous namespace)::fill_index_and_segment_kernel(int2*, int, int)"},
    {"sort_postprocess_kernel", kSampling, "sort", kSortFile,
     "void at::native::(anonymous namespace)::sort_postprocess_kernel<float>(float const*)"},
    {"fill_reverse_indices_kernel", kSampling, "sort", kSortFile,
     "void at::native::(anonymous namespace)::fill_reverse_indices_kernel(long*, int)"},
    {"searchsorted_cuda_kernel", kGather, "searchsorted",
     launched_in("pytorch/aten/src/ATen/native/cuda/Bucketization.cu"),
     "void at::native::(anonymous namespace)::searchsorted_cuda_kernel<float, long>(int)"},
    {"tensor_kernel_scan_innermost_dim", kScan, "inclusive_scan", kScanUtils,
     "void at::native::tensor_kernel_scan_innermost_dim<float, std::plus<float>>(float*)"},
    {"tensor_kernel_scan_outer_dim", kScan, "inclusive_scan", kScanUtils,
     "void at::native::tensor_kernel_scan_outer_dim<float, unsigned int>(float*)"},
    {"compute_cuda_kernel", kGather, "repeat_interleave",
     launched_in("pytorch/aten/src/ATen/native/cuda/Repeat.cu"),
     "void compute_cuda_kernel<long>(long const*, long*, long*, long, long)"},
    {"write_indices", kGather, "nonzero",
     launched_in("pytorch/aten/src/ATen/native/cuda/Nonzero.cu"),
     "void at::native::write_indices<long>(long*, int)"},

    {"reduce_kernel ArgMaxOps", kSampling, "argmax", kArgMax,
     "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
     "at::native::ArgMaxOps<float>, unsigned int, long, 4, 4>>(int)",
     read_reduce},
    {"reduce_kernel ArgMinOps", kSampling, "argmin", kArgMin,
     "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
     "at::native::ArgMinOps<float>, unsigned int, long, 4, 4>>(int)",
     read_reduce},
    {"reduce_kernel sum_functor", kReduce, "sum", kSumProd,
     "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<long, "
     "at::native::func_wrapper_t<long, at::native::sum_functor<long>>, unsigned int, long>>(int)",
     read_reduce},
    {"reduce_kernel prod_functor", kReduce, "prod", kSumProd,
     "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<long, "
     "at::native::func_wrapper_t<long, at::native::prod_functor<long>>, unsigned int, long>>(int)",
     read_reduce},
    {"reduce_kernel MaxNanFunctor", kReduce, "max", kMaxValues,
     "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<int, "
     "at::native::func_wrapper_t<int, at::native::MaxNanFunctor<int>>, unsigned int, int>>(int)",
     read_reduce},
    {"reduce_kernel MinNanFunctor", kReduce, "min", kMinValues,
     "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<int, "
     "at::native::func_wrapper_t<int, at::native::MinNanFunctor<int>>, unsigned int, int>>(int)",
     read_reduce},
    {"reduce_kernel MaxOps", kReduce, "max", kMaxValues,
     "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
     "at::native::MaxOps<float>, unsigned int, float>>(int)",
     read_reduce},
    {"reduce_kernel MinOps", kReduce, "min", kMinValues,
     "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
     "at::native::MinOps<float>, unsigned int, float>>(int)",
     read_reduce},
    {"reduce_kernel MeanOps", kReduce, "mean", kMoment,
     "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
     "at::native::MeanOps<float, float>, unsigned int, float, 4, 4>>(int)",
     read_reduce},
    {"reduce_kernel WelfordOps", kReduce, "var", kMoment,
     "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
     "at::native::WelfordOps<float, float>, unsigned int, float, 2>>(int)",
     read_reduce},
    {"reduce_kernel NormTwoOps", kReduce, "norm",
     launched_in("pytorch/aten/src/ATen/native/cuda/ReduceNormKernel.cu", "norm_kernel_cuda"),
     "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
     "at::native::NormTwoOps<float>, unsigned int, float>>(int)",
     read_reduce},
    {"reduce_kernel and_kernel_cuda", kReduce, "all", kLogic,
     "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<bool, "
     "at::native::func_wrapper_t<bool, at::native::and_kernel_cuda(int)>, unsigned int, "
     "bool>>(int)",
     read_reduce},
    {"reduce_kernel or_kernel_cuda", kReduce, "any", kLogic,
     "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<bool, "
     "at::native::func_wrapper_t<bool, at::native::or_kernel_cuda(int)>, unsigned int, bool>>(int)",
     read_reduce},
    {"reduce_kernel ReduceOp", kReduce, "reduce", kReduceFile,
     "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, mine, unsigned int, "
     "float>>(int)",
     read_reduce},

    {"multi_tensor_apply_kernel", kElementwise, "foreach", kForeach,
     "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<TensorListMetadata<1>, "
     "at::native::BinaryOpScalarFunctor<float, 1, 1, 0>>(int)"},
    {"_assert_async_cuda_kernel", kElementwise, "assert",
     launched_in("pytorch/aten/src/ATen/native/cuda/TensorCompare.cu", "_assert_async_cuda"),
     "void at::native::_assert_async_cuda_kernel<bool>(bool const*)"},
    {"max_pool_forward_nchw", kReduce, "max_pool",
     launched_in("pytorch/aten/src/ATen/native/cuda/DilatedMaxPool2d.cu"),
     "void at::native::max_pool_forward_nchw<float>(int)"},
    {"upsample*", kElementwise, "upsample", kUnknown,
     "void at::native::(anonymous namespace)::upsample_nearest2d_nhwc_out_frame<c10::Half>(int)"},
    {"grid_sampler*", kElementwise, "grid_sample",
     launched_in("pytorch/aten/src/ATen/native/cuda/GridSampler.cu"),
     "void at::native::(anonymous namespace)::grid_sampler_2d_kernel<float, int>(int)"},
    {"flip_kernel_impl*", kCopy, "flip",
     launched_in("pytorch/aten/src/ATen/native/cuda/TensorTransformations.cu"),
     "void at::native::flip_kernel_impl<float>(int)"},
    {"roll_cuda_kernel", kCopy, "roll",
     launched_in("pytorch/aten/src/ATen/native/cuda/TensorTransformations.cu", "roll_cuda"),
     "void at::native::roll_cuda_kernel<float>(float*, float*)"},
});

}  // namespace

RuleTable pytorch_rules() {
  return {"pytorch", kRules};
}

}  // namespace tactus::names

#include "names/rules/tables.h"

namespace tactus::names {
namespace {

using enum Family;

constexpr Launcher kSparse{"FBGEMM/fbgemm_gpu/src/sparse_ops/sparse_ops_gpu.cpp", "", false};
constexpr Launcher kJagged{"FBGEMM/fbgemm_gpu/src/jagged_tensor_ops/common.cuh", "", false};
constexpr Launcher kTable{"FBGEMM/fbgemm_gpu/codegen/embedding_forward_split_template.cu", "",
                          false};
constexpr Launcher kQuantiseFile{"FBGEMM/fbgemm_gpu/src/quantize_ops/quantize_ops_gpu.cpp", "",
                                 false};
constexpr Launcher kGenAi{"FBGEMM/fbgemm_gpu/experimental/gen_ai/src/quantize/quantize.cu", "",
                          false};

// FBGEMM's kernels for tables of embeddings, jagged tensors and rows of 8-bit numbers. Its products
// come from CUTLASS and Triton.
constexpr auto kRules = std::to_array<Rule>({
    {"permute_2D_data_kernel", kGather, "permute", kSparse,
     "void fbgemm_gpu::permute_2D_data_kernel<true, long, float>(int, int, int, long const*)"},
    {"permute_2D_data_kernel_vec", kGather, "permute", kSparse,
     "void fbgemm_gpu::permute_2D_data_kernel_vec<true, long, float, float4>(int, int, int)"},
    {"permute_2D_lengths_kernel", kGather, "permute", kSparse,
     "void fbgemm_gpu::permute_2D_lengths_kernel<long>(int, int, long const*)"},
    {"permute_1D_data_kernel", kGather, "permute", kSparse,
     "void fbgemm_gpu::permute_1D_data_kernel<true, long, float>(long, long)"},
    {"permute_1D_lengths_kernel", kGather, "permute", kSparse,
     "void fbgemm_gpu::permute_1D_lengths_kernel<long>(long const*, long)"},
    {"permute_pooled_embs_kernel", kGather, "permute", kUnknown,
     "void fbgemm_gpu::permute_pooled_embs_kernel<float>(float const*)"},
    {"expand_into_jagged_permute_kernel", kGather, "permute", kSparse,
     "void fbgemm_gpu::expand_into_jagged_permute_kernel<int, long>(long const*)"},
    {"fbgemm_gpu index_select_2d_kernel", kGather, "index_select", kSparse,
     "void fbgemm_gpu::index_select_2d_kernel<long, float, 4>(float const*)"},
    {"_block_bucketize_sparse_features_cuda_kernel1", kGather, "bucketize", kSparse,
     "void fbgemm_gpu::_block_bucketize_sparse_features_cuda_kernel1<long, long>(int)"},
    {"_block_bucketize_sparse_features_cuda_kernel2", kGather, "bucketize", kSparse,
     "void fbgemm_gpu::_block_bucketize_sparse_features_cuda_kernel2<true, long>(int)"},
    {"reorder_batched_ad_indices_kernel", kGather, "permute", kSparse,
     "void fbgemm_gpu::reorder_batched_ad_indices_kernel<float, int>(float const*)"},
    {"reorder_batched_ad_lengths_kernel", kGather, "permute", kSparse,
     "void fbgemm_gpu::reorder_batched_ad_lengths_kernel<int>(int const*)"},
    {"_offsets_range_cuda_kernel", kBookkeeping, "offsets", kSparse,
     "void fbgemm_gpu::_offsets_range_cuda_kernel<long>(long, long)"},
    {"bounds_check_indices_kernel", kBookkeeping, "bounds_check", kUnknown,
     "void fbgemm_gpu::bounds_check_indices_kernel<long>(int)"},
    {"jagged_dense_elementwise_dense_output_kernel_", kElementwise, "jagged_elementwise", kJagged,
     "void fbgemm_gpu::jagged_dense_elementwise_dense_output_kernel_<1, long, float>(float "
     "const*)"},
    {"jagged_dense_dense_elementwise_jagged_output_kernel_", kElementwise, "jagged_elementwise",
     kJagged,
     "void fbgemm_gpu::jagged_dense_dense_elementwise_jagged_output_kernel_<1, long>(int)"},
    {"jagged_index_select_2d_kernel", kGather, "index_select", kJagged,
     "void fbgemm_gpu::jagged_index_select_2d_kernel<float, long, int, int>(float*)"},
    {"jagged_softmax_kernel", kReduce, "softmax", kJagged,
     "void fbgemm_gpu::jagged_softmax_kernel<long, float>(float const*)"},
    {"split_embedding_codegen_forward*", kGather, "embedding", kTable,
     "void split_embedding_codegen_forward_unweighted_kernel<float, float, float, long, 128>(int)"},
    {"split_embedding_nobag_codegen_forward*", kGather, "embedding", kTable,
     "void split_embedding_nobag_codegen_forward_unweighted_small_kernel<float, float, 8>(int)"},
    {"int_nbit_split_embedding_codegen_forward*", kGather, "embedding", kTable,
     "void int_nbit_split_embedding_codegen_forward_unweighted_kernel_small_L<int, half>(int)"},
    {"split_embedding_backward*", kGather, "embedding_backward", kTable,
     "void "
     "split_embedding_backward_codegen_rowwise_adagrad_unweighted_kernel_warp_per_row_1<float>("
     "int)"},
    {"_FP8rowwise*", kQuantise, "dequantise", kQuantiseFile,
     "void fbgemm_gpu::_FP8rowwise_to_float_cuda_kernel<float>(unsigned char const*, int)"},
    {"_fused8bitrowwise*", kQuantise, "dequantise", kQuantiseFile,
     "void fbgemm_gpu::_fused8bitrowwise_to_float_cuda_kernel<float>(unsigned char const*)"},
    {"_fusednbitrowwise*", kQuantise, "dequantise", kQuantiseFile,
     "void fbgemm_gpu::_fusednbitrowwise_to_float_cuda_kernel<float>(unsigned char const*)"},
    {"_hfp8_to_float_cuda_kernel", kQuantise, "dequantise", kQuantiseFile,
     "void fbgemm_gpu::_hfp8_to_float_cuda_kernel(unsigned char const*)"},
    {"_float_to_bfloat16_cuda_kernel", kCopy, "cast", kQuantiseFile,
     "void fbgemm_gpu::_float_to_bfloat16_cuda_kernel(float const*)"},
    {"_bfloat16_to_float_cuda_kernel", kCopy, "cast", kQuantiseFile,
     "void fbgemm_gpu::_bfloat16_to_float_cuda_kernel(unsigned short const*)"},
    {"_float_to*", kQuantise, "quantise", kQuantiseFile,
     "void fbgemm_gpu::_float_to_FP8rowwise_cuda_kernel<float>(float const*, int)"},
    {"_get_FP8_qparam_cuda_kernel", kQuantise, "quantise_fp8", kQuantiseFile,
     "void fbgemm_gpu::_get_FP8_qparam_cuda_kernel<float>(float const*)"},
    {"_compute_FP8_quantize_cuda_kernel", kQuantise, "quantise_fp8", kQuantiseFile,
     "void fbgemm_gpu::_compute_FP8_quantize_cuda_kernel<float>(float const*)"},
    {"scaleMatrixRowwise", kQuantise, "quantise_fp8", kGenAi,
     "void fbgemm_gpu::scaleMatrixRowwise<true, __nv_fp8_e4m3, __nv_bfloat16>(int)"},
    {"dynamicQuantizeMatrixRowwise", kQuantise, "fp8_dynamic_per_token_quant", kGenAi,
     "void fbgemm_gpu::dynamicQuantizeMatrixRowwise<false, __nv_fp8_e4m3, __nv_bfloat16>(int)"},
});

}  // namespace

RuleTable fbgemm_rules() {
  return {"fbgemm", kRules};
}

}  // namespace tactus::names

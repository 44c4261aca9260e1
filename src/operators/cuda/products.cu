#include "operators/cuda/common.cuh"
#include "operators/cuda/cublaslt.h"
#include "operators/cuda/entries.h"

namespace tactus::cuda {
namespace {

using Bf16 = __nv_bfloat16;

constexpr std::size_t kLtWorkspace = std::size_t{64} << 20;
constexpr int kNoLibrary = 3001;
constexpr int kLtFailed = 3002;

std::size_t aligned(std::size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

/// One product through cuBLASLt: the caller sets the attributes, everything is freed here.
class Product {
 public:
  Product(const CublasLt& lt, cudaDataType scale_type) : lt_(lt) {
    lt_.desc_create(&desc_, CUBLAS_COMPUTE_32F, scale_type);
    const cublasOperation_t transposed = CUBLAS_OP_T;
    set(CUBLASLT_MATMUL_DESC_TRANSA, transposed);
  }
  ~Product() {
    for (const cublasLtMatrixLayout_t layout : {a_, b_, d_}) {
      if (layout != nullptr) lt_.layout_destroy(layout);
    }
    lt_.desc_destroy(desc_);
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  template <class Value>
  void set(cublasLtMatmulDescAttributes_t attribute, const Value& value) {
    lt_.desc_set(desc_, attribute, &value, sizeof value);
  }

  /// out[m][n] = a[m][k] b[n][k]^T, all row-major: for a column-major library, that is the n x m
  /// product of b and a.
  void shape(cudaDataType in, cudaDataType out, std::int64_t m, std::int64_t n, std::int64_t k) {
    const auto rows = [](std::int64_t count) { return static_cast<std::uint64_t>(count); };
    lt_.layout_create(&a_, in, rows(k), rows(n), k);
    lt_.layout_create(&b_, in, rows(k), rows(m), k);
    lt_.layout_create(&d_, out, rows(n), rows(m), n);
  }

  int run(const void* a, const void* b, void* out, void* workspace, std::size_t workspace_bytes,
          cudaStream_t stream) {
    cublasLtMatmulPreference_t preference = nullptr;
    cublasLtMatmulHeuristicResult_t found = {};
    int count = 0;
    lt_.preference_create(&preference);
    lt_.preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_bytes,
                       sizeof workspace_bytes);
    const cublasStatus_t asked =
        lt_.heuristic(lt_.handle, desc_, a_, b_, d_, d_, preference, 1, &found, &count);
    lt_.preference_destroy(preference);
    if (asked != CUBLAS_STATUS_SUCCESS || count == 0) return kShapeNotSupported;
    const float one = 1;
    const float zero = 0;
    const cublasStatus_t ran = lt_.matmul(lt_.handle, desc_, &one, b, a_, a, b_, &zero, out, d_,
                                          out, d_, &found.algo, workspace, workspace_bytes, stream);
    return ran == CUBLAS_STATUS_SUCCESS ? 0 : kLtFailed;
  }

 private:
  const CublasLt& lt_;
  cublasLtMatmulDesc_t desc_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr;
  cublasLtMatrixLayout_t b_ = nullptr;
  cublasLtMatrixLayout_t d_ = nullptr;
};

/// out = sigmoid(gate) * post; `out` and `gate` may be the same.
__global__ void __launch_bounds__(kBlockThreads)
    gate_kernel(const Bf16* gate, const Bf16* post, Bf16* out, std::int64_t vectors) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (thread >= vectors) return;
  const Wide<Bf16> g = load_own(gate + thread * kWide);
  const Wide<Bf16> p = load_own(post + thread * kWide);
  store(out + thread * kWide,
        each_rounded<Bf16>([&](int i) { return as_float(p.at[i]) * sigmoid(as_float(g.at[i])); }));
}

/// Scales of rows, made contiguous along the rows, as the library needs them.
__global__ void turn_kernel(const float* from, float* to, std::int64_t rows, int columns) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (thread >= rows * columns) return;
  const std::int64_t row = thread % rows;
  const std::int64_t column = thread / rows;
  to[thread] = __ldg(from + row * columns + column);
}

/// Sixteen products of fp8 numbers, added up.
__device__ float dot16(const uint4& a, const uint4& b) {
  const std::uint32_t left[4] = {a.x, a.y, a.z, a.w};
  const std::uint32_t right[4] = {b.x, b.y, b.z, b.w};
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const auto two = [i](const std::uint32_t* words) {
      const auto pair = static_cast<__nv_fp8x2_storage_t>(words[i / 2] >> 16 * (i % 2));
      return __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2(pair, __NV_E4M3)));
    };
    const float2 x = two(left);
    const float2 y = two(right);
    sum += x.x * y.x + x.y * y.y;
  }
  return sum;
}

constexpr int kTailRows = 3;  ///< at most: the library needs multiples of four

/// The last rows of a product that the library does not compute: one warp per column of the result.
__global__ void __launch_bounds__(kBlockThreads)
    tail_kernel(const std::uint8_t* a, const std::uint8_t* b, const float* a_scales,
                const float* b_scales, float* out, std::int64_t first, int rows, std::int64_t n,
                std::int64_t k) {
  const int lane = threadIdx.x % 32;
  const std::int64_t column =
      static_cast<std::int64_t>(blockIdx.x) * (kBlockThreads / 32) + threadIdx.x / 32;
  if (column >= n) return;
  const std::int64_t groups = k / 128;
  float sums[kTailRows] = {};
  for (std::int64_t at = lane * 16; at < k; at += 32 * 16) {
    const std::int64_t group = at / 128;
    const uint4 right = __ldg(reinterpret_cast<const uint4*>(b + column * k + at));
    const float scale = __ldg(b_scales + column / 128 * groups + group);
#pragma unroll
    for (int r = 0; r < kTailRows; ++r) {
      if (r >= rows) break;
      const uint4 left = __ldg(reinterpret_cast<const uint4*>(a + (first + r) * k + at));
      sums[r] += dot16(left, right) * (scale * __ldg(a_scales + (first + r) * groups + group));
    }
  }
#pragma unroll
  for (int r = 0; r < kTailRows; ++r) {
    const float sum = over_lanes<32>(sums[r], Add());
    if (lane == 0 && r < rows) out[(first + r) * n + column] = sum;
  }
}

}  // namespace

std::size_t linear_sigmoid_mul_workspace(const tactus_call*) {
  return kLtWorkspace;
}

int linear_sigmoid_mul(const tactus_call* call) {
  const CublasLt* lt = cublaslt();
  if (lt == nullptr) return kNoLibrary;
  const tactus_tensor* hidden = tactus_input(call, "hidden");
  const tactus_tensor* weight = tactus_input(call, "weight");
  const std::int64_t m = hidden->shape[0];
  const std::int64_t k = hidden->shape[1];
  const std::int64_t n = weight->shape[0];
  if (n % kWide != 0 || k % kWide != 0) return kShapeNotSupported;
  Product product(*lt, CUDA_R_32F);
  const cublasLtEpilogue_t with_bias = CUBLASLT_EPILOGUE_BIAS;
  const void* bias = tactus_input(call, "bias")->data;
  product.set(CUBLASLT_MATMUL_DESC_EPILOGUE, with_bias);
  product.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
  product.shape(CUDA_R_16BF, CUDA_R_16BF, m, n, k);
  auto* out = output<Bf16>(call, "out");
  const int failed =
      product.run(hidden->data, weight->data, out, call->workspace, kLtWorkspace, stream_of(call));
  if (failed != 0) return failed;
  const std::int64_t vectors = m * n / kWide;
  gate_kernel<<<static_cast<unsigned>((vectors + kBlockThreads - 1) / kBlockThreads), kBlockThreads,
                0, stream_of(call)>>>(out, input<Bf16>(call, "post"), out, vectors);
  return launched();
}

std::size_t block_scaled_mm_workspace(const tactus_call* call) {
  const tactus_tensor* scales = tactus_input(call, "a_scales");
  return kLtWorkspace +
         aligned(static_cast<std::size_t>(scales->shape[0] * scales->shape[1]) * sizeof(float));
}

int block_scaled_mm(const tactus_call* call) {
  const CublasLt* lt = cublaslt();
  if (lt == nullptr) return kNoLibrary;
  const tactus_tensor* a = tactus_input(call, "a");
  const tactus_tensor* b = tactus_input(call, "b");
  const std::int64_t m = a->shape[0];
  const std::int64_t k = a->shape[1];
  const std::int64_t n = b->shape[0];
  if (tactus_value(call, "group_n", 128) != 128 || tactus_value(call, "group_k", 128) != 128 ||
      k % 512 != 0 || n % 128 != 0) {
    return kShapeNotSupported;
  }
  const auto groups = static_cast<int>(k / 128);
  const std::int64_t whole = m / 4 * 4;
  auto* out = output<float>(call, "out");
  if (whole < m) {
    constexpr int kColumns = kBlockThreads / 32;
    tail_kernel<<<blocks_for(n, kColumns), kBlockThreads, 0, stream_of(call)>>>(
        input<std::uint8_t>(call, "a"), input<std::uint8_t>(call, "b"),
        input<float>(call, "a_scales"), input<float>(call, "b_scales"), out, whole,
        static_cast<int>(m - whole), n, k);
    if (whole == 0) return launched();
  }
  auto* turned = reinterpret_cast<float*>(static_cast<char*>(call->workspace) + kLtWorkspace);
  turn_kernel<<<blocks_for(whole * groups, kBlockThreads), kBlockThreads, 0, stream_of(call)>>>(
      input<float>(call, "a_scales"), turned, whole, groups);
  Product product(*lt, CUDA_R_32F);
  // The library's first matrix is our b.
  const cublasLtMatmulMatrixScale_t of_b = CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F;
  const cublasLtMatmulMatrixScale_t of_a = CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F;
  const void* b_scales = tactus_input(call, "b_scales")->data;
  product.set(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, of_b);
  product.set(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, of_a);
  product.set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, b_scales);
  product.set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, turned);
  product.shape(CUDA_R_8F_E4M3, CUDA_R_32F, whole, n, k);
  return product.run(a->data, b->data, out, call->workspace, kLtWorkspace, stream_of(call));
}

}  // namespace tactus::cuda

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tactus::testing {

/// A trace that is written kernel by kernel; times in ns from the beginning.
class TraceText {
 public:
  /// A kernel behind the last one of the stream, after a pause.
  TraceText& kernel(std::string_view name, long dur_ns, long pause_ns = 100) {
    now_ns_ += pause_ns;
    event("kernel", name, 0, stream_, now_ns_, dur_ns, correlation_);
    now_ns_ += dur_ns;
    return *this;
  }
  /// A kernel that an op of the framework launched, with the shapes of the op's inputs:
  /// "[[20,4096],[4096,128]]". The op is on the host, where it takes the pause before the kernel.
  TraceText& kernel_of_op(std::string_view op, std::string_view dims, std::string_view name,
                          long dur_ns) {
    const long correlation = ++op_correlation_;
    event("cpu_op", op, 100, 100, now_ns_, 80, 0, R"("Input Dims":)" + std::string(dims) + ",");
    event("cuda_runtime", "cudaLaunchKernel", 100, 100, now_ns_ + 20, 40, correlation);
    now_ns_ += 100;
    event("kernel", name, 0, stream_, now_ns_, dur_ns, correlation);
    now_ns_ += dur_ns;
    return *this;
  }
  /// The same with so many blocks.
  TraceText& kernel_of_blocks(std::string_view name, long blocks, long dur_ns) {
    now_ns_ += 100;
    event("kernel", name, 0, stream_, now_ns_, dur_ns, correlation_,
          R"("grid":[)" + std::to_string(blocks) + ",1,1],");
    now_ns_ += dur_ns;
    return *this;
  }
  TraceText& pause(long ns) {
    now_ns_ += ns;
    return *this;
  }
  TraceText& on_stream(int stream) {
    stream_ = stream;
    return *this;
  }
  /// A call of the host; kernels that come later are launched by it.
  TraceText& launch(std::string_view call, long start_ns) {
    ++correlation_;
    event("cuda_runtime", call, 100, 100, start_ns, 10, correlation_);
    return *this;
  }
  TraceText& annotation(std::string_view category, std::string_view name, long start_ns,
                        long dur_ns) {
    const bool on_device = category == "gpu_user_annotation";
    event(category, name, on_device ? 0 : 100, on_device ? stream_ : 100, start_ns, dur_ns, 0);
    return *this;
  }
  long now_ns() const { return now_ns_; }

  std::string json() const {
    return R"({"deviceProperties":[{"id":0,"name":"NVIDIA H200"}],"traceEvents":[)" + events_ +
           "]}";
  }

 private:
  static std::string microseconds(long ns) {
    const std::string fraction = std::to_string(1000 + ns % 1000);
    return std::to_string(ns / 1000) + "." + fraction.substr(1);
  }
  void event(std::string_view category, std::string_view name, int pid, int tid, long start_ns,
             long dur_ns, long correlation, const std::string& args = "") {
    if (!events_.empty()) events_ += ",\n";
    events_ += R"({"ph":"X","cat":")" + std::string(category) + R"(","name":")" +
               std::string(name) + R"(","pid":)" + std::to_string(pid) + R"(,"tid":)" +
               std::to_string(tid) + R"(,"ts":)" + microseconds(start_ns) + R"(,"dur":)" +
               microseconds(dur_ns) + R"(,"args":{)" + args + R"("device":0,"stream":)" +
               std::to_string(stream_) + R"(,"correlation":)" + std::to_string(correlation) + "}}";
  }

  std::string events_;
  long now_ns_ = 0;
  long correlation_ = 0;
  long op_correlation_ = 1'000'000;
  int stream_ = 7;
};

/// Kernels as engines launch them. What a model is made of in these tests.
namespace kernels {
inline constexpr std::string_view kEmbedding =
    "void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*, int, long, long, "
    "long, long, bool)";
inline constexpr std::string_view kNorm =
    "void flashinfer::norm::RMSNormKernel<8u, __nv_bfloat16>(__nv_bfloat16*)";
inline constexpr std::string_view kAddNorm =
    "void flashinfer::norm::FusedAddRMSNormKernel<8u, __nv_bfloat16>(__nv_bfloat16*)";
inline constexpr std::string_view kGemm = "nvjet_tst_128x32_64x10_4x1_v_bz_TNT";
inline constexpr std::string_view kSplitGemm = "nvjet_tst_64x32_64x16_2x1_v_bz_splitK_TNT";
inline constexpr std::string_view kSplitReduce =
    "void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16, float, __nv_bfloat16, "
    "false, float, __nv_bfloat16, __nv_bfloat16, false, false, false>(int)";
inline constexpr std::string_view kPrefillGemm = "nvjet_tst_320x128_64x3_1x2_h_bz_coopB_TNT";
inline constexpr std::string_view kSdpa =
    "cudnn_generated_fort_native_sdpa_sm80_flash_fprop_wmma_f16_knob_35_16x128x128_1x4x1_"
    "cga1x1x1_kernel0_0";
inline constexpr std::string_view kCacheWrite =
    "void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, __nv_bfloat16, "
    "(vllm::Fp8KVCacheDataType)0>(__nv_bfloat16*)";
inline constexpr std::string_view kActivation =
    "void flashinfer::activation::act_and_mul_kernel<__nv_bfloat16, silu>(__nv_bfloat16*)";
inline constexpr std::string_view kArgmax =
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<c10::BFloat16, "
    "at::native::ArgMaxOps<float>, unsigned int, long, 4, 4> >(at::native::ReduceOp<c10::BFloat16, "
    "at::native::ArgMaxOps<float>, unsigned int, long, 4, 4>)";
inline constexpr std::string_view kCopy =
    "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda("
    "at::TensorIteratorBase&)::{lambda()#3}>(int)";
}  // namespace kernels

/// How a pass of the model of these tests is made.
struct PassShape {
  int layers = 8;
  long unit_ns = 1000;  ///< of each kernel of a layer
  std::string_view gemm = kernels::kGemm;
  std::string_view attention = kernels::kSdpa;
  bool writes_cache = false;  ///< of keys and values, in each layer
  int split_layer = -1;       ///< whose last product is split, with a reduce kernel behind it
  bool embeds = true;
  bool samples = true;
  long tokens = 0;     ///< rows of its products; 0 if shapes were not recorded
  long sequences = 1;  ///< that get a word
};

/// A product with weights of `columns` columns.
inline void add_product(TraceText& trace, std::string_view kernel, long dur_ns, long rows,
                        long columns) {
  if (rows == 0) {
    trace.kernel(kernel, dur_ns);
    return;
  }
  const std::string dims =
      "[[" + std::to_string(rows) + ",4096],[4096," + std::to_string(columns) + "]]";
  trace.kernel_of_op("aten::mm", dims, kernel, dur_ns);
}

inline void add_layer(TraceText& trace, const PassShape& shape, int layer) {
  using namespace kernels;
  const auto product = [&](std::string_view kernel) {
    add_product(trace, kernel, shape.unit_ns, shape.tokens, 4096);
  };
  product(shape.gemm);
  if (shape.writes_cache) trace.kernel(kCacheWrite, shape.unit_ns);
  trace.kernel(shape.attention, shape.unit_ns);
  product(shape.gemm);
  trace.kernel(kAddNorm, shape.unit_ns);
  product(shape.gemm);
  trace.kernel(kActivation, shape.unit_ns);
  if (layer == shape.split_layer) {
    product(kSplitGemm);
    trace.kernel(kSplitReduce, shape.unit_ns);
  } else {
    product(shape.gemm);
  }
  trace.kernel(kAddNorm, shape.unit_ns);
}
inline constexpr std::size_t kLayerKernels = 8;

/// A prologue of three kernels, the layers, an epilogue of two.
inline void add_pass(TraceText& trace, const PassShape& shape) {
  using namespace kernels;
  trace.pause(50'000);
  trace.kernel(kCopy, 500).kernel(shape.embeds ? kEmbedding : kCopy, 500).kernel(kNorm, 500);
  for (int layer = 0; layer < shape.layers; ++layer) add_layer(trace, shape, layer);
  add_product(trace, "nvjet_tst_512x32_64x3_2x1_v_bz_TNT", 500,
              shape.tokens == 0 ? 0 : shape.sequences, 128'000);
  trace.kernel(shape.samples ? kArgmax : kCopy, 500);
}

}  // namespace tactus::testing

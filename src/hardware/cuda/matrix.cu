#include <cublasLt.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "ceilings.h"
#include "matrix.h"

namespace tactus::cuda_ceilings {

struct BlasFunctions {
  decltype(&cublasLtCreate) create;
  decltype(&cublasLtDestroy) destroy;
  decltype(&cublasLtMatmulDescCreate) product_create;
  decltype(&cublasLtMatmulDescDestroy) product_destroy;
  decltype(&cublasLtMatmulDescSetAttribute) product_set;
  decltype(&cublasLtMatrixLayoutCreate) layout_create;
  decltype(&cublasLtMatrixLayoutDestroy) layout_destroy;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set;
  decltype(&cublasLtMatmulAlgoGetHeuristic) candidates;
  decltype(&cublasLtMatmul) multiply;

  /// False if the library lacks one of them.
  bool load(void* library) {
    bool all = true;
    const auto get = [&](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      all = all && function != nullptr;
    };
    get(create, "cublasLtCreate");
    get(destroy, "cublasLtDestroy");
    get(product_create, "cublasLtMatmulDescCreate");
    get(product_destroy, "cublasLtMatmulDescDestroy");
    get(product_set, "cublasLtMatmulDescSetAttribute");
    get(layout_create, "cublasLtMatrixLayoutCreate");
    get(layout_destroy, "cublasLtMatrixLayoutDestroy");
    get(preference_create, "cublasLtMatmulPreferenceCreate");
    get(preference_destroy, "cublasLtMatmulPreferenceDestroy");
    get(preference_set, "cublasLtMatmulPreferenceSetAttribute");
    get(candidates, "cublasLtMatmulAlgoGetHeuristic");
    get(multiply, "cublasLtMatmul");
    return all;
  }
};

namespace {

struct ProductType {
  cudaDataType_t in;
  cudaDataType_t out;
  cublasComputeType_t compute;
  cudaDataType_t scale;
  std::size_t in_bytes;
  std::size_t out_bytes;
};

bool product_type(int type, ProductType& into) {
  switch (type) {
    case TACTUS_CUDA_FP64:
      into = {CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F, 8, 8};
      return true;
    case TACTUS_CUDA_TF32:
      into = {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F, 4, 4};
      return true;
    case TACTUS_CUDA_BF16:
      into = {CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F, 2, 2};
      return true;
    case TACTUS_CUDA_FP16:
      into = {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F, 2, 2};
      return true;
    case TACTUS_CUDA_FP8_E4M3:
      into = {CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F, 1, 2};
      return true;
    case TACTUS_CUDA_INT8:
      into = {CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUDA_R_32I, 1, 4};
      return true;
    default: return false;
  }
}

struct Size {
  int m, n, k;
};
constexpr Size kSizes[] = {
    {4096, 4096, 4096}, {8192, 8192, 4096}, {8192, 8192, 8192}, {8192, 8192, 16384}};
constexpr std::size_t kMostIn = std::size_t{8192} * 16384;
constexpr std::size_t kMostOut = std::size_t{8192} * 8192;
constexpr std::size_t kWorkspace = std::size_t{64} << 20U;

/// The library version that this was built with, else any; on the loader's path, else in a toolkit
/// folder.
void* open_library() {
  const std::string own = "libcublasLt.so." + std::to_string(CUBLAS_VER_MAJOR);
  const char* home = std::getenv("CUDA_HOME");
  for (const std::string& folder :
       {std::string(), home != nullptr ? std::string(home) + "/lib64/" : std::string(),
        std::string("/usr/local/cuda/lib64/")}) {
    for (const std::string& name :
         {own, std::string("libcublasLt.so"), std::string("libcublasLt.so.12")}) {
      if (void* library = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    }
  }
  return nullptr;
}

}  // namespace

MatrixProducts* MatrixProducts::open(const char*& why_not) {
  void* library = open_library();
  if (library == nullptr) {
    why_not = "libcublasLt.so was not found; put its folder into LD_LIBRARY_PATH";
    return nullptr;
  }
  auto* products = new MatrixProducts();
  products->blas_ = new BlasFunctions();
  if (!products->blas_->load(library)) {
    why_not = "libcublasLt.so is too old";
  } else if (products->blas_->create(&products->handle_) != CUBLAS_STATUS_SUCCESS) {
    products->handle_ = nullptr;
    why_not = "cuBLASLt does not start on this device";
  } else {
    return products;
  }
  delete products;
  return nullptr;
}

MatrixProducts::~MatrixProducts() {
  if (handle_ != nullptr) blas_->destroy(handle_);
  delete blas_;
}

double MatrixProducts::measure(Timer& timer, int type) {
  ProductType form{};
  if (!product_type(type, form)) return 0;
  const DeviceMemory a(kMostIn * form.in_bytes);
  const DeviceMemory b(kMostIn * form.in_bytes);
  const DeviceMemory d(kMostOut * form.out_bytes);
  const DeviceMemory workspace(kWorkspace);
  fill_random(timer, a, type);
  fill_random(timer, b, type);

  // One and zero in each of the types that scales have.
  const double double_one = 1, double_zero = 0;
  const float float_one = 1, float_zero = 0;
  const std::int32_t int_one = 1, int_zero = 0;
  const void* one = &float_one;
  const void* zero = &float_zero;
  if (form.scale == CUDA_R_64F) one = &double_one, zero = &double_zero;
  if (form.scale == CUDA_R_32I) one = &int_one, zero = &int_zero;

  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
  if (blas_->product_create(&product, form.compute, form.scale) != CUBLAS_STATUS_SUCCESS) return 0;
  // Both have the summed dimension inside: the only order that fp8 and int8 support.
  const cublasOperation_t transposed = CUBLAS_OP_T;
  blas_->product_set(product, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed);
  if (type == TACTUS_CUDA_FP8_E4M3) {
    const std::int8_t fast = 1;
    blas_->product_set(product, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast);
  }
  blas_->preference_create(&preference);
  blas_->preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspace,
                        sizeof kWorkspace);

  double best = 0;
  for (const Size& size : kSizes) {
    cublasLtMatrixLayout_t in_a = nullptr, in_b = nullptr, out = nullptr;
    blas_->layout_create(&in_a, form.in, size.k, size.m, size.k);
    blas_->layout_create(&in_b, form.in, size.k, size.n, size.k);
    blas_->layout_create(&out, form.out, size.m, size.n, size.m);
    constexpr int kCandidates = 8;
    cublasLtMatmulHeuristicResult_t found[kCandidates] = {};
    int count = 0;
    if (blas_->candidates(handle_, product, in_a, in_b, out, out, preference, kCandidates, found,
                          &count) != CUBLAS_STATUS_SUCCESS) {
      count = 0;
    }
    const auto time_of = [&](int candidate, int repeats) {
      bool good = true;
      const double seconds = timer.best_time(repeats, [&] {
        good = blas_->multiply(handle_, product, one, a.at(), in_a, b.at(), in_b, zero, d.at(), out,
                               d.at(), out, &found[candidate].algo, workspace.at(), kWorkspace,
                               timer.stream()) == CUBLAS_STATUS_SUCCESS &&
               good;
      });
      return good ? seconds : 1e9;
    };
    int fastest = -1;
    double fastest_time = 1e9;
    for (int i = 0; i < count; ++i) {
      const double seconds = time_of(i, 3);
      if (seconds < fastest_time) fastest = i, fastest_time = seconds;
    }
    if (fastest >= 0 && fastest_time < 1e8) {
      const double seconds = std::min(fastest_time, time_of(fastest, 20));
      best = std::max(best, 2.0 * size.m * size.n * size.k / seconds);
    }
    blas_->layout_destroy(in_a);
    blas_->layout_destroy(in_b);
    blas_->layout_destroy(out);
  }
  blas_->preference_destroy(preference);
  blas_->product_destroy(product);
  return best;
}

}  // namespace tactus::cuda_ceilings

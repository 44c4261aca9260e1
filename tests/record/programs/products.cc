// Multiplies matrices with the stand-in of cuBLAS.
//   products linked|dlsym|deep
// deep: by a library that a library needs that was opened.
#include <cstring>

#include "record/programs/cuda.h"

using cuda::Handle;

extern "C" {
int cublasGemmEx(Handle, int, int, int, int, int, const void*, const void*, int, int, const void*,
                 int, int, const void*, void*, int, int, int, int);
int cublasSgemm_v2(Handle, int, int, int, int, int, const void*, const void*, int, const void*, int,
                   const void*, void*, int);
int cublasGemmStridedBatchedEx(Handle, int, int, int, int, int, const void*, const void*, int, int,
                               long long, const void*, int, int, long long, const void*, void*, int,
                               int, long long, int, int, int);
int cublasLtMatmul(Handle, Handle, const void*, const void*, Handle, const void*, Handle,
                   const void*, const void*, Handle, void*, Handle, const void*, void*, std::size_t,
                   Handle);
}

namespace {

struct Layout {
  std::uint32_t type;
  std::int32_t order;
  std::uint64_t rows, columns;
  std::int64_t leading;
  std::int32_t batch;
};
struct Product {
  std::int32_t trans_a, trans_b;
};
constexpr int kBfloat16 = 14, kHalf = 2;

}  // namespace

int main(int argc, char** argv) {
  const cuda::Driver driver = cuda::load(cuda::Lookup::kProcAddress);
  cuda::use_device(driver, 0);
  auto gemm = &cublasGemmEx;
  if (argc > 1 && std::strcmp(argv[1], "dlsym") == 0) {
    void* library = dlopen("libcublas.so.13", RTLD_NOW);
    gemm = reinterpret_cast<decltype(gemm)>(dlsym(library, "cublasGemmEx"));
    if (gemm == nullptr) cuda::fail("cublasGemmEx", -1);
  }
  if (argc > 1 && std::strcmp(argv[1], "deep") == 0) {
    void* library = dlopen("libproducts_outer.so", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) cuda::fail(dlerror(), -1);
    gemm = reinterpret_cast<decltype(gemm) (*)()>(dlsym(library, "outer_find"))();
  }
  // 8 tokens, 4096 to 1024 features.
  CU(gemm(nullptr, 1, 0, 1024, 8, 4096, nullptr, nullptr, kBfloat16, 4096, nullptr, kBfloat16, 4096,
          nullptr, nullptr, kBfloat16, 1024, 0, 0));
  CU(cublasSgemm_v2(nullptr, 0, 0, 16, 32, 64, nullptr, nullptr, 16, nullptr, 64, nullptr, nullptr,
                    16));
  CU(cublasGemmStridedBatchedEx(nullptr, 0, 0, 128, 7, 64, nullptr, nullptr, kHalf, 128, 0, nullptr,
                                kHalf, 64, 0, nullptr, nullptr, kHalf, 128, 0, 4, 0, 0));
  Product product{1, 0};
  Layout a{kBfloat16, 0, 4096, 1024, 4096, 1};
  Layout b{kBfloat16, 0, 4096, 8, 4096, 1};
  Layout d{kBfloat16, 0, 1024, 8, 1024, 1};
  CU(cublasLtMatmul(nullptr, &product, nullptr, nullptr, &a, nullptr, &b, nullptr, nullptr, &d,
                    nullptr, &d, nullptr, nullptr, 0, nullptr));
  CU(cuda::launch(driver, cuda::kernel(driver, "alone"), nullptr));
  CU(driver.cuCtxSynchronize());
  std::puts("done");
}

// Steps of a model with the stand-in of cuBLAS: a product of two kernels, a kernel, a wait.
//   tokens STEPS ROWS [lt|batched|before]
// lt: by cublasLtMatmul, which has one kernel. batched: an attention of 512 rows behind the
// product. before: a kernel in front of it. First it launches other kernels for a while, so that a
// gate has found it when it begins.
#include <unistd.h>

#include <cstring>

#include "record/programs/cuda.h"

using cuda::Handle;

extern "C" {
int cublasGemmEx(Handle, int, int, int, int, int, const void*, const void*, int, int, const void*,
                 int, int, const void*, void*, int, int, int, int);
int cublasGemmStridedBatchedEx(Handle, int, int, int, int, int, const void*, const void*, int, int,
                               long long, const void*, int, int, long long, const void*, void*, int,
                               int, long long, int, int, int);
int cublasLtMatmul(Handle, Handle, const void*, const void*, Handle, const void*, Handle,
                   const void*, const void*, Handle, void*, Handle, const void*, void*, std::size_t,
                   Handle);
}

namespace {

/// As the stand-in has them.
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
constexpr int kHalf = 2;

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int rows = std::atoi(argv[2]);
  const bool is_lt = argc > 3 && std::strcmp(argv[3], "lt") == 0;
  const bool is_batched = argc > 3 && std::strcmp(argv[3], "batched") == 0;
  const bool is_before = argc > 3 && std::strcmp(argv[3], "before") == 0;
  const cuda::Driver driver = cuda::load(cuda::Lookup::kProcAddress);
  cuda::use_device(driver, 0);
  const Handle after = cuda::kernel(driver, "after");
  constexpr int kKernelsBefore = 300;
  for (int i = 0; i < kKernelsBefore; ++i) {
    CU(cuda::launch(driver, after, nullptr));
    CU(driver.cuCtxSynchronize());
    usleep(1000);
  }
  for (int step = 0; step < std::atoi(argv[1]); ++step) {
    if (is_before) CU(cuda::launch(driver, after, nullptr));
    if (is_lt) {
      Product product{1, 0};
      Layout a{kHalf, 0, 4096, 1024, 4096, 1};
      Layout b{kHalf, 0, 4096, static_cast<std::uint64_t>(rows), 4096, 1};
      Layout d{kHalf, 0, 1024, static_cast<std::uint64_t>(rows), 1024, 1};
      CU(cublasLtMatmul(nullptr, &product, nullptr, nullptr, &a, nullptr, &b, nullptr, nullptr, &d,
                        nullptr, &d, nullptr, nullptr, 0, nullptr));
    } else {
      CU(cublasGemmEx(nullptr, 1, 0, 1024, rows, 4096, nullptr, nullptr, kHalf, 4096, nullptr,
                      kHalf, 4096, nullptr, nullptr, kHalf, 1024, 0, 0));
    }
    if (is_batched) {
      CU(cublasGemmStridedBatchedEx(nullptr, 0, 0, 128, 512, 64, nullptr, nullptr, kHalf, 128, 0,
                                    nullptr, kHalf, 64, 0, nullptr, nullptr, kHalf, 128, 0, 4, 0,
                                    0));
    }
    CU(cuda::launch(driver, after, nullptr));
    CU(driver.cuCtxSynchronize());
  }
}

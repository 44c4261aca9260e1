// The few functions of cuBLAS and cuBLASLt that tests of shapes need: each launches a kernel of the
// stand-in driver.
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#define STANDIN_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr int kExecutionFailed = 13;  // CUBLAS_STATUS_EXECUTION_FAILED

using Handle = void*;
using ProcAddress = int (*)(const char*, void**, int, std::uint64_t, int*);
using Launch = int (*)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       Handle, void**, void**);
using Load = int (*)(Handle*, const void*);
using GetFunction = int (*)(Handle*, Handle, const char*);

template <class F>
F driver(const char* name) {
  static void* library = dlopen("libcuda.so.1", RTLD_NOW);
  static const auto find = reinterpret_cast<ProcAddress>(dlsym(library, "cuGetProcAddress_v2"));
  void* found = nullptr;
  int status = 0;
  find(name, &found, 13000, 1, &status);
  return reinterpret_cast<F>(found);
}

struct Size3 {
  unsigned x, y, z;
};

/// A kernel of the library; null: the driver did not give it.
Handle find_kernel(const char* name) {
  static std::mutex lock;
  static std::map<std::string, Handle> known;
  const std::lock_guard guard(lock);
  Handle& function = known[name];
  Handle module = nullptr;
  if (function == nullptr &&
      (driver<Load>("cuModuleLoadData")(&module, "scripted") != 0 ||
       driver<GetFunction>("cuModuleGetFunction")(&function, module, name) != 0)) {
    return nullptr;
  }
  return function;
}

int launch(const char* kernel, int times, Handle stream, Size3 grid = {8, 1, 1}) {
  static const auto launch_kernel = driver<Launch>("cuLaunchKernel");
  Handle function = find_kernel(kernel);
  if (function == nullptr) return kExecutionFailed;
  for (int i = 0; i < times; ++i) {
    if (launch_kernel(function, grid.x, grid.y, grid.z, 128, 1, 1, 0, stream, nullptr, nullptr)) {
      return kExecutionFailed;
    }
  }
  return 0;
}

/// What cublasCreate makes. Tests of shapes do without one.
struct Library {
  Handle stream = nullptr;
};

/// A product as cuBLAS does it: tiles of the result, in a kernel whose name says their size.
int multiply(Handle library, int m, int n, int batch, bool is_single) {
  const bool is_small = n <= 64;
  const unsigned tile = is_small ? 64 : 128;
  const char* kernel =
      is_single ? is_small ? "ampere_sgemm_64x64_tn" : "ampere_sgemm_128x128_tn"
      : is_small
          ? "sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize64x64x64_warpgroupsize1x1x1_execute_"
            "segment_k_off_kernel__5x_cublas"
          : "sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64_warpgroupsize2x1x1_"
            "execute_segment_k_off_kernel__5x_cublas";
  const auto tiles = [&](int size) { return (static_cast<unsigned>(size) + tile - 1) / tile; };
  return launch(kernel, 1, static_cast<Library*>(library)->stream,
                {tiles(m), tiles(n), static_cast<unsigned>(batch)});
}

/// As the opaque structs of cublasLt.h, with a meaning of our own.
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

template <class T>
int give(const T& value, void* to, std::size_t room) {
  if (room != sizeof value) return 7;  // CUBLAS_STATUS_INVALID_VALUE
  std::memcpy(to, &value, sizeof value);
  return 0;
}

}  // namespace

STANDIN_EXPORT int cublasCreate_v2(Handle* library) {
  *library = new Library;
  return 0;
}

STANDIN_EXPORT int cublasDestroy_v2(Handle library) {
  delete static_cast<Library*>(library);
  return 0;
}

STANDIN_EXPORT int cublasSetStream_v2(Handle library, Handle stream) {
  static_cast<Library*>(library)->stream = stream;
  return 0;
}

STANDIN_EXPORT int cublasSetMathMode(Handle, int) {
  return 0;
}

STANDIN_EXPORT int cublasSetWorkspace_v2(Handle, void*, std::size_t) {
  return 0;
}

STANDIN_EXPORT const char* cublasGetStatusString(int status) {
  return status == 0 ? "CUBLAS_STATUS_SUCCESS" : "CUBLAS_STATUS_EXECUTION_FAILED";
}

STANDIN_EXPORT int cublasGemmEx(Handle library, int, int, int m, int n, int, const void*,
                                const void*, int, int, const void*, int, int, const void*, void*,
                                int, int, int, int) {
  if (library != nullptr) return multiply(library, m, n, 1, false);
  return launch("gemm", 2, nullptr);  // the second one as split-k has it
}

STANDIN_EXPORT int cublasSgemm_v2(Handle library, int, int, int m, int n, int, const void*,
                                  const void*, int, const void*, int, const void*, void*, int) {
  return library != nullptr ? multiply(library, m, n, 1, true) : launch("sgemm", 1, nullptr);
}

STANDIN_EXPORT int cublasGemmStridedBatchedEx(Handle library, int, int, int m, int n, int,
                                              const void*, const void*, int, int, long long,
                                              const void*, int, int, long long, const void*, void*,
                                              int, int, long long, int batch, int, int) {
  return library != nullptr ? multiply(library, m, n, batch, false) : launch("bmm", 1, nullptr);
}

STANDIN_EXPORT int cublasGemmBatchedEx(Handle library, int, int, int m, int n, int, const void*,
                                       const void* const*, int, int, const void* const*, int, int,
                                       const void*, void* const*, int, int, int batch, int, int) {
  return multiply(library, m, n, batch, false);
}

STANDIN_EXPORT int cublasSgemmStridedBatched(Handle library, int, int, int m, int n, int,
                                             const void*, const void*, int, long long, const void*,
                                             int, long long, const void*, void*, int, long long,
                                             int batch) {
  return multiply(library, m, n, batch, true);
}

STANDIN_EXPORT int cublasSgemmBatched(Handle library, int, int, int m, int n, int, const void*,
                                      const void* const*, int, const void* const*, int, const void*,
                                      void* const*, int, int batch) {
  return multiply(library, m, n, batch, true);
}

STANDIN_EXPORT int cublasStrsmBatched(Handle library, int, int, int, int, int m, int n, const void*,
                                      const void* const*, int, void* const*, int, int batch) {
  return multiply(library, m, n, batch, true);
}

STANDIN_EXPORT int cublasLtMatrixLayoutGetAttribute(Handle layout, int attribute, void* to,
                                                    std::size_t room, std::size_t*) {
  const auto* l = static_cast<const Layout*>(layout);
  switch (attribute) {
    case 0: return give(l->type, to, room);
    case 1: return give(l->order, to, room);
    case 2: return give(l->rows, to, room);
    case 3: return give(l->columns, to, room);
    case 5: return give(l->batch, to, room);
    default: return 7;
  }
}

STANDIN_EXPORT int cublasLtMatmulDescGetAttribute(Handle product, int attribute, void* to,
                                                  std::size_t room, std::size_t*) {
  const auto* p = static_cast<const Product*>(product);
  if (attribute == 3) return give(p->trans_a, to, room);
  if (attribute == 4) return give(p->trans_b, to, room);
  return 7;
}

STANDIN_EXPORT int cublasLtMatmul(Handle, Handle, const void*, const void*, Handle, const void*,
                                  Handle, const void*, const void*, Handle, void*, Handle,
                                  const void*, void*, std::size_t, Handle stream) {
  return launch("lt_matmul", 1, stream);
}

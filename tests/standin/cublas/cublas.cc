// The few functions of cuBLAS and cuBLASLt that tests of shapes need: each launches a kernel of the
// stand-in driver.
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#define STANDIN_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

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

int launch(const char* kernel, int times, Handle stream) {
  static const auto launch_kernel = driver<Launch>("cuLaunchKernel");
  Handle module = nullptr;
  Handle function = nullptr;
  if (driver<Load>("cuModuleLoadData")(&module, "scripted") != 0 ||
      driver<GetFunction>("cuModuleGetFunction")(&function, module, kernel) != 0) {
    return 13;
  }
  for (int i = 0; i < times; ++i) {
    if (launch_kernel(function, 8, 1, 1, 128, 1, 1, 0, stream, nullptr, nullptr) != 0) return 13;
  }
  return 0;
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

STANDIN_EXPORT int cublasGemmEx(Handle, int, int, int, int, int, const void*, const void*, int, int,
                                const void*, int, int, const void*, void*, int, int, int, int) {
  return launch("gemm", 2, nullptr);  // the second one as split-k has it
}

STANDIN_EXPORT int cublasSgemm_v2(Handle, int, int, int, int, int, const void*, const void*, int,
                                  const void*, int, const void*, void*, int) {
  return launch("sgemm", 1, nullptr);
}

STANDIN_EXPORT int cublasGemmStridedBatchedEx(Handle, int, int, int, int, int, const void*,
                                              const void*, int, int, long long, const void*, int,
                                              int, long long, const void*, void*, int, int,
                                              long long, int, int, int) {
  return launch("bmm", 1, nullptr);
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

// Products of matrices in cuBLAS and cuBLASLt: the shapes of the launches inside.
#include <cstring>

#include "record/agent/cublas/scopes.h"

using tactus::agent::Handle;
using tactus::wire::OperatorCall;
using tactus::wire::Scope;

namespace {

constexpr int kNotInitializedInCublas = 1;  // CUBLAS_STATUS_NOT_INITIALIZED
// Numbers of cudaDataType
constexpr int kFloat = 0, kDouble = 1, kHalf = 2;

struct Shape {
  OperatorCall call;
  int trans_a, trans_b;
  long long m, n, k;
  int a_type, b_type, c_type;
  int batch = 1;
};

Scope scope_of(const Shape& shape) {
  Scope scope{};
  scope.call = shape.call;
  scope.batch = static_cast<std::uint32_t>(shape.batch);
  scope.m = static_cast<std::uint64_t>(shape.m);
  scope.n = static_cast<std::uint64_t>(shape.n);
  scope.k = static_cast<std::uint64_t>(shape.k);
  scope.a_type = static_cast<std::uint8_t>(shape.a_type);
  scope.b_type = static_cast<std::uint8_t>(shape.b_type);
  scope.c_type = static_cast<std::uint8_t>(shape.c_type);
  scope.transposes_a = shape.trans_a != 0;
  scope.transposes_b = shape.trans_b != 0;
  return scope;
}

/// What the library has for a hook. Looked for with the first call.
template <class F>
struct LibraryFunction {
  const char* name;
  std::atomic<void*> address = nullptr;

  F* get(const void* caller) {
    void* found = address.load(std::memory_order_relaxed);
    if (found == nullptr) {
      found = tactus::agent::find_library_function(name, caller);
      address.store(found, std::memory_order_relaxed);
    }
    return reinterpret_cast<F*>(found);
  }
};

}  // namespace

// A function with the arguments `params`, which are handed on as `args`; its shape is `...`.
#define TACTUS_GEMM(symbol, params, args, ...)                                      \
  extern "C" __attribute__((visibility("default"))) int symbol params;              \
  static constinit LibraryFunction<int params> original_##symbol{#symbol};          \
  int symbol params {                                                               \
    const auto original = original_##symbol.get(__builtin_return_address(0));       \
    if (original == nullptr) return kNotInitializedInCublas;                        \
    const Shape shape __VA_ARGS__;                                                  \
    return tactus::agent::in_scope(scope_of(shape), [&] { return original args; }); \
  }

TACTUS_GEMM(cublasGemmEx,
            (Handle handle, int ta, int tb, int m, int n, int k, const void* alpha, const void* a,
             int a_type, int lda, const void* b, int b_type, int ldb, const void* beta, void* c,
             int c_type, int ldc, int compute, int algo),
            (handle, ta, tb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc,
             compute, algo),
            {OperatorCall::kGemmEx, ta, tb, m, n, k, a_type, b_type, c_type})
TACTUS_GEMM(cublasGemmBatchedEx,
            (Handle handle, int ta, int tb, int m, int n, int k, const void* alpha,
             const void* const* a, int a_type, int lda, const void* const* b, int b_type, int ldb,
             const void* beta, void* const* c, int c_type, int ldc, int batch, int compute,
             int algo),
            (handle, ta, tb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc,
             batch, compute, algo),
            {OperatorCall::kGemmBatchedEx, ta, tb, m, n, k, a_type, b_type, c_type, batch})
TACTUS_GEMM(cublasGemmStridedBatchedEx,
            (Handle handle, int ta, int tb, int m, int n, int k, const void* alpha, const void* a,
             int a_type, int lda, long long stride_a, const void* b, int b_type, int ldb,
             long long stride_b, const void* beta, void* c, int c_type, int ldc, long long stride_c,
             int batch, int compute, int algo),
            (handle, ta, tb, m, n, k, alpha, a, a_type, lda, stride_a, b, b_type, ldb, stride_b,
             beta, c, c_type, ldc, stride_c, batch, compute, algo),
            {OperatorCall::kGemmStridedBatchedEx, ta, tb, m, n, k, a_type, b_type, c_type, batch})
TACTUS_GEMM(cublasSgemmEx,
            (Handle handle, int ta, int tb, int m, int n, int k, const float* alpha, const void* a,
             int a_type, int lda, const void* b, int b_type, int ldb, const float* beta, void* c,
             int c_type, int ldc),
            (handle, ta, tb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc),
            {OperatorCall::kSgemmEx, ta, tb, m, n, k, a_type, b_type, c_type})

#define TACTUS_TYPED_GEMM(symbol, id, type)                                                  \
  TACTUS_GEMM(                                                                               \
      symbol,                                                                                \
      (Handle handle, int ta, int tb, int m, int n, int k, const void* alpha, const void* a, \
       int lda, const void* b, int ldb, const void* beta, void* c, int ldc),                 \
      (handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc),                        \
      {OperatorCall::id, ta, tb, m, n, k, type, type, type})
TACTUS_TYPED_GEMM(cublasSgemm_v2, kSgemm, kFloat)
TACTUS_TYPED_GEMM(cublasHgemm, kHgemm, kHalf)
TACTUS_TYPED_GEMM(cublasDgemm_v2, kDgemm, kDouble)

#define TACTUS_STRIDED_GEMM(symbol, id, type)                                                      \
  TACTUS_GEMM(                                                                                     \
      symbol,                                                                                      \
      (Handle handle, int ta, int tb, int m, int n, int k, const void* alpha, const void* a,       \
       int lda, long long stride_a, const void* b, int ldb, long long stride_b, const void* beta,  \
       void* c, int ldc, long long stride_c, int batch),                                           \
      (handle, ta, tb, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c, \
       batch),                                                                                     \
      {OperatorCall::id, ta, tb, m, n, k, type, type, type, batch})
TACTUS_STRIDED_GEMM(cublasSgemmStridedBatched, kSgemmStridedBatched, kFloat)
TACTUS_STRIDED_GEMM(cublasHgemmStridedBatched, kHgemmStridedBatched, kHalf)

extern "C" __attribute__((visibility("default"))) int cublasLtMatmul(
    Handle, Handle, const void*, const void*, Handle, const void*, Handle, const void*, const void*,
    Handle, void*, Handle, const void*, void*, std::size_t, Handle);

namespace {

using GetAttribute = int(Handle, int, void*, std::size_t, std::size_t*);
constinit LibraryFunction<decltype(::cublasLtMatmul)> original_lt_matmul{"cublasLtMatmul"};
constinit LibraryFunction<GetAttribute> layout_attribute{"cublasLtMatrixLayoutGetAttribute"};
constinit LibraryFunction<GetAttribute> product_attribute{"cublasLtMatmulDescGetAttribute"};

// Numbers of cublasLtMatrixLayoutAttribute_t and cublasLtMatmulDescAttributes_t
constexpr int kType = 0, kOrder = 1, kRows = 2, kColumns = 3, kBatch = 5;
constexpr int kTransA = 3, kTransB = 4;
constexpr std::int32_t kByColumns = 0;

/// An attribute of a descriptor; `otherwise` if the library does not say.
template <class T>
T ask(GetAttribute* get, Handle descriptor, int attribute, T otherwise) {
  T value = otherwise;
  std::size_t written = 0;
  if (get == nullptr || descriptor == nullptr ||
      get(descriptor, attribute, &value, sizeof value, &written) != 0) {
    return otherwise;
  }
  return value;
}

Scope scope_of_matmul(Handle product, Handle a, Handle b, Handle d, const void* caller) {
  GetAttribute* of_layout = layout_attribute.get(caller);
  GetAttribute* of_product = product_attribute.get(caller);
  Scope scope{};
  scope.call = OperatorCall::kLtMatmul;
  scope.transposes_a = ask<std::int32_t>(of_product, product, kTransA, 0) != 0;
  scope.transposes_b = ask<std::int32_t>(of_product, product, kTransB, 0) != 0;
  scope.m = ask<std::uint64_t>(of_layout, d, kRows, 0);
  scope.n = ask<std::uint64_t>(of_layout, d, kColumns, 0);
  scope.k = ask<std::uint64_t>(of_layout, a, scope.transposes_a != 0 ? kRows : kColumns, 0);
  scope.batch = static_cast<std::uint32_t>(ask<std::int32_t>(of_layout, d, kBatch, 1));
  scope.a_type = static_cast<std::uint8_t>(ask<std::uint32_t>(of_layout, a, kType, 255));
  scope.b_type = static_cast<std::uint8_t>(ask<std::uint32_t>(of_layout, b, kType, 255));
  scope.c_type = static_cast<std::uint8_t>(ask<std::uint32_t>(of_layout, d, kType, 255));
  scope.by_rows = ask<std::int32_t>(of_layout, d, kOrder, kByColumns) != kByColumns;
  return scope;
}

}  // namespace

int cublasLtMatmul(Handle handle, Handle product, const void* alpha, const void* a, Handle a_layout,
                   const void* b, Handle b_layout, const void* beta, const void* c, Handle c_layout,
                   void* d, Handle d_layout, const void* algorithm, void* workspace,
                   std::size_t workspace_bytes, Handle stream) {
  const void* caller = __builtin_return_address(0);
  const auto original = original_lt_matmul.get(caller);
  if (original == nullptr) return kNotInitializedInCublas;
  const auto call = [&] {
    return original(handle, product, alpha, a, a_layout, b, b_layout, beta, c, c_layout, d,
                    d_layout, algorithm, workspace, workspace_bytes, stream);
  };
  // To ask for the shape takes a while.
  if (tactus::agent::recording_thread() == nullptr &&
      !tactus::agent::asks_for_rows(tactus::agent::joined.load())) {
    const tactus::agent::GateProduct unknown(0);
    return call();
  }
  return tactus::agent::in_scope(scope_of_matmul(product, a_layout, b_layout, d_layout, caller),
                                 call);
}

namespace tactus::agent {
namespace {

struct LibraryHook {
  const char* name;
  void* function;
  std::atomic<void*>* original;
};

#define TACTUS_LIBRARY_HOOK(symbol) \
  { #symbol, reinterpret_cast < void*>(::symbol), &original_##symbol.address }
const LibraryHook kLibraryHooks[] = {
    TACTUS_LIBRARY_HOOK(cublasGemmEx),
    TACTUS_LIBRARY_HOOK(cublasGemmBatchedEx),
    TACTUS_LIBRARY_HOOK(cublasGemmStridedBatchedEx),
    TACTUS_LIBRARY_HOOK(cublasSgemmEx),
    TACTUS_LIBRARY_HOOK(cublasSgemm_v2),
    TACTUS_LIBRARY_HOOK(cublasHgemm),
    TACTUS_LIBRARY_HOOK(cublasDgemm_v2),
    TACTUS_LIBRARY_HOOK(cublasSgemmStridedBatched),
    TACTUS_LIBRARY_HOOK(cublasHgemmStridedBatched),
    {"cublasLtMatmul", reinterpret_cast<void*>(::cublasLtMatmul), &original_lt_matmul.address},
};

}  // namespace

bool is_library_hook(const void* function) {
  for (const LibraryHook& hook : kLibraryHooks) {
    if (hook.function == function) return true;
  }
  return false;
}

void* replace_library_symbol(const char* symbol, void* found) {
  if (found == nullptr || std::strncmp(symbol, "cublas", 6) != 0) return found;
  for (const LibraryHook& hook : kLibraryHooks) {
    if (std::strcmp(hook.name, symbol) != 0 || found == hook.function) continue;
    hook.original->store(found, std::memory_order_relaxed);
    return hook.function;
  }
  return found;
}

}  // namespace tactus::agent

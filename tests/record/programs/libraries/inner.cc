// Calls cuBLAS, and is itself only needed by outer.cc: as libtorch_cuda is by an extension module.
using Handle = void*;

extern "C" {
int cublasGemmEx(Handle, int, int, int, int, int, const void*, const void*, int, int, const void*,
                 int, int, const void*, void*, int, int, int, int);

int inner_gemm(Handle handle, int ta, int tb, int m, int n, int k, const void* alpha, const void* a,
               int a_type, int lda, const void* b, int b_type, int ldb, const void* beta, void* c,
               int c_type, int ldc, int compute, int algorithm) {
  return cublasGemmEx(handle, ta, tb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c,
                      c_type, ldc, compute, algorithm);
}
}

// What a program opens; it brings inner.cc along.
using Gemm = int(void*, int, int, int, int, int, const void*, const void*, int, int, const void*,
                 int, int, const void*, void*, int, int, int, int);

extern "C" {
Gemm inner_gemm;
Gemm* outer_find() {
  return &inner_gemm;
}
}

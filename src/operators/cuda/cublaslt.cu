#include <dlfcn.h>

#include "operators/cuda/cublaslt.h"

namespace tactus::cuda {
namespace {

template <class Function>
bool get(void* library, Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool load(CublasLt& lt) {
  void* library = nullptr;
  for (const char* name : {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"}) {
    if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  return library != nullptr && get(library, lt.create, "cublasLtCreate") &&
         get(library, lt.matmul, "cublasLtMatmul") &&
         get(library, lt.desc_create, "cublasLtMatmulDescCreate") &&
         get(library, lt.desc_destroy, "cublasLtMatmulDescDestroy") &&
         get(library, lt.desc_set, "cublasLtMatmulDescSetAttribute") &&
         get(library, lt.layout_create, "cublasLtMatrixLayoutCreate") &&
         get(library, lt.layout_destroy, "cublasLtMatrixLayoutDestroy") &&
         get(library, lt.preference_create, "cublasLtMatmulPreferenceCreate") &&
         get(library, lt.preference_destroy, "cublasLtMatmulPreferenceDestroy") &&
         get(library, lt.preference_set, "cublasLtMatmulPreferenceSetAttribute") &&
         get(library, lt.heuristic, "cublasLtMatmulAlgoGetHeuristic") &&
         lt.create(&lt.handle) == CUBLAS_STATUS_SUCCESS;
}

}  // namespace

const CublasLt* cublaslt() {
  static CublasLt lt;
  static const bool loaded = load(lt);
  return loaded ? &lt : nullptr;
}

}  // namespace tactus::cuda

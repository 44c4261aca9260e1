// A library that is linked against the driver, as Triton's launchers are. Whoever opens it with
// RTLD_LOCAL has the driver in no scope but that of this library.
#include "record/programs/cuda.h"

extern "C" {
int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(cuda::Handle*, int);
int cuCtxSetCurrent(cuda::Handle);
int cuModuleLoadData(cuda::Handle*, const void*);
int cuModuleGetFunction(cuda::Handle*, cuda::Handle, const char*);
int cuLaunchKernel(cuda::Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned, cuda::Handle, void**, void**);
int cuCtxSynchronize();

__attribute__((visibility("default"))) void launch_privately(int count) {
  cuda::Handle context = nullptr;
  cuda::Handle module = nullptr;
  cuda::Handle function = nullptr;
  CU(cuInit(0));
  CU(cuDevicePrimaryCtxRetain(&context, 0));
  CU(cuCtxSetCurrent(context));
  CU(cuModuleLoadData(&module, "scripted"));
  CU(cuModuleGetFunction(&function, module, "private_kernel"));
  for (int i = 0; i < count; ++i) {
    const auto grid = static_cast<unsigned>(i + 1);
    CU(cuLaunchKernel(function, grid, 1, 1, 128, 1, 1, 0, nullptr, nullptr, nullptr));
  }
  CU(cuCtxSynchronize());
}
}

// Launches by a library that it opens for itself alone.
//   private_driver LIBRARY COUNT [before]   before: finds a call of the driver by a handle first
#include <cstring>

#include "record/programs/cuda.h"

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  if (argc > 3 && std::strcmp(argv[3], "before") == 0) {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (driver == nullptr || dlsym(driver, "cuCtxSynchronize") == nullptr) return 3;
  }
  // Nobody sees the driver who did not open it.
  if (dlsym(RTLD_DEFAULT, "cuLaunchKernel") != nullptr) return 4;
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) cuda::fail(dlerror(), -1);
  using Launch = void (*)(int);
  const auto launch = reinterpret_cast<Launch>(dlsym(library, "launch_privately"));
  if (launch == nullptr) return 5;
  launch(std::atoi(argv[2]));
  std::puts("done");
  return 6;
}

// libtactus-no-driver.so: a CUDA driver whose launches do nothing, for measuring what the agent
// adds to a launch (launch_cost.cc). Only that loads it.

#define TACTUS_EXPORT extern "C" __attribute__((visibility("default"))) int

TACTUS_EXPORT cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                             unsigned, void*, void**, void**);
TACTUS_EXPORT cuFuncGetName(const char**, void*);

int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   void*, void**, void**) {
  return 0;
}

int cuFuncGetName(const char** name, void*) {
  *name = "measured";
  return 0;
}

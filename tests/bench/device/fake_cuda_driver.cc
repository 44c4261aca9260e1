// Stands for libcuda.so.1: a driver that speaks CUDA 12.8 and has an H200 and an A100.
#include <cstring>

#define SHOWN extern "C" __attribute__((visibility("default")))

SHOWN int cuInit(unsigned) {
  return 0;
}
SHOWN int cuDriverGetVersion(int* version) {
  *version = 12080;
  return 0;
}
SHOWN int cuDeviceGetCount(int* count) {
  *count = 2;
  return 0;
}
SHOWN int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return 0;
}
SHOWN int cuDeviceGetName(char* name, int length, int device) {
  std::strncpy(name, device == 0 ? "NVIDIA H200" : "NVIDIA A100", static_cast<unsigned>(length));
  return 0;
}
SHOWN int cuDeviceGetAttribute(int* value, int attribute, int device) {
  const bool major = attribute == 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
  *value = !major ? 0 : device == 0 ? 9 : 8;
  return 0;
}

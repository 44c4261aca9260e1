// Launches below functions that are called as those of PyTorch's dispatcher.
#include "record/programs/cuda.h"

namespace {

cuda::Driver driver;
cuda::Handle stream = nullptr;

__attribute__((noinline)) void launch(const char* name, unsigned grid) {
  CU(cuda::launch(driver, cuda::kernel(driver, name), stream, grid));
}

}  // namespace

namespace at::_ops {

struct mm {
  __attribute__((noinline, visibility("default"))) static int call(unsigned grid) {
    launch("sleep_us_1_product", grid);
    return static_cast<int>(grid);
  }
};

struct linear {
  // Its innermost op is mm.
  __attribute__((noinline, visibility("default"))) static int call(unsigned grid) {
    return mm::call(grid + 1) + 1;
  }
};

struct add__Tensor {
  __attribute__((noinline, visibility("default"))) static int call(unsigned grid) {
    launch("sleep_us_1_sum", grid);
    return static_cast<int>(grid);
  }
};

}  // namespace at::_ops

int main() {
  driver = cuda::load(cuda::Lookup::kProcAddress);
  cuda::use_device(driver, 0);
  CU(driver.cuStreamCreate(&stream, 1));
  int sum = 0;
  for (unsigned i = 0; i < 5; ++i)
    sum += at::_ops::linear::call(i) + at::_ops::add__Tensor::call(i + 1);
  launch("sleep_us_1_other", 3);
  CU(driver.cuStreamSynchronize(stream));
  std::printf("%d\n", sum);
  return 0;
}

// A small server: every step copies its input, runs kernels or a graph, and reads the result.
//   server STEPS KERNELS [graph|eager] [proc|thread|dlsym] [THREADS] [exit CODE]
// Prints what it computed, so that a test can see that recording changes nothing.
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "record/programs/cuda.h"

namespace {

const char kImage[] = "STANDIN\nkernel mix 8 4\n";

struct Options {
  int steps = 10;
  int kernels = 5;
  bool graph = false;
  cuda::Lookup lookup = cuda::Lookup::kProcAddress;
  int threads = 1;
};

void launch_all(const cuda::Driver& driver, cuda::Handle mix, cuda::Handle pause,
                cuda::Handle stream, cuda::Pointer memory, const Options& options) {
  for (int i = 0; i < options.kernels; ++i) {
    int seed = i;
    void* params[] = {&memory, &seed};
    CU(cuda::launch(driver, mix, stream, static_cast<unsigned>(i + 1), params));
  }
  CU(cuda::launch(driver, pause, stream, 7));
}

unsigned serve(const cuda::Driver& driver, const Options& options) {
  cuda::use_device(driver, 0);
  cuda::Handle stream = nullptr;
  CU(driver.cuStreamCreate(&stream, 1));
  cuda::Pointer memory = 0;
  CU(driver.cuMemAlloc(&memory, sizeof(unsigned)));
  const cuda::Handle mix = cuda::kernel(driver, "mix", kImage);
  const cuda::Handle pause = cuda::kernel(driver, "sleep_us_200_attention");
  cuda::Handle exec = nullptr;
  if (options.graph) {
    cuda::Handle graph = nullptr;
    CU(driver.cuStreamBeginCapture(stream, 0));
    launch_all(driver, mix, pause, stream, memory, options);
    CU(driver.cuStreamEndCapture(stream, &graph));
    CU(driver.cuGraphInstantiateWithFlags(&exec, graph, 0));
    CU(driver.cuGraphDestroy(graph));
  }
  unsigned sum = 0;
  for (int step = 0; step < options.steps; ++step) {
    unsigned value = static_cast<unsigned>(step);
    CU(driver.cuMemcpyHtoDAsync(memory, &value, sizeof value, stream));
    if (options.graph) {
      CU(driver.cuGraphLaunch(exec, stream));
    } else {
      launch_all(driver, mix, pause, stream, memory, options);
    }
    CU(driver.cuMemcpyDtoHAsync(&value, memory, sizeof value, stream));
    CU(driver.cuStreamSynchronize(stream));
    sum = sum * 31 + value;
  }
  if (exec != nullptr) CU(driver.cuGraphExecDestroy(exec));
  CU(driver.cuMemFree(memory));
  return sum;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void mix(const unsigned* grid, const unsigned*,
                                                           void** params) {
  unsigned* value = *static_cast<unsigned**>(params[0]);
  *value = (*value ^ static_cast<unsigned>(*static_cast<int*>(params[1]))) * 2654435761u + grid[0];
}

int main(int argc, char** argv) {
  Options options;
  if (argc > 1) options.steps = std::atoi(argv[1]);
  if (argc > 2) options.kernels = std::atoi(argv[2]);
  if (argc > 3) options.graph = std::strcmp(argv[3], "graph") == 0;
  if (argc > 4 && std::strcmp(argv[4], "thread") == 0) options.lookup = cuda::Lookup::kPerThread;
  if (argc > 4 && std::strcmp(argv[4], "dlsym") == 0) options.lookup = cuda::Lookup::kDlsym;
  if (argc > 5) options.threads = std::atoi(argv[5]);
  const cuda::Driver driver = cuda::load(options.lookup);
  std::vector<unsigned> sums(static_cast<std::size_t>(options.threads));
  std::vector<std::thread> threads;
  for (unsigned& sum : sums) threads.emplace_back([&] { sum = serve(driver, options); });
  for (std::thread& thread : threads) thread.join();
  for (const unsigned sum : sums) std::printf("%u\n", sum);
  return argc > 6 ? std::atoi(argv[6]) : 0;
}

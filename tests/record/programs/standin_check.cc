// Tries everything that the stand-in driver promises. Prints "ok", or what is wrong.
#include <cmath>
#include <cstring>
#include <vector>

#include "record/programs/cuda.h"

namespace {

const char kImage[] = "STANDIN\nkernel add 8 8 4\n";

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("wrong: %s\n", what);
  std::_Exit(1);
}

double milliseconds(const cuda::Driver& driver, cuda::Handle from, cuda::Handle to) {
  float elapsed = 0;
  CU(driver.cuEventElapsedTime(&elapsed, from, to));
  return static_cast<double>(elapsed);
}

struct Buffers {
  static constexpr int kCount = 1000;
  cuda::Pointer from = 0;
  cuda::Pointer to = 0;
};

void computes(const cuda::Driver& driver, cuda::Handle stream) {
  Buffers b;
  std::vector<float> values(Buffers::kCount, 2);
  CU(driver.cuMemAlloc(&b.from, sizeof(float) * Buffers::kCount));
  CU(driver.cuMemAlloc(&b.to, sizeof(float) * Buffers::kCount));
  CU(driver.cuMemcpyHtoD(b.from, values.data(), sizeof(float) * Buffers::kCount));
  CU(driver.cuMemsetD8Async(b.to, 0, sizeof(float) * Buffers::kCount, stream));
  int count = Buffers::kCount;
  void* params[] = {&b.to, &b.from, &count};
  const cuda::Handle add = cuda::kernel(driver, "add", kImage);
  CU(cuda::launch(driver, add, stream, 1, params));
  const cuda::LaunchConfig config{{1, 1, 1}, {32, 1, 1}, 0, stream, nullptr, 0};
  CU(driver.cuLaunchKernelEx(&config, add, params, nullptr));
  count = 0;  // arguments are taken at the launch
  std::vector<float> out(Buffers::kCount);
  CU(driver.cuMemcpyDtoHAsync(out.data(), b.to, sizeof(float) * Buffers::kCount, stream));
  CU(driver.cuStreamSynchronize(stream));
  expect(out.front() == 4 && out.back() == 4, "two launches add 2 each");
  CU(driver.cuMemFree(b.from));
  CU(driver.cuMemFree(b.to));
  expect(driver.cuMemFree(b.to) != 0, "memory is freed once");
}

void takes_time(const cuda::Driver& driver, cuda::Handle stream) {
  cuda::Handle begin = nullptr;
  cuda::Handle end = nullptr;
  CU(driver.cuEventCreate(&begin, 0));
  CU(driver.cuEventCreate(&end, 0));
  const cuda::Handle slow = cuda::kernel(driver, "sleep_us_3000_slow");
  CU(cuda::launch(driver, slow, stream));
  CU(driver.cuEventRecord(begin, stream));
  CU(cuda::launch(driver, slow, stream));
  CU(cuda::launch(driver, slow, stream));
  CU(driver.cuEventRecord(end, stream));
  expect(driver.cuEventQuery(end) == 600, "an event is not ready before its work is done");
  expect(driver.cuStreamQuery(stream) == 600, "a stream with work is not ready");
  CU(driver.cuEventSynchronize(end));
  expect(std::fabs(milliseconds(driver, begin, end) - 6) < 1e-3, "two kernels of 3 ms take 6 ms");
  CU(driver.cuStreamSynchronize(stream));
  CU(driver.cuStreamQuery(stream));
}

void captures(const cuda::Driver& driver, cuda::Handle stream) {
  cuda::Handle side = nullptr;
  cuda::Handle fork = nullptr;
  cuda::Handle join = nullptr;
  CU(driver.cuStreamCreate(&side, 1));
  CU(driver.cuEventCreate(&fork, 2));
  CU(driver.cuEventCreate(&join, 2));
  const cuda::Handle slow = cuda::kernel(driver, "sleep_us_2000_branch");
  CU(driver.cuStreamBeginCapture(stream, 0));
  CU(cuda::launch(driver, slow, stream));
  CU(driver.cuEventRecord(fork, stream));
  CU(driver.cuStreamWaitEvent(side, fork, 0));
  CU(cuda::launch(driver, slow, side));
  CU(cuda::launch(driver, slow, stream));
  int status = 0;
  CU(driver.cuStreamIsCapturing(side, &status));
  expect(status == 1, "a stream joins a capture by an event");
  CU(driver.cuEventRecord(join, side));
  CU(driver.cuStreamWaitEvent(stream, join, 0));
  cuda::Handle graph = nullptr;
  CU(driver.cuStreamEndCapture(stream, &graph));
  std::size_t nodes = 0;
  std::size_t edges = 0;
  CU(driver.cuGraphGetNodes(graph, nullptr, &nodes));
  CU(driver.cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  expect(nodes == 3 && edges == 2, "the graph has two branches");
  cuda::Handle exec = nullptr;
  CU(driver.cuGraphInstantiateWithFlags(&exec, graph, 0));
  CU(driver.cuGraphDestroy(graph));
  cuda::Handle begin = nullptr;
  cuda::Handle end = nullptr;
  CU(driver.cuEventCreate(&begin, 0));
  CU(driver.cuEventCreate(&end, 0));
  CU(driver.cuEventRecord(begin, stream));
  CU(driver.cuGraphLaunch(exec, stream));
  CU(driver.cuEventRecord(end, stream));
  CU(driver.cuGraphExecDestroy(exec));
  CU(driver.cuStreamSynchronize(stream));
  const double took = milliseconds(driver, begin, end);
  expect(took >= 4 && took < 5, "branches of a graph run side by side");
}

void refuses(const cuda::Driver& driver, cuda::Handle stream) {
  cuda::Handle graph = nullptr;
  CU(driver.cuStreamBeginCapture(stream, 0));
  expect(driver.cuStreamSynchronize(stream) == 900, "a capture cannot be waited for");
  expect(driver.cuStreamEndCapture(stream, &graph) == 901, "the capture is spoiled by it");
  CU(cuda::launch(driver, cuda::kernel(driver, "sleep_us_0_none"), stream));
  expect(cuda::launch(driver, cuda::kernel(driver, "sleep_us_0_none"), stream, 0) == 1,
         "an empty grid is refused");
}

void waits_for_the_default_stream(const cuda::Driver& driver, cuda::Handle stream) {
  cuda::Handle first = nullptr;
  cuda::Handle last = nullptr;
  CU(driver.cuEventCreate(&first, 0));
  CU(driver.cuEventCreate(&last, 0));
  CU(driver.cuEventRecord(first, stream));
  CU(cuda::launch(driver, cuda::kernel(driver, "sleep_us_2000_default"), nullptr));
  CU(cuda::launch(driver, cuda::kernel(driver, "sleep_us_1000_after"), stream));
  CU(driver.cuEventRecord(last, stream));
  CU(driver.cuCtxSynchronize());
  expect(milliseconds(driver, first, last) >= 3, "streams wait for the default stream");
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void add(const unsigned*, const unsigned*,
                                                           void** params) {
  float* to = *static_cast<float**>(params[0]);
  const float* from = *static_cast<const float**>(params[1]);
  const int count = *static_cast<const int*>(params[2]);
  for (int i = 0; i < count; ++i) to[i] += from[i];
}

int main() {
  for (const cuda::Lookup lookup : {cuda::Lookup::kProcAddress, cuda::Lookup::kDlsym}) {
    const cuda::Driver driver = cuda::load(lookup);
    cuda::use_device(driver, 0);
    cuda::Handle stream = nullptr;
    CU(driver.cuStreamCreate(&stream, 0));
    computes(driver, stream);
    takes_time(driver, stream);
    captures(driver, stream);
    refuses(driver, stream);
    waits_for_the_default_stream(driver, stream);
  }
  std::puts("ok");
}

// One thread captures graphs, another one works and waits all the time. A recorder that asks for
// its events at the wrong time spoils the captures.
#include <atomic>
#include <thread>

#include "record/programs/cuda.h"

int main() {
  const cuda::Driver driver = cuda::load(cuda::Lookup::kProcAddress);
  cuda::use_device(driver, 0);
  cuda::Handle captured = nullptr;
  cuda::Handle busy = nullptr;
  CU(driver.cuStreamCreate(&captured, 1));
  CU(driver.cuStreamCreate(&busy, 1));
  const cuda::Handle kernel = cuda::kernel(driver, "sleep_us_0_work");
  std::atomic<bool> is_done = false;
  std::atomic<int> steps = 0;
  std::thread worker([&] {
    cuda::use_device(driver, 0);
    while (!is_done) {
      for (int i = 0; i < 3; ++i) CU(cuda::launch(driver, kernel, busy));
      CU(driver.cuStreamSynchronize(busy));
      ++steps;
    }
  });
  for (int round = 0; round < 300; ++round) {
    cuda::Handle graph = nullptr;
    CU(driver.cuStreamBeginCapture(captured, 0));
    for (int i = 0; i < 20; ++i) CU(cuda::launch(driver, kernel, captured));
    // The other thread goes on while this one captures.
    for (const int before = steps; steps < before + 2;) std::this_thread::yield();
    CU(driver.cuStreamEndCapture(captured, &graph));
    std::size_t nodes = 0;
    CU(driver.cuGraphGetNodes(graph, nullptr, &nodes));
    if (nodes != 20) cuda::fail("nodes", static_cast<int>(nodes));
    CU(driver.cuGraphDestroy(graph));
    CU(cuda::launch(driver, kernel, captured));
    CU(driver.cuStreamSynchronize(captured));
  }
  is_done = true;
  worker.join();
  std::puts("captured");
}

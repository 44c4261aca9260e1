// A program of the CUDA runtime: what nvcc's host code does, by hand, so that it needs no nvcc.
//   runtime check            uses the calls and checks what they do; prints ok
//   runtime pool STEPS N     N threads launch the steps in turns, as a server on a thread pool does
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

using Handle = void*;
struct Size3 {
  unsigned x, y, z;
};
struct UpdateResult {
  std::uint64_t words[3];  // CUgraphExecUpdateResultInfo
};

extern "C" {
void** __cudaRegisterFatBinary(const void* wrapper);
void __cudaRegisterFatBinaryEnd(void** binary);
void __cudaRegisterFunction(void** binary, const char* host, char* device, const char* name, int,
                            void*, void*, void*, void*, int*);
unsigned __cudaPushCallConfiguration(Size3 grid, Size3 block, std::size_t shared, Handle stream);
int __cudaPopCallConfiguration(Size3* grid, Size3* block, std::size_t* shared, Handle* stream);
int __cudaGetKernel(Handle* kernel, const void* host);
int __cudaLaunchKernel(Handle kernel, Size3 grid, Size3 block, void** args, std::size_t shared,
                       Handle stream);
int cudaMalloc(void** memory, std::size_t bytes);
int cudaFree(void* memory);
int cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind, Handle stream);
int cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                      std::size_t row_bytes, std::size_t rows, int kind, Handle stream);
int cudaMemsetAsync(void* to, int value, std::size_t bytes, Handle stream);
int cudaStreamCreateWithFlags(Handle* stream, unsigned flags);
int cudaStreamSynchronize(Handle stream);
int cudaStreamBeginCapture(Handle stream, int mode);
int cudaStreamEndCapture(Handle stream, Handle* graph);
int cudaGraphInstantiate(Handle* exec, Handle graph, unsigned long long flags);
int cudaGraphExecUpdate(Handle exec, Handle graph, void* result);
int cudaGraphLaunch(Handle exec, Handle stream);
int cudaGraphDestroy(Handle graph);
int cudaGetDeviceCount(int* count);
int cudaGetDeviceProperties(unsigned char* properties, int device);
int cudaGetLastError();
const char* cudaGetErrorString(int error);

/// The code of the kernel, which the stand-in calls; its parameters: an array, its length.
__attribute__((visibility("default"))) void add_one(const unsigned grid[3], const unsigned[3],
                                                    void** params) {
  int* const numbers = *static_cast<int**>(params[0]);
  const int count = *static_cast<int*>(params[1]);
  for (int i = 0; i < count; ++i) numbers[i] += static_cast<int>(grid[0]);
}
}

namespace {

constexpr int kToDevice = 1, kToHost = 2;

void check(bool is_so, const char* what) {
  if (is_so) return;
  std::fprintf(stderr, "wrong: %s (%s)\n", what, cudaGetErrorString(cudaGetLastError()));
  std::_Exit(1);
}
#define CHECK(what) check((what), #what)
#define CUDA(call) check((call) == 0, #call)

/// What nvcc makes for `__global__ void add_one(int*, int)`: a function that launches it.
void launch_add_one(int* numbers, int count) {
  static Handle kernel = nullptr;
  static const bool is_found =
      __cudaGetKernel(&kernel, reinterpret_cast<const void*>(launch_add_one)) == 0;
  Size3 grid{}, block{};
  std::size_t shared = 0;
  Handle stream = nullptr;
  if (!is_found || __cudaPopCallConfiguration(&grid, &block, &shared, &stream) != 0) return;
  void* args[] = {&numbers, &count};
  __cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}

/// And for `add_one<<<blocks, 32, 0, stream>>>(...)`.
void add_one_on(Handle stream, unsigned blocks, int* numbers, int count) {
  if (__cudaPushCallConfiguration({blocks, 1, 1}, {32, 1, 1}, 0, stream) == 0) {
    launch_add_one(numbers, count);
  }
}

/// Runs before main, as nvcc has it.
__attribute__((constructor)) void register_binary() {
  static const char image[] = "STANDIN\nkernel add_one 8 4\n";
  static const struct {
    int magic, version;
    const void* image;
    void* file;
  } wrapper = {0x466243b1, 1, image, nullptr};
  static char name[] = "add_one";
  void** binary = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(binary, reinterpret_cast<const char*>(launch_add_one), name, name, -1,
                         nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterFatBinaryEnd(binary);
}

Handle capture(Handle stream, unsigned blocks, int launches, int* numbers, int count) {
  Handle graph = nullptr;
  CUDA(cudaStreamBeginCapture(stream, 2));
  for (int i = 0; i < launches; ++i) add_one_on(stream, blocks, numbers, count);
  CUDA(cudaStreamEndCapture(stream, &graph));
  return graph;
}

void check_calls() {
  int devices = 0;
  CUDA(cudaGetDeviceCount(&devices));
  CHECK(devices == 1);
  std::vector<unsigned char> properties(4096);
  CUDA(cudaGetDeviceProperties(properties.data(), 0));
  CHECK(std::strstr(reinterpret_cast<const char*>(properties.data()), "NVIDIA") != nullptr);
  CHECK(cudaGetDeviceProperties(properties.data(), 7) != 0);
  CHECK(cudaGetLastError() != 0 && cudaGetLastError() == 0);

  constexpr int kCount = 12;
  Handle stream = nullptr;
  int* numbers = nullptr;
  std::vector<int> seen(kCount);
  const auto read = [&] {
    CUDA(cudaMemcpyAsync(seen.data(), numbers, kCount * sizeof(int), kToHost, stream));
    CUDA(cudaStreamSynchronize(stream));
    return seen[kCount - 1];
  };
  CUDA(cudaStreamCreateWithFlags(&stream, 1));
  CUDA(cudaMalloc(reinterpret_cast<void**>(&numbers), kCount * sizeof(int)));
  CUDA(cudaMemsetAsync(numbers, 0, kCount * sizeof(int), stream));
  add_one_on(stream, 3, numbers, kCount);
  CHECK(read() == 3);

  const Handle graph = capture(stream, 1, 4, numbers, kCount);
  CHECK(read() == 3);  // a capture does nothing
  Handle exec = nullptr;
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 5; ++i) CUDA(cudaGraphLaunch(exec, stream));
  CHECK(read() == 23);
  UpdateResult result{};
  CUDA(cudaGraphExecUpdate(exec, capture(stream, 2, 4, numbers, kCount), &result));
  for (int i = 0; i < 5; ++i) CUDA(cudaGraphLaunch(exec, stream));
  CHECK(read() == 63);
  CHECK(cudaGraphExecUpdate(exec, capture(stream, 2, 5, numbers, kCount), &result) == 910);
  CHECK(static_cast<int>(result.words[0]) == 2 && cudaGetLastError() == 910);
  CUDA(cudaGraphLaunch(exec, stream));  // it is as it was
  CHECK(read() == 71);

  const int rows[] = {1, 2, 0, 3, 4, 0};
  CUDA(cudaMemsetAsync(numbers, 0, kCount * sizeof(int), stream));
  CUDA(cudaMemcpy2DAsync(numbers, 4 * sizeof(int), rows, 3 * sizeof(int), 2 * sizeof(int), 2,
                         kToDevice, stream));
  read();
  CHECK((seen == std::vector<int>{1, 2, 0, 0, 3, 4, 0, 0, 0, 0, 0, 0}));
  CUDA(cudaGraphDestroy(graph));
  CUDA(cudaFree(numbers));
}

void run_pool(int steps, int threads) {
  Handle stream = nullptr;
  int* number = nullptr;
  CUDA(cudaStreamCreateWithFlags(&stream, 1));
  CUDA(cudaMalloc(reinterpret_cast<void**>(&number), sizeof(int)));
  std::mutex mutex;
  std::condition_variable changed;
  int next = 0;
  const auto serve = [&](int thread) {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return next >= steps || next % threads == thread; });
      if (next >= steps) return;
      for (int i = 0; i < 6; ++i) add_one_on(stream, 1, number, 1);
      CUDA(cudaStreamSynchronize(stream));
      ++next;
      changed.notify_all();
    }
  };
  std::vector<std::thread> pool;
  for (int i = 0; i < threads; ++i) pool.emplace_back(serve, i);
  for (std::thread& thread : pool) thread.join();
}

}  // namespace

int main(int count, char** words) {
  if (count == 4 && std::strcmp(words[1], "pool") == 0) {
    run_pool(std::atoi(words[2]), std::atoi(words[3]));
  } else {
    check_calls();
  }
  std::puts("ok");
}

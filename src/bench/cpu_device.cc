#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <map>

#include "bench/device.h"
#include "bench/thread_pool.h"

namespace tactus {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kHugePage = std::size_t{2} << 20;

void pool_loop(const tactus_call* call, std::int64_t count, void (*work)(void*, std::int64_t),
               void* argument) {
  static_cast<ThreadPool*>(call->pool)->run(count, work, argument);
}

/// "MemAvailable:   23456789 kB"
std::size_t available_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::size_t value = 0;
  std::string unit;
  while (file >> key >> value) {
    std::getline(file, unit);
    if (key == "MemAvailable:") return value * 1024;
  }
  return 0;
}

std::size_t last_cache_bytes() {
  for (const int level : {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE}) {
    const long bytes = sysconf(level);
    if (bytes > 0) return static_cast<std::size_t>(bytes);
  }
  return std::size_t{32} << 20;
}

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(unsigned threads) : pool_(threads) {}

  ~CpuDevice() override {
    for (const auto& [memory, bytes] : blocks_) munmap(memory, bytes);
  }

  tactus_device kind() const override { return TACTUS_CPU; }
  std::string name() const override { return "host"; }
  std::size_t cache_bytes() const override { return last_cache_bytes(); }
  std::size_t free_bytes() const override { return available_bytes(); }

  Result<void*> allocate(std::size_t bytes) override {
    const std::size_t whole = (bytes + kHugePage) / kHugePage * kHugePage;
    void* memory = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return broke_error("no memory for the tensors");
    madvise(memory, whole, MADV_HUGEPAGE);  // a wish; without it the pages are small
    blocks_[memory] = whole;
    return memory;
  }

  void release(void* memory) override {
    const auto found = blocks_.find(memory);
    if (found == blocks_.end()) return;
    munmap(memory, found->second);
    blocks_.erase(found);
  }

  Status copy_in(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
    return {};
  }
  Status copy_out(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
    return {};
  }

  void prepare(tactus_call& call) override {
    call.threads = static_cast<std::int32_t>(pool_.size());
    call.parallel = pool_loop;
    call.pool = &pool_;
  }

  CallOutcome run(const tactus_entry& entry, const tactus_call& call) override {
    return {.code = entry.run(&call), .error = {}};
  }

  CallOutcome time(const tactus_entry& entry, std::span<const tactus_call* const> calls,
                   std::vector<double>& samples_ns) override {
    for (const tactus_call* call : calls) {
      flush();
      const Clock::time_point begin = Clock::now();
      const int code = entry.run(call);
      const Clock::time_point end = Clock::now();
      if (code != 0) return {.code = code, .error = {}};
      samples_ns.push_back(std::chrono::duration<double, std::nano>(end - begin).count());
    }
    return {};
  }

  double launch_floor_ns() override {
    double best = 1e9;
    for (int i = 0; i < 200; ++i) {
      const Clock::time_point begin = Clock::now();
      pool_.run(
          pool_.size(), [](void*, std::int64_t) {}, nullptr);
      const Clock::time_point end = Clock::now();
      best = std::min(best, std::chrono::duration<double, std::nano>(end - begin).count());
    }
    return best;
  }

 private:
  /// Pushes everything else out of the caches: all threads write twice their size.
  void flush() {
    if (flush_.empty()) flush_.resize(2 * last_cache_bytes());
    constexpr std::int64_t kPiece = 1 << 18;
    pool_.run(
        static_cast<std::int64_t>(flush_.size()) / kPiece,
        [](void* self, std::int64_t i) {
          std::byte* piece = static_cast<CpuDevice*>(self)->flush_.data() + i * kPiece;
          std::memset(piece, static_cast<int>(i), kPiece);
        },
        this);
  }

  ThreadPool pool_;
  std::map<void*, std::size_t> blocks_;
  std::vector<std::byte> flush_;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device(unsigned threads) {
  return std::make_unique<CpuDevice>(threads);
}

}  // namespace tactus

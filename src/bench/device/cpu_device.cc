#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <ctime>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <thread>

#include "bench/device/cache_lines.h"
#include "bench/device/device.h"
#include "bench/rooms/kept_block.h"
#include "bench/timing/ticks.h"
#include "bench/timing/timing.h"
#include "hardware/host_machine.h"
#include "hardware/memory_loops.h"
#include "hardware/thread_team.h"

namespace tactus {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kUsualCache = std::size_t{32} << 20;

/// work(argument, i) for i in [0, count) on all threads of the team: short loops one by one, long
/// ones in pieces.
void run_loop(ThreadTeam& team, std::int64_t count, void (*work)(void*, std::int64_t),
              void* argument) {
  if (count <= 1 || team.size() == 1) {
    for (std::int64_t i = 0; i < count; ++i) work(argument, i);
    return;
  }
  const std::int64_t piece = std::max<std::int64_t>(1, count / (std::int64_t{team.size()} * 16));
  std::atomic<std::int64_t> next = 0;
  std::atomic<bool> thrown = false;
  std::exception_ptr exception;
  const auto take_part = [&](unsigned) {
    try {
      while (true) {
        const std::int64_t first = next.fetch_add(piece, std::memory_order_relaxed);
        if (first >= count) return;
        for (std::int64_t i = first; i < std::min(count, first + piece); ++i) work(argument, i);
      }
    } catch (...) {  // thrown by a candidate: it must reach the calling thread
      next.store(count);
      if (!thrown.exchange(true)) exception = std::current_exception();
    }
  };
  team.run(std::ref(take_part));  // by reference: nothing is allocated
  if (exception) std::rethrow_exception(exception);
}

void loop_of_call(const tactus_call* call, std::int64_t count, void (*work)(void*, std::int64_t),
                  void* argument) {
  run_loop(*static_cast<ThreadTeam*>(call->pool), count, work, argument);
}

/// Processor time of all threads.
double process_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::int64_t thread_count() {
  std::error_code error;
  std::int64_t count = 0;
  for (auto at = std::filesystem::directory_iterator("/proc/self/task", error);
       !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    ++count;
  }
  return count;
}

/// Memory for copies: each piece is copied from its first half to its second.
struct CopiedPieces {
  std::byte* memory = nullptr;
  std::size_t bytes = 0;  ///< of a piece
};

constexpr std::size_t kLoopBytes = 192 * sizeof(std::uint64_t);  // a memory loop needs multiples of
                                                                 // this
constexpr std::size_t kMostPieceBytes = kLoopBytes << 10;
constexpr std::size_t kMostCopiedBytes = std::size_t{512} << 20;
constexpr std::size_t kLeastCopiedBytes = std::size_t{16} << 20;  // below this it is not worth the
                                                                  // memory
constexpr int kTimesCopied = 3;

std::size_t whole_loops(std::size_t bytes) {
  return std::max<std::size_t>(1, bytes / kLoopBytes) * kLoopBytes;
}

void copy_piece(void* copied, std::int64_t i) {
  const auto& pieces = *static_cast<const CopiedPieces*>(copied);
  std::byte* piece = pieces.memory + static_cast<std::size_t>(i) * pieces.bytes;
  copy_loop().run({reinterpret_cast<std::uint64_t*>(piece), pieces.bytes / sizeof(std::uint64_t)});
}

std::size_t bytes_of_abi_type(std::int32_t type) {
  switch (type) {
    case TACTUS_FP64:
    case TACTUS_INT64: return 8;
    case TACTUS_FP32:
    case TACTUS_INT32: return 4;
    case TACTUS_BF16:
    case TACTUS_FP16: return 2;
    default: return 1;
  }
}

class CpuDevice final : public TimedDevice {
 public:
  explicit CpuDevice(unsigned threads)
      : team_(threads), cache_bytes_(read_host_machine().last_cache_bytes) {
    if (cache_bytes_ == 0) cache_bytes_ = kUsualCache;
  }

  ~CpuDevice() override {
    for (const auto& [memory, bytes] : blocks_) munmap(memory, bytes);
    for (const SharedBlock& block : shared_) munmap(block.memory, block.bytes);
  }

  tactus_device kind() const override { return TACTUS_CPU; }
  std::string name() const override { return "host"; }
  std::size_t cache_bytes() const override { return cache_bytes_; }
  std::size_t free_bytes() const override { return read_host_machine().free_memory_bytes; }

  Result<void*> allocate(std::size_t bytes) override {
    const std::size_t whole = (bytes + kHugePage) / kHugePage * kHugePage;
    void* memory = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return broke_error("no memory for the tensors");
    madvise(memory, whole, MADV_HUGEPAGE);  // only a hint; without it the pages are small
    blocks_[memory] = whole;
    return memory;
  }

  void release(void* memory) override {
    const auto found = blocks_.find(memory);
    if (found == blocks_.end()) return;
    munmap(memory, found->second);
    blocks_.erase(found);
  }

  SharedBlock allocate_shared(std::size_t bytes) override {
    if (!can_evict_lines_) return {};
    const SharedBlock block = make_shared_block(bytes);
    if (block.memory != nullptr) shared_.push_back(block);
    return block;
  }

  Status copy_in(void* to, const void* from, std::size_t bytes) override {
    return copy_within(to, from, bytes);
  }
  Status copy_out(void* to, const void* from, std::size_t bytes) override {
    return copy_within(to, from, bytes);
  }
  Status copy_within(void* to, const void* from, std::size_t bytes) override {
    copy_bytes(to, from, bytes, team_.size());
    return {};
  }

  void prepare(tactus_call& call) override {
    call.threads = static_cast<std::int32_t>(team_.size());
    call.parallel = loop_of_call;
    call.pool = &team_;
  }

  CallOutcome run(const tactus_entry& entry, const tactus_call& call) override {
    return {.code = entry.run(&call), .error = {}};
  }

  void cool(const tactus_call& call) override { flush(call); }

  CallOutcome clock(const tactus_entry& entry, const tactus_call& call,
                    ClockedCall& clocked) override {
    return clock_run(&entry, call, clocked);
  }

  CallOutcome clock_nothing(const tactus_call& call, ClockedCall& clocked) override {
    return clock_run(nullptr, call, clocked);
  }

  std::optional<double> copy_ns(std::size_t bytes) override {
    if (bytes < kLeastCopiedBytes) return std::nullopt;
    // Far beyond the caches, twice the bytes take twice as long, so a larger buffer would only cost
    // time.
    const std::size_t timed_bytes = std::min(bytes, kMostCopiedBytes);
    CopiedPieces copied;
    copied.bytes = whole_loops(std::min(kMostPieceBytes, timed_bytes / team_.size()));
    const std::size_t pieces = std::max<std::size_t>(1, timed_bytes / copied.bytes);
    const Result<void*> memory = allocate(pieces * copied.bytes);
    if (!memory) return std::nullopt;
    copied.memory = static_cast<std::byte*>(*memory);
    std::memset(copied.memory, 0, pieces * copied.bytes);
    std::vector<double> samples_ns;
    for (int i = 0; i < kTimesCopied; ++i) {
      if (can_evict_lines_) {
        evict({copied.memory, pieces * copied.bytes});
      } else {
        overwrite_caches();
      }
      const Clock::time_point begin = Clock::now();
      run_loop(team_, static_cast<std::int64_t>(pieces), copy_piece, &copied);
      const Clock::time_point end = Clock::now();
      samples_ns.push_back(std::chrono::duration<double, std::nano>(end - begin).count());
    }
    release(copied.memory);
    return median_interval(samples_ns).median * static_cast<double>(bytes) /
           static_cast<double>(timed_bytes);
  }

  ClockFloor launch_floor() override {
    constexpr std::size_t kLoops = 200;
    std::vector<double> samples_ns;
    samples_ns.reserve(kLoops);
    for (std::size_t i = 0; i < kLoops; ++i) {
      const Clock::time_point begin = Clock::now();
      run_loop(
          team_, team_.size(), [](void*, std::int64_t) {}, nullptr);
      const Clock::time_point end = Clock::now();
      samples_ns.push_back(std::chrono::duration<double, std::nano>(end - begin).count());
    }
    return {.ns = *std::min_element(samples_ns.begin(), samples_ns.end()),
            .noise_ns = clock_noise(samples_ns)};
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 18;

  CallOutcome clock_run(const tactus_entry* entry, const tactus_call& call, ClockedCall& clocked) {
    flush(call);
    const CpuSeconds before = cpu_seconds();
    clocked.begin_ticks = read_ticks();
    int code = 0;
    if (entry != nullptr) {
      code = entry->run(&call);
    } else {
      touch(call);
    }
    clocked.end_ticks = read_ticks();
    const CpuSeconds after = cpu_seconds();
    clocked.others_before_s = before.others();
    clocked.others_after_s = after.others();
    clocked.caller_cpu_s = after.caller - before.caller;
    clocked.all_cpu_s = after.all - before.all;
    clocked.other_threads = thread_count() - std::int64_t{team_.size()};
    return {.code = code, .error = {}};
  }

  /// Processor time so far.
  struct CpuSeconds {
    double caller = 0;  ///< of this thread
    double team = 0;    ///< of the other threads of the team
    double all = 0;
    double others() const { return all - caller - team; }  ///< that a candidate has started
  };

  CpuSeconds cpu_seconds() const {
    timespec own{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own);
    return {.caller = static_cast<double>(own.tv_sec) + static_cast<double>(own.tv_nsec) * 1e-9,
            .team = team_.others_seconds(),
            .all = process_seconds()};
  }

  /// Removes the call's tensors and its workspace from the caches.
  void flush(const tactus_call& call) {
    if (!can_evict_lines_) return overwrite_caches();
    for (int i = 0; i < call.input_count; ++i) evict(call.inputs[i]);
    for (int i = 0; i < call.output_count; ++i) evict(call.outputs[i]);
    if (call.workspace != nullptr) evict({call.workspace, call.workspace_bytes});
  }

  struct Stretch {
    const void* memory = nullptr;
    std::size_t bytes = 0;
  };

  static Stretch memory_of(const tactus_tensor& tensor) {
    std::int64_t elements = 1;
    for (std::int32_t i = 0; i < tensor.rank; ++i) elements *= tensor.shape[i];
    return {tensor.data, static_cast<std::size_t>(elements) * bytes_of_abi_type(tensor.dtype)};
  }

  /// use(memory, bytes) for all of it, in pieces, by all threads.
  template <auto use>
  void in_pieces(Stretch stretch) {
    const auto use_piece = [](void* all, std::int64_t i) {
      const auto& from = *static_cast<const Stretch*>(all);
      const std::size_t first = static_cast<std::size_t>(i) * kPiece;
      use(static_cast<const std::byte*>(from.memory) + first, std::min(kPiece, from.bytes - first));
    };
    run_loop(team_, static_cast<std::int64_t>((stretch.bytes + kPiece - 1) / kPiece), use_piece,
             &stretch);
  }

  void evict(const tactus_tensor& tensor) {
    if (!is_shared(tensor.data)) evict(memory_of(tensor));
  }
  void evict(Stretch stretch) { in_pieces<evict_lines>(stretch); }

  bool is_shared(const void* memory) const {
    const auto* at = static_cast<const std::byte*>(memory);
    return std::any_of(shared_.begin(), shared_.end(), [at](const SharedBlock& block) {
      return at >= block.memory && at < block.memory + block.bytes;
    });
  }

  /// Leaves the caches as a call does, so that the next request finds as much to remove from them:
  /// a line of inputs is read, one of outputs is written with what it holds.
  void touch(const tactus_call& call) {
    constexpr auto kRead = [](const std::byte* memory, std::size_t bytes) {
      const volatile std::byte* lines = memory;
      for (std::size_t i = 0; i < bytes; i += kCacheLine) static_cast<void>(lines[i]);
    };
    constexpr auto kWrite = [](const std::byte* memory, std::size_t bytes) {
      volatile std::byte* lines = const_cast<std::byte*>(memory);  // of an output
      for (std::size_t i = 0; i < bytes; i += kCacheLine) lines[i] = lines[i];
    };
    for (int i = 0; i < call.input_count; ++i) in_pieces<kRead>(memory_of(call.inputs[i]));
    for (int i = 0; i < call.output_count; ++i) in_pieces<kWrite>(memory_of(call.outputs[i]));
  }

  /// Pushes everything else out of the caches: all threads write twice their size.
  void overwrite_caches() {
    if (flush_ == nullptr) {
      const Result<void*> memory = allocate(2 * cache_bytes_);
      if (!memory) return;
      flush_ = static_cast<std::byte*>(*memory);
    }
    const auto write = [](void* memory, std::int64_t i) {
      std::memset(static_cast<std::byte*>(memory) + static_cast<std::size_t>(i) * kPiece,
                  static_cast<int>(i), kPiece);
    };
    run_loop(team_, static_cast<std::int64_t>(2 * cache_bytes_ / kPiece), write, flush_);
  }

  ThreadTeam team_;
  bool can_evict_lines_ = can_evict_lines();
  std::size_t cache_bytes_;
  std::map<void*, std::size_t> blocks_;
  std::vector<SharedBlock> shared_;
  std::byte* flush_ = nullptr;  ///< one of the blocks
};

}  // namespace

std::unique_ptr<TimedDevice> make_cpu_device(unsigned threads) {
  return std::make_unique<CpuDevice>(threads);
}

}  // namespace tactus

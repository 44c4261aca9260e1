#include <fmt/format.h>
#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <map>
#include <utility>

#include "bench/device/captured_graph.h"
#include "bench/device/cuda_driver.h"
#include "bench/device/device.h"
#include "bench/device/judge_kernels.h"
#include "bench/timing/ticks.h"
#include "bench/timing/timing.h"

namespace tactus {
namespace {

constexpr int kMultiprocessors = 16;     // CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
constexpr int kL2CacheSize = 38;         // CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE
constexpr unsigned kNonBlocking = 1;     // CU_STREAM_NON_BLOCKING
constexpr int kCaptureThreadLocal = 1;   // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
constexpr unsigned kRecordExternal = 1;  // CU_EVENT_RECORD_EXTERNAL

constexpr unsigned kCopyThreads = 256;
constexpr std::size_t kCopiedByBlock = std::size_t{16} * kCopyThreads;  // also the bytes read
constexpr std::size_t kMostBlocks = 0xffffff;                           // threads count in 32 bits
constexpr int kFloorCalls = 50;
constexpr unsigned kRefreshBlocks = 4096;
constexpr int kPersistingL2 = 6;  // CU_LIMIT_PERSISTING_L2_CACHE_SIZE

class CudaDevice final : public TimedDevice {
 public:
  explicit CudaDevice(const CudaDriver& driver) : driver_(driver) {}

  Status open(int ordinal) {
    int device = 0;
    char name[128] = "";
    char bus_id[32] = "";
    int l2_bytes = 0;
    int multiprocessors = 0;
    ordinal_ = ordinal;
    int error = driver_.cuDeviceGet(&device, ordinal);
    if (error != 0) {
      return input_error(fmt::format("no CUDA device {}: {}", ordinal, driver_.text(error)));
    }
    driver_.cuDeviceGetName(name, sizeof name, device);
    driver_.cuDeviceGetAttribute(&l2_bytes, kL2CacheSize, device);
    driver_.cuDeviceGetAttribute(&multiprocessors, kMultiprocessors, device);
    name_ = name;
    multiprocessors_ = static_cast<unsigned>(std::max(multiprocessors, 1));
    cache_bytes_ = static_cast<std::size_t>(std::max(l2_bytes, 1 << 20));
    CudaDriver::Handle context = nullptr;
    error = driver_.cuDevicePrimaryCtxRetain(&context, device);
    if (error == 0) error = driver_.cuCtxSetCurrent(context);
    if (error == 0) error = driver_.cuStreamCreate(&stream_, kNonBlocking);
    if (error == 0) error = driver_.cuMemAlloc_v2(&flush_, 2 * cache_bytes_);
    CudaDriver::Handle module = nullptr;
    if (error == 0) error = driver_.cuModuleLoadData(&module, judge_kernels_ptx().data());
    if (error == 0) error = driver_.cuModuleGetFunction(&empty_, module, "judge_empty");
    if (error == 0) error = driver_.cuModuleGetFunction(&copy_, module, "judge_copy");
    if (error == 0) error = driver_.cuModuleGetFunction(&read_, module, "judge_read");
    if (error == 0) error = driver_.cuModuleGetFunction(&refresh_, module, "judge_refresh");
    for (CudaDriver::Handle* event : {&begin_, &end_, &after_}) {
      if (error == 0) error = driver_.cuEventCreate(event, 0);
    }
    if (error == 0) error = driver_.cuMemsetD8Async(flush_, 0, 2 * cache_bytes_, stream_);
    if (error != 0) {
      return broke_error(fmt::format("{} cannot be used: {}", name_, driver_.text(error)));
    }
    const std::optional<Nvml> nvml = load_nvml();
    if (nvml && driver_.cuDeviceGetPCIBusId(bus_id, sizeof bus_id, device) == 0) {
      clocks_ = GpuClocks::open(*nvml, bus_id);
    }
    return {};
  }

  tactus_device kind() const override { return TACTUS_CUDA; }
  std::string name() const override { return name_; }
  std::size_t cache_bytes() const override { return cache_bytes_; }

  std::size_t free_bytes() const override {
    std::size_t free = 0;
    std::size_t total = 0;
    driver_.cuMemGetInfo_v2(&free, &total);
    return free;
  }

  Result<void*> allocate(std::size_t bytes) override {
    CudaDriver::DevicePointer memory = 0;
    const int error = driver_.cuMemAlloc_v2(&memory, bytes);
    if (error != 0) {
      return broke_error(fmt::format("{:.1f} GB on {}: {}", static_cast<double>(bytes) / 1e9, name_,
                                     driver_.text(error)));
    }
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver gives addresses as numbers
    return reinterpret_cast<void*>(memory);
  }

  void release(void* memory) override { driver_.cuMemFree_v2(pointer(memory)); }

  Status copy_in(void* to, const void* from, std::size_t bytes) override {
    driver_.cuStreamSynchronize(stream_);  // what was ordered before comes first
    return status(driver_.cuMemcpyHtoD_v2(pointer(to), from, bytes));
  }
  Status copy_out(void* to, const void* from, std::size_t bytes) override {
    driver_.cuStreamSynchronize(stream_);
    return status(driver_.cuMemcpyDtoH_v2(to, pointer(from), bytes));
  }

  Status copy_within(void* to, const void* from, std::size_t bytes) override {
    return status(driver_.cuMemcpyDtoDAsync_v2(pointer(to), pointer(from), bytes, stream_));
  }
  Status set(void* memory, std::uint8_t value, std::size_t bytes) override {
    return status(driver_.cuMemsetD8Async(pointer(memory), value, bytes, stream_));
  }
  Status refresh(const RefreshPlan& plan, const void* from, void* into) override {
    RefreshPlan planned = plan;
    void* parameters[] = {&planned, &from, &into};
    const std::uint64_t words = (plan.elements * plan.width + 7) / 8;
    const auto blocks = static_cast<unsigned>(
        std::clamp<std::uint64_t>((words + kCopyThreads - 1) / kCopyThreads, 1, kRefreshBlocks));
    return status(driver_.cuLaunchKernel(refresh_, blocks, 1, 1, kCopyThreads, 1, 1, 0, stream_,
                                         parameters, nullptr));
  }
  Result<void*> allocate_on_host(std::size_t bytes) override {
    // Plain pages, which the judge can reach; the driver's own it could not.
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return broke_error("no memory on the host");
    driver_.cuMemHostRegister_v2(memory, bytes, 0);  // only faster
    return memory;
  }

  void prepare(tactus_call& call) override {
    call.stream = stream_;
    call.device = ordinal_;
  }

  CallOutcome run(const tactus_entry& entry, const tactus_call& call) override {
    CallOutcome outcome;
    outcome.code = entry.run(&call);
    // The whole device, not only our stream: work in other streams must count.
    outcome.error = message(driver_.cuCtxSynchronize());
    return outcome;
  }

  /// The first call ever runs as it is: libraries load their kernels then, which cannot be
  /// captured. Each later one is the launch of a graph that was captured once for its place in
  /// memory, so no code of the candidate runs on the host.
  CallOutcome clock(const tactus_entry& entry, const tactus_call& call,
                    ClockedCall& clocked) override {
    const auto launch = [&] { return entry.run(&call); };
    if (!std::exchange(ran_once_, true)) return clock_by_host(launch, clocked);
    const void* place = call.output_count > 0 ? call.outputs[0].data : nullptr;
    auto found = graphs_.find(place);
    if (capturable_ && found == graphs_.end()) {
      CallOutcome outcome;
      const CudaDriver::Handle graph = captured(launch, true, outcome);
      if (outcome.code != 0 || !outcome.error.empty()) return outcome;
      if (graph == nullptr) capturable_ = false;
      if (graph != nullptr) found = graphs_.emplace(place, graph).first;
    }
    return capturable_ ? clock_graph(found->second, clocked) : clock_by_host(launch, clocked);
  }

  CallOutcome clock_nothing(const tactus_call& /*call*/, ClockedCall& clocked) override {
    if (!capturable_) {
      return clock_by_host([] { return 0; }, clocked);
    }
    if (nothing_ == nullptr) {
      CallOutcome outcome;
      nothing_ = captured([] { return 0; }, false, outcome);
      if (nothing_ == nullptr) return {.code = 0, .error = "an empty graph cannot be captured"};
    }
    return clock_graph(nothing_, clocked);
  }

  ClockFloor launch_floor() override {
    const Floor floor = time_floor([this] {
      return driver_.cuLaunchKernel(empty_, 1, 1, 1, 32, 1, 1, 0, stream_, nullptr, nullptr);
    });
    return {.ns = median_interval(floor.samples_ns).median,
            .noise_ns = clock_noise(floor.samples_ns),
            .tail_ns = median_interval(floor.tails_ns).median};
  }

  std::optional<double> touch_floor_ns() override {
    return copy_ns(std::size_t{2} * multiprocessors_ * kCopiedByBlock);
  }

  std::optional<double> copy_ns(std::size_t bytes) override {
    const std::size_t blocks = std::max<std::size_t>(1, bytes / 2 / kCopiedByBlock);
    if (blocks > kMostBlocks) return std::nullopt;
    CudaDriver::DevicePointer from = 0;
    CudaDriver::DevicePointer to = 0;
    std::optional<double> median;
    if (driver_.cuMemAlloc_v2(&from, blocks * kCopiedByBlock) == 0 &&
        driver_.cuMemAlloc_v2(&to, blocks * kCopiedByBlock) == 0) {
      const Floor floor = time_floor([&] {
        void* parameters[] = {&from, &to};
        return driver_.cuLaunchKernel(copy_, static_cast<unsigned>(blocks), 1, 1, kCopyThreads, 1,
                                      1, 0, stream_, parameters, nullptr);
      });
      median = median_interval(floor.samples_ns).median;
    }
    if (from != 0) driver_.cuMemFree_v2(from);
    if (to != 0) driver_.cuMemFree_v2(to);
    return median;
  }

  ClockReading clocks() override { return clocks_ ? clocks_->read() : ClockReading{}; }

  std::string caveat() const override {
    if (capturable_) return {};
    return "no CUDA graph can be made of it (does it allocate or wait?): its time is that of the "
           "host's clock, until the GPU has nothing more to do";
  }

 private:
  static CudaDriver::DevicePointer pointer(const void* memory) {
    return reinterpret_cast<CudaDriver::DevicePointer>(memory);
  }
  std::string message(int error) const { return error == 0 ? std::string() : driver_.text(error); }
  Status status(int error) const {
    if (error == 0) return {};
    return broke_error(driver_.text(error));
  }

  double elapsed_ns(CudaDriver::Handle begin, CudaDriver::Handle end) const {
    float ms = 0;
    driver_.cuEventElapsedTime(&ms, begin, end);
    return static_cast<double>(ms) * 1e6;
  }

  /// Fills the cache with lines that are only read. Lines that the flush changes would be written
  /// back during the timed call that replaces them.
  void enqueue_flush() {
    const auto blocks = static_cast<unsigned>(2 * cache_bytes_ / kCopiedByBlock);
    void* parameters[] = {&flush_};
    driver_.cuLaunchKernel(read_, blocks, 1, 1, kCopyThreads, 1, 1, 0, stream_, parameters,
                           nullptr);
  }

  struct Floor {
    std::vector<double> samples_ns;
    std::vector<double> tails_ns;
  };

  /// By the clock that calls are timed with.
  template <class Launch>
  Floor time_floor(const Launch& launch) {
    Floor floor;
    CallOutcome outcome;
    const CudaDriver::Handle graph = capturable_ ? captured(launch, false, outcome) : nullptr;
    if (capturable_ && graph == nullptr) return floor;
    for (int i = 0; i < kFloorCalls; ++i) {
      ClockedCall clocked;
      outcome = graph != nullptr ? clock_graph(graph, clocked) : clock_by_host(launch, clocked);
      if (!outcome.error.empty()) break;
      const auto ticks = static_cast<double>(clocked.end_ticks - clocked.begin_ticks);
      floor.samples_ns.push_back(graph != nullptr ? clocked.device_ns : ticks / ticks_per_ns());
      floor.tails_ns.push_back(clocked.tail_ns);
    }
    if (graph != nullptr) driver_.cuGraphExecDestroy(graph);
    return floor;
  }

  /// Flush, begin, the work, end: ready to be launched. Null if it cannot be captured; `outcome`
  /// has the error if it must not be timed at all.
  template <class Launch>
  CudaDriver::Handle captured(const Launch& launch, bool looked_at, CallOutcome& outcome) {
    if (driver_.cuStreamBeginCapture_v2(stream_, kCaptureThreadLocal) != 0) return nullptr;
    enqueue_flush();
    driver_.cuEventRecordWithFlags(begin_, stream_, kRecordExternal);
    outcome.code = launch();
    driver_.cuEventRecordWithFlags(end_, stream_, kRecordExternal);
    CudaDriver::Handle graph = nullptr;
    CudaDriver::Handle executable = nullptr;
    if (driver_.cuStreamEndCapture(stream_, &graph) != 0 || graph == nullptr) {
      outcome.code = 0;  // it may have failed only because it was captured
      return nullptr;
    }
    if (looked_at && outcome.code == 0) {
      outcome.error = fault_of_graph(driver_, graph, begin_, end_);
    }
    if (outcome.code == 0 && outcome.error.empty() &&
        driver_.cuGraphInstantiateWithFlags(&executable, graph, 0) != 0) {
      executable = nullptr;
    }
    driver_.cuGraphDestroy(graph);
    return executable;
  }

  /// Lines that a candidate asked the cache to keep would survive the flush.
  void forbid_kept_lines() {
    std::size_t kept = 0;
    if (driver_.cuCtxGetLimit(&kept, kPersistingL2) != 0 || kept == 0) return;
    driver_.cuCtxSynchronize();
    driver_.cuCtxResetPersistingL2Cache();
    driver_.cuCtxSetLimit(kPersistingL2, 0);
  }

  CallOutcome clock_graph(CudaDriver::Handle graph, ClockedCall& clocked) {
    forbid_kept_lines();
    clocked.others_before_s = others_seconds();
    clocked.begin_ticks = read_ticks();
    int error = driver_.cuGraphLaunch(graph, stream_);
    if (error == 0) error = driver_.cuEventRecord(after_, stream_);
    const int waited = driver_.cuCtxSynchronize();
    clocked.end_ticks = read_ticks();
    clocked.others_after_s = others_seconds();
    if (error == 0) error = waited;
    if (error != 0) return {.code = 0, .error = message(error)};
    clocked.device_ns = elapsed_ns(begin_, end_);
    clocked.tail_ns = elapsed_ns(end_, after_);
    read_clocks(clocked);
    return {};
  }

  /// The whole device, not only our stream: work in other streams must count.
  template <class Launch>
  CallOutcome clock_by_host(const Launch& launch, ClockedCall& clocked) {
    CallOutcome outcome;
    forbid_kept_lines();
    enqueue_flush();
    outcome.error = message(driver_.cuCtxSynchronize());
    if (!outcome.error.empty()) return outcome;
    clocked.others_before_s = others_seconds();
    clocked.begin_ticks = read_ticks();
    outcome.code = launch();
    outcome.error = message(driver_.cuCtxSynchronize());
    clocked.end_ticks = read_ticks();
    clocked.others_after_s = others_seconds();
    read_clocks(clocked);
    return outcome;
  }

  void read_clocks(ClockedCall& clocked) {
    const ClockReading reading = clocks();
    clocked.sm_mhz = reading.sm_mhz.value_or(0);
    clocked.reasons = reading.reasons;
  }

  /// Processor time of all threads but this one.
  static double others_seconds() {
    const auto seconds = [](clockid_t clock) {
      timespec now{};
      clock_gettime(clock, &now);
      return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
    };
    return seconds(CLOCK_PROCESS_CPUTIME_ID) - seconds(CLOCK_THREAD_CPUTIME_ID);
  }

  const CudaDriver driver_;
  int ordinal_ = 0;
  std::string name_;
  std::size_t cache_bytes_ = 0;
  CudaDriver::Handle stream_ = nullptr;
  CudaDriver::Handle empty_ = nullptr;
  CudaDriver::Handle copy_ = nullptr;
  CudaDriver::Handle read_ = nullptr;
  CudaDriver::DevicePointer flush_ = 0;
  unsigned multiprocessors_ = 1;
  std::optional<GpuClocks> clocks_;
  CudaDriver::Handle refresh_ = nullptr;
  CudaDriver::Handle begin_ = nullptr;
  CudaDriver::Handle end_ = nullptr;
  CudaDriver::Handle after_ = nullptr;                ///< after the whole graph
  std::map<const void*, CudaDriver::Handle> graphs_;  ///< by the place of the first output
  CudaDriver::Handle nothing_ = nullptr;              ///< a graph without a call
  bool ran_once_ = false;
  bool capturable_ = true;  ///< until a kernel cannot be captured
};

}  // namespace

Result<std::unique_ptr<TimedDevice>> make_cuda_device(int ordinal) {
  const Result<CudaDriver> driver = load_cuda_driver();
  if (!driver) return driver.error();
  auto device = std::make_unique<CudaDevice>(*driver);
  if (const Status opened = device->open(ordinal); !opened) return opened.error();
  return std::unique_ptr<TimedDevice>(std::move(device));
}

}  // namespace tactus

#include <fmt/format.h>

#include <algorithm>

#include "bench/device/cuda_driver.h"
#include "bench/device/device.h"
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

/// `copy` loads 16 bytes in each thread and stores them elsewhere; `read` loads as many zeros, and
/// would store them if they were not zero.
constexpr const char* kFloorKernels = R"(
.version 7.0
.target sm_52
.address_size 64
.visible .entry empty() { ret; }
.visible .entry copy(.param .u64 from, .param .u64 to) {
  .reg .b32 %r<8>;
  .reg .b64 %a<6>;
  ld.param.u64 %a0, [from];
  ld.param.u64 %a1, [to];
  cvta.to.global.u64 %a0, %a0;
  cvta.to.global.u64 %a1, %a1;
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r0, %r1, %r2;
  mul.wide.u32 %a2, %r3, 16;
  add.u64 %a3, %a0, %a2;
  add.u64 %a4, %a1, %a2;
  ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%a3];
  st.global.v4.u32 [%a4], {%r4, %r5, %r6, %r7};
  ret;
}
.visible .entry read(.param .u64 from) {
  .reg .pred %p;
  .reg .b32 %r<8>;
  .reg .b64 %a<3>;
  ld.param.u64 %a0, [from];
  cvta.to.global.u64 %a0, %a0;
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r0, %r1, %r2;
  mul.wide.u32 %a1, %r3, 16;
  add.u64 %a2, %a0, %a1;
  ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%a2];
  or.b32 %r4, %r4, %r5;
  or.b32 %r6, %r6, %r7;
  or.b32 %r4, %r4, %r6;
  setp.ne.u32 %p, %r4, 0;
  @%p st.global.u32 [%a2], %r4;
  ret;
}
)";

class CudaDevice final : public Device {
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
    if (error == 0) error = driver_.cuModuleLoadData(&module, kFloorKernels);
    if (error == 0) error = driver_.cuModuleGetFunction(&empty_, module, "empty");
    if (error == 0) error = driver_.cuModuleGetFunction(&copy_, module, "copy");
    if (error == 0) error = driver_.cuModuleGetFunction(&read_, module, "read");
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
    return status(driver_.cuMemcpyHtoD_v2(pointer(to), from, bytes));
  }
  Status copy_out(void* to, const void* from, std::size_t bytes) override {
    return status(driver_.cuMemcpyDtoH_v2(to, pointer(from), bytes));
  }

  Status copy_within(void* to, const void* from, std::size_t bytes) override {
    const int error = driver_.cuMemcpyDtoD_v2(pointer(to), pointer(from), bytes);
    return status(error != 0 ? error : driver_.cuCtxSynchronize());
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

  /// Each call is captured once, with its flush before it and an event on both sides, so its time
  /// contains no pause of the host. A kernel that cannot be captured is launched directly.
  CallOutcome time(const tactus_entry& entry, std::span<const tactus_call* const> calls,
                   std::vector<double>& samples_ns) override {
    while (events_.size() < 2 * calls.size()) {
      CudaDriver::Handle event = nullptr;
      const int error = driver_.cuEventCreate(&event, 0);
      if (error != 0) return {.code = 0, .error = message(error)};
      events_.push_back(event);
    }
    std::vector<CudaDriver::Handle> graphs;
    CallOutcome outcome;
    for (std::size_t i = 0; i < calls.size() && outcome.error.empty() && outcome.code == 0; ++i) {
      const auto launch = [&] { return entry.run(calls[i]); };
      outcome = enqueue(launch, events_[2 * i], events_[2 * i + 1], graphs);
    }
    if (const int error = driver_.cuCtxSynchronize(); error != 0) outcome.error = message(error);
    for (const CudaDriver::Handle graph : graphs) driver_.cuGraphExecDestroy(graph);
    if (!outcome.error.empty() || outcome.code != 0) return outcome;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      samples_ns.push_back(elapsed_ns(events_[2 * i], events_[2 * i + 1]));
    }
    return outcome;
  }

  void settle() override { driver_.cuCtxSynchronize(); }

  ClockFloor launch_floor() override {
    const std::vector<double> samples_ns = time_floor([this] {
      return driver_.cuLaunchKernel(empty_, 1, 1, 1, 32, 1, 1, 0, stream_, nullptr, nullptr);
    });
    return {.ns = median_interval(samples_ns).median, .noise_ns = clock_noise(samples_ns)};
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
      const std::vector<double> samples_ns = time_floor([&] {
        void* parameters[] = {&from, &to};
        return driver_.cuLaunchKernel(copy_, static_cast<unsigned>(blocks), 1, 1, kCopyThreads, 1,
                                      1, 0, stream_, parameters, nullptr);
      });
      median = median_interval(samples_ns).median;
    }
    if (from != 0) driver_.cuMemFree_v2(from);
    if (to != 0) driver_.cuMemFree_v2(to);
    return median;
  }

  ClockReading clocks() override { return clocks_ ? clocks_->read() : ClockReading{}; }

  std::string caveat() const override {
    if (capturable_) return {};
    return "no CUDA graph can be made of it (does it allocate or wait?): its time includes pauses "
           "of the host";
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

  template <class Launch>
  std::vector<double> time_floor(const Launch& launch) {
    std::vector<double> samples_ns;
    CudaDriver::Handle events[2] = {nullptr, nullptr};
    driver_.cuEventCreate(&events[0], 0);
    driver_.cuEventCreate(&events[1], 0);
    for (int i = 0; i < kFloorCalls; ++i) {
      std::vector<CudaDriver::Handle> graphs;
      enqueue(launch, events[0], events[1], graphs);
      driver_.cuCtxSynchronize();
      for (const CudaDriver::Handle graph : graphs) driver_.cuGraphExecDestroy(graph);
      samples_ns.push_back(elapsed_ns(events[0], events[1]));
    }
    return samples_ns;
  }

  template <class Launch>
  CallOutcome enqueue(const Launch& launch, CudaDriver::Handle begin, CudaDriver::Handle end,
                      std::vector<CudaDriver::Handle>& graphs) {
    CallOutcome outcome;
    if (capturable_ && driver_.cuStreamBeginCapture_v2(stream_, kCaptureThreadLocal) == 0) {
      enqueue_flush();
      driver_.cuEventRecordWithFlags(begin, stream_, kRecordExternal);
      outcome.code = launch();
      driver_.cuEventRecordWithFlags(end, stream_, kRecordExternal);
      CudaDriver::Handle graph = nullptr;
      CudaDriver::Handle executable = nullptr;
      const int ended = driver_.cuStreamEndCapture(stream_, &graph);
      if (ended == 0 && outcome.code == 0 && graph != nullptr &&
          driver_.cuGraphInstantiateWithFlags(&executable, graph, 0) == 0) {
        driver_.cuGraphDestroy(graph);
        graphs.push_back(executable);
        outcome.error = message(driver_.cuGraphLaunch(executable, stream_));
        return outcome;
      }
      if (graph != nullptr) driver_.cuGraphDestroy(graph);
      capturable_ = false;
    }
    enqueue_flush();
    driver_.cuEventRecord(begin, stream_);
    outcome.code = launch();
    outcome.error = message(driver_.cuEventRecord(end, stream_));
    return outcome;
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
  std::vector<CudaDriver::Handle> events_;
  bool capturable_ = true;  ///< until a kernel cannot be captured
};

}  // namespace

Result<std::unique_ptr<Device>> make_cuda_device(int ordinal) {
  const Result<CudaDriver> driver = load_cuda_driver();
  if (!driver) return driver.error();
  auto device = std::make_unique<CudaDevice>(*driver);
  if (const Status opened = device->open(ordinal); !opened) return opened.error();
  return std::unique_ptr<Device>(std::move(device));
}

}  // namespace tactus

#include <fmt/format.h>

#include <cmath>

#include "inject/gpu/gpu_driver.h"
#include "inject/scenario.h"

namespace tactus::inject {
namespace {

constexpr double kMostShare = 0.25;             // of the free memory
constexpr std::int64_t kMeanWait = 20'000'000;  // [ns] between two allocations
constexpr std::size_t kLeastBytes = 1 << 20;

/// Waits of a Poisson process.
class Waits {
 public:
  std::int64_t next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    const double uniform = (static_cast<double>(state_ >> 11) + 1) / 9007199254740993.0;
    return static_cast<std::int64_t>(-std::log(uniform) * static_cast<double>(kMeanWait));
  }

 private:
  std::uint64_t state_ = 1;
};

}  // namespace

Status plan_gpu_memory(const Machine&, Plan& plan) {
  if (!has_gpu_driver()) return input_error("there is no GPU here (libcuda.so.1 is missing)");
  plan.uses_gpu = true;
  plan.text = fmt::format(
      "allocates, fills and frees {:.0f}% of the free memory of GPU {}, about 50 times per second",
      plan.request.intensity * kMostShare * 100, plan.request.device);
  return {};
}

void run_gpu_memory(const Plan& plan, const Pace& pace, Dose& dose) {
  const auto fail = [&](const std::string& why) {
    dose.was_refused = dose.operations == 0;
    dose.say(why);
  };
  const Result<GpuPlace> gpu = open_gpu(plan.request.device);
  if (!gpu) return fail(gpu.error().message);
  const GpuDriver& driver = gpu->driver;
  Waits waits;
  dose.begin(wall_clock_ns());
  while (!pace.is_over()) {
    sleep_until(std::min(monotonic_ns() + waits.next(), pace.end_ns()));
    std::size_t free = 0;
    std::size_t total = 0;
    if (driver.cuMemGetInfo_v2(&free, &total) != 0) return fail("ended early: the GPU is lost");
    const auto bytes = std::min<std::size_t>(
        static_cast<std::size_t>(static_cast<double>(free) * kMostShare * pace.level()),
        plan.request.max_memory.value_or(SIZE_MAX));
    if (bytes < kLeastBytes) continue;
    GpuDriver::Pointer memory = 0;
    if (driver.cuMemAlloc_v2(&memory, bytes) != 0) continue;  // others took it meanwhile
    driver.cuMemsetD8Async(memory, 1, bytes, gpu->stream);
    driver.cuStreamSynchronize(gpu->stream);
    driver.cuMemFree_v2(memory);
    dose.bytes.fetch_add(bytes, std::memory_order_relaxed);
    dose.most_bytes = std::max<std::uint64_t>(dose.most_bytes, bytes);
    dose.operations.fetch_add(1, std::memory_order_relaxed);
  }
}

}  // namespace tactus::inject

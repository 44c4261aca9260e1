#include <fmt/format.h>

#include "inject/gpu/gpu_driver.h"
#include "inject/scenario.h"

namespace tactus::inject {
namespace {

constexpr std::size_t kBuffer = 64 << 20;
constexpr std::size_t kPiece = 4 << 20;
constexpr double kFullRate = 100e9;  // [bytes/s], both ways together

}  // namespace

Status plan_pcie(const Machine& machine, Plan& plan) {
  if (!has_gpu_driver()) return input_error("there is no GPU here (libcuda.so.1 is missing)");
  if (machine.memory_free < 16 * kBuffer) {
    return input_error(fmt::format("only {} MiB of memory are free", machine.memory_free >> 20));
  }
  plan.uses_gpu = true;
  plan.bytes_per_s = plan.request.max_rate.value_or(kFullRate);
  plan.text = fmt::format("copies pinned memory to and from GPU {}, at most {:.1f} GB/s",
                          plan.request.device, plan.bytes_per_s * plan.request.intensity / 1e9);
  return {};
}

void run_pcie(const Plan& plan, const Pace& pace, Dose& dose) {
  const auto fail = [&](const std::string& why) {
    dose.was_refused = dose.operations == 0;
    dose.say(why);
  };
  const Result<GpuPlace> gpu = open_gpu(plan.request.device);
  if (!gpu) return fail(gpu.error().message);
  const GpuDriver& driver = gpu->driver;
  void* host[2] = {nullptr, nullptr};
  GpuDriver::Pointer device[2] = {0, 0};
  GpuDriver::Handle back = nullptr;
  int error = driver.cuStreamCreate(&back, 1);
  for (int i = 0; i < 2 && error == 0; ++i) {
    error = driver.cuMemAllocHost_v2(&host[i], kBuffer);
    if (error == 0) error = driver.cuMemAlloc_v2(&device[i], kBuffer);
  }
  if (error != 0) return fail(fmt::format("no memory for copies: CUDA error {}", error));
  dose.begin(wall_clock_ns());
  RateLimit limit(pace, plan.bytes_per_s);
  limit.wait_after(0);
  for (std::size_t at = 0; !pace.is_over(); at = (at + kPiece) % kBuffer) {
    error = driver.cuMemcpyHtoDAsync_v2(device[0] + at, static_cast<char*>(host[0]) + at, kPiece,
                                        gpu->stream);
    if (error == 0) {
      error = driver.cuMemcpyDtoHAsync_v2(static_cast<char*>(host[1]) + at, device[1] + at, kPiece,
                                          back);
    }
    if (error == 0) error = driver.cuStreamSynchronize(gpu->stream);
    if (error == 0) error = driver.cuStreamSynchronize(back);
    if (error != 0) return fail(fmt::format("ended early: CUDA error {}", error));
    dose.bytes.fetch_add(2 * kPiece, std::memory_order_relaxed);
    dose.operations.fetch_add(1, std::memory_order_relaxed);
    limit.wait_after(2 * kPiece);
  }
}

}  // namespace tactus::inject

#include <fmt/format.h>

#include "inject/gpu/gpu_driver.h"
#include "inject/scenario.h"

namespace tactus::inject {
namespace {

constexpr std::size_t kBuffer = 64 << 20;
constexpr double kFullRate = 400e9;  // [bytes/s]

}  // namespace

Status plan_nvlink(const Machine&, Plan& plan) {
  if (!has_gpu_driver()) return input_error("there is no GPU here (libcuda.so.1 is missing)");
  plan.uses_gpu = true;
  plan.bytes_per_s = plan.request.max_rate.value_or(kFullRate);
  plan.text = fmt::format("copies from GPU {} to the next one, at most {:.0f} GB/s",
                          plan.request.device, plan.bytes_per_s * plan.request.intensity / 1e9);
  return {};
}

void run_nvlink(const Plan& plan, const Pace& pace, Dose& dose) {
  const auto fail = [&](const std::string& why) {
    dose.was_refused = dose.operations == 0;
    dose.say(why);
  };
  const Result<GpuPlace> from = open_gpu(plan.request.device);
  if (!from) return fail(from.error().message);
  const GpuDriver& driver = from->driver;
  int count = 0;
  driver.cuDeviceGetCount(&count);
  if (count < 2) return fail("there is only one GPU");
  if (driver.cuDeviceCanAccessPeer == nullptr || driver.cuMemcpyPeerAsync == nullptr) {
    return fail("the NVIDIA driver here cannot copy between GPUs");
  }
  const Result<GpuPlace> to = open_gpu((plan.request.device + 1) % static_cast<std::size_t>(count));
  if (!to) return fail(to.error().message);
  int can_access = 0;
  driver.cuDeviceCanAccessPeer(&can_access, from->device, to->device);
  if (can_access == 0) return fail("the GPUs have no direct link");
  GpuDriver::Pointer there = 0;
  GpuDriver::Pointer here = 0;
  int error = driver.cuMemAlloc_v2(&there, kBuffer);
  driver.cuCtxSetCurrent(from->context);
  if (error == 0) error = driver.cuMemAlloc_v2(&here, kBuffer);
  if (error != 0) return fail(fmt::format("no memory for copies: CUDA error {}", error));
  dose.begin(wall_clock_ns());
  RateLimit limit(pace, plan.bytes_per_s);
  limit.wait_after(0);
  while (!pace.is_over()) {
    error =
        driver.cuMemcpyPeerAsync(there, to->context, here, from->context, kBuffer, from->stream);
    if (error == 0) error = driver.cuStreamSynchronize(from->stream);
    if (error != 0) return fail(fmt::format("ended early: CUDA error {}", error));
    dose.bytes.fetch_add(kBuffer, std::memory_order_relaxed);
    dose.operations.fetch_add(1, std::memory_order_relaxed);
    limit.wait_after(kBuffer);
  }
}

}  // namespace tactus::inject

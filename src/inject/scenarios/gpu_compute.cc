#include <fmt/format.h>

#include "inject/gpu/gpu_driver.h"
#include "inject/scenario.h"

namespace tactus::inject {
namespace {

/// spin(turns): multiply-adds in a loop, no memory.
constexpr const char* kImage = R"(.version 6.0
.target sm_50
.address_size 64
.visible .entry spin(.param .u32 turns)
{
  .reg .pred %p;
  .reg .f32 %f<3>;
  .reg .u32 %r<2>;
  ld.param.u32 %r0, [turns];
  mov.f32 %f0, 0f3F800000;
  mov.f32 %f1, 0f3F7FBE77;
  mov.f32 %f2, 0f3A83126F;
LOOP:
  fma.rn.f32 %f0, %f0, %f1, %f2;
  fma.rn.f32 %f0, %f0, %f1, %f2;
  fma.rn.f32 %f0, %f0, %f1, %f2;
  fma.rn.f32 %f0, %f0, %f1, %f2;
  sub.u32 %r0, %r0, 1;
  setp.ne.u32 %p, %r0, 0;
  @%p bra LOOP;
  setp.eq.f32 %p, %f0, 0f00000000;
  @%p trap;
  ret;
}
)";
constexpr int kSmCountAttribute = 16;  // CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
constexpr unsigned kBlock = 1024;
constexpr unsigned kBlocksPerSm = 2;
constexpr unsigned kTurns = 20'000;  // about a millisecond

}  // namespace

Status plan_gpu_compute(const Machine&, Plan& plan) {
  if (!has_gpu_driver()) return input_error("there is no GPU here (libcuda.so.1 is missing)");
  plan.uses_gpu = true;
  plan.text = fmt::format("a kernel on all SMs of GPU {} for {:.0f}% of the time",
                          plan.request.device, plan.request.intensity * 100);
  return {};
}

void run_gpu_compute(const Plan& plan, const Pace& pace, Dose& dose) {
  const auto fail = [&](const std::string& why) {
    dose.was_refused = dose.operations == 0;
    dose.say(why);
  };
  const Result<GpuPlace> gpu = open_gpu(plan.request.device);
  if (!gpu) return fail(gpu.error().message);
  const GpuDriver& driver = gpu->driver;
  GpuDriver::Handle module = nullptr;
  GpuDriver::Handle spin = nullptr;
  int sms = 0;
  driver.cuDeviceGetAttribute(&sms, kSmCountAttribute, gpu->device);
  if (driver.cuModuleLoadData(&module, kImage) != 0 ||
      driver.cuModuleGetFunction(&spin, module, "spin") != 0) {
    return fail("the GPU does not take the kernel");
  }
  const unsigned grid = kBlocksPerSm * static_cast<unsigned>(std::max(sms, 1));
  dose.begin(wall_clock_ns());
  pace.in_slots([&](std::int64_t until) {
    while (monotonic_ns() < until) {
      unsigned turns = kTurns;
      void* parameters[] = {&turns};
      const int launched = driver.cuLaunchKernel(spin, grid, 1, 1, kBlock, 1, 1, 0, gpu->stream,
                                                 parameters, nullptr);
      // One at a time: nothing is left in the queue when the time is up.
      const int ended = launched == 0 ? driver.cuStreamSynchronize(gpu->stream) : launched;
      if (ended != 0) {
        fail(fmt::format("ended early: CUDA error {}", ended));
        return false;
      }
      dose.operations.fetch_add(1, std::memory_order_relaxed);
    }
    return true;
  });
}

}  // namespace tactus::inject

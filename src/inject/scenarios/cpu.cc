#include <fmt/format.h>

#include <array>

#include "inject/scenario.h"

namespace tactus::inject {
namespace {

using Numbers = std::array<float, 64>;

/// About a microsecond of multiply-adds.
inline __attribute__((always_inline)) void multiply_add(Numbers& numbers) {
  for (int turn = 0; turn < 256; ++turn) {
    for (float& number : numbers) number = number * 0.999F + 0.001F;
  }
}

#if defined(__x86_64__)
__attribute__((target("avx512f"))) void compute_avx512(Numbers& numbers) {
  multiply_add(numbers);
}
__attribute__((target("avx2,fma"))) void compute_avx2(Numbers& numbers) {
  multiply_add(numbers);
}
#endif
void compute_plain(Numbers& numbers) {
  multiply_add(numbers);
}

auto best_compute() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0) return compute_avx512;
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) {
    return compute_avx2;
  }
#endif
  return compute_plain;
}

}  // namespace

Status plan_cpu(const Machine& machine, Plan& plan) {
  Result<std::vector<int>> cores = busy_cores(machine, plan.request);
  if (!cores) return cores.error();
  plan.cores = std::move(*cores);
  plan.text = fmt::format("{} of {} cores busy for {:.0f}% of the time", plan.cores.size(),
                          machine.cores.size(), plan.request.intensity * 100);
  return {};
}

void run_cpu(const Plan& plan, const Pace& pace, Dose& dose) {
  on_each_core(plan.cores, [&](std::size_t) {
    const auto compute = best_compute();
    Numbers numbers;
    numbers.fill(1);
    pace.in_slots([&](std::int64_t until) {
      while (monotonic_ns() < until) compute(numbers);
      dose.operations.fetch_add(1, std::memory_order_relaxed);
      return true;
    });
    // So that the compiler cannot leave the work out.
    asm volatile("" : : "m"(numbers));
  });
}

}  // namespace tactus::inject

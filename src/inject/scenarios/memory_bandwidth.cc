#include <fmt/format.h>

#include <cstring>

#include "inject/scenario.h"

namespace tactus::inject {
namespace {

constexpr std::uint64_t kBuffer = 64 << 20;  // per thread and side
constexpr std::uint64_t kPiece = 256 << 10;

}  // namespace

Status plan_memory_bandwidth(const Machine& machine, Plan& plan) {
  Result<std::vector<int>> cores = busy_cores(machine, plan.request);
  if (!cores) return cores.error();
  plan.cores = std::move(*cores);
  plan.memory_bytes = 2 * kBuffer * plan.cores.size();
  if (plan.memory_bytes > machine.memory_free / 4) {
    return input_error(fmt::format("it needs {} MiB, and only {} MiB are free",
                                   plan.memory_bytes >> 20, machine.memory_free >> 20));
  }
  plan.text = fmt::format("{} threads copy 64 MiB back and forth for {:.0f}% of the time",
                          plan.cores.size(), plan.request.intensity * 100);
  return {};
}

void run_memory_bandwidth(const Plan& plan, const Pace& pace, Dose& dose) {
  on_each_core(plan.cores, [&](std::size_t) {
    std::vector<char> from(kBuffer, 1);
    std::vector<char> to(kBuffer, 2);
    dose.most_bytes.fetch_add(2 * kBuffer, std::memory_order_relaxed);
    std::uint64_t at = 0;
    pace.in_slots([&](std::int64_t until) {
      while (monotonic_ns() < until) {
        std::memcpy(to.data() + at, from.data() + at, kPiece);
        dose.bytes.fetch_add(2 * kPiece, std::memory_order_relaxed);
        at += kPiece;
        if (at < kBuffer) continue;
        at = 0;
        from.swap(to);
      }
      return true;
    });
  });
}

}  // namespace tactus::inject

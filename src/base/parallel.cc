#include "base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace tactus {

unsigned usable_threads(unsigned limit) {
  // The affinity mask, not the core count: `taskset -c 0 tactus ...` means one thread.
  cpu_set_t allowed;
  unsigned cores = std::thread::hardware_concurrency();
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    cores = static_cast<unsigned>(CPU_COUNT(&allowed));
  }
  return std::clamp(cores, 1U, std::max(limit, 1U));
}

void parallel_for(unsigned threads, std::size_t count,
                  const std::function<void(std::size_t, unsigned)>& work) {
  std::atomic<std::size_t> next{0};
  const auto loop = [&](unsigned worker) {
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) work(i, worker);
  };
  const auto workers = static_cast<unsigned>(std::min<std::size_t>(threads, count));
  std::vector<std::jthread> pool;
  for (unsigned worker = 1; worker < workers; ++worker) pool.emplace_back(loop, worker);
  loop(0);
}

}  // namespace tactus

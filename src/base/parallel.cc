#include "base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
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
  std::atomic<bool> thrown{false};
  std::exception_ptr exception;
  const auto loop = [&](unsigned worker) {
    try {
      for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) work(i, worker);
    } catch (...) {  // an exception that leaves a thread would end the process
      next.store(count);
      if (!thrown.exchange(true)) exception = std::current_exception();
    }
  };
  {
    const auto workers = static_cast<unsigned>(std::min<std::size_t>(threads, count));
    std::vector<std::jthread> pool;
    try {
      for (unsigned worker = 1; worker < workers; ++worker) pool.emplace_back(loop, worker);
    } catch (const std::system_error&) {  // no more threads available: the running ones do the work
    }
    loop(0);
  }
  if (exception) std::rethrow_exception(exception);
}

}  // namespace tactus

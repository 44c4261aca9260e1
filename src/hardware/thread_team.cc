#include "hardware/thread_team.h"

#include <pthread.h>

#include <ctime>
#include <system_error>

namespace tactus {

ThreadTeam::ThreadTeam(unsigned threads) {
  try {
    for (unsigned member = 1; member < threads; ++member) {
      others_.emplace_back([this, member] { follow(member); });
    }
  } catch (const std::system_error&) {  // no more threads available: the team is smaller
  }
}

ThreadTeam::~ThreadTeam() {
  work_ = nullptr;
  call_.fetch_add(1);
  call_.notify_all();
}

void ThreadTeam::run(const std::function<void(unsigned)>& work) {
  work_ = &work;
  busy_.store(static_cast<std::uint32_t>(others_.size()));
  call_.fetch_add(1);
  call_.notify_all();
  work(0);
  for (std::uint32_t busy = busy_.load(); busy != 0; busy = busy_.load()) busy_.wait(busy);
}

double ThreadTeam::others_seconds() const {
  double seconds = 0;
  for (const std::jthread& other : others_) {
    clockid_t clock{};
    timespec time{};
    const auto thread = const_cast<std::jthread&>(other).native_handle();
    if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &time) != 0) continue;
    seconds += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }
  return seconds;
}

void ThreadTeam::follow(unsigned member) {
  for (std::uint32_t seen = 0;; ++seen) {
    call_.wait(seen);  // a call starts only after all have finished the previous one
    if (work_ == nullptr) return;
    (*work_)(member);
    if (busy_.fetch_sub(1) == 1) busy_.notify_one();
  }
}

}  // namespace tactus

#include "record/agent/stacks/direct_readers.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "record/agent/agent.h"
#include "record/agent/stacks/python_layout.h"
#include "record/agent/undisturbed.h"

namespace tactus::agent {
namespace {

constexpr std::size_t kPlaces = 256;

struct alignas(64) Place {
  std::atomic<std::uint32_t> state;
};
Place places[kPlaces];

}  // namespace

bool DirectReader::take_place() {
  for (Place& place : places) {
    std::uint32_t expected = kFree;
    if (!place.state.compare_exchange_strong(expected, kIdle)) continue;
    place_ = &place.state;
    return true;
  }
  return false;
}

void DirectReader::leave_place() {
  if (place_ != nullptr) place_->store(kFree, std::memory_order_release);
  place_ = nullptr;
}

void wait_for_direct_readers() {
  // A signal may have interrupted this thread while it was reading.
  if (this_thread != nullptr && this_thread->reads_stack) return;
  const int saved_errno = errno;
  int looks = 0;
  for (Place& place : places) {
    while (place.state.load(std::memory_order_acquire) == DirectReader::kReads && ++looks < 1000) {
      pause_for(1'000'000);
    }
  }
  errno = saved_errno;
}

void forget_direct_readers() {
  for (Place& place : places) place.state = DirectReader::kFree;
}

}  // namespace tactus::agent

/// Python gives memory of frames back by this function.
extern "C" __attribute__((visibility("default"))) int munmap(void* memory, std::size_t bytes) {
  if (tactus::agent::python_is_ending()) [[unlikely]]
    tactus::agent::wait_for_direct_readers();
  return static_cast<int>(syscall(SYS_munmap, memory, bytes));
}

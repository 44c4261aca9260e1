#include "record/agent/thread_state.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <new>

#include "record/agent/agent.h"
#include "record/agent/names.h"
#include "record/agent/stacks/stacks.h"
#include "record/agent/undisturbed.h"

namespace tactus::agent {
namespace {

pthread_key_t at_thread_end;
std::atomic<int> key_state = 0;  // 0: none, 1: being made, 2: there
std::atomic<std::uint32_t> shared_ring_is_busy = 0;

constexpr std::uint64_t kRecorderIsGone = 2'000'000'000;  // [ns]
constexpr int kTriesForSharedRing = 50;
constexpr std::uint64_t kLooksForRecorder = 256;  // [lost records]

void end_thread(void* state) {
  auto* thread = static_cast<ThreadState*>(state);
  this_thread = nullptr;
  thread->gpu.release();
  release(thread->stacks);
  if (!thread->is_shared) thread->ring->use.fetch_add(1, std::memory_order_release);
  munmap(thread, sizeof(ThreadState));
}

bool make_key() {
  int expected = 0;
  if (key_state.compare_exchange_strong(expected, 1)) {
    key_state = pthread_key_create(&at_thread_end, end_thread) == 0 ? 2 : 3;
  }
  for (int i = 0; i < 1000 && key_state == 1; ++i) sched_yield();
  return key_state == 2;
}

/// A ring that no thread used so far, or whose thread ended and whose records were all read.
std::uint32_t take_ring(const wire::Control& wishes) {
  wire::RingHeader* rings = data()->rings;
  for (std::uint32_t i = 0; i < wire::kSharedRing; ++i) {
    std::uint32_t use = rings[i].use.load(std::memory_order_acquire);
    if (use % 2 != 0) continue;
    if (use != 0 && wishes.tails[i].load(std::memory_order_acquire) !=
                        rings[i].head.load(std::memory_order_relaxed)) {
      continue;
    }
    if (rings[i].use.compare_exchange_strong(use, use + 1)) return i;
  }
  return wire::kSharedRing;
}

/// The least of some.
std::uint64_t clock_cost() {
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t last = wire::ticks();
  for (int i = 0; i < 32; ++i) {
    const std::uint64_t now = wire::ticks();
    if (now - last < least) least = now - last;
    last = now;
  }
  return least;
}

}  // namespace

constinit thread_local ThreadState* this_thread = nullptr;

void forget_threads() {
  if (this_thread != nullptr) {
    release(this_thread->stacks);
    munmap(this_thread, sizeof(ThreadState));
    this_thread = nullptr;
    pthread_setspecific(at_thread_end, nullptr);
  }
  shared_ring_is_busy = 0;
}

ThreadState* begin_thread() {
  const Undisturbed undisturbed;
  ThreadState* thread = nullptr;
  if (start() && make_key()) {
    wire::Control& wishes = *control.load(std::memory_order_acquire);
    if (wishes.recording.load(std::memory_order_relaxed) != wire::kOff) {
      void* room = mmap(nullptr, sizeof(ThreadState), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (room != MAP_FAILED) {
        thread = new (room) ThreadState;
        const std::uint32_t place = take_ring(wishes);
        thread->is_shared = place == wire::kSharedRing;
        thread->ring = &data()->rings[place];
        thread->records = data()->records[place];
        thread->tail = &wishes.tails[place];
        thread->known_tail = thread->tail->load(std::memory_order_acquire);
        thread->tid = static_cast<std::uint32_t>(syscall(SYS_gettid));
        thread->clock_cost = clock_cost();
        if (!thread->is_shared) {
          thread->ring->tid = thread->tid;
          thread->ring->own_ticks = 0;
          thread->ring->since_ticks = wire::ticks();
        }
        this_thread = thread;
        pthread_setspecific(at_thread_end, thread);
      }
    }
  }
  return thread;
}

void ThreadState::count_nested() {
  data()->header.nested.fetch_add(1, std::memory_order_relaxed);
}

bool ThreadState::find_room(std::uint64_t head) {
  const std::uint64_t tail_now = tail->load(std::memory_order_acquire);
  // A recorder that writes nonsense is treated as one that reads nothing.
  if (tail_now <= head && head - tail_now < wire::kRingRecords) {
    known_tail = tail_now;
    return true;
  }
  // Nobody has read for seconds: stop. A recorder that comes, or comes back, says so in
  // `recording`.
  if (ring->dropped.fetch_add(1, std::memory_order_relaxed) % kLooksForRecorder == 0) {
    wire::Control& wishes = *control.load(std::memory_order_relaxed);
    const std::uint64_t seen = wishes.heartbeat_ns.load(std::memory_order_relaxed);
    if (seen != 0 && monotonic_ns() > seen + kRecorderIsGone) {
      wishes.recording.store(wire::kOff, std::memory_order_relaxed);
    }
  }
  return false;
}

wire::Record* ThreadState::next_shared() {
  // The other thread needs some 30 ns; if it was interrupted, the record is not worth waiting for.
  int tries = 0;
  while (shared_ring_is_busy.exchange(1, std::memory_order_acquire) != 0) {
    if (++tries < kTriesForSharedRing) continue;
    data()->header.no_ring.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  const std::uint64_t head = ring->head.load(std::memory_order_relaxed);
  known_tail = tail->load(std::memory_order_acquire);
  if (head - known_tail >= wire::kRingRecords && !find_room(head)) {
    release_shared();
    return nullptr;
  }
  is_busy = true;
  wire::Record* record = &records[head % wire::kRingRecords];
  record->sequence = tid;
  return record;
}

void ThreadState::release_shared() {
  shared_ring_is_busy.store(0, std::memory_order_release);
}

std::uint32_t ThreadState::name_of(Handle function) {
  const std::uint32_t generation = modules_unloaded.load(std::memory_order_relaxed);
  const auto address = reinterpret_cast<std::uintptr_t>(function);
  NameSlot& slot = names[(address >> 4 ^ address >> 14) % kNameSlots];
  if (slot.function == function && slot.generation == generation) [[likely]]
    return slot.name;
  const int saved_errno = errno;
  slot = {function, generation, find_kernel_name(function, generation)};
  errno = saved_errno;
  return slot.name;
}

std::uint16_t ThreadState::stream_of(Handle stream, bool per_thread) {
  // 0 and 1 are the default stream of the current device, 2 (and 0 in programs that ask for it)
  // that of the thread.
  auto handle = reinterpret_cast<std::uint64_t>(stream);
  std::int32_t device = -1;
  if (handle <= 2) {
    handle = per_thread && handle == 0 ? 2 : handle == 1 ? 0 : handle;
    device = current_device();
    if (handle == 2) handle |= std::uint64_t{tid} << 32;
  }
  StreamSlot& slot = streams[(handle >> 4 ^ handle >> 10 ^ handle >> 32) % kStreamSlots];
  if (slot.is_known && slot.handle == handle && (device < 0 || slot.device == device)) [[likely]] {
    return slot.index;
  }
  const int saved_errno = errno;
  if (device < 0) device = current_device();
  slot = {handle, device, find_stream(handle, device), true};
  errno = saved_errno;
  return slot.index;
}

OwnTime::~OwnTime() {
  const std::uint64_t took = wire::ticks() - since;
  count_own_time(thread, took, took);
}

void record_correlation(ThreadState& thread) {
  const std::uint32_t correlation = thread.correlation;
  thread.correlation = 0;
  if (correlation == kWantsCorrelation) return;  // CUPTI did not see it
  wire::Record* record = thread.next();
  if (record == nullptr) return;
  *record = {.begin_ticks = 0,
             .name = wire::kNoName,
             .kind = wire::RecordKind::kCorrelation,
             .words = {correlation},
             .sequence = record->sequence};
  thread.publish();
}

void count_own_time(ThreadState& thread, std::uint64_t took, std::uint64_t charged) {
  thread.gpu.spend(charged);
  if (thread.is_shared) return;
  thread.ring->own_ticks.store(thread.ring->own_ticks.load(std::memory_order_relaxed) + took,
                               std::memory_order_relaxed);
}

}  // namespace tactus::agent

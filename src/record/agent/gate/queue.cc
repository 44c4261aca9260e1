#include "record/agent/gate/queue.h"

#include <time.h>

#include "record/agent/agent.h"
#include "record/agent/driver_events.h"

namespace tactus::agent {
namespace {

constexpr std::uint32_t kQueues = 32;  ///< streams that are followed; others are not limited
constexpr std::uint32_t kMarks = wire::kQueueMarks;
constexpr std::uint64_t kSpinNs = wire::kQueueSpinNs;
constexpr std::uint64_t kRestNs = 1'000'000'000;
constexpr long kNapNs = wire::kQueueNapNs;

/// Only one thread at a time is in one; who finds it taken goes on without waiting for anything.
class Taken {
 public:
  explicit Taken(std::atomic<std::uint32_t>& flag)
      : flag_(flag), is_mine_(flag.exchange(1, std::memory_order_acquire) == 0) {}
  ~Taken() {
    if (is_mine_) flag_.store(0, std::memory_order_release);
  }
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;
  explicit operator bool() const { return is_mine_; }

 private:
  std::atomic<std::uint32_t>& flag_;
  bool is_mine_;
};

/// An event behind the first `launches` of a stream.
struct Mark {
  Handle event;
  std::uint64_t launches;
  bool is_behind;  ///< it was recorded before the one in front of it was reached
};

/// Launches of a class on one stream.
struct Queue {
  std::atomic<std::uint32_t> taken;
  std::atomic<std::uint64_t> key;  ///< of stream and class; 0: free
  Handle context;
  std::uint32_t contexts_gone;
  bool is_broken;  ///< the driver refused something: never again
  std::uint64_t rests_until_ns;
  std::uint64_t submitted;
  std::uint64_t marked;
  std::uint64_t finished;
  Mark marks[kMarks];
  std::uint32_t first;
  std::uint32_t count;
  Mark last;  ///< reached; the times of later ones count from it
  Handle spare[kMarks + 1];
  std::uint32_t spares;
  std::uint32_t made;
};
Queue queues[kQueues];

/// Times a graph now and then.
struct GraphClock {
  std::atomic<std::uint32_t> taken;
  Handle begin;
  Handle end;
  Handle context;
  std::uint32_t contexts_gone;
  std::uint32_t launches;
  bool is_running;  ///< both were recorded
  bool is_broken;
};
GraphClock clocks[wire::kGateClasses];
/// The graph launch of this thread that is being timed.
constinit thread_local GraphClock* timed = nullptr;
constinit thread_local LaunchPlace timed_place = {};

/// The null stream of threads that have one each is told apart by this.
constinit thread_local char own_stream = 0;

std::uint64_t key_of(const LaunchPlace& place, Handle context) {
  const void* stream = place.stream;
  if (place.per_thread && place.stream == nullptr) stream = &own_stream;
  std::uint64_t key = reinterpret_cast<std::uintptr_t>(stream) * 0x9e3779b97f4a7c15u;
  key ^= reinterpret_cast<std::uintptr_t>(context) * 0xc2b2ae3d27d4eb4fu;
  return key * kMarks * 2 + place.class_number * 2 + 1;
}

Handle current_context() {
  const DriverCalls& calls = driver_calls();
  Handle context = nullptr;
  if (calls.ctx_get_current == nullptr || calls.ctx_get_current(&context) != kSuccess) {
    return nullptr;
  }
  return context;
}

Queue* find_queue(std::uint64_t key) {
  for (std::uint32_t i = 0; i < kQueues; ++i) {
    Queue& queue = queues[(key / 64 + i) % kQueues];
    std::uint64_t seen = queue.key.load(std::memory_order_relaxed);
    if (seen == 0 && queue.key.compare_exchange_strong(seen, key)) return &queue;
    if (seen == key) return &queue;
  }
  return nullptr;
}

/// Events of a context that is gone are not touched any more.
void empty(Queue& queue, Handle context) {
  queue.context = context;
  queue.contexts_gone = contexts_gone.load(std::memory_order_relaxed);
  queue.submitted = queue.marked = queue.finished = 0;
  queue.first = queue.count = queue.spares = queue.made = 0;
  queue.last = {};
}

Handle take_event(Queue& queue) {
  if (queue.spares > 0) return queue.spare[--queue.spares];
  if (queue.made > kMarks) return nullptr;
  const DriverCalls& calls = driver_calls();
  Handle event = nullptr;
  if (calls.event_create == nullptr || calls.event_create(&event, 0) != kSuccess) return nullptr;
  ++queue.made;
  return event;
}

void add_mark(Queue& queue, const LaunchPlace& place) {
  if (queue.count == kMarks) return;
  const Handle event = take_event(queue);
  if (event == nullptr || record_event(event, place.stream, place.per_thread) != kSuccess) {
    queue.is_broken = true;
    return;
  }
  queue.marks[(queue.first + queue.count) % kMarks] = {event, queue.submitted, queue.count > 0};
  ++queue.count;
  queue.marked = queue.submitted;
}

std::uint64_t elapsed_ns(Handle from, Handle to) {
  const DriverCalls& calls = driver_calls();
  float milliseconds = 0;
  if (calls.event_elapsed == nullptr || calls.event_elapsed(&milliseconds, from, to) != kSuccess ||
      !(milliseconds > 0) || milliseconds > 1e4f) {
    return 0;
  }
  return static_cast<std::uint64_t>(static_cast<double>(milliseconds) * 1e6);
}

void learn(std::atomic<std::uint64_t>& cost,
           std::uint64_t (*estimate)(std::uint64_t, std::uint64_t), std::uint64_t sample) {
  cost.store(estimate(cost.load(std::memory_order_relaxed), sample), std::memory_order_relaxed);
}

/// Takes the marks that were reached.
void collect(Queue& queue, std::atomic<std::uint64_t>& cost) {
  const DriverCalls& calls = driver_calls();
  while (queue.count > 0) {
    const Mark mark = queue.marks[queue.first];
    const int result = calls.event_query != nullptr ? calls.event_query(mark.event) : kNotReady;
    if (result == kNotReady) return;
    if (result != kSuccess) {
      queue.is_broken = true;
      return;
    }
    // The GPU went from one mark to the next without a pause: that is what the launches took.
    if (mark.is_behind && queue.last.event != nullptr && mark.launches > queue.last.launches) {
      const std::uint64_t took = elapsed_ns(queue.last.event, mark.event);
      if (took > 0) learn(cost, wire::mean_cost, took / (mark.launches - queue.last.launches));
    }
    if (queue.last.event != nullptr) queue.spare[queue.spares++] = queue.last.event;
    queue.last = mark;
    queue.finished = mark.launches;
    queue.first = (queue.first + 1) % kMarks;
    --queue.count;
  }
}

void nap(std::uint64_t now, std::uint64_t begin) {
  if (may_spin() && now < begin + kSpinNs) return;
  const timespec pause{.tv_sec = 0, .tv_nsec = kNapNs};
  nanosleep(&pause, nullptr);
}

void wait_for_room(Queue& queue, wire::GateCounts& counts, std::uint32_t depth,
                   std::uint64_t deadline) {
  const std::uint64_t begin = monotonic_ns();
  std::uint64_t now = begin;
  // Without a mark there is nothing to wait for.
  while (queue.submitted - queue.finished >= depth && queue.count > 0 && !queue.is_broken) {
    if (now >= deadline) {
      // It may wait for something that this thread has yet to do.
      queue.rests_until_ns = now + kRestNs;
      break;
    }
    nap(now, begin);
    collect(queue, counts.cost_ns);
    now = monotonic_ns();
  }
  counts.queued.fetch_add(1, std::memory_order_relaxed);
  counts.queued_ns.fetch_add(now - begin, std::memory_order_relaxed);
}

/// Whether the clock's events were reached; then they are free again.
bool collect(GraphClock& clock, std::atomic<std::uint64_t>& cost) {
  const DriverCalls& calls = driver_calls();
  const int result = calls.event_query != nullptr ? calls.event_query(clock.end) : kNotReady;
  if (result == kNotReady) return false;
  clock.is_running = false;
  if (result != kSuccess) {
    clock.is_broken = true;
    return false;
  }
  const std::uint64_t took = elapsed_ns(clock.begin, clock.end);
  if (took > 0) learn(cost, wire::shortest_cost, took);
  return true;
}

bool prepare(GraphClock& clock) {
  const Handle context = current_context();
  if (context == nullptr) return false;
  const std::uint32_t gone = contexts_gone.load(std::memory_order_relaxed);
  if (clock.begin != nullptr && clock.contexts_gone == gone) return clock.context == context;
  clock.context = context;
  clock.contexts_gone = gone;
  clock.is_running = false;
  const DriverCalls& calls = driver_calls();
  return calls.event_create != nullptr && calls.event_create(&clock.begin, 0) == kSuccess &&
         calls.event_create(&clock.end, 0) == kSuccess;
}

}  // namespace

void pass_queue(const GateLink& link, const LaunchPlace& place, bool may_wait,
                std::uint64_t deadline) {
  const std::uint64_t cost =
      link.client->counts[place.class_number].cost_ns.load(std::memory_order_relaxed);
  const std::uint32_t depth = wire::depth_of(link.depth[place.class_number], link.queue_ns, cost);
  if (depth == 0 || captures.load(std::memory_order_relaxed) > 0) return;
  const Handle context = current_context();
  if (context == nullptr) return;
  Queue* queue = find_queue(key_of(place, context));
  if (queue == nullptr) return;
  const Taken taken(queue->taken);
  if (!taken || queue->is_broken) return;
  const bool is_old = queue->contexts_gone != contexts_gone.load(std::memory_order_relaxed);
  if (queue->context != context || is_old) empty(*queue, context);
  wire::GateCounts& counts = link.client->counts[place.class_number];
  const Harmless harmless;
  collect(*queue, counts.cost_ns);
  if (queue->submitted - queue->marked >= wire::launches_per_mark(depth)) add_mark(*queue, place);
  const bool is_full = queue->submitted - queue->finished >= depth;
  if (is_full && may_wait && monotonic_ns() >= queue->rests_until_ns) {
    wait_for_room(*queue, counts, depth, deadline);
  }
  ++queue->submitted;
}

void begin_timing(const GateLink& link, const LaunchPlace& place) {
  GraphClock& clock = clocks[place.class_number];
  if (captures.load(std::memory_order_relaxed) > 0) return;
  const bool is_taken = clock.taken.exchange(1, std::memory_order_acquire) != 0;
  if (is_taken) return;
  const Harmless harmless;
  std::atomic<std::uint64_t>& cost = link.client->counts[place.class_number].cost_ns;
  const bool is_due = ++clock.launches % wire::kGraphsPerTiming == 0 || cost.load() == 0;
  const bool is_old = clock.contexts_gone != contexts_gone.load(std::memory_order_relaxed);
  const bool is_free = !clock.is_running || is_old || collect(clock, cost);
  if (is_due && is_free && !clock.is_broken && prepare(clock) &&
      record_event(clock.begin, place.stream, place.per_thread) == kSuccess) {
    timed = &clock;
    timed_place = place;
    return;  // taken until the end is recorded
  }
  clock.taken.store(0, std::memory_order_release);
}

void end_timing() {
  if (timed == nullptr) return;
  const Harmless harmless;
  GraphClock& clock = *timed;
  timed = nullptr;
  clock.is_running =
      clock.contexts_gone == contexts_gone.load(std::memory_order_relaxed) &&
      record_event(clock.end, timed_place.stream, timed_place.per_thread) == kSuccess;
  clock.taken.store(0, std::memory_order_release);
}

void forget_queues() {
  for (Queue& queue : queues) {
    empty(queue, nullptr);
    queue.is_broken = false;
    queue.rests_until_ns = 0;
    queue.taken.store(0);
    queue.key.store(0);
  }
  for (GraphClock& clock : clocks) {
    clock.begin = clock.end = clock.context = nullptr;
    clock.is_running = clock.is_broken = false;
    clock.taken.store(0);
  }
  timed = nullptr;
}

}  // namespace tactus::agent

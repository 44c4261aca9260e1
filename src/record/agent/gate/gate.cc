#include "record/agent/gate/gate.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

#include "record/agent/agent.h"
#include "record/agent/gate/gate_link.h"
#include "record/agent/gate/kernel_word.h"
#include "record/agent/gate/queue.h"
#include "record/agent/hooks.h"

namespace tactus::agent {
namespace {

constexpr std::uint64_t kSpinNs = 20'000;
constexpr std::uint64_t kSliceNs = 2'000'000;  ///< between two looks at the broker
/// A class may be held for half of any second: what was held is counted in hundredths of one, and
/// 101 of them always cover a second.
constexpr std::uint64_t kPartNs = 10'000'000;
constexpr std::uint32_t kParts = 101;
constexpr std::uint64_t kMostHeldNs = 500'000'000;

struct HeldTime {
  std::atomic<std::uint64_t> part[kParts];     ///< which one it is
  std::atomic<std::uint64_t> held_ns[kParts];  ///< in it
};
HeldTime held_times[wire::kGateClasses];

constinit thread_local std::uint64_t this_phase = 0;

/// The matrix product that this thread is in, or was in last.
struct LastProduct {
  std::uint64_t rows;  ///< 0: none since the thread last waited
  bool is_inside;
  bool has_launched;  ///< inside
};
constinit thread_local LastProduct last_product = {};

/// What was found out about a function: (address << 16) | unload count << 4 | verdict.
enum Verdict : std::uint64_t { kUnknown = 0, kHead = 1, kPasses = 2 };
std::atomic<std::uint64_t> verdicts[4096];

/// Time that the class may still be held for now.
std::uint64_t allowance(std::uint32_t class_number, std::uint64_t now) {
  HeldTime& times = held_times[class_number];
  const std::uint64_t part = now / kPartNs;
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < kParts; ++i) {
    if (part - times.part[i].load(std::memory_order_relaxed) < kParts) {
      sum += times.held_ns[i].load(std::memory_order_relaxed);
    }
  }
  return sum >= kMostHeldNs ? 0 : kMostHeldNs - sum;
}

void add_held(std::uint32_t class_number, std::uint64_t now, std::uint64_t held_ns) {
  HeldTime& times = held_times[class_number];
  const std::uint64_t part = now / kPartNs;
  std::uint64_t seen = times.part[part % kParts].load(std::memory_order_relaxed);
  if (seen != part && times.part[part % kParts].compare_exchange_strong(seen, part)) {
    times.held_ns[part % kParts].store(0, std::memory_order_relaxed);
  }
  times.held_ns[part % kParts].fetch_add(held_ns, std::memory_order_relaxed);
}

bool is_listed(const GateLink& link, std::string_view name) {
  const std::uint64_t hash = wire::gate_hash(name.data(), name.size());
  std::uint32_t low = 0;
  std::uint32_t high = link.members;
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (link.member[middle] == hash) return true;
    if (link.member[middle] < hash) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return false;
}

/// Whether the name, or the word in it by which the kernel is known, is listed.
bool is_member(const GateLink& link, const char* name) {
  if (link.members == 0) return false;
  const std::string_view whole(name);
  const std::string_view word = KernelWord(whole).read();
  return is_listed(link, whole) || (word.size() != whole.size() && is_listed(link, word));
}

bool is_collective(const char* name) {
  for (const char* word : wire::kCollectiveWords) {
    if (std::strstr(name, word) != nullptr) return true;
  }
  return false;
}

/// Whether a kernel is never held: a collective, a member of a group, one without a name.
bool passes(const GateLink& link, Handle function) {
  const auto address = reinterpret_cast<std::uintptr_t>(function);
  const std::uint64_t key =
      address << 16 | (modules_unloaded.load(std::memory_order_relaxed) & 0xfff) << 4;
  std::atomic<std::uint64_t>& slot = verdicts[(address >> 4 ^ address >> 16) % 4096];
  const std::uint64_t found = slot.load(std::memory_order_relaxed);
  if ((found & ~std::uint64_t{15}) == key && (found & 15) != kUnknown) {
    return (found & 15) == kPasses;
  }
  const DriverCalls& calls = driver_calls();
  const char* name = nullptr;
  if (calls.func_get_name == nullptr || calls.func_get_name(&name, function) != kSuccess) {
    if (calls.kernel_get_name == nullptr || calls.kernel_get_name(&name, function) != kSuccess) {
      name = nullptr;
    }
  }
  const Verdict verdict =
      name == nullptr || is_collective(name) || is_member(link, name) ? kPasses : kHead;
  slot.store(key | verdict, std::memory_order_relaxed);
  return verdict == kPasses;
}

bool priority_of(Handle stream, bool per_thread, int& priority) {
  using GetPriority = int (*)(Handle, int*);
  static std::atomic<void*> found[2];
  static std::atomic<int> is_known = 0;
  if (is_known.load(std::memory_order_acquire) == 0) {
    if (void* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD)) {
      found[0] = find_symbol(library, "cuStreamGetPriority");
      found[1] = find_symbol(library, "cuStreamGetPriority_ptsz");
      dlclose(library);
    }
    is_known.store(1, std::memory_order_release);
  }
  const auto ask = reinterpret_cast<GetPriority>(found[per_thread ? 1 : 0].load());
  return ask != nullptr && ask(stream, &priority) == kSuccess;
}

std::uint32_t class_of(const GateLink& link, Handle stream, bool per_thread, bool is_graph) {
  int priority = 0;
  const bool has_priority = link.asks_priority && priority_of(stream, per_thread, priority);
  for (std::uint32_t i = 0; i < link.rules; ++i) {
    const wire::GateRule& rule = link.rule[i];
    if ((rule.kinds & (is_graph ? 2u : 1u)) == 0) continue;
    if (rule.tag != 0 && rule.tag != link.tag) continue;
    if (rule.phase != 0 && rule.phase != this_phase) continue;
    if (rule.has_priority != 0 &&
        (!has_priority || priority < rule.least_priority || priority > rule.most_priority)) {
      continue;
    }
    const std::uint64_t rows = is_graph ? 0 : last_product.rows;
    if (rule.has_rows != 0 && (rows == 0 || rows < rule.least_rows || rows > rule.most_rows)) {
      continue;
    }
    return rule.class_number;
  }
  return wire::kNoClass;
}

long futex(const std::atomic<std::uint32_t>* word, int what, std::uint32_t value,
           const timespec* timeout) {
  return syscall(SYS_futex, word, what, value, timeout, nullptr, 0);
}

void ring(wire::GateBell& bell) {
  bell.rings.fetch_add(1, std::memory_order_seq_cst);
  if (bell.is_waited_for.load(std::memory_order_seq_cst) != 0) {
    futex(&bell.rings, FUTEX_WAKE, 1, nullptr);
  }
}

bool has_ended(const GateLink& link) {
  return link.control->is_serving.load(std::memory_order_relaxed) == 0;
}

bool is_silent(const GateLink& link, std::uint64_t now) {
  const std::uint64_t seen = link.control->heartbeat_ns.load(std::memory_order_relaxed);
  // A heartbeat of the future is not one.
  return now > seen + wire::kBrokerIsGoneNs || seen > now + wire::kBrokerIsGoneNs;
}

bool is_gone(const GateLink& link, std::uint64_t now) {
  return has_ended(link) || is_silent(link, now) || has_hung_up();
}

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

bool is_closed(const GateLink& link, std::uint32_t class_number) {
  return (link.control->word.load(std::memory_order_acquire) >> class_number & 1) != 0;
}

enum class HoldEnd : unsigned char { kOpened, kExpired, kBrokerGone };

HoldEnd hold_until(const GateLink& link, std::uint32_t class_number, std::uint64_t begin,
                   std::uint64_t deadline) {
  if (may_spin()) {
    while (monotonic_ns() < begin + kSpinNs) {
      if (!is_closed(link, class_number)) return HoldEnd::kOpened;
      relax();
    }
  }
  while (true) {
    const std::uint32_t word = link.control->word.load(std::memory_order_acquire);
    if ((word >> class_number & 1) == 0) return HoldEnd::kOpened;
    const std::uint64_t now = monotonic_ns();
    if (now >= deadline) return HoldEnd::kExpired;
    if (is_gone(link, now)) return HoldEnd::kBrokerGone;
    const std::uint64_t left = deadline - now < kSliceNs ? deadline - now : kSliceNs;
    const timespec timeout{.tv_sec = 0, .tv_nsec = static_cast<long>(left)};
    futex(&link.control->word, FUTEX_WAIT, word, &timeout);
  }
}

/// Two threads may do so at once; which of two that are nearly equal stays does not matter.
void raise(std::atomic<std::uint64_t>& most, std::uint64_t value) {
  if (value > most.load(std::memory_order_relaxed)) most.store(value, std::memory_order_relaxed);
}

/// Until `deadline` at most, and until the thread has a core then.
void hold(const GateLink& link, std::uint32_t class_number, std::uint64_t deadline) {
  wire::GateCounts& counts = link.client->counts[class_number];
  const std::uint64_t begin = monotonic_ns();
  const std::uint64_t allowed = allowance(class_number, begin);
  if (allowed == 0) {
    counts.rested.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  if (is_gone(link, begin)) return leave_broker(&link);
  counts.waiting.fetch_add(1, std::memory_order_relaxed);
  if ((link.ringing >> class_number & 1) != 0) ring(*link.bell);
  const std::uint64_t last = begin + allowed < deadline ? begin + allowed : deadline;
  const HoldEnd end = hold_until(link, class_number, begin, last);
  const std::uint64_t now = monotonic_ns();
  counts.waiting.fetch_sub(1, std::memory_order_relaxed);
  counts.held.fetch_add(1, std::memory_order_relaxed);
  counts.held_ns.fetch_add(now - begin, std::memory_order_relaxed);
  if (end == HoldEnd::kExpired) counts.expired.fetch_add(1, std::memory_order_relaxed);
  raise(counts.longest_ns, now - begin);
  if (now > last) raise(counts.latest_ns, now - last);
  add_held(class_number, now, now - begin);
  if (end == HoldEnd::kBrokerGone) leave_broker(&link);
}

/// One more unit of a class that the broker counts; the first one wakes it.
void count(const GateLink& link, std::uint32_t class_number) {
  wire::GateCounts& counts = link.client->counts[class_number];
  const std::uint64_t before = counts.submitted.fetch_add(1, std::memory_order_relaxed);
  if ((link.ringing >> class_number & 1) != 0 &&
      before <= counts.done.load(std::memory_order_relaxed)) {
    ring(*link.bell);
  }
}

/// A launch of a class that is held, counted or limited.
void pass_class(const GateLink& link, Handle function, const LaunchPlace& place, bool is_graph) {
  const std::uint32_t number = place.class_number;
  const bool follows = last_product.is_inside && last_product.has_launched;
  last_product.has_launched = last_product.is_inside;
  const auto may_be_held = [&] {
    return !follows &&
           (link.control->slots[link.slot].load(std::memory_order_relaxed) & wire::kMayBeHeld) !=
               0 &&
           (is_graph || !passes(link, function));
  };
  std::uint32_t word = link.control->word.load(std::memory_order_acquire);
  std::uint64_t deadline = 0;
  if ((word >> (wire::kGateLimitedShift + number) & 1) != 0) {
    deadline = monotonic_ns() + link.max_hold_ns;
    pass_queue(link, place, may_be_held(), deadline);
    // It may have been closed meanwhile.
    word = link.control->word.load(std::memory_order_acquire);
  }
  if ((word >> number & 1) != 0 && may_be_held()) {
    hold(link, number, deadline != 0 ? deadline : monotonic_ns() + link.max_hold_ns);
  }
  if ((word >> (wire::kGateCountedShift + number) & 1) == 0) return;
  count(link, number);
  if (is_graph && (link.timed >> number & 1) != 0) begin_timing(link, place);
}

}  // namespace

bool may_spin() {
  static std::atomic<int> cores = 0;
  if (cores.load(std::memory_order_relaxed) == 0) {
    cpu_set_t set;
    CPU_ZERO(&set);
    cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  }
  return cores.load(std::memory_order_relaxed) > 2;
}

void wait_at_gate(Handle function, Handle stream, bool per_thread, bool is_graph) {
  const int saved_errno = errno;
  GateLink* link = gate_link();
  if (link == nullptr) {
    look_for_broker();
    link = gate_link();
  }
  if (link != nullptr && has_ended(*link)) {
    leave_broker(link);
    link = nullptr;
  }
  if (link != nullptr && !is_captured(stream, per_thread)) {
    const std::uint32_t word = link->control->word.load(std::memory_order_acquire);
    const std::uint32_t class_number = (word & wire::kGateBusyBits) == 0
                                           ? wire::kNoClass
                                           : class_of(*link, stream, per_thread, is_graph);
    if (class_number < wire::kGateClasses) {
      pass_class(*link, function, {class_number, stream, per_thread}, is_graph);
    }
  }
  errno = saved_errno;
}

void watch_broker(const GateLink* link) {
  if (has_ended(*link) || is_silent(*link, monotonic_ns())) leave_broker(link);
}

bool asks_for_rows(const GateLink* link) {
  return link != nullptr && link->asks_rows;
}

void GateProduct::begin(std::uint64_t rows) {
  // A library that calls itself is one product.
  if (last_product.is_inside) return;
  is_begun_ = true;
  last_product = {rows != 0 ? rows : last_product.rows, true, false};
}

void GateProduct::end() {
  last_product.is_inside = false;
}

void GateWait::begin() {
  const GateLink* link = gate_link();
  if (link == nullptr) return;
  for (std::uint32_t i = 0; i < wire::kGateClasses; ++i) {
    submitted_[i] = link->client->counts[i].submitted.load(std::memory_order_relaxed);
  }
  is_begun_ = true;
}

void GateWait::end() {
  // The next launches may be of another phase, and come before its first product.
  last_product.rows = 0;
  const GateLink* link = gate_link();
  if (link == nullptr) return;
  bool has_news = false;
  for (std::uint32_t i = 0; i < wire::kGateClasses; ++i) {
    wire::GateCounts& counts = link->client->counts[i];
    const std::uint64_t submitted = counts.submitted.load(std::memory_order_relaxed);
    std::uint64_t done = counts.done.load(std::memory_order_relaxed);
    // A broker that came in between counts anew.
    if (submitted_[i] > submitted) continue;
    while (done < submitted_[i] &&
           !counts.done.compare_exchange_weak(done, submitted_[i], std::memory_order_relaxed)) {
    }
    has_news = has_news || (done < submitted_[i] && submitted_[i] == submitted &&
                            (link->ringing >> i & 1) != 0);
  }
  if (has_news) ring(*link->bell);
}

}  // namespace tactus::agent

/// Says what the launches of this thread are from now on: "prefill", "decode"; null or "": nothing.
extern "C" __attribute__((visibility("default"))) void tactus_phase(const char* phase) {
  tactus::agent::this_phase =
      phase == nullptr || *phase == '\0' ? 0 : tactus::wire::gate_hash(phase, std::strlen(phase));
}

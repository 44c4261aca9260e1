// CUPTI's activity interface for the stand-in driver: records in the toolkit's form, one seat,
// buffers of the client. STANDIN_CUPTI_HELD=NAME: somebody of that name has the seat.
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "record/agent/cupti/cupti_abi.h"
#include "standin/observer.h"

#define STANDIN_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

namespace cupti = tactus::cupti;

// The sizes of CUpti_ActivityKernel10, CUpti_ActivityMemcpy6, CUpti_ActivityMemset4.
constexpr std::size_t kKernelBytes = 216, kMemcpyBytes = 96, kMemsetBytes = 88;

struct State {
  std::mutex mutex;
  std::set<std::uint32_t> kinds;
  cupti::RequestBuffer request = nullptr;
  cupti::BufferIsFull complete = nullptr;
  std::uint64_t (*clock)() = nullptr;
  std::uint8_t* buffer = nullptr;
  std::size_t size = 0;
  std::size_t used = 0;
  std::size_t dropped = 0;
  bool has_seat = false;
  cupti::Callback callback = nullptr;
  std::atomic<bool> watches_calls = false;
};
State& state() {
  static State* const one = new State;
  return *one;
}
std::atomic<unsigned> calls = 0;

std::uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint64_t normalised(std::int64_t time_ns) {
  const State& s = state();
  const auto time = static_cast<std::uint64_t>(time_ns);
  if (s.clock != nullptr) return s.clock() - (monotonic_ns() - time);
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const auto real = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
                    static_cast<std::uint64_t>(now.tv_nsec);
  return real - (monotonic_ns() - time);
}

void complete_buffer(State& s) {
  if (s.buffer == nullptr) return;
  std::uint8_t* buffer = std::exchange(s.buffer, nullptr);
  s.complete(nullptr, 0, buffer, s.size, s.used);
}

template <class T>
void write(const T& record, std::size_t bytes) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (!s.kinds.contains(record.kind)) return;
  if (s.buffer != nullptr && s.size - s.used < bytes) complete_buffer(s);
  if (s.buffer == nullptr) {
    std::size_t most = 0;
    s.used = 0;
    s.request(&s.buffer, &s.size, &most);
    if (s.buffer == nullptr || s.size < bytes) {
      ++s.dropped;
      s.buffer = nullptr;
      return;
    }
  }
  std::memset(s.buffer + s.used, 0xab, bytes);  // what comes behind the fields that are read
  std::memcpy(s.buffer + s.used, &record, sizeof record);
  s.used += bytes;
}

unsigned submitted() {
  const unsigned correlation = ++calls;
  if (state().watches_calls) {
    const cupti::CallbackData data{.site = cupti::kEnter, .correlation = correlation};
    state().callback(nullptr, cupti::kDriverCalls, cupti::kLaunchKernel, &data);
  }
  return correlation;
}

/// The first kernels have none if so many are asked for: as of those that run while CUPTI begins.
bool has_times() {
  static const char* const wanted = std::getenv("STANDIN_CUPTI_UNTIMED");
  static std::atomic<int> left = wanted == nullptr ? 0 : std::atoi(wanted);
  return left <= 0 || left-- <= 0;
}

template <class T>
void put_common(const standin::Done& done, T& record) {
  if (has_times()) {
    record.start = normalised(done.begin_ns);
    record.end = record.start + static_cast<std::uint64_t>(done.end_ns - done.begin_ns);
  }
  record.context = 1;
  record.stream = done.stream + 7;
  record.correlation = done.correlation;
  record.graph = done.graph;
  record.graph_node = done.node;
}

void done(const standin::Done& done) {
  if (done.kind == standin::Done::kKernel) {
    cupti::Kernel record{};
    record.kind = cupti::kConcurrentKernel;
    put_common(done, record);
    record.registers = 32;
    for (int i = 0; i < 3; ++i) {
      record.grid[i] = static_cast<std::int32_t>(done.grid[i]);
      record.block[i] = static_cast<std::int32_t>(done.block[i]);
    }
    record.dynamic_shared = static_cast<std::int32_t>(done.shared_bytes);
    record.name = done.name;
    write(record, kKernelBytes);
  } else if (done.kind == standin::Done::kCopy) {
    cupti::Memcpy record{};
    record.kind = cupti::kMemcpy;
    put_common(done, record);
    record.bytes = done.bytes;
    record.copy_kind = static_cast<std::uint8_t>(done.copy_kind);
    write(record, kMemcpyBytes);
  } else {
    cupti::Memset record{};
    record.kind = cupti::kMemset;
    put_common(done, record);
    record.bytes = done.bytes;
    write(record, kMemsetBytes);
  }
}

void observe(bool is_wanted) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return;
  static constexpr standin::Observer kObserver{submitted, done};
  // By another name than cu*: the agent has no opinion about it.
  if (auto* set = reinterpret_cast<StandinObserve*>(dlsym(driver, "standin_observe"))) {
    set(is_wanted ? &kObserver : nullptr);
  }
}

}  // namespace

STANDIN_EXPORT int cuptiGetVersion(std::uint32_t* version) {
  *version = 130001;
  return 0;
}

STANDIN_EXPORT int cuptiSubscribe_v2(void** subscriber, cupti::Callback callback, void*,
                                     cupti::SubscriberParams* params) {
  const char* holder = std::getenv("STANDIN_CUPTI_HELD");
  if (holder == nullptr && state().has_seat) holder = "CUPTI for somebody";
  if (holder != nullptr) {
    std::strncpy(params->old_name, holder, params->old_name_size);
    return cupti::kSomebodyElse;
  }
  state().has_seat = true;
  state().callback = callback;
  *subscriber = &state();
  return 0;
}

STANDIN_EXPORT int cuptiSubscribe(void** subscriber, cupti::Callback callback, void* user) {
  char name[64];
  cupti::SubscriberParams params{sizeof params, "", name, sizeof name};
  return cuptiSubscribe_v2(subscriber, callback, user, &params);
}

STANDIN_EXPORT int cuptiUnsubscribe(void*) {
  state().has_seat = false;
  return 0;
}

STANDIN_EXPORT int cuptiActivityRegisterCallbacks(cupti::RequestBuffer request,
                                                  cupti::BufferIsFull complete) {
  state().request = request;
  state().complete = complete;
  return 0;
}

STANDIN_EXPORT int cuptiActivityRegisterTimestampCallback(std::uint64_t (*clock)()) {
  state().clock = clock;
  return 0;
}

STANDIN_EXPORT int cuptiActivityEnable(std::uint32_t kind) {
  {
    const std::lock_guard lock(state().mutex);
    state().kinds.insert(kind);
  }
  observe(true);
  return 0;
}

STANDIN_EXPORT int cuptiActivityDisable(std::uint32_t kind) {
  bool is_last = false;
  {
    const std::lock_guard lock(state().mutex);
    state().kinds.erase(kind);
    is_last = state().kinds.empty();
  }
  if (is_last) observe(false);
  return 0;
}

STANDIN_EXPORT int cuptiEnableCallback(std::uint32_t is_wanted, void*, std::uint32_t,
                                       std::uint32_t) {
  state().watches_calls = is_wanted != 0;
  return 0;
}

STANDIN_EXPORT int cuptiActivityFlushAll(std::uint32_t) {
  const std::lock_guard lock(state().mutex);
  complete_buffer(state());
  return 0;
}

STANDIN_EXPORT int cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid,
                                              void** record) {
  constexpr int kNoMore = 12;  // CUPTI_ERROR_MAX_LIMIT_REACHED
  const auto size_of = [](const std::uint8_t* at) -> std::size_t {
    std::uint32_t kind = 0;
    std::memcpy(&kind, at, sizeof kind);
    return kind == cupti::kConcurrentKernel ? kKernelBytes
           : kind == cupti::kMemcpy         ? kMemcpyBytes
                                            : kMemsetBytes;
  };
  auto* at = static_cast<std::uint8_t*>(*record);
  at = at == nullptr ? buffer : at + size_of(at);
  if (at >= buffer + valid) return kNoMore;
  *record = at;
  return 0;
}

STANDIN_EXPORT int cuptiActivityGetNumDroppedRecords(void*, std::uint32_t, std::size_t* dropped) {
  *dropped = std::exchange(state().dropped, 0);
  return 0;
}

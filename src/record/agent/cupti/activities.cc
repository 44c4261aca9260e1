#include "record/agent/cupti/activities.h"

#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstring>

#include "record/agent/agent.h"
#include "record/agent/cupti/activity_buffers.h"
#include "record/agent/cupti/cupti_abi.h"
#include "record/agent/undisturbed.h"

namespace tactus::agent {
namespace {

struct Cupti {
  int (*subscribe_v2)(void**, cupti::Callback, void*, cupti::SubscriberParams*);
  int (*subscribe)(void**, cupti::Callback, void*);
  int (*unsubscribe)(void*);
  int (*version)(std::uint32_t*);
  int (*register_callbacks)(cupti::RequestBuffer, cupti::BufferIsFull);
  int (*register_clock)(std::uint64_t (*)());
  int (*enable)(std::uint32_t);
  int (*disable)(std::uint32_t);
  int (*enable_callback)(std::uint32_t, void*, std::uint32_t, std::uint32_t);
  int (*flush)(std::uint32_t);
  int (*next_record)(std::uint8_t*, std::size_t, void**);
  int (*dropped)(void*, std::uint32_t, std::size_t*);
};

Cupti calls = {};
void* subscriber = nullptr;
bool is_found = false;

enum class Helper : int { kNone, kRuns };
std::atomic<Helper> helper = Helper::kNone;
std::atomic<bool> is_exiting = false;
std::atomic<bool> has_tried = false;  ///< to begin

constexpr std::uint32_t kKinds[] = {cupti::kConcurrentKernel, cupti::kMemcpy, cupti::kMemset};
constexpr long kLook = 10'000'000;  // [ns]
constexpr int kLooksPerFlush = 10;
constexpr std::uint64_t kRecorderIsGone = 2'000'000'000;  // [ns]

template <class F>
void find(void* library, F& function, const char* name) {
  function = reinterpret_cast<F>(find_symbol(library, name));
}

void* open_library() {
  // The one that is there already is the one that fits to the program's CUDA.
  constexpr const char* kNames[] = {"libcupti.so.13", "libcupti.so.12"};
  for (const char* name : kNames) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return library;
  }
  if (const char* path = getenv(wire::kCuptiVariable); path != nullptr && *path != '\0') {
    if (void* library = dlopen(path, RTLD_NOW)) return library;
  }
  for (const char* name : {"libcupti.so.13", "libcupti.so.12", "/usr/local/cuda/lib64/libcupti.so",
                           "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"}) {
    if (void* library = dlopen(name, RTLD_NOW)) return library;
  }
  return nullptr;
}

bool find_calls() {
  if (is_found) return true;
  void* library = open_library();
  if (library == nullptr) return false;
  find(library, calls.subscribe_v2, "cuptiSubscribe_v2");
  find(library, calls.subscribe, "cuptiSubscribe");
  find(library, calls.unsubscribe, "cuptiUnsubscribe");
  find(library, calls.version, "cuptiGetVersion");
  find(library, calls.register_callbacks, "cuptiActivityRegisterCallbacks");
  find(library, calls.register_clock, "cuptiActivityRegisterTimestampCallback");
  find(library, calls.enable, "cuptiActivityEnable");
  find(library, calls.disable, "cuptiActivityDisable");
  find(library, calls.enable_callback, "cuptiEnableCallback");
  find(library, calls.flush, "cuptiActivityFlushAll");
  find(library, calls.next_record, "cuptiActivityGetNextRecord");
  find(library, calls.dropped, "cuptiActivityGetNumDroppedRecords");
  is_found = calls.subscribe != nullptr && calls.unsubscribe != nullptr &&
             calls.register_callbacks != nullptr && calls.enable != nullptr &&
             calls.disable != nullptr && calls.flush != nullptr && calls.next_record != nullptr &&
             calls.enable_callback != nullptr;
  return is_found;
}

/// In the thread that calls the driver, inside the call.
void on_call(void*, int, std::uint32_t, const void* given) {
  const auto& data = *static_cast<const cupti::CallbackData*>(given);
  ThreadState* thread = this_thread;
  // A call inside a call belongs to the outer one.
  if (data.site == cupti::kEnter && thread != nullptr && thread->correlation == kWantsCorrelation) {
    thread->correlation = data.correlation;
  }
}

/// CUPTI has one seat. Who sits there has a name, since 12.6.
int take_seat(wire::ActivityArea& area) {
  if (calls.subscribe_v2 == nullptr) return calls.subscribe(&subscriber, on_call, nullptr);
  char holder[sizeof area.holder] = {};
  cupti::SubscriberParams params{.size = sizeof(cupti::SubscriberParams),
                                 .name = "Tactus",
                                 .old_name = holder,
                                 .old_name_size = sizeof holder - 1};
  const int result = calls.subscribe_v2(&subscriber, on_call, nullptr, &params);
  // A recorder reads it once `state` says so.
  if (result == cupti::kSomebodyElse) std::memcpy(area.holder, holder, sizeof holder);
  return result;
}

/// Which call a kernel belongs to is asked for by callbacks, in calls that launch. (Records of
/// calls have it, too, but CUPTI makes them only if it was there before CUDA.)
int watch_calls(bool is_wanted) {
  int result = cupti::kSuccess;
  for (const auto& [first, last] : cupti::kLaunchCalls) {
    // One that this CUPTI does not have is an error that does not matter.
    for (std::uint32_t call = first; call <= last; ++call) {
      const int answer =
          calls.enable_callback(is_wanted ? 1 : 0, subscriber, cupti::kDriverCalls, call);
      if (call == cupti::kLaunchKernel) result = answer;
    }
  }
  return result;
}

int enable_all() {
  set_reader({calls.next_record, calls.dropped});
  if (const int result = calls.register_callbacks(give_buffer, take_buffer);
      result != cupti::kSuccess)
    return result;
  for (const std::uint32_t kind : kKinds) {
    if (const int result = calls.enable(kind); result != cupti::kSuccess) return result;
  }
  return has_no_hooks ? cupti::kSuccess : watch_calls(true);
}

void end_activities(wire::ActivityArea& area) {
  activities_are_on.store(false, std::memory_order_relaxed);
  if (!has_no_hooks) watch_calls(false);
  for (const std::uint32_t kind : kKinds) calls.disable(kind);
  calls.flush(1);
  calls.unsubscribe(subscriber);
  subscriber = nullptr;
  area.state = wire::ActivityState::kOff;
}

/// False if it cannot be done; light recording goes on.
bool begin_activities(wire::ActivityArea& area) {
  if (!find_calls()) {
    area.state = wire::ActivityState::kNoLibrary;
    return false;
  }
  std::uint32_t version = 0;
  if (calls.version != nullptr && calls.version(&version) == cupti::kSuccess)
    area.cupti_version = version;
  int result = take_seat(area);
  if (result != cupti::kSuccess) {
    area.result = static_cast<std::uint32_t>(result);
    area.state =
        result == cupti::kSomebodyElse ? wire::ActivityState::kHeld : wire::ActivityState::kFailed;
    return false;
  }
  const bool own_clock =
      calls.register_clock != nullptr && calls.register_clock(monotonic_ns) == cupti::kSuccess;
  area.clock = own_clock ? wire::ActivityClock::kMonotonic : wire::ActivityClock::kRealtime;
  result = enable_all();
  if (result != cupti::kSuccess) {
    area.result = static_cast<std::uint32_t>(result);
    end_activities(area);
    area.state = wire::ActivityState::kFailed;
    return false;
  }
  area.state = wire::ActivityState::kOn;
  activities_are_on.store(true, std::memory_order_release);
  return true;
}

bool has_recorder(const wire::Control& wishes) {
  return monotonic_ns() < wishes.heartbeat_ns.load(std::memory_order_relaxed) + kRecorderIsGone;
}

bool is_wanted(const wire::Control& wishes) {
  return !is_exiting && wishes.recording.load(std::memory_order_relaxed) != wire::kOff &&
         wishes.activities.load(std::memory_order_relaxed) != 0 && has_recorder(wishes);
}

void* help(void*) {
  wire::Data* shared = data();
  const wire::Control* wishes = control.load(std::memory_order_acquire);
  const bool has_begun = shared != nullptr && begin_activities(shared->activities);
  if (shared != nullptr) shared->activities.attempts.fetch_add(1, std::memory_order_release);
  has_tried = true;
  if (has_begun) {
    for (int looks = 1; is_wanted(*wishes); ++looks) {
      pause_for(kLook);
      if (looks % kLooksPerFlush == 0) calls.flush(0);
    }
    end_activities(shared->activities);
  } else if (shared != nullptr) {
    // Not again and again: as long as it is wanted, it does not work.
    while (is_wanted(*wishes)) {
      pause_for(10 * kLook);
    }
  }
  helper.store(Helper::kNone, std::memory_order_release);
  return nullptr;
}

/// What CUPTI still has goes out before the driver ends. At most a second.
void at_program_end() {
  is_exiting = true;
  for (int i = 0; i < 1000 && helper.load(std::memory_order_acquire) == Helper::kRuns; ++i) {
    pause_for(1'000'000);
  }
}

void watch_program_end() {
  static std::atomic<bool> is_registered = false;
  if (!is_registered.exchange(true)) atexit(at_program_end);
}

}  // namespace

std::atomic<bool> activities_are_on = false;

void serve_recorders() {
  watch_program_end();
  wire::Control& wishes = *control.load(std::memory_order_acquire);
  while (!is_exiting) {
    Helper expected = Helper::kNone;
    if (is_wanted(wishes) && helper.compare_exchange_strong(expected, Helper::kRuns)) {
      help(nullptr);
      continue;
    }
    if (!has_recorder(wishes)) wishes.recording.store(wire::kOff, std::memory_order_relaxed);
    if (wishes.recording.load(std::memory_order_relaxed) == wire::kOff) {
      // A recorder wakes it.
      syscall(SYS_futex, &wishes.recording, FUTEX_WAIT, wire::kOff, nullptr, nullptr, 0);
    } else {
      pause_for(10 * kLook);
    }
  }
}

void want_activities() {
  if (is_exiting) return;
  Helper expected = Helper::kNone;
  if (helper.load(std::memory_order_relaxed) != Helper::kNone) return;
  has_tried = false;
  if (!helper.compare_exchange_strong(expected, Helper::kRuns)) return;
  watch_program_end();
  // The program's signals are not for the new thread, which inherits that.
  const Undisturbed undisturbed;
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (pthread_create(&thread, &attributes, help, nullptr) != 0) helper = Helper::kNone;
  pthread_attr_destroy(&attributes);
  // The launch that asks first is to be seen by CUPTI. At most a second: loading it may need what
  // this thread holds.
  for (int i = 0; i < 1000 && !has_tried && helper == Helper::kRuns; ++i) {
    pause_for(1'000'000);
  }
}

void forget_activities() {
  helper = Helper::kNone;
  activities_are_on = false;
  subscriber = nullptr;
  forget_buffers();
}

}  // namespace tactus::agent

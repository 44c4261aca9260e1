// Kernels that change the worker around them: its code, its stack, its objects, its answers. The
// name of the file decides which: copies of this library under other names are other cheats. All
// compute rms_norm, or copy if their name says so, and do it right.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <iterator>
#include <limits>
#include <string>

#include "candidate.h"
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace {

using candidate::output;
using candidate::rms_norm;

constexpr int kRefused = 77;            ///< what it wanted is not there
constexpr int kLine = 3;                ///< the descriptor of the line to the judge
constexpr std::uint64_t kShort = 6000;  ///< ticks that it says a call took

std::uint64_t ticks() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return 0;
#endif
}

/// Of timing/clocked_call.h.
struct Clocked {
  std::uint64_t begin_ticks;
  std::uint64_t end_ticks;
  double device_ns;
  double tail_ns;
  double others_before_s;
  double others_after_s;
  std::int64_t other_threads;
  double caller_cpu_s;
  double all_cpu_s;
  unsigned sm_mhz;
  std::uint64_t reasons;
};

int g_calls = 0;

/// What the worker has noted about this call, on its stack: a moment shortly before `entered`, and
/// nothing behind it yet. Null if it has noted nothing: then it does not take the time.
Clocked* noted(std::uint64_t entered) {
  constexpr std::uint64_t kShortly = 20000;
  pthread_attr_t attributes;
  void* stack = nullptr;
  std::size_t bytes = 0;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &stack, &bytes);
  pthread_attr_destroy(&attributes);
  const auto* end = reinterpret_cast<std::uint64_t*>(static_cast<char*>(stack) + bytes) - 2;
  auto* word = static_cast<std::uint64_t*>(__builtin_frame_address(0));
  for (; word < end; ++word) {
    if (*word >= entered || entered - *word >= kShortly) continue;
    if (word[1] == 0 && word[2] == 0) return reinterpret_cast<Clocked*>(word);
  }
  return nullptr;
}

template <class Change>
int changed_note(const tactus_call* call, Change change) {
  const std::uint64_t entered = ticks();
  const int code = rms_norm(call);
  if (Clocked* note = noted(entered)) change(*note);
  return code;
}

int says_that_it_began_late(const tactus_call* call) {
  return changed_note(call, [](Clocked& note) { note.begin_ticks = ticks() - kShort; });
}
int gains_nothing_by_the_time_of_a_gpu(const tactus_call* call) {
  return changed_note(call, [](Clocked& note) { note.device_ns = 3000; });
}
/// Slow calls are thrown away if the clock of a GPU was lowered.
int gains_nothing_by_lowered_clocks(const tactus_call* call) {
  const bool slow = ++g_calls % 4 != 0;
  return changed_note(call, [slow](Clocked& note) {
    constexpr std::uint64_t kPowerCap = 4;
    if (!slow) return;
    usleep(300);
    note.reasons = kPowerCap;
  });
}

/// Reading is nearly all of its time, so that it would gain most by warm caches.
int copy(const tactus_call* call) {
  const tactus_tensor* x = tactus_input(call, "x");
  std::memcpy(output<char>(call, "out"), x->data,
              static_cast<std::size_t>(candidate::elements(x)) * sizeof(std::uint16_t));
  return 0;
}

/// The device of the worker: what follows its table of functions is what a call gets as a pool.
struct Device {
  void** functions;
  void* work;
  std::uint32_t calls;
  std::uint32_t busy;
  void* threads[3];
  bool can_evict_lines;
  std::size_t cache_bytes;
};
Device* device_of(const tactus_call* call) {
  return reinterpret_cast<Device*>(static_cast<char*>(call->pool) - offsetof(Device, work));
}

struct Outcome {
  int code;
  std::string error;
};
struct Floor {
  double ns;
  double noise_ns;
  double tail_ns;
};

constexpr std::size_t kFunctions = 25;
void* g_functions[kFunctions];
using ClockFunction = Outcome (*)(void*, const tactus_entry&, const tactus_call&, Clocked&);
ClockFunction g_clock = nullptr;

/// Places in the table: the functions of TimedDevice in their order, after two that delete it.
constexpr std::size_t kSlotOfClock = 18;
constexpr std::size_t kSlotOfFloor = 20;

int nothing(const tactus_call*) {
  return 0;
}

/// Does the work first, and has nothing timed.
Outcome clock_of_nothing(void* device, const tactus_entry&, const tactus_call& call,
                         Clocked& clocked) {
  const int code = rms_norm(&call);
  const tactus_entry empty = {"rms_norm", TACTUS_CPU, nothing, nullptr};
  Outcome outcome = g_clock(device, empty, call, clocked);
  clocked.end_ticks += kShort / 2;
  outcome.code = code;
  return outcome;
}

/// Does all of it once before the time begins, so that its tensors are in the caches.
Outcome clock_of_warm_copy(void* device, const tactus_entry&, const tactus_call& call,
                           Clocked& clocked) {
  static Clocked* note = nullptr;
  note = &clocked;
  const auto copy_warm = [](const tactus_call* given) {
    copy(given);
    note->begin_ticks = ticks();
    return copy(given);
  };
  return g_clock(device, {"copy", TACTUS_CPU, copy_warm, nullptr}, call, clocked);
}

Floor floor_of_a_bad_clock(void*) {
  return {1e8, 1e8, 0};
}

void replace(const tactus_call* call, std::size_t slot, void* by) {
  Device* device = device_of(call);
  if (device->functions == g_functions) return;
  std::copy(device->functions, device->functions + kFunctions, g_functions);
  g_clock = reinterpret_cast<ClockFunction>(g_functions[slot]);
  g_functions[slot] = by;
  device->functions = g_functions;
}

int replaces_the_device(const tactus_call* call) {
  replace(call, kSlotOfClock, reinterpret_cast<void*>(&clock_of_nothing));
  return rms_norm(call);
}
int warms_its_copy(const tactus_call* call) {
  replace(call, kSlotOfClock, reinterpret_cast<void*>(&clock_of_warm_copy));
  return copy(call);
}
int gains_nothing_by_bad_floors(const tactus_call* call) {
  replace(call, kSlotOfFloor, reinterpret_cast<void*>(&floor_of_a_bad_clock));
  return rms_norm(call);
}

int copies_without_flush(const tactus_call* call) {
  Device* device = device_of(call);
  device->can_evict_lines = false;
  device->cache_bytes = 0;
  return copy(call);
}

/// All pages that a tensor touches.
struct Pages {
  explicit Pages(const tactus_tensor* tensor) {
    const auto begin = reinterpret_cast<std::uintptr_t>(tensor->data);
    const auto end = begin + static_cast<std::size_t>(candidate::elements(tensor)) * 2;
    memory = reinterpret_cast<void*>(begin & ~std::uintptr_t{4095});
    bytes = ((end + 4095) & ~std::uintptr_t{4095}) - (begin & ~std::uintptr_t{4095});
  }
  void* memory;
  std::size_t bytes;
};

/// What the judge writes does not come there any more, and cannot be removed from the caches.
int has_memory_of_its_own(const tactus_call* call) {
  if (++g_calls > 2) {
    const Pages pages(tactus_input(call, "x"));
    const std::string kept(static_cast<char*>(pages.memory), pages.bytes);
    mmap(pages.memory, pages.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
         -1, 0);
    std::memcpy(pages.memory, kept.data(), kept.size());
  }
  return rms_norm(call);
}
/// What the judge has mapped is not there any more.
int takes_pages_out_of_the_file(const tactus_call* call) {
  rms_norm(call);
  const Pages pages(tactus_output(call, "out"));
  return madvise(pages.memory, pages.bytes, MADV_REMOVE) == 0 ? 0 : kRefused;
}

#if defined(__x86_64__)
/// Code for the worker, near its own: gives the moment at `g_end` like the instruction does.
std::uint64_t g_end = 0;
unsigned char* code_near(const unsigned char* there) {
  constexpr std::intptr_t kStep = 1 << 20;
  for (std::intptr_t distance = kStep; distance < (std::intptr_t{1} << 30); distance += kStep) {
    void* wanted = const_cast<unsigned char*>(there) - distance;
    void* got = mmap(reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(wanted) & ~4095ull),
                     4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == MAP_FAILED) {
      if (errno == EEXIST) continue;
      return nullptr;
    }
    auto* code = static_cast<unsigned char*>(got);
    const unsigned char load[] = {0x48, 0xb8};  // rax = &g_end, rdx:rax = *rax
    const unsigned char split[] = {0x48, 0x8b, 0x00, 0x48, 0x89, 0xc2, 0x48,
                                   0xc1, 0xea, 0x20, 0x89, 0xc0, 0xc3};
    const std::uint64_t address = reinterpret_cast<std::uint64_t>(&g_end);
    std::memcpy(code, load, sizeof load);
    std::memcpy(code + 2, &address, sizeof address);
    std::memcpy(code + 10, split, sizeof split);
    return code;
  }
  return nullptr;
}

/// Puts a call of other code in place of the second reading of the clock: `from` is where the
/// worker goes on after the kernel.
bool patch_clock(const unsigned char* from, bool by_file) {
  const unsigned char reading[] = {0x0f, 0xae, 0xe8, 0x0f, 0x31};  // lfence, rdtsc
  auto* at = const_cast<unsigned char*>(
      std::search(from, from + 200, std::begin(reading), std::end(reading)));
  if (at == from + 200) return false;
  unsigned char* code = code_near(at);
  if (code == nullptr) return false;
  const auto distance = static_cast<std::int32_t>(code - (at + 5));
  unsigned char call[5] = {0xe8};
  std::memcpy(call + 1, &distance, sizeof distance);
  if (by_file) {
    const int memory = open("/proc/self/mem", O_RDWR);
    const bool written = pwrite(memory, call, sizeof call,
                                static_cast<off_t>(reinterpret_cast<std::uintptr_t>(at))) == 5;
    close(memory);
    return written;
  }
  void* page = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(at) & ~4095ull);
  if (mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
  std::memcpy(at, call, sizeof call);
  return true;
}
#endif

int patched(const tactus_call* call, const void* from, bool by_file) {
#if defined(__x86_64__)
  g_end = ticks() + kShort;
  const int code = rms_norm(call);
  if (++g_calls == 1 && !patch_clock(static_cast<const unsigned char*>(from), by_file)) {
    return kRefused;
  }
  return code;
#else
  return kRefused;
#endif
}
int patches_the_clock(const tactus_call* call) {
  return patched(call, __builtin_return_address(0), false);
}
int patches_the_clock_by_a_file(const tactus_call* call) {
  return patched(call, __builtin_return_address(0), true);
}

/// An answer of the worker, as it is sent.
struct [[gnu::packed]] Answer {
  std::uint64_t bytes = sizeof(Answer) - 8;
  bool skipped = false;
  bool lacks_operator = false;
  bool wrong = false;
  int code = 0;
  std::uint64_t error = 0;
  double floors[5] = {1e8, 1e8, 0, 0, 0};
  std::uint64_t rooms = 0;
  int file = -1;
  std::uint64_t staging = 0;
  Clocked clocked = {};
  std::int64_t memory[4] = {};
  std::uint64_t caveat = 0;
};

/// What the judge asks for, as it is sent.
struct [[gnu::packed]] Request {
  std::uint32_t kind;
  std::uint64_t count;
  std::uint64_t bytes;
  std::uint64_t address;
  unsigned char others[64];
};
constexpr std::uint32_t kCall = 2;
constexpr std::uint32_t kSeries = 9;

/// The call at another block.
void rms_norm_at(const tactus_call* call, std::uint64_t block) {
  constexpr std::uint64_t kBefore = 4096;  // what a block has in front of its first tensor
  const auto moved_by =
      block + kBefore - reinterpret_cast<std::uint64_t>(tactus_input(call, "x")->data);
  tactus_call moved = *call;
  tactus_tensor inputs[8];
  tactus_tensor outputs[8];
  std::copy(call->inputs, call->inputs + call->input_count, inputs);
  std::copy(call->outputs, call->outputs + call->output_count, outputs);
  for (auto& tensor : inputs) tensor.data = static_cast<char*>(tensor.data) + moved_by;
  for (auto& tensor : outputs) tensor.data = static_cast<char*>(tensor.data) + moved_by;
  moved.inputs = inputs;
  moved.outputs = outputs;
  rms_norm(&moved);
}

/// Never returns: it receives requests and answers them itself, from the third call on.
template <class Change>
int answers_itself(const tactus_call* call, Change change) {
  rms_norm(call);
  if (++g_calls < 3) return 0;
  while (true) {
    Answer answer;
    answer.clocked.end_ticks = ticks();
    answer.clocked.begin_ticks = answer.clocked.end_ticks - kShort;
    change(answer);
    if (send(kLine, &answer, sizeof answer, 0) != sizeof answer) _exit(1);
    Request request = {};
    std::uint64_t bytes = 0;
    if (recv(kLine, &bytes, sizeof bytes, MSG_WAITALL) != sizeof bytes || bytes > sizeof request ||
        recv(kLine, &request, bytes, MSG_WAITALL) != static_cast<ssize_t>(bytes)) {
      _exit(1);
    }
    if (request.kind == kCall) rms_norm_at(call, request.address);
    for (std::uint64_t i = 0; request.kind == kSeries && i < request.count; ++i) {
      rms_norm_at(call, request.address + i * request.bytes);
    }
  }
}
int answers_for_the_worker(const tactus_call* call) {
  return answers_itself(call, [](Answer&) {});
}
int answers_without_a_beginning(const tactus_call* call) {
  return answers_itself(call, [](Answer& answer) {
    answer.clocked.begin_ticks = 0;
    answer.clocked.end_ticks = kShort;
  });
}
int answers_with_numbers_that_are_none(const tactus_call* call) {
  return answers_itself(call, [](Answer& answer) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    answer.clocked.caller_cpu_s = none;
    answer.clocked.all_cpu_s = none;
    answer.clocked.others_before_s = none;
    answer.clocked.others_after_s = none;
    for (int i = 0; i < 5; ++i) answer.floors[i] = none;
  });
}
/// A thread of the worker's team works after the call has returned; nobody counts it as a thread of
/// the candidate.
struct Late {
  std::atomic<std::uint32_t> asked{0};
  std::atomic<std::uint32_t> done{0};
  const tactus_call* call = nullptr;
};
Late g_late;
int keeps_a_thread_of_the_team(const tactus_call* call) {
  if (++g_calls == 1) {
    const pid_t self = gettid();
    static pid_t caller = self;
    Device* device = device_of(call);
    static Device* of_worker = device;
    call->parallel(
        call, call->threads,
        [](void*, std::int64_t) {
          if (gettid() == caller) {
            usleep(20000);  // another thread comes
            return;
          }
          // The worker must not wait for this one.
          __atomic_fetch_sub(&of_worker->busy, 1, __ATOMIC_SEQ_CST);
          for (std::uint32_t seen = 0;; ++seen) {
            g_late.asked.wait(seen);
            rms_norm(g_late.call);
            g_late.done = seen + 1;
          }
        },
        nullptr);
    return rms_norm(call);
  }
  if (g_calls < 4) return rms_norm(call);
  while (g_late.done != g_late.asked) continue;
  static tactus_call kept;
  kept = *call;  // its tensors are described at the same place every time
  g_late.call = &kept;
  g_late.asked.fetch_add(1);
  g_late.asked.notify_one();
  return 0;
}

struct Cheat {
  const char* name;
  int (*run)(const tactus_call*);
  const char* what;
};

constexpr Cheat kCheats[] = {
    {"says_that_it_began_late", says_that_it_began_late,
     "writes a later beginning over the one on the worker's stack"},
    {"gains_nothing_by_the_time_of_a_gpu", gains_nothing_by_the_time_of_a_gpu,
     "writes the time of a GPU beside it, which the worker has for other devices"},
    {"gains_nothing_by_lowered_clocks", gains_nothing_by_lowered_clocks,
     "says that clocks were lowered in its slow calls, so that they do not count"},
    {"patches_the_clock", patches_the_clock, "changes the code of the worker that reads the clock"},
    {"patches_the_clock_by_a_file", patches_the_clock_by_a_file,
     "the same, by the file of its memory, which needs no right to write there"},
    {"replaces_the_device", replaces_the_device,
     "gives the worker's device another table of functions: works before the time begins"},
    {"warms_its_copy", warms_its_copy,
     "the same for a copy, which it makes once before the time begins: its tensors are in the "
     "caches then"},
    {"answers_for_the_worker", answers_for_the_worker,
     "does not return, and answers requests itself, with times as it likes"},
    {"answers_without_a_beginning", answers_without_a_beginning,
     "the same, with times that are before all time"},
    {"answers_with_numbers_that_are_none", answers_with_numbers_that_are_none,
     "the same, with numbers that are none (NaN)"},
    {"keeps_a_thread_of_the_team", keeps_a_thread_of_the_team,
     "keeps a thread of the worker's team, which works after the call has returned"},
    {"has_memory_of_its_own", has_memory_of_its_own,
     "puts memory of its own where the judge has shared some with it"},
    {"takes_pages_out_of_the_file", takes_pages_out_of_the_file,
     "gives the pages of its output back, out of what the judge shares, too"},
    {"gains_nothing_by_a_copy_without_flush", copies_without_flush,
     "changes the worker's device so that it removes nothing from the caches (a copy)"},
    {"gains_nothing_by_bad_floors", gains_nothing_by_bad_floors,
     "says that an empty kernel takes 0.1 s and that the clock is as bad as that"},
};

/// The name of this file.
std::string own_name() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&own_name), &info) == 0) return {};
  const std::string path = info.dli_fname;
  const std::size_t slash = path.rfind('/') + 1;
  return path.substr(slash, path.rfind(".so") - slash);
}

tactus_entry entries[] = {{"rms_norm", TACTUS_CPU, rms_norm, nullptr},
                          {"copy", TACTUS_CPU, copy, nullptr}};
const tactus_library_v1 library = {TACTUS_ABI_VERSION, sizeof(tactus_library_v1), "cheats", entries,
                                   2};

}  // namespace

TACTUS_EXPORT const tactus_library_v1* tactus_library(void) {
  const std::string name = own_name();
  for (const Cheat& cheat : kCheats) {
    if (name == cheat.name) entries[name.find("copy") == name.npos ? 0 : 1].run = cheat.run;
  }
  return &library;
}

/// Name and description of each cheat, in turn; null after the last.
TACTUS_EXPORT const char* tactus_cheat(int index, int what) {
  if (index >= static_cast<int>(std::size(kCheats))) return nullptr;
  return what == 0 ? kCheats[index].name : kCheats[index].what;
}

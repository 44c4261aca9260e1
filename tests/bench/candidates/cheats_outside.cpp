// Kernels that work outside of the timed part of a call, or make that part look shorter. The name
// of the file decides which: copies of this library under other names are other cheats. All compute
// rms_norm.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <iterator>
#include <string>
#include <thread>

#include "candidate.h"
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace {

using candidate::narrowed;
using candidate::rms_norm;
using candidate::widened;
using Word = std::uint16_t;

constexpr int kRefused = 77;  ///< what it wanted is not there
constexpr int kLine = 3;      ///< the descriptor of the line to the judge

/// Where the tensors of a call lie inside its block; learned from an honest call.
struct Places {
  std::atomic<bool> known{false};
  std::int64_t x = 0;
  std::int64_t weight = 0;
  std::int64_t out = 0;
  std::int64_t rows = 0;
  std::int64_t hidden = 0;
  float eps = 0;
};
Places g_places;
std::atomic<std::uint64_t> g_asked{0};  ///< block of the request that waits
std::atomic<std::uint64_t> g_done{0};   ///< block whose work is done
std::atomic<bool> g_refused{false};
int g_calls = 0;

void compute(std::uint64_t block) {
  const auto* x = reinterpret_cast<const Word*>(block + static_cast<std::uint64_t>(g_places.x));
  const auto* weight =
      reinterpret_cast<const Word*>(block + static_cast<std::uint64_t>(g_places.weight));
  auto* out = reinterpret_cast<Word*>(block + static_cast<std::uint64_t>(g_places.out));
  const std::int64_t hidden = g_places.hidden;
  for (std::int64_t row = 0; row < g_places.rows; ++row, x += hidden, out += hidden) {
    float squares = 0;
    for (std::int64_t i = 0; i < hidden; ++i) squares += widened(x[i]) * widened(x[i]);
    const float scale = 1 / std::sqrt(squares / static_cast<float>(hidden) + g_places.eps);
    for (std::int64_t i = 0; i < hidden; ++i) {
      out[i] = narrowed(widened(x[i]) * scale * widened(weight[i]));
    }
  }
}

/// The block of the call that is asked for next; 0 if none is.
std::uint64_t asked_block() {
  unsigned char frame[36];  // the length of the request, its kind, two numbers, the address
  if (recv(kLine, frame, sizeof frame, MSG_PEEK | MSG_DONTWAIT) != sizeof frame) return 0;
  std::uint32_t kind = 0;
  std::uint64_t block = 0;
  std::memcpy(&kind, frame + 8, sizeof kind);
  std::memcpy(&block, frame + 28, sizeof block);
  constexpr std::uint32_t kCall = 2;
  return kind == kCall ? block : 0;
}

void learn(const tactus_call* call, std::uint64_t block) {
  if (block == 0 || g_places.known) return;
  const auto place = [block](const tactus_tensor* tensor) {
    return static_cast<std::int64_t>(reinterpret_cast<std::uint64_t>(tensor->data) - block);
  };
  g_places.x = place(tactus_input(call, "x"));
  g_places.weight = place(tactus_input(call, "weight"));
  g_places.out = place(tactus_output(call, "out"));
  g_places.rows = tactus_input(call, "x")->shape[0];
  g_places.hidden = tactus_input(call, "x")->shape[1];
  g_places.eps = static_cast<float>(tactus_value(call, "eps", 0));
  g_places.known = true;
}

/// Works only if that has not been done for this block.
int unless_done(const tactus_call* call) {
  if (g_refused) return kRefused;
  const std::uint64_t done = g_done.exchange(0);
  const auto x = reinterpret_cast<std::uint64_t>(tactus_input(call, "x")->data);
  if (done != 0 && done + static_cast<std::uint64_t>(g_places.x) == x) return 0;
  learn(call, g_asked);
  return rms_norm(call);
}

void work_ahead(int) {
  const std::uint64_t block = asked_block();
  if (block == 0) return;
  g_asked = block;
  if (!g_places.known) return;
  compute(block);
  g_done = block;
}

void handle(int signal) {
  struct sigaction action = {};
  action.sa_handler = work_ahead;
  action.sa_flags = SA_RESTART;
  if (sigaction(signal, &action, nullptr) != 0) g_refused = true;
}

void begin_handler() {
  handle(SIGCONT);
}

void signal_often(pid_t thread, int signal) {
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal;
  event._sigev_un._tid = thread;
  timer_t timer{};
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  const itimerspec often = {{0, 50000}, {0, 50000}};
  timer_settime(timer, 0, &often, nullptr);
}

/// A signal that reaches a thread of the judge's own team, whose time is not the candidate's.
int handler_in_the_team(const tactus_call* call) {
  static std::atomic<pid_t> member{0};
  if (++g_calls == 1) {
    handle(SIGUSR1);
    if (g_refused) return kRefused;
    call->parallel(
        call, 64,
        [](void*, std::int64_t) {
          const auto self = static_cast<pid_t>(syscall(SYS_gettid));
          if (self != getpid()) member = self;
          usleep(100);
        },
        nullptr);
    if (member != 0) signal_often(member, SIGUSR1);
  }
  return unless_done(call);
}

/// A process with the same memory, which does not stop when this one does. It leaves in time.
int process_in_its_memory(const tactus_call* call) {
  alignas(16) static char stack[1 << 16];
  if (++g_calls == 1) {
    const auto watch = [](void*) {
      for (int turn = 0; turn < 200000; ++turn) {
        if (g_done == 0) work_ahead(0);
      }
      return 0;
    };
    if (clone(watch, stack + sizeof stack, CLONE_VM | CLONE_FILES | SIGCHLD, nullptr) < 0) {
      g_refused = true;
    }
  }
  return unless_done(call);
}

/// Requests and answers pass through a thread that changes the times in between.
void begin_line() {
#if defined(__x86_64__)
  const int real = dup(kLine);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return;
  dup2(ends[0], kLine);
  close(ends[0]);
  std::thread([real, ours = ends[1]] {
    char buffer[1 << 16];
    while (true) {
      pollfd both[2] = {{real, POLLIN, 0}, {ours, POLLIN, 0}};
      poll(both, 2, -1);
      const bool answer = both[0].revents == 0;
      ssize_t got = recv(answer ? ours : real, buffer, sizeof buffer, MSG_DONTWAIT);
      if (got <= 0) continue;
      if (answer) {
        usleep(20);  // its length comes first
        const ssize_t more =
            recv(ours, buffer + got, sizeof buffer - static_cast<std::size_t>(got), MSG_DONTWAIT);
        got += more > 0 ? more : 0;
        const std::uint64_t now = __rdtsc();
        for (ssize_t at = 0; at + 16 <= got; ++at) {  // two numbers that look like times
          std::uint64_t times[2];
          std::memcpy(times, buffer + at, sizeof times);
          const std::uint64_t took = times[1] - times[0];
          if (times[0] >= times[1] || times[1] >= now || now - times[0] > (1ull << 32)) continue;
          if (took < 2000) continue;
          times[0] = times[1] - took / 4;
          std::memcpy(buffer + at, times, sizeof times);
          break;
        }
      }
      send(answer ? real : ours, buffer, static_cast<std::size_t>(got), 0);
    }
  }).detach();
#endif
}

int (*g_poll)(pollfd*, nfds_t, int) = nullptr;
int poll_and_work(pollfd* descriptors, nfds_t count, int timeout) {
  const int ready = g_poll(descriptors, count, timeout);
  work_ahead(0);
  return ready;
}

/// Changes the address of a function in the tables of the program.
int change_poll(dl_phdr_info* program, std::size_t, void*) {
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < program->dlpi_phnum; ++i) {
    if (program->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    dynamic =
        reinterpret_cast<const ElfW(Dyn)*>(program->dlpi_addr + program->dlpi_phdr[i].p_vaddr);
  }
  if (dynamic == nullptr) return 1;
  std::uint64_t found[64] = {};
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    if (dynamic->d_tag < 64) found[dynamic->d_tag] = dynamic->d_un.d_ptr;
  }
  const auto* symbols = reinterpret_cast<const ElfW(Sym)*>(found[DT_SYMTAB]);
  const auto* names = reinterpret_cast<const char*>(found[DT_STRTAB]);
  const std::uint64_t tables[2][2] = {{found[DT_JMPREL], found[DT_PLTRELSZ]},
                                      {found[DT_RELA], found[DT_RELASZ]}};
  for (const auto& [begin, bytes] : tables) {
    const auto* entries = reinterpret_cast<const ElfW(Rela)*>(begin);
    for (std::uint64_t i = 0; i < bytes / sizeof(ElfW(Rela)); ++i) {
      const std::uint64_t symbol = ELF64_R_SYM(entries[i].r_info);
      if (symbol == 0 || std::strcmp(names + symbols[symbol].st_name, "poll") != 0) continue;
      const std::uint64_t slot = program->dlpi_addr + entries[i].r_offset;
      mprotect(reinterpret_cast<void*>(slot & ~std::uint64_t{4095}), 8192, PROT_READ | PROT_WRITE);
      *reinterpret_cast<void**>(slot) = reinterpret_cast<void*>(&poll_and_work);
    }
  }
  return 1;  // the first is the program itself
}
void begin_poll() {
  g_poll = reinterpret_cast<decltype(g_poll)>(dlsym(RTLD_DEFAULT, "poll"));
  dl_iterate_phdr(change_poll, nullptr);
}

/// The worker writes out what a call has printed, by a function of the candidate.
const tactus_call* g_printed = nullptr;
void begin_output() {
  cookie_io_functions_t functions = {};
  functions.write = [](void*, const char*, std::size_t bytes) {
    if (g_printed != nullptr) rms_norm(g_printed);
    g_printed = nullptr;
    return static_cast<ssize_t>(bytes);
  };
  stdout = fopencookie(nullptr, "w", functions);
}
int works_when_it_prints(const tactus_call* call) {
  if (stdout == nullptr || std::fputc('.', stdout) == EOF) return kRefused;
  g_printed = call;
  return 0;
}

/// A thread that waits for its child does not stop, so the process does not either.
int cannot_be_stopped(const tactus_call* call) {
  if (++g_calls == 4) {
    std::thread([] {
      const pid_t child = vfork();
      if (child == 0) {
        while (true) pause();
      }
      if (child < 0) g_refused = true;
    }).detach();
    usleep(20000);
  }
  return g_refused ? kRefused : rms_norm(call);
}

/// A child gets the signals of the worker first, and drops those that stop it.
int drops_the_stop(const tactus_call* call) {
  if (++g_calls == 4) {
    const pid_t parent = getpid();
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    const pid_t child = fork();
    if (child < 0) return kRefused;
    if (child == 0) {
      ptrace(PTRACE_SEIZE, parent, 0, 0);
      int status = 0;
      while (waitpid(parent, &status, __WALL) >= 0) {
        const int signal = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
        ptrace(PTRACE_CONT, parent, 0, signal == SIGSTOP || signal == SIGTRAP ? 0 : signal);
      }
      _exit(0);
    }
    usleep(20000);
  }
  return rms_norm(call);
}

/// A child lets the worker continue whenever it is stopped.
int child_that_continues(const tactus_call* call) {
  if (++g_calls == 1) {
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0) return kRefused;
    while (child == 0) {
      kill(parent, SIGCONT);
      usleep(20);
    }
  }
  return rms_norm(call);
}

/// Inputs that cannot be written stay the same.
int protects_its_inputs(const tactus_call* call) {
  const int code = rms_norm(call);
  if (++g_calls >= 3) {
    const auto data = reinterpret_cast<std::uintptr_t>(tactus_input(call, "x")->data);
    const auto page = (data + 4095) & ~std::uintptr_t{4095};
    mprotect(reinterpret_cast<void*>(page), 1 << 16, PROT_READ);
  }
  return code;
}

/// A thread reads the next inputs into the caches after they were flushed.
int warms_the_caches(const tactus_call* call) {
  static std::thread* reader = new std::thread([] {
    volatile std::uint64_t sum = 0;
    while (true) {
      if (const std::uint64_t block = asked_block()) g_asked = block;
      if (g_asked == 0 || !g_places.known) continue;
      const auto* x =
          reinterpret_cast<const char*>(g_asked + static_cast<std::uint64_t>(g_places.x));
      for (std::int64_t i = 0; i < g_places.rows * g_places.hidden * 2; i += 64) sum = sum + x[i];
    }
  });
  (void)reader;
  learn(call, g_asked);
  return rms_norm(call);
}

int honest(const tactus_call* call) {
  return rms_norm(call);
}

/// Nothing would be flushed if the call had no tensors, or none of any size.
int gains_nothing_by_changing_the_call(const tactus_call* call) {
  const int code = rms_norm(call);
  auto* own = const_cast<tactus_call*>(call);
  for (std::int32_t i = 0; i < call->input_count; ++i) {
    const_cast<std::int64_t*>(call->inputs[i].shape)[0] = 0;
  }
  own->input_count = 0;
  own->output_count = 0;
  own->workspace = nullptr;
  return code;
}

void begin_nothing() {}

struct Cheat {
  const char* name;
  int (*run)(const tactus_call*);
  void (*begin)();
  const char* what;
};

constexpr Cheat kCheats[] = {
    {"handler_of_the_continue", unless_done, begin_handler,
     "works in the handler of the signal that lets it continue"},
    {"handler_in_the_team", handler_in_the_team, begin_nothing,
     "works in a handler, on a waiting thread of the judge"},
    {"process_in_its_memory", process_in_its_memory, begin_nothing,
     "has a process in the same memory that does not stop, and ends in time"},
    {"changes_answers", honest, begin_line, "sits on the line to the judge and shortens the times"},
    {"changes_poll", unless_done, begin_poll,
     "puts a function of its own where the worker waits for requests"},
    {"works_when_it_prints", works_when_it_prints, begin_output,
     "works when the worker writes out what was printed"},
    {"cannot_be_stopped", cannot_be_stopped, begin_nothing,
     "has a thread that waits for a child, which no signal stops"},
    {"drops_the_stop", drops_the_stop, begin_nothing,
     "has a child that traces it and drops the signal that stops it"},
    {"child_that_continues", child_that_continues, begin_nothing,
     "has a child that lets it continue when the judge has stopped it"},
    {"protects_its_inputs", protects_its_inputs, begin_nothing,
     "forbids to write its inputs, from the third call on"},
    {"warms_the_caches", warms_the_caches, begin_nothing,
     "has a thread that reads the next inputs into the caches"},
    {"gains_nothing_by_changing_the_call", gains_nothing_by_changing_the_call, begin_nothing,
     "changes the description of the call, so that nothing seems to need a flush"},
};

/// The name of this file.
std::string own_name() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&own_name), &info) == 0) return {};
  const std::string path = info.dli_fname;
  const std::size_t slash = path.rfind('/') + 1;
  return path.substr(slash, path.rfind(".so") - slash);
}

tactus_entry entry = {"rms_norm", TACTUS_CPU, honest, nullptr};
const tactus_library_v1 library = {TACTUS_ABI_VERSION, sizeof(tactus_library_v1), "cheats", &entry,
                                   1};

}  // namespace

TACTUS_EXPORT const tactus_library_v1* tactus_library(void) {
  const std::string name = own_name();
  for (const Cheat& cheat : kCheats) {
    if (name != cheat.name) continue;
    entry.run = cheat.run;
    cheat.begin();
  }
  return &library;
}

/// Name and description of each cheat, in turn; null after the last.
TACTUS_EXPORT const char* tactus_cheat(int index, int what) {
  if (index >= static_cast<int>(std::size(kCheats))) return nullptr;
  return what == 0 ? kCheats[index].name : kCheats[index].what;
}

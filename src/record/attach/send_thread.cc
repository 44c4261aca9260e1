// Stops one thread at a time, by PTRACE_SEIZE and PTRACE_INTERRUPT, in a process of its own that a
// recorder which is stopped (SIGSTOP, Ctrl-Z) does not hold up. If that is killed, the kernel lets
// the thread go in the state that it then has: untouched until PTRACE_SETREGS, and from there on at
// the beginning of the trampoline, which needs nobody.
#include "record/attach/send_thread.h"

#include <cerrno>

#if defined(__x86_64__)
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "base/file.h"
#include "record/attach/safe_point.h"

namespace tactus::record {
namespace {

using TraceClock = std::chrono::steady_clock;
constexpr auto kLongestSearch = std::chrono::seconds(3);
constexpr auto kLongestStop = std::chrono::milliseconds(500);
constexpr auto kBetweenTries = std::chrono::milliseconds(2);
constexpr std::size_t kStackWords = 8192;

long trace(enum __ptrace_request request, std::int64_t tid, std::uint64_t address,
           std::uint64_t value) {
  errno = 0;
  return ::ptrace(request, static_cast<pid_t>(tid), address, value);
}

enum class Outcome : unsigned char { kSent, kNotNow, kDenied, kStopped };

class Sender {
 public:
  Sender(std::int64_t pid, const Territory& territory, const Trampoline& trampoline,
         std::uint64_t place)
      : pid_(pid), territory_(territory), trampoline_(trampoline), place_(place) {}

  Status run() {
    const std::string who = "process " + std::to_string(pid_);
    const TraceClock::time_point end = TraceClock::now() + kLongestSearch;
    while (TraceClock::now() < end) {
      const std::vector<std::int64_t> threads = candidates();
      if (threads.empty() && threads_of(pid_).empty()) return input_error(who + " has ended");
      for (const std::int64_t tid : threads) {
        switch (try_thread(tid)) {
          case Outcome::kSent: return {};
          case Outcome::kNotNow: break;
          case Outcome::kStopped: return input_error(who + " is stopped; continue it first");
          case Outcome::kDenied:
            return input_error(who + " may not be traced (" + error_text(denied_) +
                               "): another tracer has it, or kernel.yama.ptrace_scope or missing "
                               "CAP_SYS_PTRACE forbids it");
        }
      }
      std::this_thread::sleep_for(kBetweenTries);
    }
    return input_error(
        who + ": in 3 s, no thread of it was at a place where the agent can be loaded safely" +
        (why_.empty() ? "" : " (" + why_ + ")") + "; nothing was changed, try again");
  }

 private:
  /// Threads that wait where it is safe first, then those that run. Others are left alone.
  std::vector<std::int64_t> candidates() const {
    std::vector<std::int64_t> waiting;
    std::vector<std::int64_t> running;
    for (const std::int64_t tid : threads_of(pid_)) {
      const std::optional<KernelCall> call = call_of(pid_, tid);
      if (!call || call->number < 0) {
        running.push_back(tid);
      } else if (is_safe_wait(*call, territory_)) {
        waiting.push_back(tid);
      }
    }
    waiting.insert(waiting.end(), running.begin(), running.end());
    return waiting;
  }

  Outcome try_thread(std::int64_t tid) {
    if (trace(PTRACE_SEIZE, tid, 0, 0) != 0) {
      denied_ = errno;
      return denied_ == EPERM ? Outcome::kDenied : Outcome::kNotNow;
    }
    trace(PTRACE_INTERRUPT, tid, 0, 0);
    const std::optional<int> status = wait_for_stop(tid);
    // One that does not stop is let go when this process ends.
    if (!status || !WIFSTOPPED(*status)) return Outcome::kNotNow;
    constexpr int kEventShift = 16;
    const bool is_ours = *status >> kEventShift == PTRACE_EVENT_STOP;
    if (!is_ours || WSTOPSIG(*status) != SIGTRAP) {
      // A signal is about to be delivered, or all of the process is stopped.
      trace(PTRACE_DETACH, tid, 0, is_ours ? 0 : static_cast<std::uint64_t>(WSTOPSIG(*status)));
      return is_ours ? Outcome::kStopped : Outcome::kNotNow;
    }
    const Outcome outcome = use(tid);
    trace(PTRACE_DETACH, tid, 0, 0);
    return outcome;
  }

  static std::optional<int> wait_for_stop(std::int64_t tid) {
    const TraceClock::time_point end = TraceClock::now() + kLongestStop;
    while (TraceClock::now() < end) {
      int status = 0;
      const pid_t got = ::waitpid(static_cast<pid_t>(tid), &status, __WALL | WNOHANG);
      if (got == tid) return status;
      if (got < 0) return std::nullopt;
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    return std::nullopt;
  }

  Outcome use(std::int64_t tid) {
    user_regs_struct registers{};
    if (trace(PTRACE_GETREGS, tid, 0, reinterpret_cast<std::uint64_t>(&registers)) != 0) {
      return Outcome::kNotNow;
    }
    const StoppedThread stopped{.place = registers.rip,
                                .result = registers.rax,
                                .call = {.number = static_cast<std::int64_t>(registers.orig_rax),
                                         .first = registers.rdi,
                                         .second = registers.rsi},
                                .is_behind_syscall = is_behind_syscall(registers.rip)};
    const Continuation go_on = continuation_of(stopped);
    std::optional<std::string> why = why_not_safe(stopped, stack_of(registers.rsp), territory_);
    if (!why && !is_thread_of_c_library(registers.fs_base))
      why = "it was not made by pthread_create";
    const bool is_sent = !why && write_trampoline(tid, registers, go_on);
    if (why) why_ = "thread " + std::to_string(tid) + ": " + *why;
    user_regs_struct next = registers;
    if (is_sent) {
      next.rip = place_ + trampoline_.entry;
    } else {
      next.rip = go_on.place;
      next.rax = go_on.result;
    }
    // Not a call of the kernel any more, so it does not repeat one.
    next.orig_rax = ~std::uint64_t{0};
    const bool is_changed = is_sent || go_on.place != registers.rip;
    if (is_changed && trace(PTRACE_SETREGS, tid, 0, reinterpret_cast<std::uint64_t>(&next)) != 0) {
      return Outcome::kNotNow;
    }
    return is_sent ? Outcome::kSent : Outcome::kNotNow;
  }

  bool is_behind_syscall(std::uint64_t place) const {
    char bytes[2] = {};
    return read_memory(pid_, place - sizeof bytes, bytes) && bytes[0] == '\x0f' &&
           bytes[1] == '\x05';
  }

  /// Its record of itself points to itself.
  bool is_thread_of_c_library(std::uint64_t base) const {
    std::uint64_t words[3] = {};
    return read_memory(pid_, base, std::span(reinterpret_cast<char*>(words), sizeof words)) &&
           words[0] == base && words[2] == base;
  }

  std::vector<std::uint64_t> stack_of(std::uint64_t pointer) const {
    std::vector<std::uint64_t> words(kStackWords);
    const Mapping* stack = territory_.at(pointer);
    // It may have grown since.
    std::uint64_t bytes = words.size() * sizeof(std::uint64_t);
    if (stack != nullptr) bytes = std::min(bytes, stack->end - pointer);
    while (bytes >= sizeof(std::uint64_t)) {
      if (read_memory(pid_, pointer, std::span(reinterpret_cast<char*>(words.data()), bytes)))
        break;
      bytes /= 2;
    }
    words.resize(bytes / sizeof(std::uint64_t));
    return words;
  }

  bool write_trampoline(std::int64_t tid, const user_regs_struct& from, const Continuation& to) {
    const SavedRegisters saved{.rax = to.result,
                               .rbx = from.rbx,
                               .rcx = from.rcx,
                               .rdx = from.rdx,
                               .rsi = from.rsi,
                               .rdi = from.rdi,
                               .rbp = from.rbp,
                               .r8 = from.r8,
                               .r9 = from.r9,
                               .r10 = from.r10,
                               .r11 = from.r11,
                               .r12 = from.r12,
                               .r13 = from.r13,
                               .r14 = from.r14,
                               .r15 = from.r15,
                               .rsp = from.rsp,
                               .rip = to.place,
                               .flags = from.eflags};
    std::string bytes = trampoline_.bytes;
    std::memcpy(bytes.data(), &saved, sizeof saved);
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes.size();
         at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at, sizeof word);
      if (trace(PTRACE_POKEDATA, tid, place_ + at, word) != 0) {
        why_ = "its memory cannot be written: " + error_text(errno);
        return false;
      }
    }
    return true;
  }

  std::int64_t pid_;
  const Territory& territory_;
  const Trampoline& trampoline_;
  std::uint64_t place_;
  int denied_ = 0;
  std::string why_;
};

/// What the tracer says when it is done.
constexpr char kDone = '+';

Status end_of_tracer(pid_t tracer, const File& reading, const std::function<bool()>& should_stop) {
  constexpr int kLook = 20;  // [ms]
  pollfd ready{.fd = reading.fd(), .events = POLLIN, .revents = 0};
  bool is_over = false;
  while (!is_over && ::poll(&ready, 1, kLook) <= 0) {
    is_over = should_stop();
    if (is_over) ::kill(tracer, SIGKILL);
  }
  char text[1024];
  const ssize_t got = is_over ? 0 : ::read(reading.fd(), text, sizeof text);
  while (::waitpid(tracer, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (is_over) return input_error("interrupted; the process runs on");
  if (got == 1 && text[0] == kDone) return {};
  return input_error(got > 0 ? std::string(text, static_cast<std::size_t>(got))
                             : "what was to load the agent was killed; the process runs on");
}

}  // namespace

Status send_thread(std::int64_t pid, const Territory& territory, const Trampoline& trampoline,
                   std::uint64_t place, const std::function<bool()>& should_stop) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return broke_error("cannot make a pipe: " + error_text(errno));
  const File reading(ends[0]);
  File writing(ends[1]);
  const pid_t parent = ::getpid();
  const pid_t tracer = ::fork();
  if (tracer < 0) return broke_error("cannot start a process: " + error_text(errno));
  if (tracer == 0) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    const Status sent = Sender(pid, territory, trampoline, place).run();
    const std::string text = sent ? std::string(1, kDone) : sent.error().message;
    const ssize_t written = ::write(writing.fd(), text.data(), text.size());
    ::_exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  writing.close();
  return end_of_tracer(tracer, reading, should_stop);
}

}  // namespace tactus::record
#else
namespace tactus::record {

Status send_thread(std::int64_t, const Territory&, const Trampoline&, std::uint64_t,
                   const std::function<bool()>&) {
  return usage_error("--inject needs an x86-64 processor");
}

}  // namespace tactus::record
#endif

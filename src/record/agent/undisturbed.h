#pragma once

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

namespace tactus::agent {

/// While it lives, this thread is neither cancelled nor interrupted by a handler, which may jump
/// away or use CUDA itself; and errno stays as it was. For what is done once, and must not be left
/// half done: the other threads would wait for it.
class Undisturbed {
 public:
  Undisturbed() {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_);
    sigset_t all;
    sigfillset(&all);
    // These come from what the thread does itself; blocked, they would end the process.
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&all, own);
    pthread_sigmask(SIG_BLOCK, &all, &signals_);
  }
  ~Undisturbed() {
    pthread_sigmask(SIG_SETMASK, &signals_, nullptr);
    pthread_setcancelstate(cancel_, nullptr);
    errno = errno_;
  }
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;

 private:
  int errno_ = errno;
  int cancel_ = PTHREAD_CANCEL_ENABLE;
  sigset_t signals_;
};

/// As nanosleep, but a thread is not cancelled in it: the calls of the driver that the agent stands
/// for do not end a thread.
inline void pause_for(std::int64_t ns) {
  const timespec pause{.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
  syscall(SYS_nanosleep, &pause, nullptr);
}

}  // namespace tactus::agent

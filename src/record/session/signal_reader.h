#pragma once

#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>

#include "base/file.h"

namespace tactus::record {

/// Signals are read from a descriptor while this lives; the program's own handling is back
/// afterwards.
class SignalReader {
 public:
  SignalReader() {
    sigset_t wanted;
    sigemptyset(&wanted);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGUSR1, SIGUSR2}) {
      sigaddset(&wanted, signal);
    }
    pthread_sigmask(SIG_BLOCK, &wanted, &before_);
    file_ = File(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  SignalReader(const SignalReader&) = delete;
  SignalReader& operator=(const SignalReader&) = delete;
  ~SignalReader() {
    // A Ctrl-C that ended the command is not to end this program, before it has said how it went.
    while (next() != 0) continue;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

  int fd() const { return file_.fd(); }
  /// Which signals were blocked before.
  const sigset_t& mask_before() const { return before_; }
  /// The next signal that arrived; 0 if there is none.
  int next() const {
    signalfd_siginfo info{};
    return ::read(file_.fd(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo)
                                                                 : 0;
  }

 private:
  sigset_t before_{};
  File file_;
};

}  // namespace tactus::record

#include "cli/interrupt.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "base/temporary_path.h"

namespace tactus::cli {
namespace {

/// The action of the signal is the default one again by now: it ends the process.
extern "C" void on_signal(int signal) {
  remove_temporary_paths();
  ::raise(signal);
}

}  // namespace

void remove_temporary_files_on_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGABRT, SIGXCPU, SIGALRM}) {
    // A shell makes its background jobs ignore Ctrl-C; `kill -INT` still stops them.
    const bool always = signal == SIGINT || signal == SIGTERM;
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) != 0) continue;
    if (always || before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
}

void reserve_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    // The lowest free number is this one. The wrong direction makes each use fail, as it should.
    ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace tactus::cli

#include "gate/serve.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "record/session/command.h"

namespace tactus::gate {
namespace {

/// Signals are read from a descriptor while this lives.
class Signals {
 public:
  Signals() {
    sigset_t wanted;
    sigemptyset(&wanted);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&wanted, signal);
    pthread_sigmask(SIG_BLOCK, &wanted, &before_);
    file_ = File(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  int fd() const { return file_.fd(); }
  int next() const {
    signalfd_siginfo info{};
    return ::read(file_.fd(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo)
                                                                 : 0;
  }

 private:
  sigset_t before_{};
  File file_;
};

std::vector<std::string> environment_of(const ServeRequest& request, const std::string& library) {
  std::string preload = library;
  if (const char* given = std::getenv("LD_PRELOAD"); given != nullptr && *given != '\0') {
    preload += std::string(":") + given;
  }
  std::vector<std::string> variables = {"LD_PRELOAD=" + preload,
                                        std::string(wire::kGateVariable) + "=1"};
  if (!request.tag.empty()) {
    variables.push_back(std::string(wire::kGateTagVariable) + "=" + request.tag);
  }
  return variables;
}

/// Until the command ends, or without one until a signal or a command says so.
void run_until_end(Broker* broker, std::optional<record::StartedCommand>& command,
                   const Signals& signals, ServeEnd& end) {
  bool is_serving = true;
  while (true) {
    if (command) {
      end.exit_code = command->poll();
      if (end.exit_code) return;
    } else if (!is_serving) {
      return;
    }
    std::vector<pollfd> wakes = {{.fd = signals.fd(), .events = POLLIN, .revents = 0}};
    if (broker != nullptr && is_serving) {
      for (const int fd : broker->descriptors()) {
        wakes.push_back({.fd = fd, .events = POLLIN, .revents = 0});
      }
    }
    ::poll(wakes.data(), wakes.size(), -1);
    while (const int signal = signals.next()) {
      if (signal == SIGCHLD) continue;
      // Ctrl-C reaches the command by itself.
      if (command && signal != SIGINT) command->forward(signal);
      if (!command) return;
    }
    if (broker != nullptr && is_serving) is_serving = broker->serve();
  }
}

}  // namespace

Result<ServeEnd> serve(const ServeRequest& request) {
  const std::string address = broker_address();
  const Signals signals;
  std::unique_ptr<Broker> broker;
  if (request.policy || request.command.empty() || !is_running(address)) {
    Result<std::unique_ptr<Broker>> opened = Broker::open(
        request.policy ? *request.policy : *find_policy("open"), address, request.keeps_changes);
    if (!opened) return opened.error();
    broker = std::move(*opened);
  }
  std::optional<record::StartedCommand> command;
  if (!request.command.empty()) {
    const Result<std::string> library = record::find_agent_library();
    if (!library) return library.error();
    Result<record::StartedCommand> started =
        record::StartedCommand::start(request.command, environment_of(request, *library));
    if (!started) return started.error();
    command.emplace(std::move(*started));
  }
  ServeEnd end;
  run_until_end(broker.get(), command, signals, end);
  if (broker) end.status = broker->status();
  if (broker) end.changes = broker->changes();
  return end;
}

}  // namespace tactus::gate

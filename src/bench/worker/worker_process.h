#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/rooms/remote_memory.h"
#include "bench/worker/channel.h"

namespace tactus {

/// Where a program that start_anew() started is asked; nothing in any other.
std::optional<Channel> worker_channel(int argc, char** argv);

/// Serves and ends the process; its exit code says how.
[[noreturn]] void serve_to_the_end(const std::function<void(const Channel&)>& serve,
                                   const Channel& channel) noexcept;

/// A separate process for code that may crash, hang, print or exit. It is a copy of this process at
/// the start (no other thread of ours may run then), and ends with it. Processes that it starts end
/// with it too.
class WorkerProcess {
 public:
  static Result<WorkerProcess> start(const std::function<void(const Channel&)>& serve);
  /// The same program, started anew: it has none of our memory, files, rights or variables. Its
  /// `main` must call worker_channel() first.
  static Result<WorkerProcess> start_anew();
  ~WorkerProcess();
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&&) = delete;

  /// Sends a request and waits for its answer. An error says how the worker ended: crashed, exited,
  /// or did not answer in time (then it is killed).
  Result<Frame> ask(const Frame& request, double seconds);

  pid_t pid() const { return pid_; }
  RemoteMemory memory() const {
    return memory_ >= 0 ? RemoteMemory::of_file(memory_) : RemoteMemory(pid_);
  }
  /// So that memory() works although the process forbids others to look into it. False if the
  /// system does not allow it.
  bool open_memory();
  /// A child of this process that the worker has not started.
  void leave_alone(pid_t child) { others_.push_back(child); }

  /// Stops all its threads, until the next request. False if it has ended or cannot be stopped.
  bool stop();
  /// False if something else than a request has let it continue since it was stopped.
  bool stayed_stopped() const;
  /// False if the descriptor of its line to us is something else by now. Only if started anew.
  bool has_its_line() const;
  /// Its processor time so far, as the system counts it; read while it is stopped.
  struct CpuTime {
    double first_thread_s = 0;  ///< the one that makes all calls
    double all_s = 0;
  };
  std::optional<CpuTime> cpu_time() const;
  /// True if it has processes of its own.
  bool has_children() const;

  /// Its output, from the beginning; only a part if it is long.
  std::string printed() const;

 private:
  WorkerProcess() = default;
  static Result<WorkerProcess> start(const std::function<void(int socket)>& become);
  std::string end(Channel::Line line, double seconds);
  void end_all();

  pid_t pid_ = -1;
  bool stopped_ = false;
  int process_ = -1;  ///< the same as a descriptor; -1 if the system has none
  int socket_ = -1;
  int memory_ = -1;            ///< its memory as a file
  int output_ = -1;            ///< a file in memory for the worker's output
  ino_t line_ = 0;             ///< its end of the socket
  std::vector<pid_t> others_;  ///< children of this process that are not the worker's
};

}  // namespace tactus

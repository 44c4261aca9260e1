#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace tactus {

using Frame = std::vector<std::byte>;

/// One end of the line between a process and its worker.
class Channel {
 public:
  explicit Channel(int socket) : socket_(socket) {}

  /// False if the other end is gone.
  bool send(const Frame& frame) const;
  /// Nothing if the other end is gone or silent for that long (negative: waits for ever).
  std::optional<Frame> receive(double seconds) const;

 private:
  int socket_;
};

/// A process of its own for code that may crash, hang, print or exit. It is a copy of this process
/// at the moment of starting (no thread of ours must be running then), and dies with it.
class WorkerProcess {
 public:
  static Result<WorkerProcess> start(const std::function<void(const Channel&)>& serve);
  ~WorkerProcess();
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&&) = delete;

  /// Sends a request and waits for its answer. An error says how the worker ended: crashed, exited,
  /// or did not answer in time (then it is killed).
  Result<Frame> ask(const Frame& request, double seconds);

  /// The last that it printed.
  std::string printed() const;

 private:
  WorkerProcess(pid_t pid, int socket, int output) : pid_(pid), socket_(socket), output_(output) {}
  std::string end(bool too_late, double seconds);

  pid_t pid_;
  int socket_;
  int output_;  ///< a file in memory that takes what the worker prints
};

}  // namespace tactus

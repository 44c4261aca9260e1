#pragma once

#include <signal.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace tactus::record {

/// A program that was started with the agent inside.
class StartedCommand {
 public:
  /// `environment` are variables to set, as NAME=VALUE; `blocked` the signals that it does not get,
  /// none if nothing is said. An error if it cannot be started.
  static Result<StartedCommand> start(const std::vector<std::string>& command,
                                      const std::vector<std::string>& environment,
                                      const sigset_t* blocked = nullptr);

  pid_t pid() const { return pid_; }
  /// The exit code, 128 + signal if a signal ended it; nothing while it runs.
  std::optional<int> poll();
  void forward(int signal) const;

 private:
  explicit StartedCommand(pid_t pid) : pid_(pid) {}

  pid_t pid_;
  std::optional<int> status_;
};

/// The error of a command that does not exist or cannot be run has these exit codes, as shells
/// have.
inline constexpr int kCannotRun = 126;
inline constexpr int kNotFound = 127;

/// libtactus-agent.so: beside the program, or in ../lib/tactus.
Result<std::string> find_agent_library();

}  // namespace tactus::record

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gate/broker.h"

namespace tactus::gate {

struct ServeRequest {
  std::optional<Policy> policy;      ///< nothing: join the broker that runs, or be one that is open
  std::vector<std::string> command;  ///< empty: serve until a signal or `tactus gate stop`
  std::string tag;                   ///< of the command's processes
  bool keeps_changes = false;
};

struct ServeEnd {
  std::optional<int> exit_code;      ///< of the command
  std::optional<GateStatus> status;  ///< at the end; nothing if another broker did the work
  std::vector<Change> changes;       ///< if they were to be kept
};

/// An error if nothing was started. A command that runs is not touched by errors of the gate.
Result<ServeEnd> serve(const ServeRequest& request);

}  // namespace tactus::gate

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/session/targets.h"

namespace tactus::record {

struct AttachWish {
  std::int64_t pid = 0;
  bool inject = false;          ///< load the agent where there is none
  bool can_do_without = false;  ///< something is recorded also without an agent ..
  bool has_host = false;        ///< .. and that is the host side
};

struct Attached {
  bool has_agent = true;
  std::vector<std::string> told;  ///< what the user should know at once
};

/// Finds the agents of a process and of those that it started. An error if there is none and
/// nothing else is recorded, or if it cannot be loaded. `should_stop`: asked while one is loaded.
Result<Attached> attach_to_all(const AttachWish& wish, Targets& targets,
                               const std::function<bool()>& should_stop);

}  // namespace tactus::record

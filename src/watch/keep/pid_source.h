#pragma once

#include <memory>
#include <string>

#include "watch/sources/step_source.h"

namespace tactus::watch {

/// Records a process that has the agent inside, in files of half a minute each, and reads their
/// steps while they are written. Of the files, the last two stay: the ring from which alerts are
/// kept.
class PidSource : public StepSource {
 public:
  /// Begins to record; an error if the process has no agent. Files go to `folder`. `stacks` is a
  /// sum of wire::StackWish: those of Python tell the steps of engines.
  static Result<std::unique_ptr<PidSource>> start(std::int64_t pid, const std::string& folder,
                                                  std::uint32_t stacks);

  /// The files of the ring, the latest first.
  virtual std::vector<std::string> recordings() const = 0;
};

}  // namespace tactus::watch

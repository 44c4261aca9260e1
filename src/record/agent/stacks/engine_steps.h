#pragma once

#include <cstddef>
#include <cstdint>

#include "record/agent/stacks/direct_readers.h"
#include "record/agent/stacks/python_stack.h"
#include "wire/record.h"

namespace tactus::agent {

/// Which engine's step a function of Python is (wire::Engine), by its file and its qualified name;
/// 0: none.
std::uint8_t step_function(const char* file, std::size_t file_length, const char* function,
                           std::size_t length);

/// What a thread knows about the step that it is in.
class StepFollower {
 public:
  /// A launch with the step function at place `depth` of the stack. True if a new step begins with
  /// it; then `step` has what the engine's objects say.
  bool follow(const Python& python, DirectReader& direct, OwnMemory& memory,
              const PythonStack& stack, std::uint32_t depth, wire::Engine engine,
              wire::EngineStepPart& step);
  /// A launch without.
  void leave() { is_open_ = false; }
  /// The thread waited for the device.
  void wait() { has_waited_ = true; }

 private:
  bool is_open_ = false;
  bool has_waited_ = false;
  Address frame_ = 0, argument_ = 0;
  std::uint64_t first_ = 0, last_ = 0;  ///< instructions of the step function
};

}  // namespace tactus::agent

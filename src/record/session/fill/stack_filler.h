#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "record/session/agent_memory.h"
#include "record/session/fill/symbols.h"
#include "run/builder.h"

namespace tactus::record {

/// Turns the stacks of one agent into those of the Run, each once.
class StackFiller {
 public:
  /// `symbols` is shared by all processes.
  StackFiller(std::shared_ptr<Symbols> symbols, std::int64_t pid);

  /// The stack with that number; nothing if it is unknown or damaged.
  std::optional<StackId> find(RunBuilder& builder, const AgentMemory& memory, std::uint32_t number);

 private:
  std::shared_ptr<Symbols> symbols_;
  std::string root_;  ///< where the process sees its files
  StringId frame_text(RunBuilder& builder, const AgentMemory& memory, std::uint32_t number);

  std::unordered_map<std::uint32_t, StackId> stacks_;   ///< by node
  std::unordered_map<std::uint32_t, StringId> frames_;  ///< by frame
};

}  // namespace tactus::record

#include "record/session/fill/stack_filler.h"

#include <fmt/format.h>

#include <vector>

namespace tactus::record {

StackFiller::StackFiller(std::shared_ptr<Symbols> symbols, std::int64_t pid)
    : symbols_(std::move(symbols)), root_(fmt::format("/proc/{}/root", pid)) {}

std::optional<StackId> StackFiller::find(RunBuilder& builder, const AgentMemory& memory,
                                         std::uint32_t number) {
  // Inwards from the first frame that is known already.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> missing;  // node, frame
  std::int64_t caller = -1;
  for (std::uint32_t at = number; at != wire::kNoStack;) {
    if (const auto known = stacks_.find(at); known != stacks_.end()) {
      caller = static_cast<std::int64_t>(known->second.value);
      break;
    }
    const std::optional<wire::StackNode> node = memory.stack_node(at);
    if (!node || missing.size() > wire::kDeepestStack * 2) return std::nullopt;
    missing.emplace_back(at, node->frame);
    at = node->caller;
  }
  for (auto at = missing.rbegin(); at != missing.rend(); ++at) {
    const StackId stack = builder.stack(caller, frame_text(builder, memory, at->second));
    stacks_.emplace(at->first, stack);
    caller = static_cast<std::int64_t>(stack.value);
  }
  if (caller < 0) return std::nullopt;
  return StackId(static_cast<std::uint64_t>(caller));
}

/// As torch.profiler writes frames of Python: "model.py(217): forward", but with the line that
/// runs.
StringId StackFiller::frame_text(RunBuilder& builder, const AgentMemory& memory,
                                 std::uint32_t number) {
  const auto [at, is_new] = frames_.try_emplace(number);
  if (!is_new) return at->second;
  const std::optional<wire::Frame> frame = memory.frame(number);
  std::string text = "unknown";
  if (frame && frame->kind == wire::FrameKind::kPython) {
    text = fmt::format("{}({}): {}", memory.name(frame->file), frame->line,
                       memory.name(frame->function));
  } else if (frame && frame->kind == wire::FrameKind::kNative) {
    text = symbols_->frame_text(root_, memory.name(frame->file), memory.name(frame->function),
                                frame->address);
  } else if (frame && frame->kind == wire::FrameKind::kDeeper) {
    text = "deeper frames left out";
  }
  at->second = builder.intern_repaired(text);
  return at->second;
}

}  // namespace tactus::record

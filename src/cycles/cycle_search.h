#pragma once

#include <optional>
#include <string>

#include "cycles/cycles.h"
#include "cycles/windows/cycle_windows.h"

namespace tactus {

/// Searches the cycles of one run, method by method. Data that several methods need is read once,
/// and only when needed.
class CycleSearch {
 public:
  CycleSearch(const Run& run, const CycleQuestion& question, RunPasses& found);

  /// Cycles that annotations, Python functions or framework ops mark. With `anchor`, only those of
  /// that name, even if there are few.
  std::optional<Cycles> by_anchor(AnchorMethod method, const std::string& anchor = "");

  /// Cycles found from the kernels: forward passes; without a whole one, the turns of the program's
  /// loop, if wanted.
  enum class Turns : std::uint8_t { kToo, kNot };
  std::optional<Cycles> by_kernels(Turns turns_too = Turns::kToo);

 private:
  const Anchor* choose(const std::vector<Anchor>& anchors, const std::string& asked);
  std::optional<Cycles> by_kind(AnchorMethod method, SliceKind kind, const std::string& asked);
  std::optional<Cycles> by_turns();
  Cycles finish(AnchorMethod method, std::string anchor, std::vector<CycleWindow> windows,
                bool is_turn = false);
  const LoopPasses& passes();

  const Run& run_;
  const CycleQuestion& question_;
  Loops loops_;
  LoopPasses no_passes_;
  RunPasses& found_;
  std::optional<LoopPasses> passes_;
};

}  // namespace tactus

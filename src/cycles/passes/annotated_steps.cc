#include "cycles/passes/annotated_steps.h"

#include "cycles/anchors/anchor_name.h"
#include "cycles/phases/annotated_ranges.h"

namespace tactus {

void AnnotatedSteps::look() {
  has_looked_ = true;
  std::uint32_t last = 0;
  const AnnotatedRanges<std::uint32_t> steps = annotated_ranges<std::uint32_t>(
      run_, [](SliceKind kind) { return kind == SliceKind::kAnnotation; },
      [&](std::uint32_t name, SliceKind kind) -> std::optional<std::uint32_t> {
        const auto anchor = anchor_name(kind, run_.strings[StringId(name)]);
        if (!anchor || anchor->trust < AnchorName::Trust::kWaits) return std::nullopt;
        return ++last;
      });
  if (steps.empty()) return;
  by_row_.resize(run_.slices.size(), 0);
  for_each_launch(run_, [&](std::uint32_t call, std::uint32_t work) {
    by_row_[work] = steps.on_host(run_, call).value_or(0);
  });
}

std::vector<std::uint32_t> AnnotatedSteps::of(const KernelStream& stream) {
  if (!has_looked_) look();
  std::vector<std::uint32_t> found;
  if (by_row_.empty()) return found;
  found.reserve(stream.size());
  for (std::size_t i = 0; i < stream.size(); ++i) found.push_back(by_row_[stream.rows[i]]);
  return found;
}

}  // namespace tactus

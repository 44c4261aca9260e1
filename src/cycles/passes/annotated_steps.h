#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cycles/repeats/kernel_stream.h"
#include "run/run.h"

namespace tactus {

/// Which of the steps that a program, an engine or a recorder annotated a kernel was launched in.
/// Looks at the run when it is first asked.
class AnnotatedSteps {
 public:
  explicit AnnotatedSteps(const Run& run) : run_(run) {}

  /// A number per kernel of the stream, the same for those of one step; 0: launched outside of any.
  /// Empty if no steps are annotated.
  std::vector<std::uint32_t> of(const KernelStream& stream);

 private:
  void look();

  const Run& run_;
  bool has_looked_ = false;
  std::vector<std::uint32_t> by_row_;  ///< of run.slices
};

}  // namespace tactus

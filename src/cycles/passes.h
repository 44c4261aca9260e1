#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "cycles/kernel_stream.h"
#include "cycles/repeats.h"
#include "names/kernel_name.h"

namespace tactus {

enum class Phase : std::uint8_t { kUnknown, kPrefill, kDecode, kMixed };
std::string_view phase_name(Phase phase);

/// One forward pass through the model as the kernel stream shows it: what comes before the layers,
/// the layers, what comes after them up to the next pass.
struct Pass {
  std::size_t first = 0;  ///< kernels [first, end) of the stream
  std::size_t end = 0;
  std::size_t layers_first = 0;
  std::size_t kernels_per_layer = 0;
  std::size_t layers = 0;
  Phase phase = Phase::kUnknown;
  bool complete = true;  ///< false at the edges of the recording, if it is cut off there
};

/// Names of a run decoded once each, by StringId value.
class DecodedNames {
 public:
  explicit DecodedNames(const Run& run) : run_(run), known_(run.strings.size()) {}
  const KernelName& of(std::uint32_t name);

 private:
  const Run& run_;
  std::vector<std::optional<KernelName>> known_;
};

std::vector<Pass> find_passes(const KernelStream& stream, DecodedNames& names);

}  // namespace tactus

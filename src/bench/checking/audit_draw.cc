#include "bench/checking/audit_draw.h"

#include <algorithm>
#include <cstring>

#include "operators/random.h"

namespace tactus {
namespace {

constexpr std::int64_t kStretch = 1024;  ///< one in this many numbers is replaced

bool is_mixed(const TensorSpec& tensor) {
  return tensor.draw != Draw::kNone && tensor.draw != Draw::kOperator;
}

void mix(const TensorSpec& tensor, std::byte* into, const std::byte* from, Random& random) {
  const std::int64_t elements = tensor.elements();
  const auto bytes = static_cast<std::size_t>(bytes_of(tensor.dtype));
  for (std::int64_t first = 0; first < elements; first += kStretch) {
    const std::int64_t chosen = first + random.below(std::min(kStretch, elements - first));
    const std::size_t offset = static_cast<std::size_t>(chosen) * bytes;
    std::memcpy(into + offset, from + offset, bytes);
  }
}

}  // namespace

void mix_draws(const Problem& problem, const TensorLayout& layout, std::byte* block,
               const std::byte* other, std::uint64_t seed) {
  if (std::none_of(problem.inputs.begin(), problem.inputs.end(), is_mixed)) {
    std::memcpy(block, other, layout.bytes);
    return;
  }
  Random random(seed);
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
    if (!is_mixed(problem.inputs[i])) continue;
    mix(problem.inputs[i], block + layout.inputs[i], other + layout.inputs[i], random);
  }
  for (std::size_t i = 0; i < problem.outputs.size(); ++i) {
    if (!is_mixed(problem.outputs[i])) continue;
    mix(problem.outputs[i], block + layout.outputs[i], other + layout.outputs[i], random);
  }
}

}  // namespace tactus

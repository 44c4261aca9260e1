#include "bench/rooms/tensor_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace tactus {
namespace {

constexpr std::size_t kAlignment = 256;
constexpr std::size_t kGuardBytes = 4096;
constexpr std::byte kGuard{0xa5};

std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

std::size_t place(const TensorSpec& tensor, std::size_t& end) {
  const std::size_t offset = end + kGuardBytes;
  // The guard begins directly after the last byte, so that one element too many shows.
  end = aligned(offset + static_cast<std::size_t>(tensor.bytes()) + kGuardBytes);
  return offset;
}

/// Calls visit(tensor, offset of its data).
template <class Visit>
void each_tensor(const Problem& problem, const TensorLayout& layout, Visit visit) {
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
    visit(problem.inputs[i], layout.inputs[i]);
  }
  for (std::size_t i = 0; i < problem.outputs.size(); ++i) {
    visit(problem.outputs[i], layout.outputs[i]);
  }
}

bool untouched(const std::byte* guard) {
  return std::all_of(guard, guard + kGuardBytes, [](std::byte b) { return b == kGuard; });
}

}  // namespace

TensorLayout layout_of(const Problem& problem) {
  TensorLayout layout;
  for (const TensorSpec& tensor : problem.inputs) {
    layout.inputs.push_back(place(tensor, layout.bytes));
  }
  for (const TensorSpec& tensor : problem.outputs) {
    layout.outputs.push_back(place(tensor, layout.bytes));
  }
  return layout;
}

HostTensors tensors_at(const Problem& problem, const TensorLayout& layout, std::byte* block) {
  HostTensors tensors;
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
    tensors.inputs.push_back({&problem.inputs[i], block + layout.inputs[i]});
  }
  for (std::size_t i = 0; i < problem.outputs.size(); ++i) {
    tensors.outputs.push_back({&problem.outputs[i], block + layout.outputs[i]});
  }
  return tensors;
}

void write_guards(const Problem& problem, const TensorLayout& layout, std::byte* block) {
  each_tensor(problem, layout, [&](const TensorSpec& tensor, std::size_t offset) {
    const std::size_t end = offset + static_cast<std::size_t>(tensor.bytes());
    std::memset(block + offset - kGuardBytes, std::to_integer<int>(kGuard), kGuardBytes);
    std::memset(block + end, std::to_integer<int>(kGuard), kGuardBytes);
  });
}

std::string broken_guard(const Problem& problem, const TensorLayout& layout,
                         const std::byte* block) {
  std::string broken;
  each_tensor(problem, layout, [&](const TensorSpec& tensor, std::size_t offset) {
    if (!broken.empty()) return;
    const std::size_t end = offset + static_cast<std::size_t>(tensor.bytes());
    if (!untouched(block + offset - kGuardBytes)) {
      broken = fmt::format("wrote in front of {}", tensor.name);
    } else if (!untouched(block + end)) {
      broken = fmt::format("wrote behind {}", tensor.name);
    }
  });
  return broken;
}

std::string changed_input(const Problem& problem, const TensorLayout& layout,
                          const std::byte* before, const std::byte* after) {
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
    const auto bytes = static_cast<std::size_t>(problem.inputs[i].bytes());
    if (std::memcmp(before + layout.inputs[i], after + layout.inputs[i], bytes) != 0) {
      return problem.inputs[i].name;
    }
  }
  return {};
}

}  // namespace tactus

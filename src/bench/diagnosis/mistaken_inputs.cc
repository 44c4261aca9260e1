#include "bench/diagnosis/mistaken_inputs.h"

#include <algorithm>
#include <cstring>

namespace tactus {
namespace {

constexpr std::int64_t kLargest = std::int64_t{256} << 20;  // bytes of a tensor that is copied

/// A tensor as outer x size x inner numbers around one of its dimensions.
struct Around {
  std::int64_t outer = 1;
  std::int64_t size = 1;
  std::int64_t inner_bytes = 1;

  Around(const TensorSpec& spec, std::size_t dimension)
      : size(spec.shape[dimension]), inner_bytes(static_cast<std::int64_t>(bytes_of(spec.dtype))) {
    for (std::size_t d = 0; d < spec.shape.size(); ++d) {
      if (d < dimension) outer *= spec.shape[d];
      if (d > dimension) inner_bytes *= spec.shape[d];
    }
  }
};

}  // namespace

MistakenInputs::MistakenInputs(const Problem& original, const HostTensors& before)
    : problem(original), tensors(before) {}

const HostTensor* MistakenInputs::changed(std::size_t input) {
  HostTensor& tensor = tensors.inputs[input];
  if (tensor.spec->bytes() > kLargest) return nullptr;
  const auto bytes = static_cast<std::size_t>(tensor.spec->bytes());
  copies_.push_back(std::make_unique<std::byte[]>(bytes));
  std::memcpy(copies_.back().get(), tensor.data, bytes);
  tensor.data = copies_.back().get();
  return &tensor;
}

void turn_rows(const HostTensor& tensor, std::size_t dimension, std::int64_t by) {
  const Around around(*tensor.spec, dimension);
  const std::int64_t block = around.size * around.inner_bytes;
  const std::int64_t shift = (by % around.size + around.size) % around.size * around.inner_bytes;
  for (std::int64_t o = 0; o < around.outer; ++o) {
    std::byte* first = tensor.data + o * block;
    std::rotate(first, first + shift, first + block);
  }
}

void swap_halves(const HostTensor& tensor, std::size_t dimension, std::int64_t group) {
  const Around around(*tensor.spec, dimension);
  const std::int64_t half = group / 2 * around.inner_bytes;
  const std::int64_t groups = around.outer * (around.size / group);
  for (std::int64_t g = 0; g < groups; ++g) {
    std::byte* first = tensor.data + g * group * around.inner_bytes;
    std::swap_ranges(first, first + half, first + half);
  }
}

void transpose_in_place(const HostTensor& tensor) {
  const std::int64_t rows = tensor.spec->shape[0];
  const std::int64_t columns = tensor.spec->shape[1];
  const auto width = static_cast<std::size_t>(bytes_of(tensor.spec->dtype));
  const std::vector<std::byte> copy(tensor.data, tensor.data + tensor.spec->bytes());
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      std::memcpy(tensor.data + static_cast<std::size_t>(i * columns + j) * width,
                  copy.data() + static_cast<std::size_t>(j * rows + i) * width, width);
    }
  }
}

}  // namespace tactus

#include "operators/definitions/rows.h"

#include <algorithm>

namespace tactus {
namespace {

constexpr std::int64_t kMostTouched = 1 << 21;  // elements: a tenth of a second

}  // namespace

std::int64_t tokens_of(const Problem& problem) {
  return problem.at("tokens");
}

std::string needs_floating(const ShapeParameters& shape) {
  switch (shape.dtype) {
    case NumberType::kBf16:
    case NumberType::kFp16:
    case NumberType::kFp32: return "";
    default: break;
  }
  return std::string("needs bf16, fp16 or fp32, not ") + std::string(number_type_name(shape.dtype));
}

SomeRows some_rows(std::int64_t rows, std::int64_t row_elements, std::int64_t period,
                   Random& random) {
  const std::int64_t step = std::max(period, rows * row_elements / kMostTouched);
  return {random.below(step), step};
}

void make_some_rows_quiet(std::initializer_list<const HostTensor*> tensors,
                          std::int64_t row_elements, double factor, Random& random) {
  scale_some_rows(tensors, row_elements, factor, 4, random);
}

void scale_some_rows(std::initializer_list<const HostTensor*> tensors, std::int64_t row_elements,
                     double factor, std::int64_t period, Random& random) {
  const std::int64_t rows = (*tensors.begin())->elements() / row_elements;
  const SomeRows some = some_rows(rows, row_elements, period, random);
  for (std::int64_t row = some.first; row < rows; row += some.step) {
    for (const HostTensor* tensor : tensors) {
      for (std::int64_t i = row * row_elements; i < (row + 1) * row_elements; ++i) {
        tensor->set(i, tensor->get(i) * factor);
      }
    }
  }
}

void make_some_rows_equal(const HostTensor& tensor, std::int64_t row_elements, Random& random) {
  const std::int64_t rows = tensor.elements() / row_elements;
  constexpr std::int64_t kPeriod = 16;
  if (rows < kPeriod) return;
  const SomeRows some = some_rows(rows, row_elements, kPeriod, random);
  for (std::int64_t row = some.first; row < rows; row += some.step) {
    const double value = tensor.get(row * row_elements);
    for (std::int64_t i = row * row_elements; i < (row + 1) * row_elements; ++i) {
      tensor.set(i, value);
    }
  }
}

void make_some_rows_zero(std::initializer_list<const HostTensor*> tensors,
                         std::int64_t row_elements, Random& random) {
  const std::int64_t rows = (*tensors.begin())->elements() / row_elements;
  constexpr std::int64_t kPeriod = 16;
  if (rows < kPeriod) return;  // zeros alone would show nothing
  const SomeRows some = some_rows(rows, row_elements, kPeriod, random);
  for (std::int64_t row = some.first; row < rows; row += some.step) {
    for (const HostTensor* tensor : tensors) {
      for (std::int64_t i = row * row_elements; i < (row + 1) * row_elements; ++i) {
        tensor->set(i, 0);
      }
    }
  }
}

}  // namespace tactus

#pragma once

#include <initializer_list>
#include <string>

#include "operators/definition.h"

namespace tactus {

// What operators that work on rows have in common.

std::int64_t tokens_of(const Problem& problem);

/// Tensors of numbers that are added and multiplied: bf16, fp16 or fp32.
std::string needs_floating(const ShapeParameters& shape);

/// Which rows of a tensor get a treatment of their own: one in `period`, less often in tensors so
/// large that touching them would take long. The first is drawn.
struct SomeRows {
  std::int64_t first = 0;
  std::int64_t step = 1;
};
SomeRows some_rows(std::int64_t rows, std::int64_t row_elements, std::int64_t period,
                   Random& random);

/// Multiplies some rows by a power of two, the same rows of all tensors: beside the squares of
/// small numbers an epsilon matters, beside those of large ones it does not.
void make_some_rows_quiet(std::initializer_list<const HostTensor*> tensors,
                          std::int64_t row_elements, double factor, Random& random);

/// Sets some rows to zero: one in 16, and none where there are fewer.
void make_some_rows_zero(std::initializer_list<const HostTensor*> tensors,
                         std::int64_t row_elements, Random& random);

}  // namespace tactus

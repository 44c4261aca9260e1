#pragma once

#include <initializer_list>
#include <string>

#include "operators/definition.h"

namespace tactus {

// Code that operators on rows share.

std::int64_t tokens_of(const Problem& problem);

/// Types with arithmetic: bf16, fp16 or fp32.
std::string needs_floating(const ShapeParameters& shape);

/// Which rows of a tensor get a special treatment: one in `period`, fewer in tensors so large that
/// it would take long. The first one is random.
struct SomeRows {
  std::int64_t first = 0;
  std::int64_t step = 1;
};
SomeRows some_rows(std::int64_t rows, std::int64_t row_elements, std::int64_t period,
                   Random& random);

/// Multiplies some rows by a power of two, the same rows of all tensors: next to the squares of
/// small numbers an epsilon matters, next to those of large ones it does not.
void make_some_rows_quiet(std::initializer_list<const HostTensor*> tensors,
                          std::int64_t row_elements, double factor, Random& random);

/// The same for one row in `period`.
void scale_some_rows(std::initializer_list<const HostTensor*> tensors, std::int64_t row_elements,
                     double factor, std::int64_t period, Random& random);

/// Sets all numbers of some rows to the first of the row: one row in 16, and none if there are
/// fewer. Their variance is 0, and all of them are tied.
void make_some_rows_equal(const HostTensor& tensor, std::int64_t row_elements, Random& random);

/// Sets some rows to zero: one in 16, and none if there are fewer.
void make_some_rows_zero(std::initializer_list<const HostTensor*> tensors,
                         std::int64_t row_elements, Random& random);

}  // namespace tactus

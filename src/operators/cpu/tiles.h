#pragma once

#include "operators/cpu/numbers.h"
#include "operators/cpu/tensors.h"
#include "operators/cpu/transpose.h"

// C += A B in fp32, all row-major: tiles of C stay in registers while one number of A at a time is
// multiplied with vectors of B. A kernel first brings its operands into this form: decoded,
// transposed if needed, columns of B and C padded to whole vectors.

namespace tactus::TACTUS_ISA {

// As many rows and 16-lane columns as the registers hold, minus those for B and A.
#if defined(__AVX512F__)
using Register = float __attribute__((vector_size(64)));
inline constexpr int kTileRows = 6;
inline constexpr int kTileVectors = 4;
#elif defined(__AVX__)
using Register = float __attribute__((vector_size(32)));
inline constexpr int kTileRows = 6;
inline constexpr int kTileVectors = 1;
#else
using Register = float __attribute__((vector_size(16)));
inline constexpr int kTileRows = 3;
inline constexpr int kTileVectors = 1;
#endif
inline constexpr std::int64_t kRegisterLanes = sizeof(Register) / sizeof(float);

struct ConstMatrix {
  const float* data;
  std::int64_t stride;
};
struct Matrix {
  float* data;
  std::int64_t stride;
};

template <int kRows, int kVectors>
inline void multiply_tile(const float* __restrict a, std::int64_t a_stride,
                          const float* __restrict b, std::int64_t b_stride, float* __restrict c,
                          std::int64_t c_stride, std::int64_t inner, bool add) {
  constexpr auto kRegisters = static_cast<int>(kVectors * kLanes / kRegisterLanes);
  Register sums[kRows][kRegisters];
  for (int row = 0; row < kRows; ++row) {
    for (int j = 0; j < kRegisters; ++j) {
      sums[row][j] = add ? load<Register>(c + row * c_stride + j * kRegisterLanes) : Register{};
    }
  }
  for (std::int64_t k = 0; k < inner; ++k) {
    Register columns[kRegisters];
    for (int j = 0; j < kRegisters; ++j) {
      columns[j] = load<Register>(b + k * b_stride + j * kRegisterLanes);
    }
    for (int row = 0; row < kRows; ++row) {
      const float factor = a[row * a_stride + k];
      for (int j = 0; j < kRegisters; ++j) sums[row][j] += factor * columns[j];
    }
  }
  for (int row = 0; row < kRows; ++row) {
    for (int j = 0; j < kRegisters; ++j) {
      store(c + row * c_stride + j * kRegisterLanes, sums[row][j]);
    }
  }
}

template <int kVectors, int kRows = kTileRows>
inline void multiply_rows(std::int64_t rows, ConstMatrix a, ConstMatrix b, Matrix c,
                          std::int64_t inner, bool add) {
  if (rows == kRows) {
    multiply_tile<kRows, kVectors>(a.data, a.stride, b.data, b.stride, c.data, c.stride, inner,
                                   add);
  } else if constexpr (kRows > 1) {
    multiply_rows<kVectors, kRows - 1>(rows, a, b, c, inner, add);
  }
}

template <int kVectors = kTileVectors>
inline void multiply_some_columns(std::int64_t vectors, std::int64_t rows, ConstMatrix a,
                                  ConstMatrix b, Matrix c, std::int64_t inner, bool add) {
  if (vectors == kVectors) {
    for (std::int64_t row = 0; row < rows; row += kTileRows) {
      multiply_rows<kVectors>(least<std::int64_t>(kTileRows, rows - row),
                              {a.data + row * a.stride, a.stride}, b,
                              {c.data + row * c.stride, c.stride}, inner, add);
    }
  } else if constexpr (kVectors > 1) {
    multiply_some_columns<kVectors - 1>(vectors, rows, a, b, c, inner, add);
  }
}

/// C = A B, or C += A B. `columns` is rounded up to whole vectors, which B and C must have.
inline void multiply(std::int64_t rows, std::int64_t columns, std::int64_t inner, ConstMatrix a,
                     ConstMatrix b, Matrix c, bool add) {
  const std::int64_t vectors = ceil_div(columns, kLanes);
  for (std::int64_t v = 0; v < vectors; v += kTileVectors) {
    multiply_some_columns(least<std::int64_t>(kTileVectors, vectors - v), rows, a,
                          {b.data + v * kLanes, b.stride}, {c.data + v * kLanes, c.stride}, inner,
                          add);
  }
}

/// Rows as floats: load(row, i, left) returns the numbers of a row from i on, zeros after its end.
template <class Load>
TACTUS_INLINE void decode_rows(const Load& load, std::int64_t rows, std::int64_t count, Matrix to) {
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t i = 0; i < count; i += kLanes) {
      store(to.data + row * to.stride + i, load(row, i, count - i));
    }
  }
}

/// The same with rows as columns: to[i][row], with zeros up to a whole vector.
template <class Load>
TACTUS_INLINE void decode_columns(const Load& load, std::int64_t rows, std::int64_t count,
                                  Matrix to) {
  for (std::int64_t first = 0; first < rows; first += kLanes) {
    for (std::int64_t i = 0; i < count; i += kLanes) {
      Floats block[kLanes];
      for (std::int64_t row = 0; row < kLanes; ++row) {
        block[row] = first + row < rows ? load(first + row, i, count - i) : Floats{};
      }
      transpose(block);
      const std::int64_t lines = least(kLanes, count - i);
      for (std::int64_t line = 0; line < lines; ++line) {
        store(to.data + (i + line) * to.stride + first, block[line]);
      }
    }
  }
}

}  // namespace tactus::TACTUS_ISA

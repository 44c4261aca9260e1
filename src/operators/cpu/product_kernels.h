#pragma once

#include "operators/cpu/norm_kernels.h"
#include "operators/cpu/tiles.h"

namespace tactus::TACTUS_ISA {

// Products with weights that are stored as rows of `inner` numbers, one per column of the result.

/// Rows of 16-bit numbers.
template <class Number>
struct HalfRows {
  const typename Number::Stored* data;
  std::int64_t width;

  TACTUS_INLINE Floats operator()(std::int64_t row, std::int64_t i, std::int64_t left) const {
    return take<Number>(data + row * width + i, left);
  }
};

/// Rows of fp8 numbers with one scale per block of `block_rows` rows and `block` numbers.
template <class Number>
struct ScaledRows {
  const std::uint8_t* data;
  std::int64_t width;
  const float* scales;
  std::int64_t block_rows;
  std::int64_t block;

  TACTUS_INLINE Floats operator()(std::int64_t row, std::int64_t i, std::int64_t left) const {
    const Floats value = take<Number>(data + row * width + i, left);
    const float* own = scales + row / block_rows * ceil_div(width, block);
    if (block % kLanes == 0) return value * own[i / block];
    Floats scale = {};
    for (std::int64_t lane = 0; lane < least(kLanes, left); ++lane) {
      scale[lane] = own[(i + lane) / block];
    }
    return value * scale;
  }
};

/// Rows of other rows, in the order of a list.
template <class Rows>
struct ListedRows {
  const Rows& of;
  const std::int32_t* list;
  std::int64_t divisor;  ///< slots to tokens

  TACTUS_INLINE Floats operator()(std::int64_t row, std::int64_t i, std::int64_t left) const {
    return of(list[row] / divisor, i, left);
  }
};

/// Other rows, starting at `first`.
template <class Rows>
struct LaterRows {
  const Rows& of;
  std::int64_t first;

  TACTUS_INLINE Floats operator()(std::int64_t row, std::int64_t i, std::int64_t left) const {
    return of(first + row, i, left);
  }
};

inline constexpr std::int64_t kRowsAtOnce = 480;     // of the result
inline constexpr std::int64_t kColumnsAtOnce = 256;  // of the result
inline constexpr std::int64_t kInnerAtOnce = 256;
inline constexpr std::int64_t kFewRows = 6;  // of the result: then weights are used directly

/// The buffers of a worker for one block of a product: decoded and transposed weights, some rows,
/// the block itself.
struct ProductScratch {
  float* weights;  ///< [kColumnsAtOnce / 64] panels of [kInnerAtOnce][64]
  float* rows;     ///< [kTileRows][kInnerAtOnce], or [kFewRows] whole ones
  float* block;    ///< [kRowsAtOnce][kColumnsAtOnce]

  static ProductScratch carve(Carver& carver, std::int64_t inner) {
    ProductScratch scratch = {};
    scratch.weights = carver.take<float>(kColumnsAtOnce * kInnerAtOnce);
    scratch.rows =
        carver.take<float>(most(kTileRows * kInnerAtOnce, kFewRows * round_up(inner, kLanes)));
    scratch.block = carver.take<float>(kRowsAtOnce * kColumnsAtOnce);
    return scratch;
  }
};

/// block = rows times weights^T for few rows: each weight is decoded once and used by all rows.
template <int kRows, class Weights>
inline void multiply_few(const float* rows, std::int64_t stride, const Weights& weights,
                         std::int64_t columns, std::int64_t inner, float* block) {
  for (std::int64_t column = 0; column < columns; ++column) {
    Floats sums[kRows][2] = {};
    std::int64_t i = 0;
    for (; i + 2 * kLanes <= inner; i += 2 * kLanes) {
      const Floats first = weights(column, i, inner - i);
      const Floats second = weights(column, i + kLanes, inner - i - kLanes);
      for (int row = 0; row < kRows; ++row) {
        sums[row][0] += first * load<Floats>(rows + row * stride + i);
        sums[row][1] += second * load<Floats>(rows + row * stride + i + kLanes);
      }
    }
    for (; i < inner; i += kLanes) {
      const Floats last = weights(column, i, inner - i);
      for (int row = 0; row < kRows; ++row) {
        sums[row][0] += last * load<Floats>(rows + row * stride + i);
      }
    }
    for (int row = 0; row < kRows; ++row) {
      block[row * kColumnsAtOnce + column] = sum(sums[row][0] + sums[row][1]);
    }
  }
}

template <int kRows, class Weights>
inline void multiply_few_rows(std::int64_t count, const float* rows, std::int64_t stride,
                              const Weights& weights, std::int64_t columns, std::int64_t inner,
                              float* block) {
  if (count == kRows) {
    multiply_few<kRows>(rows, stride, weights, columns, inner, block);
  } else if constexpr (kRows > 1) {
    multiply_few_rows<kRows - 1>(count, rows, stride, weights, columns, inner, block);
  }
}

/// block = rows times weights^T; at most kRowsAtOnce and kColumnsAtOnce.
template <class Rows, class Weights>
inline void multiply_block(const Rows& rows, std::int64_t row_count, const Weights& weights,
                           std::int64_t columns, std::int64_t inner,
                           const ProductScratch& scratch) {
  if (row_count <= kFewRows) {
    const std::int64_t stride = round_up(inner, kLanes);
    decode_rows(rows, row_count, inner, {scratch.rows, stride});
    multiply_few_rows<kFewRows>(row_count, scratch.rows, stride, weights, columns, inner,
                                scratch.block);
    return;
  }
  constexpr std::int64_t kPanel = 64;
  for (std::int64_t k = 0; k < inner; k += kInnerAtOnce) {
    const std::int64_t depth = least(kInnerAtOnce, inner - k);
    for (std::int64_t column = 0; column < columns; column += kPanel) {
      decode_columns([&](std::int64_t row, std::int64_t i,
                         std::int64_t) { return weights(column + row, k + i, inner - k - i); },
                     least(kPanel, columns - column), depth,
                     {scratch.weights + column * kInnerAtOnce, kPanel});
    }
    for (std::int64_t row = 0; row < row_count; row += kTileRows) {
      const auto count = least<std::int64_t>(kTileRows, row_count - row);
      decode_rows([&](std::int64_t r, std::int64_t i,
                      std::int64_t) { return rows(row + r, k + i, inner - k - i); },
                  count, depth, {scratch.rows, kInnerAtOnce});
      for (std::int64_t column = 0; column < columns; column += kPanel) {
        multiply(count, least(kPanel, columns - column), depth, {scratch.rows, kInnerAtOnce},
                 {scratch.weights + column * kInnerAtOnce, kPanel},
                 {scratch.block + row * kColumnsAtOnce + column, kColumnsAtOnce}, k > 0);
      }
    }
  }
}

/// The width of blocks, so that every thread gets some.
inline std::int64_t block_columns(const tactus_call* call, std::int64_t row_blocks,
                                  std::int64_t columns) {
  std::int64_t width = kColumnsAtOnce;
  while (width > 64 && row_blocks * ceil_div(columns, width) < std::int64_t{4} * call->threads)
    width /= 2;
  return width;
}

/// Rows times weights^T, block by block: done(row, first column, columns, numbers) for each row.
template <class Rows, class Weights, class Done>
inline void multiply_all(const tactus_call* call, const Rows& rows, std::int64_t row_count,
                         const Weights& weights, std::int64_t columns, std::int64_t inner,
                         const Done& done) {
  const std::int64_t row_blocks = ceil_div(row_count, kRowsAtOnce);
  // Blocks of about equal height.
  const std::int64_t height =
      least(round_up(ceil_div(row_count, row_blocks), kTileRows), kRowsAtOnce);
  const std::int64_t width = block_columns(call, row_blocks, columns);
  const std::int64_t column_blocks = ceil_div(columns, width);
  parallel_workers(call, row_blocks * column_blocks, [&](std::int64_t worker, std::int64_t task) {
    Carver carver(call->workspace);
    ProductScratch scratch = {};
    for (std::int64_t i = 0; i <= worker; ++i) scratch = ProductScratch::carve(carver, inner);
    const std::int64_t row = task / column_blocks * height;
    const std::int64_t column = task % column_blocks * width;
    const std::int64_t count = least(height, row_count - row);
    const std::int64_t block = least(width, columns - column);
    if (count <= 0) return;
    multiply_block(LaterRows<Rows>{rows, row}, count, LaterRows<Weights>{weights, column}, block,
                   inner, scratch);
    for (std::int64_t r = 0; r < count; ++r) {
      done(row + r, column, block, scratch.block + r * kColumnsAtOnce);
    }
  });
}

inline std::size_t product_workspace(const tactus_call* call, std::int64_t inner) {
  Carver carver(nullptr);
  ProductScratch::carve(carver, inner);
  return carver.used() * static_cast<std::size_t>(call->threads);
}

inline std::size_t block_scaled_mm_workspace(const tactus_call* call) {
  return product_workspace(call, extent(call, "a", 1));
}

inline int block_scaled_mm(const tactus_call* call) {
  auto* out = output<float>(call, "out");
  const std::int64_t m = extent(call, "a", 0);
  const std::int64_t k = extent(call, "a", 1);
  const std::int64_t n = extent(call, "b", 0);
  const std::int64_t group_k = whole(call, "group_k");
  const ScaledRows<E4m3> a{input<std::uint8_t>(call, "a"), k, input<float>(call, "a_scales"), 1,
                           group_k};
  const ScaledRows<E4m3> b{input<std::uint8_t>(call, "b"), k, input<float>(call, "b_scales"),
                           whole(call, "group_n"), group_k};
  multiply_all(call, a, m, b, n, k,
               [&](std::int64_t row, std::int64_t column, std::int64_t count, const float* block) {
                 std::memcpy(out + row * n + column, block,
                             static_cast<std::size_t>(count) * sizeof(float));
               });
  return 0;
}

inline std::size_t linear_sigmoid_mul_workspace(const tactus_call* call) {
  return product_workspace(call, extent(call, "hidden", 1));
}

inline int linear_sigmoid_mul(const tactus_call* call) {
  return with_half(dtype_of(call, "hidden"), [&](auto number) {
    using Number = decltype(number);
    using Stored = typename Number::Stored;
    const std::int64_t tokens = extent(call, "hidden", 0);
    const std::int64_t hidden = extent(call, "hidden", 1);
    const std::int64_t columns = extent(call, "weight", 0);
    const auto* bias = input<Stored>(call, "bias");
    const auto* post = input<Stored>(call, "post");
    auto* out = output<Stored>(call, "out");
    const HalfRows<Number> x{input<Stored>(call, "hidden"), hidden};
    const HalfRows<Number> weight{input<Stored>(call, "weight"), hidden};
    multiply_all(
        call, x, tokens, weight, columns, hidden,
        [&](std::int64_t row, std::int64_t column, std::int64_t count, const float* block) {
          for (std::int64_t i = 0; i < count; i += kLanes) {
            const std::int64_t left = count - i;
            const std::int64_t at = row * columns + column + i;
            const Floats gate =
                Number::rounded(load<Floats>(block + i) + take<Number>(bias + column + i, left));
            put<Number>(out + at, sigmoid(gate) * take<Number>(post + at, left), left);
          }
        });
    return 0;
  });
}

}  // namespace tactus::TACTUS_ISA

#pragma once

#include "operators/cpu/product_kernels.h"

namespace tactus::TACTUS_ISA {

// Mixtures of experts. Slots (token * top_k + k) are sorted by expert and processed in waves, so
// the numbers between the two products of an expert need limited memory. The second product works
// on blocks of columns, with all experts in turn: no two threads add to the same number.

inline constexpr std::int64_t kSlotsInWave = 8192;

struct MoeSizes {
  std::int64_t tokens, hidden, inner, experts, top_k;
  std::int64_t slots() const { return tokens * top_k; }
  std::int64_t wave() const { return least(slots(), kSlotsInWave); }
};

inline MoeSizes moe_sizes(const tactus_call* call) {
  const tactus_tensor* w2 = tactus_input(call, "w2");
  const tactus_tensor* ids = tactus_input(call, "topk_ids");
  return {ids->shape[0], w2->shape[1], w2->shape[2], w2->shape[0], ids->shape[1]};
}

struct MoeScratch {
  std::int32_t* sorted;  ///< slots by expert
  std::int32_t* starts;  ///< [experts + 1] in `sorted`
  float* weights;        ///< of slots; if a token names an expert twice, both weights are added
  float* between;        ///< [wave][inner]
  float* sums;           ///< [tokens][hidden], if the output is not fp32
  void* products;        ///< ProductScratch of each worker

  static MoeScratch carve(Carver& carver, const MoeSizes& sizes, bool with_sums) {
    MoeScratch scratch = {};
    scratch.sorted = carver.take<std::int32_t>(sizes.slots());
    scratch.starts = carver.take<std::int32_t>(sizes.experts + 1);
    scratch.weights = carver.take<float>(sizes.slots());
    scratch.between = carver.take<float>(sizes.wave() * sizes.inner);
    scratch.sums = with_sums ? carver.take<float>(sizes.tokens * sizes.hidden) : nullptr;
    scratch.products = carver.take<unsigned char>(0);
    return scratch;
  }
};

inline ProductScratch product_scratch(void* memory, std::int64_t worker, const MoeSizes& sizes) {
  Carver carver(memory);
  ProductScratch scratch = {};
  for (std::int64_t i = 0; i <= worker; ++i) {
    scratch = ProductScratch::carve(carver, most(sizes.hidden, sizes.inner));
  }
  return scratch;
}

inline std::size_t moe_workspace(const tactus_call* call, bool with_sums) {
  const MoeSizes sizes = moe_sizes(call);
  Carver carver(nullptr);
  MoeScratch::carve(carver, sizes, with_sums);
  return carver.used() + product_workspace(call, most(sizes.hidden, sizes.inner));
}

inline void sort_slots(const MoeSizes& sizes, const std::int32_t* ids, const float* weights,
                       const MoeScratch& scratch) {
  std::memset(scratch.starts, 0,
              static_cast<std::size_t>(sizes.experts + 1) * sizeof(std::int32_t));
  // Slots that name an expert again get weight 0 and are left out.
  const auto earlier = [&](std::int64_t slot) {
    for (std::int64_t i = slot / sizes.top_k * sizes.top_k; i < slot; ++i) {
      if (ids[i] == ids[slot]) return i;
    }
    return slot;
  };
  for (std::int64_t slot = 0; slot < sizes.slots(); ++slot) {
    const std::int64_t first = earlier(slot);
    if (first == slot) {
      scratch.weights[slot] = weights[slot];
      ++scratch.starts[ids[slot] + 1];
    } else {
      scratch.weights[first] += weights[slot];
    }
  }
  for (std::int64_t e = 0; e < sizes.experts; ++e) scratch.starts[e + 1] += scratch.starts[e];
  for (std::int64_t slot = 0; slot < sizes.slots(); ++slot) {
    if (earlier(slot) != slot) continue;
    scratch.sorted[scratch.starts[ids[slot]]++] = static_cast<std::int32_t>(slot);
  }
  // Each start is now that of the next one.
  for (std::int64_t e = sizes.experts; e > 0; --e) scratch.starts[e] = scratch.starts[e - 1];
  scratch.starts[0] = 0;
}

/// The slots of an expert in a wave.
struct Segment {
  std::int64_t first, count;
};

inline Segment segment_of(const MoeScratch& scratch, std::int64_t expert, std::int64_t begin,
                          std::int64_t end) {
  const auto first = most<std::int64_t>(scratch.starts[expert], begin);
  return {first, least<std::int64_t>(scratch.starts[expert + 1], end) - first};
}

/// body(first row, rows) on parts of a segment of about the same size.
template <class Body>
inline void each_part(std::int64_t count, const Body& body) {
  const std::int64_t parts = ceil_div(count, kRowsAtOnce);
  const std::int64_t height = ceil_div(count, parts);
  for (std::int64_t row = 0; row < count; row += height) body(row, least(height, count - row));
}

/// between = silu(x gate^T) * (x up^T) for the slots of a wave.
template <class Rows, class W1>
inline void first_products(const tactus_call* call, const MoeSizes& sizes, const Rows& x,
                           const W1& w1, const MoeScratch& scratch, std::int64_t begin,
                           std::int64_t end) {
  constexpr std::int64_t kHalf = kColumnsAtOnce / 2;  // gate and up are next to each other
  const std::int64_t blocks = ceil_div(sizes.inner, kHalf);
  parallel_workers(call, sizes.experts * blocks, [&](std::int64_t worker, std::int64_t task) {
    const std::int64_t expert = task / blocks;
    const Segment segment = segment_of(scratch, expert, begin, end);
    if (segment.count <= 0) return;
    const std::int64_t column = task % blocks * kHalf;
    const std::int64_t columns = least(kHalf, sizes.inner - column);
    const std::int64_t padded = round_up(columns, kLanes);
    const auto weights = [&](std::int64_t row, std::int64_t i, std::int64_t left) {
      const std::int64_t half = row / padded;
      const std::int64_t at = row - half * padded;
      if (at >= columns) return Floats{};
      return w1(expert, half * sizes.inner + column + at, i, left);
    };
    const ProductScratch product = product_scratch(scratch.products, worker, sizes);
    each_part(segment.count, [&](std::int64_t first, std::int64_t rows) {
      const ListedRows<Rows> own{x, scratch.sorted + segment.first + first, sizes.top_k};
      multiply_block(own, rows, weights, 2 * padded, sizes.hidden, product);
      for (std::int64_t row = 0; row < rows; ++row) {
        const float* gate = product.block + row * kColumnsAtOnce;
        float* to = scratch.between + (segment.first + first + row - begin) * sizes.inner + column;
        for (std::int64_t i = 0; i < columns; i += kLanes) {
          put<Fp32>(to + i, silu(load<Floats>(gate + i)) * load<Floats>(gate + padded + i),
                    columns - i);
        }
      }
    });
  });
}

/// sums += weight * (between w2^T) for the slots of a wave.
template <class W2>
inline void second_products(const tactus_call* call, const MoeSizes& sizes, const W2& w2,
                            const MoeScratch& scratch, std::int64_t begin, std::int64_t end,
                            float* sums) {
  const std::int64_t width = block_columns(call, 1, sizes.hidden);
  parallel_workers(
      call, ceil_div(sizes.hidden, width), [&](std::int64_t worker, std::int64_t task) {
        const std::int64_t column = task * width;
        const std::int64_t columns = least(width, sizes.hidden - column);
        const ProductScratch product = product_scratch(scratch.products, worker, sizes);
        for (std::int64_t expert = 0; expert < sizes.experts; ++expert) {
          const Segment segment = segment_of(scratch, expert, begin, end);
          if (segment.count <= 0) continue;
          const auto weights = [&](std::int64_t row, std::int64_t i, std::int64_t left) {
            return w2(expert, column + row, i, left);
          };
          each_part(segment.count, [&](std::int64_t first, std::int64_t rows) {
            const float* between = scratch.between + (segment.first + first - begin) * sizes.inner;
            const auto own = [&](std::int64_t row, std::int64_t i, std::int64_t left) {
              return take<Fp32>(between + row * sizes.inner + i, left);
            };
            multiply_block(own, rows, weights, columns, sizes.inner, product);
            for (std::int64_t row = 0; row < rows; ++row) {
              const std::int64_t slot = scratch.sorted[segment.first + first + row];
              float* to = sums + slot / sizes.top_k * sizes.hidden + column;
              const float* from = product.block + row * kColumnsAtOnce;
              for (std::int64_t i = 0; i < columns; i += kLanes) {
                put<Fp32>(to + i,
                          take<Fp32>(to + i, columns - i) +
                              scratch.weights[slot] * load<Floats>(from + i),
                          columns - i);
              }
            }
          });
        }
      });
}

template <class Rows, class W1, class W2>
inline void mix_experts(const tactus_call* call, const Rows& x, const W1& w1, const W2& w2,
                        const MoeScratch& scratch, float* sums) {
  const MoeSizes sizes = moe_sizes(call);
  parallel_stretches(call, sizes.tokens, rows_at_once(sizes.hidden * 4),
                     [&](std::int64_t begin, std::int64_t end) {
                       std::memset(
                           sums + begin * sizes.hidden, 0,
                           static_cast<std::size_t>((end - begin) * sizes.hidden) * sizeof(float));
                     });
  sort_slots(sizes, input<std::int32_t>(call, "topk_ids"), input<float>(call, "topk_weights"),
             scratch);
  const std::int64_t slots = scratch.starts[sizes.experts];
  for (std::int64_t begin = 0; begin < slots; begin += kSlotsInWave) {
    const std::int64_t end = least(begin + kSlotsInWave, slots);
    first_products(call, sizes, x, w1, scratch, begin, end);
    second_products(call, sizes, w2, scratch, begin, end, sums);
  }
}

inline std::size_t fused_moe_workspace(const tactus_call* call) {
  return moe_workspace(call, false);
}

inline int fused_moe(const tactus_call* call) {
  const MoeSizes sizes = moe_sizes(call);
  Carver carver(call->workspace);
  const MoeScratch scratch = MoeScratch::carve(carver, sizes, false);
  const HalfRows<Bf16> x{input<std::uint16_t>(call, "hidden"), sizes.hidden};
  const HalfRows<Bf16> w1{input<std::uint16_t>(call, "w1"), sizes.hidden};
  const HalfRows<Bf16> w2{input<std::uint16_t>(call, "w2"), sizes.inner};
  mix_experts(
      call, x,
      [&](std::int64_t expert, std::int64_t row, std::int64_t i, std::int64_t left) {
        return w1(expert * 2 * sizes.inner + row, i, left);
      },
      [&](std::int64_t expert, std::int64_t row, std::int64_t i, std::int64_t left) {
        return w2(expert * sizes.hidden + row, i, left);
      },
      scratch, output<float>(call, "out"));
  return 0;
}

inline std::size_t fp8_moe_workspace(const tactus_call* call) {
  return moe_workspace(call, true);
}

inline int fp8_blockscale_fused_moe(const tactus_call* call) {
  const MoeSizes sizes = moe_sizes(call);
  const std::int64_t block = whole(call, "block");
  Carver carver(call->workspace);
  const MoeScratch scratch = MoeScratch::carve(carver, sizes, true);
  const ScaledRows<E4m3Fnuz> x{input<std::uint8_t>(call, "hidden_states"), sizes.hidden,
                               input<float>(call, "a_scale"), 1, block};
  const auto expert_rows = [&](const char* name, const char* scale_name, std::int64_t rows,
                               std::int64_t width) {
    const std::int64_t scales = ceil_div(rows, block) * ceil_div(width, block);
    const auto* numbers = input<std::uint8_t>(call, name);
    const auto* all_scales = input<float>(call, scale_name);
    return [=](std::int64_t expert, std::int64_t row, std::int64_t i, std::int64_t left) {
      const ScaledRows<E4m3Fnuz> own{numbers + expert * rows * width, width,
                                     all_scales + expert * scales, block, block};
      return own(row, i, left);
    };
  };
  mix_experts(call, x, expert_rows("w1", "fc1_scale", 2 * sizes.inner, sizes.hidden),
              expert_rows("w2", "fc2_scale", sizes.hidden, sizes.inner), scratch, scratch.sums);
  auto* out = output<std::uint8_t>(call, "out");
  parallel_stretches(call, sizes.tokens, rows_at_once(sizes.hidden * 4),
                     [&](std::int64_t begin, std::int64_t end) {
                       for (std::int64_t i = begin * sizes.hidden; i < end * sizes.hidden;
                            i += kLanes) {
                         const std::int64_t left = end * sizes.hidden - i;
                         put<E4m3Fnuz>(out + i, take<Fp32>(scratch.sums + i, left), left);
                       }
                     });
  return 0;
}

}  // namespace tactus::TACTUS_ISA

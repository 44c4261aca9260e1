#include "operators/cuda/entries.h"
#include "operators/cuda/rows.cuh"

namespace tactus::cuda {
namespace {

using Bf16 = __nv_bfloat16;

/// x times a scale of its row and the weight of its column.
__device__ Wide<Bf16> weighted(const Wide<Bf16>& x, float scale, const Wide<Bf16>& weight) {
  return each_rounded<Bf16>(
      [&](int i) { return as_float(x.at[i]) * scale * as_float(weight.at[i]); });
}

struct RmsNorm {
  static constexpr bool kTogether = true;
  static constexpr int kOfWarp = 1;
  static constexpr int kBlocks = 4;
  const Bf16* x;
  const Bf16* weight;
  Bf16* out;
  float eps;
  float inverse_width;

  template <int Held, bool Together, class Team>
  __device__ void row(const Team& team, std::int64_t row, bool there, int vectors) const {
    const std::int64_t first = row * vectors * kWide;
    const auto held = HeldRow<Bf16, Held>::take(x + first, team, there, vectors);
    const auto weights = RowWeights<Bf16, Held, Together>::ask(weight, team, there, vectors);
    const float scale = rsqrtf(team.reduce(squares(held), Add()) * inverse_width + eps);
    each_vector<Held>(team, there, vectors, [&](int j, int column) {
      store(out + first + column, weighted(held.at[j], scale, weights.of(j, column)));
    });
  }
};

struct L2Norm {
  static constexpr bool kTogether = false;
  static constexpr int kOfWarp = 1;
  static constexpr int kBlocks = 4;
  const Bf16* x;
  Bf16* out;
  float eps;

  template <int Held, bool Together, class Team>
  __device__ void row(const Team& team, std::int64_t row, bool there, int vectors) const {
    const std::int64_t first = row * vectors * kWide;
    const auto held = HeldRow<Bf16, Held>::take(x + first, team, there, vectors);
    const float scale = rsqrtf(team.reduce(squares(held), Add()) + eps);
    each_vector<Held>(team, there, vectors, [&](int j, int column) {
      store(out + first + column,
            each_rounded<Bf16>([&](int i) { return as_float(held.at[j].at[i]) * scale; }));
    });
  }
};

struct FusedAddRmsNorm {
  static constexpr bool kTogether = false;
  static constexpr int kOfWarp = 1;
  static constexpr int kBlocks = 3;
  const Bf16* x;
  const Bf16* residual;
  const Bf16* weight;
  Bf16* sum_out;
  Bf16* out;
  float eps;
  float inverse_width;

  template <int Held, bool Together, class Team>
  __device__ void row(const Team& team, std::int64_t row, bool there, int vectors) const {
    const std::int64_t first = row * vectors * kWide;
    auto held = HeldRow<Bf16, Held>::take(x + first, team, there, vectors);
    const auto other = HeldRow<Bf16, Held>::take(residual + first, team, there, vectors);
    const auto weights = RowWeights<Bf16, Held, Together>::ask(weight, team, there, vectors);
#pragma unroll
    for (int j = 0; j < Held; ++j) {
      held.at[j] = sum_of(held.at[j], other.at[j]);
    }
    each_vector<Held>(team, there, vectors,
                      [&](int j, int column) { store(sum_out + first + column, held.at[j]); });
    const float scale = rsqrtf(team.reduce(squares(held), Add()) * inverse_width + eps);
    each_vector<Held>(team, there, vectors, [&](int j, int column) {
      store(out + first + column, weighted(held.at[j], scale, weights.of(j, column)));
    });
  }
};

struct GatedRmsNorm {
  static constexpr bool kTogether = true;
  static constexpr int kOfWarp = 1;
  static constexpr int kBlocks = 2;
  const Bf16* x;
  const Bf16* z;
  const Bf16* weight;
  Bf16* out;
  float eps;
  float inverse_width;

  template <int Held, bool Together, class Team>
  __device__ void row(const Team& team, std::int64_t row, bool there, int vectors) const {
    const std::int64_t first = row * vectors * kWide;
    const auto held = HeldRow<Bf16, Held>::take(x + first, team, there, vectors);
    const auto gate = HeldRow<Bf16, Held>::take(z + first, team, there, vectors);
    const auto weights = RowWeights<Bf16, Held, Together>::ask(weight, team, there, vectors);
    const float scale = rsqrtf(team.reduce(squares(held), Add()) * inverse_width + eps);
    each_vector<Held>(team, there, vectors, [&](int j, int column) {
      const Wide<Bf16> w = weights.of(j, column);
      store(out + first + column, each_rounded<Bf16>([&](int i) {
              return as_float(held.at[j].at[i]) * scale * as_float(w.at[i]) *
                     silu(as_float(gate.at[j].at[i]));
            }));
    });
  }
};

struct LayerNorm {
  static constexpr bool kTogether = false;
  static constexpr int kOfWarp = 5;
  static constexpr int kBlocks = 3;
  const Bf16* x;
  const Bf16* weight;
  const Bf16* bias;
  Bf16* out;
  float eps;
  float inverse_width;

  template <int Held, bool Together, class Team>
  __device__ void row(const Team& team, std::int64_t row, bool there, int vectors) const {
    const std::int64_t first = row * vectors * kWide;
    const auto held = HeldRow<Bf16, Held>::take(x + first, team, there, vectors);
    const auto weights = RowWeights<Bf16, Held, Together>::ask(weight, team, there, vectors);
    float sum = 0;
#pragma unroll
    for (int j = 0; j < Held; ++j) {
#pragma unroll
      for (int i = 0; i < kWide; ++i) sum += as_float(held.at[j].at[i]);
    }
    const float mean = team.reduce(sum, Add()) * inverse_width;
    // Not beyond the end of the row: those numbers are 0, not the mean.
    float deviations = 0;
    each_vector<Held>(team, there, vectors, [&](int j, int) {
#pragma unroll
      for (int i = 0; i < kWide; ++i) {
        const float away = as_float(held.at[j].at[i]) - mean;
        deviations += away * away;
      }
    });
    const float scale = rsqrtf(team.reduce(deviations, Add()) * inverse_width + eps);
    each_vector<Held>(team, there, vectors, [&](int j, int column) {
      const Wide<Bf16> w = weights.of(j, column);
      const Wide<Bf16> b = load(bias + column);
      store(out + first + column, each_rounded<Bf16>([&](int i) {
              const float away = as_float(held.at[j].at[i]) - mean;
              return away * scale * as_float(w.at[i]) + as_float(b.at[i]);
            }));
    });
  }
};

/// Normalises heads of q and k and copies heads of v; a row is a head, all in the 16-bit type.
template <class T>
struct FusedQkNorm {
  static constexpr bool kTogether = true;
  static constexpr int kOfWarp = 1;
  static constexpr int kBlocks = 2;
  const T* hidden;
  const T* q_weight;
  const T* k_weight;
  T* out;
  Divisor all_heads;
  unsigned heads;
  unsigned kv_heads;
  float eps;
  float inverse_width;

  template <int Held, bool Together, class Team>
  __device__ void row(const Team& team, std::int64_t row, bool there, int vectors) const {
    const auto place = static_cast<unsigned>(row);
    const unsigned head = place - all_heads(place) * all_heads.by;
    const bool copied = head >= heads + kv_heads;
    const T* weight = head < heads ? q_weight : k_weight;
    const std::int64_t first = row * vectors * kWide;
    const auto held = HeldRow<T, Held>::take(hidden + first, team, there, vectors);
    const auto weights = RowWeights<T, Held, Together>::ask(weight, team, there, vectors);
    const float scale = rsqrtf(team.reduce(squares(held), Add()) * inverse_width + eps);
    each_vector<Held>(team, there, vectors, [&](int j, int column) {
      Wide<T> result = held.at[j];
      if (!copied) {
        const Wide<T> w = weights.of(j, column);
        result = each_rounded<T>([&](int i) { return as_float(held.at[j].at[i]) * scale; });
        result = each_rounded<T>([&](int i) { return as_float(w.at[i]) * as_float(result.at[i]); });
      }
      store(out + first + column, result);
    });
  }
};

struct RowShape {
  std::int64_t rows;
  std::int64_t width;
};

RowShape shape_of(const tactus_call* call, const char* name) {
  const tactus_tensor* tensor = tactus_input(call, name);
  return {tensor->shape[0], tensor->shape[1]};
}

float eps_of(const tactus_call* call, double usual) {
  return static_cast<float>(tactus_value(call, "eps", usual));
}

}  // namespace

int rms_norm(const tactus_call* call) {
  const RowShape shape = shape_of(call, "x");
  return for_rows(
      RmsNorm{input<Bf16>(call, "x"), input<Bf16>(call, "weight"), output<Bf16>(call, "out"),
              eps_of(call, 1e-6), 1.0f / static_cast<float>(shape.width)},
      shape.rows, shape.width, stream_of(call));
}

int l2_norm(const tactus_call* call) {
  const RowShape shape = shape_of(call, "x");
  return for_rows(L2Norm{input<Bf16>(call, "x"), output<Bf16>(call, "out"), eps_of(call, 1e-6)},
                  shape.rows, shape.width, stream_of(call));
}

int fused_add_rms_norm(const tactus_call* call) {
  const RowShape shape = shape_of(call, "x");
  return for_rows(FusedAddRmsNorm{input<Bf16>(call, "x"), input<Bf16>(call, "residual"),
                                  input<Bf16>(call, "weight"), output<Bf16>(call, "residual"),
                                  output<Bf16>(call, "out"), eps_of(call, 1e-6),
                                  1.0f / static_cast<float>(shape.width)},
                  shape.rows, shape.width, stream_of(call));
}

int gated_rms_norm(const tactus_call* call) {
  const RowShape shape = shape_of(call, "x");
  return for_rows(GatedRmsNorm{input<Bf16>(call, "x"), input<Bf16>(call, "z"),
                               input<Bf16>(call, "weight"), output<Bf16>(call, "out"),
                               eps_of(call, 1e-6), 1.0f / static_cast<float>(shape.width)},
                  shape.rows, shape.width, stream_of(call));
}

int layer_norm(const tactus_call* call) {
  const RowShape shape = shape_of(call, "x");
  return for_rows(LayerNorm{input<Bf16>(call, "x"), input<Bf16>(call, "weight"),
                            input<Bf16>(call, "bias"), output<Bf16>(call, "out"),
                            eps_of(call, 1e-5), 1.0f / static_cast<float>(shape.width)},
                  shape.rows, shape.width, stream_of(call));
}

namespace {

template <class T>
int fused_qk_norm_of(const tactus_call* call) {
  const RowShape shape = shape_of(call, "hidden");
  const auto heads = static_cast<std::int64_t>(tactus_value(call, "heads", 0));
  const auto kv_heads = static_cast<std::int64_t>(tactus_value(call, "kv_heads", 0));
  const std::int64_t width = tactus_input(call, "q_weight")->shape[0];
  const std::int64_t all_heads = heads + 2 * kv_heads;
  if (!fits_divisor(shape.rows * all_heads)) return kShapeNotSupported;
  return for_rows(
      FusedQkNorm<T>{input<T>(call, "hidden"), input<T>(call, "q_weight"),
                     input<T>(call, "k_weight"), output<T>(call, "out"), Divisor(all_heads),
                     static_cast<unsigned>(heads), static_cast<unsigned>(kv_heads),
                     eps_of(call, 1e-6), 1.0f / static_cast<float>(width)},
      shape.rows * all_heads, width, stream_of(call));
}

}  // namespace

int fused_qk_rmsnorm(const tactus_call* call) {
  return tactus_input(call, "hidden")->dtype == TACTUS_FP16 ? fused_qk_norm_of<__half>(call)
                                                            : fused_qk_norm_of<Bf16>(call);
}

}  // namespace tactus::cuda

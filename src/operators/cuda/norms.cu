#include "operators/cuda/common.cuh"
#include "operators/cuda/entries.h"

namespace tactus::cuda {
namespace {

using Bf16 = __nv_bfloat16;

/// A row held by its threads: the widened numbers of each vector.
template <int Held>
struct HeldRow {
  float at[Held][kWide];

  template <class Visit>
  __device__ void each(const Visit& visit) {
#pragma unroll
    for (int j = 0; j < Held; ++j) {
#pragma unroll
      for (int i = 0; i < kWide; ++i) visit(at[j][i]);
    }
  }
};

/// Numbers of a row; zero beyond its end, so that sums are right.
template <int Threads, int Held>
__device__ HeldRow<Held> take_row(const Bf16* from, int lane, bool there, int vectors) {
  HeldRow<Held> row;
#pragma unroll
  for (int j = 0; j < Held; ++j) {
    const int vector = lane + j * Threads;
    const bool inside = there && vector < vectors;
    Wide<Bf16> wide = {};
    if (inside) wide = load_once(from + static_cast<std::int64_t>(vector) * kWide);
#pragma unroll
    for (int i = 0; i < kWide; ++i) row.at[j][i] = inside ? as_float(wide.at[i]) : 0.0f;
  }
  return row;
}

/// Writes make(value, column) for each number of the row; column counts from the start of the row.
template <int Threads, int Held, class Make>
__device__ void put_row(Bf16* to, const HeldRow<Held>& row, int lane, bool there, int vectors,
                        const Make& make) {
#pragma unroll
  for (int j = 0; j < Held; ++j) {
    const int vector = lane + j * Threads;
    if (!there || vector >= vectors) continue;
    Wide<Bf16> wide;
    make(wide, row.at[j], vector * kWide);
    store(to + static_cast<std::int64_t>(vector) * kWide, wide);
  }
}

template <int Held>
__device__ float squares(HeldRow<Held>& row) {
  float sum = 0;
  row.each([&](float value) { sum += value * value; });
  return sum;
}

struct RmsNorm {
  const Bf16* x;
  const Bf16* weight;
  Bf16* out;
  float eps;
  float inverse_width;

  template <int Threads, int Held>
  __device__ void row(const RowTeam<Threads>& team, std::int64_t row, bool there,
                      int vectors) const {
    const std::int64_t first = row * vectors * kWide;
    HeldRow<Held> held = take_row<Threads, Held>(x + first, team.lane, there, vectors);
    const float scale = rsqrtf(team.sum(squares(held)) * inverse_width + eps);
    put_row<Threads>(out + first, held, team.lane, there, vectors,
                     [&](Wide<Bf16>& wide, const float* value, int column) {
                       const Wide<Bf16> w = load(weight + column);
#pragma unroll
                       for (int i = 0; i < kWide; ++i) {
                         wide.at[i] = as<Bf16>(value[i] * scale * as_float(w.at[i]));
                       }
                     });
  }
};

struct L2Norm {
  const Bf16* x;
  Bf16* out;
  float eps;

  template <int Threads, int Held>
  __device__ void row(const RowTeam<Threads>& team, std::int64_t row, bool there,
                      int vectors) const {
    const std::int64_t first = row * vectors * kWide;
    HeldRow<Held> held = take_row<Threads, Held>(x + first, team.lane, there, vectors);
    const float scale = rsqrtf(team.sum(squares(held)) + eps);
    put_row<Threads>(out + first, held, team.lane, there, vectors,
                     [&](Wide<Bf16>& wide, const float* value, int) {
#pragma unroll
                       for (int i = 0; i < kWide; ++i) wide.at[i] = as<Bf16>(value[i] * scale);
                     });
  }
};

struct FusedAddRmsNorm {
  const Bf16* x;
  const Bf16* residual;
  const Bf16* weight;
  Bf16* sum_out;
  Bf16* out;
  float eps;
  float inverse_width;

  template <int Threads, int Held>
  __device__ void row(const RowTeam<Threads>& team, std::int64_t row, bool there,
                      int vectors) const {
    const std::int64_t first = row * vectors * kWide;
    HeldRow<Held> held = take_row<Threads, Held>(x + first, team.lane, there, vectors);
    const HeldRow<Held> other =
        take_row<Threads, Held>(residual + first, team.lane, there, vectors);
#pragma unroll
    for (int j = 0; j < Held; ++j) {
#pragma unroll
      for (int i = 0; i < kWide; ++i) {
        held.at[j][i] = as_float(as<Bf16>(held.at[j][i] + other.at[j][i]));
      }
    }
    put_row<Threads>(sum_out + first, held, team.lane, there, vectors,
                     [&](Wide<Bf16>& wide, const float* value, int) {
#pragma unroll
                       for (int i = 0; i < kWide; ++i) wide.at[i] = as<Bf16>(value[i]);
                     });
    const float scale = rsqrtf(team.sum(squares(held)) * inverse_width + eps);
    put_row<Threads>(out + first, held, team.lane, there, vectors,
                     [&](Wide<Bf16>& wide, const float* value, int column) {
                       const Wide<Bf16> w = load(weight + column);
#pragma unroll
                       for (int i = 0; i < kWide; ++i) {
                         wide.at[i] = as<Bf16>(value[i] * scale * as_float(w.at[i]));
                       }
                     });
  }
};

struct GatedRmsNorm {
  const Bf16* x;
  const Bf16* z;
  const Bf16* weight;
  Bf16* out;
  float eps;
  float inverse_width;

  template <int Threads, int Held>
  __device__ void row(const RowTeam<Threads>& team, std::int64_t row, bool there,
                      int vectors) const {
    const std::int64_t first = row * vectors * kWide;
    HeldRow<Held> held = take_row<Threads, Held>(x + first, team.lane, there, vectors);
    HeldRow<Held> gate = take_row<Threads, Held>(z + first, team.lane, there, vectors);
    const float scale = rsqrtf(team.sum(squares(held)) * inverse_width + eps);
#pragma unroll
    for (int j = 0; j < Held; ++j) {
#pragma unroll
      for (int i = 0; i < kWide; ++i) held.at[j][i] *= scale * silu(gate.at[j][i]);
    }
    put_row<Threads>(out + first, held, team.lane, there, vectors,
                     [&](Wide<Bf16>& wide, const float* value, int column) {
                       const Wide<Bf16> w = load(weight + column);
#pragma unroll
                       for (int i = 0; i < kWide; ++i) {
                         wide.at[i] = as<Bf16>(value[i] * as_float(w.at[i]));
                       }
                     });
  }
};

struct LayerNorm {
  const Bf16* x;
  const Bf16* weight;
  const Bf16* bias;
  Bf16* out;
  float eps;
  float inverse_width;

  template <int Threads, int Held>
  __device__ void row(const RowTeam<Threads>& team, std::int64_t row, bool there,
                      int vectors) const {
    const std::int64_t first = row * vectors * kWide;
    HeldRow<Held> held = take_row<Threads, Held>(x + first, team.lane, there, vectors);
    float sum = 0;
    held.each([&](float value) { sum += value; });
    const float mean = team.sum(sum) * inverse_width;
    // Numbers beyond the end of the row are 0, not the mean: leave them out.
    float deviations = 0;
#pragma unroll
    for (int j = 0; j < Held; ++j) {
      const bool inside = there && team.lane + j * Threads < vectors;
#pragma unroll
      for (int i = 0; i < kWide; ++i) {
        held.at[j][i] -= mean;
        deviations += inside ? held.at[j][i] * held.at[j][i] : 0.0f;
      }
    }
    const float scale = rsqrtf(team.sum(deviations) * inverse_width + eps);
    put_row<Threads>(out + first, held, team.lane, there, vectors,
                     [&](Wide<Bf16>& wide, const float* value, int column) {
                       const Wide<Bf16> w = load(weight + column);
                       const Wide<Bf16> b = load(bias + column);
#pragma unroll
                       for (int i = 0; i < kWide; ++i) {
                         wide.at[i] =
                             as<Bf16>(value[i] * scale * as_float(w.at[i]) + as_float(b.at[i]));
                       }
                     });
  }
};

/// Heads of q and k normalised, those of v copied; a row is a head, all in the 16-bit type.
template <class T>
struct FusedQkNorm {
  const T* hidden;
  const T* q_weight;
  const T* k_weight;
  T* out;
  int heads;
  int kv_heads;
  float eps;
  float inverse_width;

  template <int Threads, int Held>
  __device__ void row(const RowTeam<Threads>& team, std::int64_t row, bool there,
                      int vectors) const {
    const int head = static_cast<int>(row % (heads + 2 * kv_heads));
    const bool copied = head >= heads + kv_heads;
    const T* weight = head < heads ? q_weight : k_weight;
    const std::int64_t at = row * vectors * kWide + team.lane * kWide;
    const bool inside = there && team.lane < vectors;
    Wide<T> wide = {};
    if (inside) wide = load_once(hidden + at);
    float sum = 0;
#pragma unroll
    for (int i = 0; i < kWide; ++i)
      sum += inside ? as_float(wide.at[i]) * as_float(wide.at[i]) : 0.0f;
    const float scale = rsqrtf(team.sum(sum) * inverse_width + eps);
    if (!inside) return;
    if (!copied) {
      const Wide<T> w = load(weight + team.lane * kWide);
#pragma unroll
      for (int i = 0; i < kWide; ++i) {
        const float rounded = as_float(as<T>(as_float(wide.at[i]) * scale));
        wide.at[i] = as<T>(as_float(w.at[i]) * rounded);
      }
    }
    store(out + at, wide);
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
  const int heads = static_cast<int>(tactus_value(call, "heads", 0));
  const int kv_heads = static_cast<int>(tactus_value(call, "kv_heads", 0));
  const std::int64_t width = tactus_input(call, "q_weight")->shape[0];
  if (width > 16 * kWide || width % kWide != 0) return kShapeNotSupported;
  return for_rows(FusedQkNorm<T>{input<T>(call, "hidden"), input<T>(call, "q_weight"),
                                 input<T>(call, "k_weight"), output<T>(call, "out"), heads,
                                 kv_heads, eps_of(call, 1e-6), 1.0f / static_cast<float>(width)},
                  shape.rows * (heads + 2 * kv_heads), width, stream_of(call));
}

}  // namespace

int fused_qk_rmsnorm(const tactus_call* call) {
  return tactus_input(call, "hidden")->dtype == TACTUS_FP16 ? fused_qk_norm_of<__half>(call)
                                                            : fused_qk_norm_of<Bf16>(call);
}

}  // namespace tactus::cuda

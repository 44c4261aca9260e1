#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tactus {

/// What kind of work a kernel does.
enum class Family : std::uint8_t {
  kGemm,
  kGemv,
  kSplitKReduce,
  kAttention,
  kAttentionPrepare,
  kAttentionCombine,
  kActivation,
  kNorm,
  kKvWrite,
  kFill,
  kCopy,
  kRope,
  kSampling,
  kGather,
  kElementwise,
  kScan,
  kReduce,
  kMoe,
  kQuantise,
  kConv,
  kCollective,
  kBookkeeping,
  kOther,
};
inline constexpr std::size_t kFamilies = 23;

/// As in output: "gemm", "splitk_reduce".
std::string_view family_name(Family family);

/// A thread block's tile; parts that the name does not give are empty.
struct Tile {
  std::optional<int> m;
  std::optional<int> n;
  std::optional<int> k;

  bool operator==(const Tile&) const = default;
};

/// The source file that launches a kernel, by rule.
struct Launcher {
  std::string_view file;      ///< as in its project: "pytorch/aten/src/ATen/cuda/CUDABlas.cpp"
  std::string_view function;  ///< empty if the rule does not know it
  bool certain = true;        ///< false: several files could launch it

  bool operator==(const Launcher&) const = default;
};

/// What a kernel's name says. Unknown texts are empty and unknown numbers are absent.
struct KernelName {
  Family family = Family::kOther;
  std::string op;             ///< what it computes: "gemm", "silu_and_mul", "rms_norm", "index_put"
  std::string_view library;   ///< "cublas", "pytorch", "flashinfer", "triton", ...
  std::string_view dtype_in;  ///< "bf16", "fp16", "fp32", "fp8", "int32", "2-byte", ...
  std::string_view dtype_out;
  std::optional<Tile> tile;
  std::optional<int> stages;
  std::optional<std::array<int, 3>> cluster;
  bool split_k = false;   ///< a split-K GEMM: a reduce kernel follows
  bool kv_split = false;  ///< attention over parts of the keys: a combine kernel follows
  std::optional<bool> causal;
  bool windowed = false;  ///< attention that may see a part of the keys only (a sliding window)
  std::optional<int> head_dim;
  std::optional<int> vector_width;  ///< elements that a thread loads at once
  std::optional<int> warps;         ///< prepare_varlen_num_blocks: shows the range of the batch
                                    ///< size
  std::string_view era;             ///< the age of the library, as far as the name shows it: "CUDA
                                    ///< >= 12.8"
  std::optional<Launcher> launcher;

  bool operator==(const KernelName&) const = default;
};

/// Decodes a kernel's name: mangled, demangled, or as a profiler prettifies it ("void f<(int)4,
/// T1>(T1 *)"). Never fails: an unknown kernel is Family::kOther.
KernelName decode_kernel_name(std::string_view name);

}  // namespace tactus

// Operators of libraries around launches: products of matrices.
#pragma once

#include <atomic>
#include <cstdint>

namespace tactus::wire {

inline constexpr std::uint32_t kScopes = 1u << 16;
inline constexpr std::uint32_t kNoScope = 0;

/// The numbers are part of the layout.
enum class OperatorCall : std::uint32_t {
  kNone,
  kGemmEx,
  kGemmBatchedEx,
  kGemmStridedBatchedEx,
  kSgemmEx,
  kSgemm,
  kHgemm,
  kDgemm,
  kSgemmStridedBatched,
  kHgemmStridedBatched,
  kLtMatmul,
  kCount,
};

inline const char* operator_name(OperatorCall call) {
  constexpr const char* kNames[] = {
      "unknown",
      "cublasGemmEx",
      "cublasGemmBatchedEx",
      "cublasGemmStridedBatchedEx",
      "cublasSgemmEx",
      "cublasSgemm",
      "cublasHgemm",
      "cublasDgemm",
      "cublasSgemmStridedBatched",
      "cublasHgemmStridedBatched",
      "cublasLtMatmul",
  };
  static_assert(sizeof kNames / sizeof kNames[0] ==
                static_cast<std::uint32_t>(OperatorCall::kCount));
  return call < OperatorCall::kCount ? kNames[static_cast<std::uint32_t>(call)] : kNames[0];
}

/// One product, C = A B. Types are numbers of cudaDataType. Matrices are stored column by column
/// unless `by_rows`.
struct Scope {
  OperatorCall call;
  std::uint32_t batch;
  std::uint64_t m, n, k;
  std::uint8_t a_type, b_type, c_type;
  std::uint8_t by_rows;
  std::uint8_t transposes_a, transposes_b;
  std::uint8_t spare[2];

  bool operator==(const Scope&) const = default;
};
static_assert(sizeof(Scope) == 40);

/// Of C as frameworks see it, row by row: the tokens, where weights are the other factor.
inline std::uint64_t rows_of(const Scope& scope) {
  return scope.by_rows != 0 ? scope.m : scope.n;
}

struct ScopeArea {
  std::atomic<std::uint32_t> scopes;  ///< used; the first is never used
  std::atomic<std::uint32_t> lost;    ///< there was no room, or another thread was writing
  alignas(4096) Scope scope[kScopes];
};

}  // namespace tactus::wire

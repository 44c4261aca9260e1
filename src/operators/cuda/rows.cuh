#pragma once

#include <atomic>

#include "operators/cuda/common.cuh"

// Kernels that work on rows. A body has row<Held, Together>(team, row, there, vectors), which does
// one row with `Held` vectors per thread, and three constants:
//   kOfWarp     if there are many rows, one warp does a row alone, up to this many vectors per
//               thread: then no thread waits at a barrier
//   kTogether   it is faster to load the weights together with the row
//   kBlocks     how many blocks of 512 threads should share a multiprocessor

namespace tactus::cuda {

/// Short rows: several in a block.
template <int Threads, int Held, class Body>
__global__ void __launch_bounds__(kBlockThreads)
    short_row_kernel(Body body, std::int64_t rows, int vectors) {
  constexpr int kRows = kBlockThreads / Threads;
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kRows + threadIdx.x / Threads;
  body.template row<Held, Body::kTogether>(LaneTeam<Threads>(), row, row < rows, vectors);
}

template <int Threads, int Held, class Body>
int run_short_rows(const Body& body, std::int64_t rows, int vectors, cudaStream_t stream) {
  const unsigned blocks = blocks_for(rows, kBlockThreads / Threads);
  short_row_kernel<Threads, Held><<<blocks, kBlockThreads, 0, stream>>>(body, rows, vectors);
  return launched();
}

/// Rows with one block each. `Blocks` share a multiprocessor: more of them hide more memory
/// latency, but have fewer registers each.
template <int Held, int MostThreads, int Blocks, bool Together, class Body>
__global__ void __launch_bounds__(MostThreads, Blocks) row_kernel(Body body, int vectors) {
  body.template row<Held, Together>(BlockTeam(), static_cast<std::int64_t>(blockIdx.x), true,
                                    vectors);
}

inline int multiprocessors() {
  static const int count = [] {
    int device = 0;
    int value = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, device);
    return value < 1 ? 1 : value;
  }();
  return count;
}

/// One way to go through long rows.
template <int Held, int MostThreads, int Blocks, bool Together, class Body>
struct LongRows {
  static constexpr auto kKernel = row_kernel<Held, MostThreads, Blocks, Together, Body>;
  static constexpr int kWarp = 32;

  static int threads(int vectors) { return (vectors + kWarp * Held - 1) / (kWarp * Held) * kWarp; }

  /// How many rows the device works on at the same time.
  static std::int64_t at_once(int vectors) {
    static std::atomic<int> known[MostThreads / kWarp + 1];  // the query takes a microsecond
    std::atomic<int>& blocks = known[threads(vectors) / kWarp];
    if (blocks.load(std::memory_order_relaxed) == 0) {
      int found = 0;
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found, kKernel, threads(vectors), 0);
      blocks.store(found < 1 ? 1 : found, std::memory_order_relaxed);
    }
    return std::int64_t{blocks.load(std::memory_order_relaxed)} * multiprocessors();
  }

  /// The share of the device that is busy over all waves of rows.
  static double busy(std::int64_t rows, int vectors) {
    const std::int64_t wave = at_once(vectors);
    const std::int64_t waves = (rows + wave - 1) / wave;
    return static_cast<double>(rows) / static_cast<double>(waves * wave);
  }

  static int run(const Body& body, std::int64_t rows, int vectors, cudaStream_t stream) {
    kKernel<<<static_cast<unsigned>(rows), threads(vectors), 0, stream>>>(body, vectors);
    return launched();
  }
};

/// Rows of at most 1024 vectors with one block each.
template <class Body>
int for_long_rows(const Body& body, std::int64_t rows, int vectors, cudaStream_t stream) {
  // Few rows: one vector per thread, if that leaves room for four times as many.
  using Few = LongRows<1, 1024, 1, Body::kTogether, Body>;
  if (rows * vectors <= std::int64_t{512} * multiprocessors()) {
    return Few::run(body, rows, vectors, stream);
  }
  if constexpr (Body::kTogether) {
    using AtOnce = LongRows < 2, 512, Body::kBlocks<3 ? Body::kBlocks : 3, true, Body>;
    if (rows <= AtOnce::at_once(vectors)) return AtOnce::run(body, rows, vectors, stream);
  }
  using Many = LongRows<2, 512, Body::kBlocks, false, Body>;
  using Longest = LongRows<4, 256, 4, false, Body>;
  if (vectors > 512 && Longest::busy(rows, vectors) > Many::busy(rows, vectors)) {
    return Longest::run(body, rows, vectors, stream);
  }
  return Many::run(body, rows, vectors, stream);
}

template <class Body>
int for_rows(const Body& body, std::int64_t rows, std::int64_t width, cudaStream_t stream) {
  if (width % kWide != 0 || rows > 0x7fffffff) return kShapeNotSupported;
  if (rows == 0) return 0;
  const auto vectors = static_cast<int>(width / kWide);
  if (vectors <= 16) return run_short_rows<16, 1>(body, rows, vectors, stream);
  if (vectors <= 32) return run_short_rows<32, 1>(body, rows, vectors, stream);
  if constexpr (Body::kOfWarp > 1) {
    const bool many = rows * vectors > std::int64_t{4096} * multiprocessors();
    if (many && vectors <= 32 * Body::kOfWarp) {
      return run_short_rows<32, Body::kOfWarp>(body, rows, vectors, stream);
    }
  }
  if (vectors <= 1024) return for_long_rows(body, rows, vectors, stream);
  if (vectors > 4096) return kShapeNotSupported;
  return LongRows<4, 1024, 1, false, Body>::run(body, rows, vectors, stream);
}

}  // namespace tactus::cuda

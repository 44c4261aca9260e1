#include "operators/cuda/entries.h"
#include "operators/cuda/generic.cuh"

namespace tactus::cuda {
namespace {

// cat, gather, fill: numbers that move, in pieces of 16 bytes where rows are made of those.

/// One piece of the output per thread. Rows of a have `a_pieces`, rows of both `row_pieces`.
template <class Piece>
__global__ void __launch_bounds__(kBlockThreads)
    cat_kernel(const Piece* a, const Piece* b, Piece* out, unsigned pieces, unsigned a_pieces,
               Divisor row_pieces) {
  const unsigned i = blockIdx.x * kBlockThreads + threadIdx.x;
  if (i >= pieces) return;
  const unsigned row = row_pieces(i);
  const unsigned at = i - row * row_pieces.by;
  const unsigned b_pieces = row_pieces.by - a_pieces;
  out[i] = at < a_pieces ? a[row * a_pieces + at] : b[row * b_pieces + at - a_pieces];
}

template <class Piece, class Index>
__global__ void __launch_bounds__(kBlockThreads)
    gather_kernel(const Piece* table, const Index* index, Piece* out, unsigned pieces,
                  Divisor row_pieces) {
  const unsigned i = blockIdx.x * kBlockThreads + threadIdx.x;
  if (i >= pieces) return;
  const unsigned row = row_pieces(i);
  const auto from = static_cast<std::int64_t>(__ldg(index + row));
  out[i] = table[from * row_pieces.by + (i - row * row_pieces.by)];
}

/// One pack per thread; the last one may be cut.
template <class T, int Count>
__global__ void __launch_bounds__(kBlockThreads)
    fill_kernel(const T* value, T* out, std::int64_t elements) {
  const std::int64_t i =
      (static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x) * Count;
  if (i >= elements) return;
  Pack<T, Count> pack;
  for (int k = 0; k < Count; ++k) pack.at[k] = *value;
  if (i + Count <= elements) {
    *reinterpret_cast<Pack<T, Count>*>(out + i) = pack;
  } else {
    for (std::int64_t k = i; k < elements; ++k) out[k] = *value;
  }
}

/// body(Piece{}) for the largest piece that divides both.
template <class Body>
int with_piece(std::int64_t bytes, std::int64_t more_bytes, const Body& body) {
  const std::int64_t both = bytes | more_bytes;
  if (both % 16 == 0) return body(int4{});
  if (both % 4 == 0) return body(std::uint32_t{});
  if (both % 2 == 0) return body(std::uint16_t{});
  return body(std::uint8_t{});
}

}  // namespace

int plain_cat(const tactus_call* call) {
  const tactus_tensor* a = tactus_input(call, "a");
  const std::int64_t width = bytes_of_number(a);
  const std::int64_t a_bytes = a->shape[1] * width;
  const std::int64_t b_bytes = tactus_input(call, "b")->shape[1] * width;
  return with_piece(a_bytes, b_bytes, [&](auto piece) {
    using Piece = decltype(piece);
    constexpr auto kBytes = static_cast<std::int64_t>(sizeof(Piece));
    const std::int64_t row = (a_bytes + b_bytes) / kBytes;
    const std::int64_t pieces = a->shape[0] * row;
    if (!fits_divisor(pieces + kBlockThreads)) return kShapeNotSupported;
    cat_kernel<<<blocks_for(pieces, kBlockThreads), kBlockThreads, 0, stream_of(call)>>>(
        input<Piece>(call, "a"), input<Piece>(call, "b"), output<Piece>(call, "out"),
        static_cast<unsigned>(pieces), static_cast<unsigned>(a_bytes / kBytes), Divisor(row));
    return launched();
  });
}

int plain_gather(const tactus_call* call) {
  const tactus_tensor* table = tactus_input(call, "table");
  const tactus_tensor* index = tactus_input(call, "index");
  const std::int64_t row_bytes = table->shape[1] * bytes_of_number(table);
  return with_piece(row_bytes, row_bytes, [&](auto piece) {
    using Piece = decltype(piece);
    const std::int64_t row = row_bytes / static_cast<std::int64_t>(sizeof(Piece));
    const std::int64_t pieces = index->shape[0] * row;
    if (!fits_divisor(pieces + kBlockThreads)) return kShapeNotSupported;
    const auto launch = [&](auto number) {
      using Index = decltype(number);
      gather_kernel<<<blocks_for(pieces, kBlockThreads), kBlockThreads, 0, stream_of(call)>>>(
          input<Piece>(call, "table"), input<Index>(call, "index"), output<Piece>(call, "out"),
          static_cast<unsigned>(pieces), Divisor(row));
      return launched();
    };
    return index->dtype == TACTUS_INT32 ? launch(int{}) : launch(static_cast<long long>(0));
  });
}

int plain_fill(const tactus_call* call) {
  const tactus_tensor* out = tactus_output(call, "out");
  const auto fill = [&](auto number) {
    using T = decltype(number);
    const std::int64_t packs = (out->shape[0] + kPacked<T> - 1) / kPacked<T>;
    if (!fits_divisor(packs)) return kShapeNotSupported;
    fill_kernel<T, kPacked<T>>
        <<<blocks_for(packs, kBlockThreads), kBlockThreads, 0, stream_of(call)>>>(
            input<T>(call, "value"), output<T>(call, "out"), out->shape[0]);
    return launched();
  };
  switch (bytes_of_number(out)) {
    case 4: return fill(std::uint32_t{});
    case 2: return fill(std::uint16_t{});
    default: return fill(std::uint8_t{});
  }
}

}  // namespace tactus::cuda

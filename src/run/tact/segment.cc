#include "run/tact/segment.h"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>

#include "base/arithmetic.h"

namespace tactus {
namespace {

constexpr int kLevel = 6;

enum Method : std::uint8_t {
  kOffsets = 0,            ///< from the smallest value
  kDifferenceOffsets = 1,  ///< of each row from the one before; offsets from the smallest of them
  kDifferences = 2,        ///< plain differences, zigzag: a few jumps back do not make the other
                           ///< rows larger
};

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

ZSTD_CCtx* compressor() {
  // Making one costs more than a small column; one per thread is enough.
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> context = [] {
    std::unique_ptr<ZSTD_CCtx, FreeContext> made(ZSTD_createCCtx());
    ZSTD_CCtx_setParameter(made.get(), ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(made.get(), ZSTD_c_contentSizeFlag, 0);
    ZSTD_CCtx_setParameter(made.get(), ZSTD_c_dictIDFlag, 0);
    return made;
  }();
  return context.get();
}

ZSTD_DCtx* decompressor() {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  return context.get();
}

std::uint64_t zigzag(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}

std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1 ^ (0 - (value & 1)));
}

/// The values as one method stores them.
struct Candidate {
  Method method = kOffsets;
  std::int64_t base = 0;
  std::uint64_t bits = 0;  ///< together, without what they share
  std::vector<std::uint64_t> offsets;

  int planes() const {
    std::uint64_t all = 0;
    for (const std::uint64_t offset : offsets) all |= offset;
    return static_cast<int>(std::bit_width(all) + 7) / 8;
  }
};

Candidate candidate_of(std::span<const std::int64_t> values, Method method) {
  Candidate candidate;
  candidate.method = method;
  candidate.offsets.reserve(values.size());
  if (method != kDifferences) candidate.base = *std::min_element(values.begin(), values.end());
  for (const std::int64_t value : values) {
    const std::uint64_t offset =
        method == kDifferences
            ? zigzag(value)
            : static_cast<std::uint64_t>(wrapping_subtract(value, candidate.base));
    candidate.bits += static_cast<std::uint64_t>(std::bit_width(offset));
    candidate.offsets.push_back(offset);
  }
  return candidate;
}

/// The method that takes the fewest bits. Offsets are faster to read, so differences must be
/// clearly smaller.
Candidate best_candidate(std::span<const std::int64_t> values) {
  Candidate best = candidate_of(values, kOffsets);
  if (values.size() < 2 || best.bits == 0) return best;
  std::vector<std::int64_t> differences(values.size() - 1);
  for (std::size_t i = 1; i < values.size(); ++i) {
    differences[i - 1] = wrapping_subtract(values[i], values[i - 1]);
  }
  best.bits -= best.bits / 8;
  for (const Method method : {kDifferenceOffsets, kDifferences}) {
    Candidate candidate = candidate_of(differences, method);
    if (candidate.bits < best.bits) best = std::move(candidate);
  }
  return best;
}

void append_planes(std::string& out, const Candidate& candidate, int planes) {
  const std::size_t rows = candidate.offsets.size();
  std::string plane(rows, '\0');
  std::string packed(ZSTD_compressBound(rows), '\0');
  for (int p = 0; p < planes; ++p) {
    for (std::size_t i = 0; i < rows; ++i) {
      plane[i] = static_cast<char>(candidate.offsets[i] >> (8 * p));
    }
    const std::size_t size =
        ZSTD_compress2(compressor(), packed.data(), packed.size(), plane.data(), rows);
    if (ZSTD_isError(size) || size >= rows) {
      append_varint(out, 0);  // not compressed
      out.append(plane);
    } else {
      append_varint(out, size);
      out.append(packed, 0, size);
    }
  }
}

/// Reads one plane into `into` and removes its bytes from the front.
bool take_plane(std::string_view& bytes, std::span<char> into) {
  std::uint64_t size = 0;
  if (!take_varint(bytes, size)) return false;
  if (size == 0) {
    if (bytes.size() < into.size()) return false;
    std::memcpy(into.data(), bytes.data(), into.size());
    bytes.remove_prefix(into.size());
    return true;
  }
  if (size > bytes.size()) return false;
  const std::size_t got =
      ZSTD_decompressDCtx(decompressor(), into.data(), into.size(), bytes.data(), size);
  bytes.remove_prefix(size);
  return got == into.size();
}

/// Joins byte planes.
class Planes {
 public:
  Planes(std::span<const char> bytes, std::size_t rows, std::size_t count)
      : bytes_(reinterpret_cast<const std::uint8_t*>(bytes.data())), rows_(rows), count_(count) {}

  void read(std::span<std::int64_t> into) const {
    if (count_ <= 4) {
      gather<4, std::uint32_t>(0, into);
    } else {
      gather<8, std::uint64_t>(0, into);
    }
  }

  void append_to(Column& column, std::int64_t base) const {
    for (std::size_t first = 0; first < rows_; first += Column::kBlockRows) {
      const std::size_t rows = std::min(Column::kBlockRows, rows_ - first);
      switch (count_) {
        case 0: column.append_packed(base, 0, rows, nullptr); break;
        case 1: append_block<1, std::uint8_t>(column, base, first, rows); break;
        case 2: append_block<2, std::uint16_t>(column, base, first, rows); break;
        case 3:
        case 4: append_block<4, std::uint32_t>(column, base, first, rows); break;
        default: append_block<8, std::uint64_t>(column, base, first, rows);
      }
    }
  }

 private:
  /// Joins `Most` planes at a time; missing planes are zeros.
  template <std::size_t Most, class Wide, class Out>
  void gather(std::size_t first, std::span<Out> into) const {
    static constexpr std::array<std::uint8_t, kSegmentRows> kZeros{};
    std::array<const std::uint8_t*, Most> plane;
    for (std::size_t p = 0; p < Most; ++p) {
      plane[p] = p < count_ ? bytes_ + p * rows_ + first : kZeros.data();
    }
    for (std::size_t i = 0; i < into.size(); ++i) {
      Wide wide = 0;
      for (std::size_t p = 0; p < Most; ++p) {
        wide =
            static_cast<Wide>(wide | static_cast<Wide>(static_cast<Wide>(plane[p][i]) << (8 * p)));
      }
      into[i] = static_cast<Out>(wide);
    }
  }

  template <std::size_t Width, class Offset>
  void append_block(Column& column, std::int64_t base, std::size_t first, std::size_t rows) const {
    auto bytes = std::make_unique_for_overwrite<std::uint8_t[]>(rows * Width);
    gather<Width, Offset>(first, std::span(reinterpret_cast<Offset*>(bytes.get()), rows));
    column.append_packed(base, Width, rows, std::move(bytes));
  }

  const std::uint8_t* bytes_;
  std::size_t rows_;
  std::size_t count_;
};

}  // namespace

void append_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

bool take_varint(std::string_view& bytes, std::uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

std::string encode_segment(std::span<const std::int64_t> values) {
  std::string out;
  if (values.empty()) return out;
  const Candidate best = best_candidate(values);
  const int planes = best.planes();
  out.push_back(static_cast<char>(best.method));
  out.push_back(static_cast<char>(planes));
  append_varint(out, zigzag(best.base));
  if (best.method != kOffsets) append_varint(out, zigzag(values.front()));
  append_planes(out, best, planes);
  return out;
}

bool decode_segment(std::string_view bytes, std::size_t rows, Column& into, SegmentRoom& room) {
  if (rows == 0) return bytes.empty();
  if (bytes.size() < 2) return false;
  const auto method = static_cast<std::uint8_t>(bytes[0]);
  const auto planes = static_cast<std::uint8_t>(bytes[1]);
  bytes.remove_prefix(2);
  std::uint64_t base = 0;
  std::uint64_t first = 0;
  if (method > kDifferences || planes > 8 || !take_varint(bytes, base)) return false;
  if (method != kOffsets && !take_varint(bytes, first)) return false;

  const std::size_t count = method == kOffsets ? rows : rows - 1;  // the first has no difference
  room.planes.resize(count * planes);
  for (std::size_t p = 0; p < planes; ++p) {
    if (!take_plane(bytes, std::span(room.planes).subspan(p * count, count))) return false;
  }
  if (!bytes.empty()) return false;
  const Planes offsets(room.planes, count, planes);
  if (method == kOffsets) {
    // The bytes here are the packed form of the column.
    offsets.append_to(into, unzigzag(base));
    return true;
  }
  room.values.resize(rows);
  room.values[0] = unzigzag(first);
  offsets.read(std::span(room.values).subspan(1));
  for (std::size_t i = 1; i < rows; ++i) {
    const auto offset = static_cast<std::uint64_t>(room.values[i]);
    const std::int64_t difference =
        method == kDifferences ? unzigzag(offset)
                               : wrapping_add(unzigzag(base), static_cast<std::int64_t>(offset));
    room.values[i] = wrapping_add(room.values[i - 1], difference);
  }
  into.append(room.values);
  into.shrink();
  return true;
}

std::string compress_text(std::string_view text) {
  std::string out;
  append_varint(out, text.size());
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size =
      ZSTD_compress2(compressor(), packed.data(), packed.size(), text.data(), text.size());
  CHECK(!ZSTD_isError(size));
  return out.append(packed, 0, size);
}

Result<std::string> decompress_text(std::string_view bytes, std::size_t limit) {
  std::uint64_t size = 0;
  if (!take_varint(bytes, size) || size > limit) return input_error("a string of impossible size");
  std::string text(size, '\0');
  const std::size_t got =
      ZSTD_decompressDCtx(decompressor(), text.data(), text.size(), bytes.data(), bytes.size());
  if (got != size) return input_error("a string that cannot be unpacked");
  return text;
}

}  // namespace tactus

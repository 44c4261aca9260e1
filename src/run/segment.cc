#include "run/segment.h"

#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

#include "base/arithmetic.h"

namespace tactus {
namespace {

constexpr int kLevel = 6;

enum Method : std::uint8_t { kOffsets = 0, kDifferences = 1 };

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

ZSTD_CCtx* compressor() {
  // Making one costs more than a small column; one a thread is enough.
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

/// How the values look as one method sees them.
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

Candidate as_offsets(std::span<const std::int64_t> values, Method method) {
  Candidate candidate;
  candidate.method = method;
  candidate.base = *std::min_element(values.begin(), values.end());
  candidate.offsets.reserve(values.size());
  for (const std::int64_t value : values) {
    const auto offset = static_cast<std::uint64_t>(wrapping_subtract(value, candidate.base));
    candidate.bits += static_cast<std::uint64_t>(std::bit_width(offset));
    candidate.offsets.push_back(offset);
  }
  return candidate;
}

Candidate as_differences(std::span<const std::int64_t> values) {
  std::vector<std::int64_t> differences(values.size() - 1);
  for (std::size_t i = 1; i < values.size(); ++i) {
    differences[i - 1] = wrapping_subtract(values[i], values[i - 1]);
  }
  return as_offsets(differences, kDifferences);
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
      append_varint(out, 0);  // as it is
      out.append(plane);
    } else {
      append_varint(out, size);
      out.append(packed, 0, size);
    }
  }
}

/// One plane into `into`; takes its bytes off the front.
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
  Candidate best = as_offsets(values, kOffsets);
  if (values.size() > 1) {
    Candidate differences = as_differences(values);
    if (differences.bits < best.bits) best = std::move(differences);
  }
  const int planes = best.planes();
  out.push_back(static_cast<char>(best.method));
  out.push_back(static_cast<char>(planes));
  append_varint(out, zigzag(best.base));
  if (best.method == kDifferences) append_varint(out, zigzag(values.front()));
  append_planes(out, best, planes);
  return out;
}

bool decode_segment(std::string_view bytes, std::span<std::int64_t> values) {
  if (values.empty()) return bytes.empty();
  if (bytes.size() < 2) return false;
  const auto method = static_cast<std::uint8_t>(bytes[0]);
  const auto planes = static_cast<std::uint8_t>(bytes[1]);
  bytes.remove_prefix(2);
  std::uint64_t base = 0;
  std::uint64_t first = 0;
  if (method > kDifferences || planes > 8 || !take_varint(bytes, base)) return false;
  if (method == kDifferences && !take_varint(bytes, first)) return false;

  // Differences have no value for the first row.
  const std::span<std::int64_t> rows = method == kDifferences ? values.subspan(1) : values;
  std::fill(rows.begin(), rows.end(), unzigzag(base));
  std::vector<char> plane(rows.size());
  for (int p = 0; p < planes; ++p) {
    if (!take_plane(bytes, plane)) return false;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::uint64_t byte = static_cast<unsigned char>(plane[i]);
      rows[i] = wrapping_add(rows[i], static_cast<std::int64_t>(byte << (8 * p)));
    }
  }
  if (method == kDifferences) {
    values[0] = unzigzag(first);
    for (std::size_t i = 1; i < values.size(); ++i) {
      values[i] = wrapping_add(values[i], values[i - 1]);
    }
  }
  return bytes.empty();
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
  if (!take_varint(bytes, size) || size > limit) return input_error("a text of impossible size");
  std::string text(size, '\0');
  const std::size_t got =
      ZSTD_decompressDCtx(decompressor(), text.data(), text.size(), bytes.data(), bytes.size());
  if (got != size) return input_error("a text that does not unpack");
  return text;
}

}  // namespace tactus

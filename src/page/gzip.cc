#include "page/gzip.h"

#include <isa-l/igzip_lib.h>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "base/check.h"

namespace tactus::page {

std::string gzip(std::string_view bytes) {
  std::vector<std::uint8_t> room(ISAL_DEF_LVL3_EXTRA_LARGE);
  const auto owned = std::make_unique<isal_zstream>();
  isal_zstream& stream = *owned;
  isal_deflate_init(&stream);
  stream.avail_in = 0;
  stream.gzip_flag = IGZIP_GZIP;
  stream.level = 3;
  stream.level_buf = room.data();
  stream.level_buf_size = static_cast<std::uint32_t>(room.size());
  std::string out;
  std::size_t taken = 0;
  constexpr std::size_t kPart = 1 << 20;
  // Lengths are 32 bits wide: long inputs go piece by piece.
  constexpr std::size_t kPiece = 1 << 30;
  do {
    if (stream.avail_in == 0 && taken < bytes.size()) {
      const std::size_t piece = std::min(kPiece, bytes.size() - taken);
      stream.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(bytes.data() + taken));
      stream.avail_in = static_cast<std::uint32_t>(piece);
      taken += piece;
    }
    stream.end_of_stream = taken == bytes.size() ? 1 : 0;
    const std::size_t at = out.size();
    out.resize(at + kPart);
    stream.next_out = reinterpret_cast<std::uint8_t*>(out.data() + at);
    stream.avail_out = kPart;
    CHECK(isal_deflate(&stream) == COMP_OK);
    out.resize(at + kPart - stream.avail_out);
  } while (stream.internal_state.state != ZSTATE_END);
  return out;
}

std::string small_gzip(std::string_view bytes) {
  constexpr int kGzip = 16 + MAX_WBITS;
  constexpr int kMemory = 9;
  constexpr std::size_t kPiece = 1 << 30;  // lengths are 32 bits wide
  z_stream stream{};
  CHECK(deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) ==
        Z_OK);
  std::string out;
  std::size_t taken = 0;
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    if (stream.avail_in == 0 && taken < bytes.size()) {
      const std::size_t piece = std::min(kPiece, bytes.size() - taken);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + taken));
      stream.avail_in = static_cast<uInt>(piece);
      taken += piece;
    }
    constexpr std::size_t kPart = 1 << 20;
    const std::size_t at = out.size();
    out.resize(at + kPart);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + at);
    stream.avail_out = kPart;
    state = deflate(&stream, taken == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    CHECK(state == Z_OK || state == Z_STREAM_END);
    out.resize(at + kPart - stream.avail_out);
  }
  deflateEnd(&stream);
  return out;
}

}  // namespace tactus::page

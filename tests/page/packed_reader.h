#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace tactus::testing {

/// As ui/src/data/packed.ts reads it.
inline std::string unpacked(std::string_view text, std::size_t size) {
  std::string bytes;
  const auto value = [&](std::size_t at) {
    return static_cast<std::uint32_t>(text[at] - (text[at] > '<' ? 34 : 33));
  };
  std::uint32_t held = 0;
  unsigned count = 0;
  for (std::size_t at = 0; at + 1 < text.size(); at += 2) {
    const std::uint32_t pair = value(at) + 93 * value(at + 1);
    held |= pair << count;
    count += (pair & 8191) < 93 * 93 - 8192 ? 14 : 13;
    for (; count >= 8; count -= 8, held >>= 8) bytes.push_back(static_cast<char>(held));
  }
  bytes.resize(size);
  return bytes;
}

inline std::string gunzipped(const std::string& bytes) {
  std::string out;
  std::string part(1 << 16, '\0');
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  int state = inflateInit2(&stream, 16 + MAX_WBITS);
  while (state == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    state = inflate(&stream, Z_NO_FLUSH);
    out.append(part, 0, part.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return state == Z_STREAM_END ? out : std::string();
}

/// The content of a packed block of a page, found by an attribute; empty if it is not there or
/// damaged.
inline std::string block_of_page(const std::string& html, const std::string& attribute) {
  const std::string mark = attribute + " data-bytes=\"";
  const std::size_t at = html.find(mark);
  if (at == std::string::npos) return {};
  const std::size_t size = std::strtoul(html.c_str() + at + mark.size(), nullptr, 10);
  const std::size_t begin = html.find('>', at) + 1;
  return gunzipped(unpacked(html.substr(begin, html.find('<', begin) - begin), size));
}

}  // namespace tactus::testing

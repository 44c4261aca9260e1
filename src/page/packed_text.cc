#include "page/packed_text.h"

#include <cstdint>

namespace tactus::page {
namespace {

constexpr std::uint32_t kCharacters = 93;
constexpr std::uint32_t kValues = kCharacters * kCharacters;  // of two characters
constexpr unsigned kBits = 13;
/// Values of 13 bits below this take a bit more: that is still a value of two characters.
constexpr std::uint32_t kSmall = kValues - (1U << kBits);

char character(std::uint32_t value) {
  const char c = static_cast<char>('!' + value);
  return c < '<' ? c : static_cast<char>(c + 1);
}

}  // namespace

std::string packed_text(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() * 5 / 4 + 2);
  std::uint32_t held = 0;  // bits that were not written yet, the oldest lowest
  unsigned count = 0;
  const auto write = [&](unsigned bits) {
    const std::uint32_t value = held & ((1U << bits) - 1);
    out.push_back(character(value % kCharacters));
    out.push_back(character(value / kCharacters));
    held >>= bits;
    count -= bits;
  };
  for (const char c : bytes) {
    held |= static_cast<std::uint32_t>(static_cast<unsigned char>(c)) << count;
    count += 8;
    if (count > kBits) write((held & ((1U << kBits) - 1)) < kSmall ? kBits + 1 : kBits);
  }
  if (count != 0) {
    count = kBits + 1;  // the bits behind the last byte are zeros
    write(kBits + 1);
  }
  return out;
}

}  // namespace tactus::page

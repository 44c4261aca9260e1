#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "wire/sockets.h"

// What a command asks of a recorder that runs, and what it is told: full mode for some seconds, in
// the recorder's own file.

namespace tactus::record {

inline constexpr std::uint64_t kWindowMagic = 0x31646e6977746374;  // "tctwind1"

struct WindowWish {
  std::uint64_t magic = kWindowMagic;
  double seconds = 0;        ///< 0: until whoever asks goes away
  std::uint32_t stacks = 0;  ///< wanted meanwhile, a sum of wire::StackWish
  std::uint32_t spare = 0;
};

enum class WindowNews : std::uint32_t {
  kRefused = 1,  ///< `text` says why; nothing more follows
  kBegun = 2,
  kOver = 3,  ///< nothing more follows
};

struct WindowAnswer {
  std::uint64_t magic = kWindowMagic;
  WindowNews news = WindowNews::kRefused;
  std::uint32_t spare = 0;
  std::int64_t from_ns = 0;  ///< of the recording, as the next
  std::int64_t to_ns = 0;
  std::uint64_t kernels = 0;  ///< recorded meanwhile
  char text[512] = {};        ///< what else there is to say
  char file[512] = {};        ///< of the recording
};

template <std::size_t N>
void put_text(char (&room)[N], std::string_view text) {
  text.copy(room, std::min(text.size(), N - 1));
}
template <std::size_t N>
std::string text_in(const char (&room)[N]) {
  return {room, strnlen(room, N)};
}

/// Where a recorder can be asked.
inline wire::SocketAddress window_address(std::int64_t recorder) {
  const std::string name = "@tactus-recorder-" + std::to_string(recorder);
  wire::SocketAddress address;
  wire::fill_address(name.data(), name.size(), address);
  return address;
}

}  // namespace tactus::record

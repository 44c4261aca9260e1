#include "sources/bytes/inflate.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <memory>

namespace tactus {

std::optional<std::string> inflate_zlib(std::string_view compressed, std::size_t limit) {
  if (compressed.size() > UINT32_MAX) return std::nullopt;
  const auto state = std::make_unique<inflate_state>();
  isal_inflate_init(state.get());
  state->crc_flag = ISAL_ZLIB;
  state->next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(compressed.data()));
  state->avail_in = static_cast<std::uint32_t>(compressed.size());
  std::string text;
  while (state->block_state != ISAL_BLOCK_FINISH) {
    const std::size_t held = text.size();
    if (held >= limit) return std::nullopt;
    text.resize(std::min(limit, std::max<std::size_t>(2 * held, 4 * compressed.size() + 4096)));
    state->next_out = reinterpret_cast<std::uint8_t*>(text.data() + held);
    state->avail_out =
        static_cast<std::uint32_t>(std::min<std::size_t>(text.size() - held, UINT32_MAX));
    const std::uint32_t room = state->avail_out;
    if (isal_inflate(state.get()) != ISAL_DECOMP_OK) return std::nullopt;
    text.resize(held + (room - state->avail_out));
    if (state->avail_out == room && state->block_state != ISAL_BLOCK_FINISH) return std::nullopt;
  }
  return text;
}

}  // namespace tactus

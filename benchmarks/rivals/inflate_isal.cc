// ISA-L's inflate alone: a .gz file into a buffer that is overwritten again and again.
// usage: inflate_isal FILE.gz
#include <isa-l/igzip_lib.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

int main(int, char** argv) {
  std::ifstream file(argv[1], std::ios::binary);
  std::vector<char> packed((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
  std::vector<unsigned char> text(1 << 20);
  std::size_t bytes = 0;
  const auto begin = std::chrono::steady_clock::now();
  const auto state = std::make_unique<inflate_state>();
  isal_inflate_init(state.get());
  state->crc_flag = ISAL_GZIP;
  state->next_in = reinterpret_cast<unsigned char*>(packed.data());
  state->avail_in = static_cast<std::uint32_t>(packed.size());
  do {
    state->next_out = text.data();
    state->avail_out = static_cast<std::uint32_t>(text.size());
    if (isal_inflate(state.get()) != ISAL_DECOMP_OK) return 1;
    bytes += text.size() - state->avail_out;
  } while (state->block_state != ISAL_BLOCK_FINISH);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("{\"seconds\": %.6f, \"bytes\": %zu}\n", seconds.count(), bytes);
}

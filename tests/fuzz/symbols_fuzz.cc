// ELF files of a target, which may be anything.
#include <cstddef>
#include <cstdint>

#include "record/session/fill/symbols.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto symbols =
      tactus::record::ModuleSymbols::read({reinterpret_cast<const char*>(data), size});
  for (std::uint64_t at = 0; at < 4096; at += 61) symbols.find(at);
  return 0;
}

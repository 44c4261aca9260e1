#include "run/tact/tact_file.h"
#include "support.h"

// Checksums are not looked at in this build (see base/hash.h), so that damage reaches the decoders.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus;
  const fuzz::MemoryFile file({reinterpret_cast<const char*>(data), size});
  Result<Run> run = open_run(file.path(), 1);
  if (run) fuzz::use(*run);
  Result<Run> part = open_run(file.path(), OpenOptions{.window = TimeSpan{0, 1'000'000}});
  if (part) fuzz::use(*part);
  return 0;
}

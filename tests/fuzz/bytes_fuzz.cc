#include "sources/bytes/input_bytes.h"
#include "support.h"

// gzip, zstd and plain, told apart by their first bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus;
  const fuzz::MemoryFile file({reinterpret_cast<const char*>(data), size});
  Result<std::unique_ptr<InputBytes>> bytes = InputBytes::open(file.path());
  if (bytes && (*bytes)->peek()) {
    const Result<std::string> all = read_all(**bytes, 1 << 24);
    if (all) CHECK(all->size() <= std::size_t{1} << 25);
  }
  return 0;
}

#include <cstring>

#include "base/check.h"
#include "check/gpu_fit.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus;
  const ReadAt read_at = [&](std::uint64_t offset, char* into, std::size_t count) {
    CHECK(offset <= size && count <= size - offset);  // the reader looks before it asks
    std::memcpy(into, data + offset, count);
    return Status();
  };
  const Result<Fatbin> fatbin = read_fatbin(read_at, size, "fuzz");
  if (!fatbin) {
    CHECK(!fatbin.error().message.empty());
    return 0;
  }
  const Gpu gpu{.name = "H200", .capability = 90};
  CHECK(!fit_of(*fatbin, &gpu, 13000).sentence.empty());
  CHECK(!fit_of(*fatbin, nullptr, 0).sentence.empty());
  return 0;
}

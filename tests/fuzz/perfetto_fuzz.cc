#include "sources/perfetto/perfetto.h"
#include "support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus;
  const auto bytes = fuzz::memory_bytes({reinterpret_cast<const char*>(data), size});
  RunBuilder builder;
  NoProgress progress;
  if (!perfetto::import(*bytes, builder, progress)) return 0;
  Run run = builder.finish();
  fuzz::use(run);
  return 0;
}

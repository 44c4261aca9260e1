#include "sources/nsys/summary/summary_text.h"
#include "support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus;
  const auto bytes = fuzz::memory_bytes({reinterpret_cast<const char*>(data), size});
  RunBuilder builder;
  if (!nsys::import_summary(*bytes, builder)) return 0;
  Run run = builder.finish();
  fuzz::use(run);
  return 0;
}

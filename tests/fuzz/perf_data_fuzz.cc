#include "sources/perf_data/perf_data.h"
#include "support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto import : {perf_data::import_patterns, perf_data::import_counters}) {
    const auto bytes = fuzz::memory_bytes(text);
    RunBuilder builder;
    if (!import(*bytes, builder)) continue;
    Run run = builder.finish();
    fuzz::use(run);
  }
  return 0;
}

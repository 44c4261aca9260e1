#include "watch/sources/metrics_steps.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus::watch;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Two pages, one after another.
  const std::size_t half = size / 2;
  MetricsSteps steps;
  steps.add(engine_metrics(parse_metrics(text.substr(0, half))), 1'000'000'000);
  steps.add(engine_metrics(parse_metrics(text.substr(half))), 2'000'000'000);
  steps.add(engine_metrics(parse_metrics(text)), 40'000'000'000);
  return 0;
}

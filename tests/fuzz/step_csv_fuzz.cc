#include "support.h"
#include "watch/sources/step_csv.h"
#include "watch/streams.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus;
  const auto bytes = fuzz::memory_bytes({reinterpret_cast<const char*>(data), size});
  const Result<watch::StepTable> table = watch::read_step_csv(*bytes);
  if (!table) return 0;
  watch::StreamWatch watch("all", std::nullopt, {.learning = {.ready_after = 20}, .rules = {}});
  std::vector<watch::WatchEvent> events;
  for (const watch::StepStream& stream : table->streams) {
    for (const watch::Step& step : stream.steps) watch.add(step, events);
  }
  watch.finish(events);
  return 0;
}

#include "watch/sources/engine_log.h"
#include "watch/streams.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus::watch;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  EngineLog log;
  Watcher watcher({.learning = {.ready_after = 20}, .rules = {}});
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (const auto found = log.add(text.substr(0, end))) {
      if (const auto stream = watcher.stream(found->stream, found->rank)) {
        watcher.add(*stream, found->step);
      }
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  watcher.finish();
  return 0;
}

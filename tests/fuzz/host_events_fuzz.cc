// Bytes of the kernel's ring, as events of the host tracer, and the slices that are made of them.
#include "record/host/host_events.h"
#include "record/session/fill/host_filler.h"
#include "support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus;
  static const record::TickClock clock({{0, 0}, {1'000'000, 1'000'000}});
  RunBuilder builder;
  record::ProcessSources sources(builder, 0, "host");
  record::HostFiller filler(builder, sources, clock);
  // One event per 104 bytes, the size of the longest.
  constexpr std::size_t kBytes = 104;
  const auto bytes = std::as_bytes(std::span(data, size));
  for (std::size_t at = 0; at < size; at += kBytes) {
    const auto event = record::read_host_event(bytes.subspan(at, std::min(kBytes, size - at)));
    if (event) filler.add(*event);
  }
  filler.count_losses({});
  Run run = builder.finish();
  fuzz::use(run);
  return 0;
}

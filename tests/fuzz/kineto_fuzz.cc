#include "run/tact/tact_file.h"
#include "sources/kineto/kineto.h"
#include "support.h"

// Reads the input as a trace, in one window and (if it is short) in many small ones: both must give
// the same run.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  NoProgress progress;
  std::size_t slices[2] = {0, 0};
  std::size_t strings[2] = {0, 0};
  int which = 0;
  const std::size_t small = size < 2000 ? 100 : 1000;
  for (const std::size_t window : {std::size_t{1} << 20, small}) {
    RunBuilder builder;
    const auto bytes = fuzz::memory_bytes(text);
    if (!kineto::import(*bytes, {.threads = 1, .window_bytes = window}, builder, progress))
      continue;
    Run run = builder.finish();
    slices[which] = run.slices.size();
    strings[which] = run.strings.size();
    if (which++ == 0) fuzz::use(run);
  }
  CHECK(which != 1);
  CHECK(slices[0] == slices[1] && strings[0] == strings[1]);
  return 0;
}

#include "sources/early_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/arithmetic.h"
#include "base/text.h"
#include "run/event_view.h"

namespace tactus {
namespace {

constexpr std::int64_t kWholeMicrosecond = 1'000;  // [ns] some sources write whole microseconds

struct Early {
  std::size_t launched = 0;
  std::size_t count = 0;
  std::int64_t most_ns = 0;
};

std::size_t source_of_track(const Run& run, std::int64_t track) {
  const std::size_t thread = run.tracks[static_cast<std::size_t>(track)].thread.value;
  if (thread >= run.threads.size()) return 0;
  const std::size_t process = run.threads[thread].process.value;
  return process < run.processes.size() ? run.processes[process].source.value : 0;
}

}  // namespace

void warn_of_early_work(Run& run) {
  std::vector<Early> found(run.sources.size());
  const Column& starts = run.slices.start();
  const Column& tracks = run.slices.track();
  for_each_launch(run, [&](std::uint32_t call, std::uint32_t work) {
    const std::int64_t track = tracks[work];
    if (static_cast<std::size_t>(track) >= run.tracks.size()) return;
    if (run.is_captured(run.slices.category()[work])) return;
    const std::size_t source = source_of_track(run, track);
    if (source >= found.size()) return;
    Early& early = found[source];
    ++early.launched;
    const std::int64_t ahead_ns = wrapping_subtract(starts[call], starts[work]);
    if (ahead_ns <= kWholeMicrosecond) return;
    ++early.count;
    early.most_ns = std::max(early.most_ns, ahead_ns);
  });
  for (std::size_t source = 0; source < found.size(); ++source) {
    const Early& early = found[source];
    if (early.count == 0) continue;
    run.warnings.push_back(fmt::format(
        "{}: {} of {} launched kernels and copies start before the calls that launch them, by up "
        "to {:.6g} ms: the clocks of host and device disagree by at least that much. Lengths are "
        "right; what the host did while the device was idle is uncertain by that",
        run.strings[run.sources[source].path], early.count, early.launched,
        static_cast<double>(early.most_ns) * 1e-6));
  }
}

}  // namespace tactus

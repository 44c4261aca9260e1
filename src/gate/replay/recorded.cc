#include <algorithm>
#include <map>

#include "gate/replay/units.h"

namespace tactus::gate {

std::vector<ClassOutcome> named_classes(const Policy& policy) {
  std::vector<ClassOutcome> out;
  for (const std::string& name : policy.classes) out.emplace_back().name = name;
  return out;
}

Outcome recorded_outcome(const LaunchTrace& trace, const Policy& policy) {
  Outcome out;
  out.classes = named_classes(policy);
  std::int64_t first = INT64_MAX;
  std::int64_t last = 0;
  for (const TracedThread& thread : trace.threads) {
    UnitClass unit;
    std::map<std::size_t, std::int64_t> last_end;
    for (const ThreadStep& step : thread.steps) {
      first = std::min(first, step.begin_ns);
      last = std::max(last, step.end_ns);
      if (step.kind == ThreadStep::kLaunch) {
        const std::size_t c = trace.launches[step.launch].class_number;
        unit.add(c);
        if (c < out.classes.size()) ++out.classes[c].launches;
        continue;
      }
      const std::size_t c = unit.take();
      if (c >= out.classes.size()) continue;
      const auto [at, is_first] = last_end.try_emplace(c, step.end_ns);
      if (!is_first) out.classes[c].between_ns.push_back(step.end_ns - at->second);
      at->second = step.end_ns;
      ++out.classes[c].units;
    }
  }
  out.took_ns = std::max<std::int64_t>(last - first, 0);
  return out;
}

}  // namespace tactus::gate

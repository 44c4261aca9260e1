#include "measure/host_parts.h"

#include <algorithm>

#include "run/identity.h"

namespace tactus {

const std::vector<HostCall>* launching_thread(const Run& run, const HostCalls& calls,
                                              std::uint32_t process) {
  const std::vector<HostCall>* found = nullptr;
  std::int64_t most = 0;
  for (std::size_t i = 0; i < calls.threads.size(); ++i) {
    if (process_of_track(run, calls.track_of_thread[i]) != process) continue;
    const std::vector<HostCall>& thread = calls.threads[i];
    const auto launches = std::count_if(thread.begin(), thread.end(), [](const HostCall& call) {
      return call.part == Part::kLaunching;
    });
    if (launches <= most) continue;
    most = launches;
    found = &thread;
  }
  return found;
}

std::array<double, kParts> HostParts::next(std::int64_t start_ns, std::int64_t end_ns) {
  std::array<double, kParts> parts{};
  const auto add = [&](Part part, std::int64_t from, std::int64_t to) {
    parts[static_cast<std::size_t>(part)] += static_cast<double>(to - from);
  };
  while (next_ < calls_->size() && (*calls_)[next_].end_ns <= start_ns) ++next_;
  std::int64_t at = start_ns;
  for (std::size_t i = next_; i < calls_->size() && (*calls_)[i].start_ns < end_ns; ++i) {
    const HostCall& call = (*calls_)[i];
    const std::int64_t from = std::clamp(call.start_ns, at, end_ns);
    const std::int64_t to = std::clamp(call.end_ns, from, end_ns);
    add(Part::kHostCode, at, from);
    add(call.part == Part::kWaitCall ? Part::kDeviceWait : call.part, from, to);
    at = to;
  }
  add(Part::kHostCode, at, end_ns);
  return parts;
}

}  // namespace tactus

#include "record/session/host_part.h"

#include <utility>

#include "record/session/processes.h"

namespace tactus::record {

Status HostPart::start(std::int64_t shortest_ns) {
  Result<std::unique_ptr<HostTracer>> started =
      HostTracer::start({.shortest_break_ns = shortest_ns});
  if (!started) return started.error();
  tracer_ = std::move(*started);
  return {};
}

void HostPart::watch_own_children(bool is_on) {
  if (tracer_) tracer_->watch_own_children(is_on);
}

void HostPart::add_with_descendants(std::int64_t pid) {
  if (!tracer_) return;
  for (const std::int64_t process : with_descendants(pid)) {
    if (const Status status = tracer_->add_process(process); !status) {
      warnings_.push_back(status.error().message);
    }
  }
}

void HostPart::look_for_drivers(std::int64_t pid) {
  if (!tracer_) return;
  for (const std::int64_t process : with_descendants(pid)) {
    if (watched_.contains(process) || find_agent(process)) continue;
    const Result<std::size_t> calls = tracer_->watch_driver(process);
    if (calls && *calls == 0) continue;
    watched_.insert(process);
    if (!calls) {
      warnings_.push_back("launches of process " + std::to_string(process) +
                          " cannot be watched: " + calls.error().message);
    }
  }
}

HostHarvest HostPart::take() {
  return tracer_ ? tracer_->take() : HostHarvest{};
}

void HostPart::stop() {
  if (tracer_) tracer_->stop();
}

std::vector<std::string> HostPart::take_warnings() {
  return std::exchange(warnings_, {});
}

}  // namespace tactus::record

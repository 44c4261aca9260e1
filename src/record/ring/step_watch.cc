#include "record/ring/step_watch.h"

#include "record/host/driver_calls.h"

namespace tactus::record {
namespace {

bool begins_a_step(const wire::Record& record) {
  const bool launches =
      record.kind == wire::RecordKind::kLaunch || record.kind == wire::RecordKind::kGraphLaunch;
  return launches && (record.flags & wire::kCaptured) == 0;
}

bool ends_a_step(const wire::Record& record) {
  const auto call = static_cast<wire::CallId>(record.call);
  return record.kind == wire::RecordKind::kSynchronise || call == wire::CallId::kMemcpyDtoH ||
         call == wire::CallId::kMemcpy;
}

}  // namespace

std::vector<EndedStep> StepWatch::add(const Batch& batch) {
  std::vector<EndedStep> ended;
  for (const Harvest::Part& part : batch.harvest.parts) {
    for (const ThreadRecord& record : part.records) {
      add_record({part.target->pid, record.tid}, record.record, ended);
    }
    if (!part.is_last) continue;
    const ThreadKey first{part.target->pid, 0};
    const ThreadKey last{part.target->pid, INT64_MAX};
    starts_.erase(starts_.lower_bound(first), starts_.upper_bound(last));
  }
  for (const HostEvent& event : batch.host.events) {
    if (event.kind == HostEvent::Kind::kCall) add_call(event, ended);
    if (event.kind == HostEvent::Kind::kExit) starts_.erase({event.pid, event.tid});
  }
  return ended;
}

void StepWatch::add_record(const ThreadKey& thread, const wire::Record& record,
                           std::vector<EndedStep>& ended) {
  const std::optional<std::int64_t> start = clock_.to_ns(record.begin_ticks);
  if (!start || record.kind == wire::RecordKind::kGpuTime ||
      record.kind == wire::RecordKind::kCorrelation) {
    return;
  }
  if (begins_a_step(record)) {
    starts_.try_emplace(thread, *start);
  } else if (ends_a_step(record)) {
    end(thread, *start + clock_.duration_ns(record.took_ticks), ended);
  }
}

void StepWatch::add_call(const HostEvent& event, std::vector<EndedStep>& ended) {
  const auto number = static_cast<std::size_t>(event.call);
  if (number >= driver_calls().size()) return;
  const ThreadKey thread{event.pid, event.tid};
  if (driver_calls()[number].waits()) {
    end(thread, clock_.from_monotonic(event.end_ns), ended);
  } else {
    starts_.try_emplace(thread, clock_.from_monotonic(event.start_ns));
  }
}

void StepWatch::end(const ThreadKey& thread, std::int64_t end_ns, std::vector<EndedStep>& ended) {
  const auto at = starts_.find(thread);
  if (at == starts_.end()) return;
  ended.push_back({end_ns, end_ns - at->second});
  starts_.erase(at);
}

}  // namespace tactus::record

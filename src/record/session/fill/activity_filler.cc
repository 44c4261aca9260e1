#include "record/session/fill/activity_filler.h"

#include <fmt/format.h>

#include <algorithm>

#include "record/session/fill/demangled.h"

namespace tactus::record {
namespace {

constexpr std::size_t kMostCalls = 300'000;  // twice
constexpr std::size_t kMostWaitingRows = 300'000;
constexpr std::uint32_t kMostDevices = 256;

ArgShape activity_shape(RunBuilder& builder,
                        std::initializer_list<std::pair<std::string_view, ValueType>> fields) {
  ArgShape shape;
  for (const auto& [key, type] : fields) shape.push_back({builder.intern(key), type});
  return shape;
}

std::string_view memory_name(std::uint8_t kind) {
  constexpr std::string_view kNames[] = {"Unknown", "Pageable", "Pinned",
                                         "Device",  "Array",    "Managed"};
  return kind < std::size(kNames) ? kNames[kind] : kNames[0];
}

/// As torch.profiler calls it: "Memcpy HtoD (Pinned -> Device)"
std::string copy_name(const wire::Activity& copy) {
  constexpr std::string_view kNames[] = {"Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                         "AtoD",    "DtoA", "DtoD", "HtoH", "PtoP"};
  const std::string_view way =
      copy.copy_kind < std::size(kNames) ? kNames[copy.copy_kind] : kNames[0];
  return fmt::format("Memcpy {} ({} -> {})", way, memory_name(copy.from_kind),
                     memory_name(copy.to_kind));
}

}  // namespace

ActivityFiller::ActivityFiller(RunBuilder& builder, SourceId source, std::int64_t pid)
    : builder_(builder), source_(source), pid_(pid) {
  using enum ValueType;
  shapes_.kernel = builder.shape(activity_shape(builder, {{"cupti correlation", kInt},
                                                          {"device", kInt},
                                                          {"context", kInt},
                                                          {"stream", kInt},
                                                          {"grid", kJson},
                                                          {"block", kJson},
                                                          {"cluster", kJson},
                                                          {"registers per thread", kInt},
                                                          {"shared memory", kInt},
                                                          {"graph id", kInt},
                                                          {"graph node id", kInt}}));
  shapes_.memory = builder.shape(activity_shape(builder, {{"cupti correlation", kInt},
                                                          {"device", kInt},
                                                          {"context", kInt},
                                                          {"stream", kInt},
                                                          {"bytes", kInt},
                                                          {"graph id", kInt},
                                                          {"graph node id", kInt}}));
  kernel_ = builder.category("kernel");
  copy_ = builder.category("gpu_memcpy");
  fill_ = builder.category("gpu_memset");
}

TrackId ActivityFiller::track_of(std::uint32_t device, std::uint32_t stream) {
  const auto [at, is_new] = tracks_.try_emplace({device, stream});
  if (!is_new) return at->second;
  const ProcessId owner =
      builder_.process(source_, builder_.ident(fmt::format("GPU {} ({})", device, pid_)));
  builder_.run().processes[owner.value].labels = builder_.intern(fmt::format("GPU {}", device));
  const ThreadId thread =
      builder_.thread(owner, builder_.ident(fmt::format("stream {} of CUPTI", stream)));
  builder_.run().threads[thread.value].name =
      builder_.intern(fmt::format("stream {} (CUPTI)", stream));
  at->second = builder_.track(thread, true);
  Track& track = builder_.run().tracks[at->second.value];
  track.device_index = device;
  track.stream = stream;
  return at->second;
}

StringId ActivityFiller::name_of(const AgentMemory& memory, const wire::Activity& activity) {
  if (activity.kind == wire::ActivityKind::kCopy) return builder_.intern(copy_name(activity));
  if (activity.kind == wire::ActivityKind::kFill) return builder_.intern("Memset (Device)");
  const auto at = names_.find(activity.name);
  if (at != names_.end()) return at->second;
  const std::string name = memory.name(activity.name);
  if (name.empty()) return builder_.intern("unknown");
  return names_.emplace(activity.name, builder_.intern_repaired(demangled(name))).first->second;
}

StringId ActivityFiller::dimensions(const std::uint32_t (&of)[3]) {
  const auto [at, is_new] = dimensions_.try_emplace({of[0], of[1], of[2]});
  if (is_new) at->second = builder_.intern(fmt::format("[{},{},{}]", of[0], of[1], of[2]));
  return at->second;
}

void ActivityFiller::add_call(std::uint32_t correlation, std::int64_t row) {
  if (calls_.size() >= kMostCalls) {
    older_calls_ = std::move(calls_);
    calls_.clear();
  }
  calls_[correlation] = row;
  const auto rows = waiting_.find(correlation);
  if (rows == waiting_.end()) return;
  for (const std::int64_t launched : rows->second) link(correlation, launched);
  waiting_.erase(rows);
}

void ActivityFiller::link(std::uint32_t correlation, std::int64_t row) {
  for (const auto* known : {&calls_, &older_calls_}) {
    const auto at = known->find(correlation);
    if (at == known->end()) continue;
    builder_.run().links.append({static_cast<std::int64_t>(LinkKind::kLaunch), at->second, row});
    return;
  }
  if (waiting_.size() > kMostWaitingRows) waiting_.clear();
  waiting_[correlation].push_back(row);
}

bool ActivityFiller::add(const AgentMemory& memory, const TickClock& clock,
                         const wire::Activity& activity, std::int64_t row) {
  const bool is_kernel = activity.kind == wire::ActivityKind::kKernel;
  const bool is_known = is_kernel || activity.kind == wire::ActivityKind::kCopy ||
                        activity.kind == wire::ActivityKind::kFill;
  const bool is_monotonic = memory.activity_clock() == wire::ActivityClock::kMonotonic;
  constexpr std::uint64_t kLatest = kLatestTime;
  const std::int64_t zero = is_monotonic ? clock.origin_monotonic_ns() : clock.origin_ns();
  constexpr std::int64_t kSecond = 1'000'000'000;
  if (!is_known || activity.begin_ns > activity.end_ns || activity.end_ns >= kLatest ||
      activity.device >= kMostDevices ||
      static_cast<std::int64_t>(activity.end_ns) - zero > clock.latest_ns() + kSecond) {
    ++damaged_;
    return false;
  }
  if (activity.begin_ns == 0 || activity.end_ns == 0) {  // CUPTI did not see when it ran
    ++untimed_;
    return false;
  }
  const std::int64_t start = static_cast<std::int64_t>(activity.begin_ns) - zero;
  const auto dur = static_cast<std::int64_t>(activity.end_ns - activity.begin_ns);
  const TrackId track = track_of(activity.device, activity.stream);
  const StringId name = name_of(memory, activity);
  const auto node =
      static_cast<std::int64_t>(std::min<std::uint64_t>(activity.graph_node, kLatest));
  EventTable& slices = builder_.run().slices;
  if (is_kernel) {
    ++kernels_;
    const std::int64_t values[] = {activity.correlation,
                                   activity.device,
                                   activity.context,
                                   activity.stream,
                                   dimensions(activity.grid).value,
                                   dimensions(activity.block).value,
                                   dimensions(activity.cluster).value,
                                   activity.registers,
                                   activity.shared_bytes,
                                   activity.graph,
                                   node};
    slices.append(start, dur, name, track.value, kernel_.value, shapes_.kernel, values);
  } else {
    const std::int64_t values[] = {
        activity.correlation,
        activity.device,
        activity.context,
        activity.stream,
        static_cast<std::int64_t>(std::min<std::uint64_t>(activity.bytes, kLatest)),
        activity.graph,
        node};
    const CategoryId category = activity.kind == wire::ActivityKind::kCopy ? copy_ : fill_;
    slices.append(start, dur, name, track.value, category.value, shapes_.memory, values);
  }
  link(activity.correlation, row);
  return true;
}

}  // namespace tactus::record

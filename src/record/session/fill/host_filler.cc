#include "record/session/fill/host_filler.h"

#include <fmt/format.h>

#include "record/host/driver_calls.h"
#include "record/session/processes.h"
#include "run/host_track.h"

namespace tactus::record {
namespace {

/// A thread that was woken waits for its core a little; only longer waits are slices of their own.
constexpr std::int64_t kShortestQueue = 10'000;  // [ns]
/// Threads stay in memory until the file is finished.
constexpr std::size_t kMostThreads = 100'000;

ShapeId make_shape(RunBuilder& builder,
                   std::initializer_list<std::pair<std::string_view, ValueType>> fields) {
  ArgShape shape;
  for (const auto& [key, type] : fields) shape.push_back({builder.intern(key), type});
  return builder.shape(shape);
}

}  // namespace

HostFiller::HostFiller(RunBuilder& builder, ProcessSources& sources, const TickClock& clock)
    : builder_(builder), sources_(sources), clock_(clock) {
  using enum ValueType;
  system_ = builder.category("os_runtime");
  driver_ = builder.category("cuda_driver");
  annotation_ = builder.category("user_annotation");
  on_shape_ = make_shape(builder, {{"on core ns", kInt},
                                   {"queued ns", kInt},
                                   {"turns", kInt},
                                   {"page faults", kInt},
                                   {"page faults from disk", kInt},
                                   {"open", kBool}});
  queued_shape_ = make_shape(builder, {{"open", kBool}});
  wait_shape_ = make_shape(builder, {{"system call", kInt}, {"disk", kBool}, {"open", kBool}});
  launch_shape_ = make_shape(builder, {{"function", kText},
                                       {"stream handle", kText},
                                       {"grid", kJson},
                                       {"block", kJson},
                                       {"shared memory", kInt}});
  step_shape_ = make_shape(builder, {{"launches", kInt}});
  exec_shape_ = make_shape(builder, {{"program", kText}});
  exit_shape_ = make_shape(builder, {{"exit code", kInt}, {"signal", kInt}});
  no_shape_ = make_shape(builder, {});
  on_core_ = builder.intern("oncpu");
  queued_ = builder.intern("runq");
  step_ = builder.intern("step");
  exec_ = builder.intern("exec");
  exit_ = builder.intern("exit");
}

HostFiller::ThreadPlace& HostFiller::place_of(const HostEvent& event) {
  const auto [at, is_new] = threads_.try_emplace({event.pid, event.tid});
  if (is_new) {
    ++account_.threads;
    const ProcessId process =
        builder_.process(sources_.of(event.pid), RunBuilder::ident(event.pid));
    Process& known = builder_.run().processes[process.value];
    if (known.name.value == 0) {
      known.name = builder_.intern_repaired(process_command(event.pid));
    }
    const ThreadId thread = builder_.thread(process, builder_.ident(host_track_tid(event.tid)));
    at->second.host = builder_.track(thread, false);
    name_thread(event);
  }
  return at->second;
}

/// Threads are mostly named after they began.
void HostFiller::name_thread(const HostEvent& event) {
  std::string name = thread_name(event.pid, static_cast<std::uint32_t>(event.tid));
  if (name.empty()) name = event.name.data();
  if (name.empty()) return;
  const TrackId track = threads_[{event.pid, event.tid}].host;
  const ThreadId thread = builder_.run().tracks[track.value].thread;
  builder_.run().threads[thread.value].name =
      builder_.intern_repaired(fmt::format("host: {} ({})", name, event.tid));
}

void HostFiller::name_process(const HostEvent& event) {
  std::string command = process_command(event.pid);
  if (command.empty()) command = event.name.data();
  const TrackId track = threads_[{event.pid, event.tid}].host;
  const ThreadId thread = builder_.run().tracks[track.value].thread;
  const ProcessId process = builder_.run().threads[thread.value].process;
  builder_.run().processes[process.value].name = builder_.intern_repaired(command);
}

TrackId HostFiller::calls_of(ThreadPlace& place, const HostEvent& event) {
  if (!place.calls) {
    const ThreadId host = builder_.run().tracks[place.host.value].thread;
    const ProcessId process = builder_.run().threads[host.value].process;
    const ThreadId thread = builder_.thread(process, RunBuilder::ident(event.tid));
    place.calls = builder_.track(thread, false);
    builder_.run().threads[thread.value].name =
        builder_.intern_repaired(thread_name(event.pid, static_cast<std::uint32_t>(event.tid)));
  }
  return *place.calls;
}

void HostFiller::append(std::int64_t start_ns, std::int64_t end_ns, StringId name, TrackId track,
                        CategoryId category, ShapeId shape,
                        std::initializer_list<std::int64_t> values) {
  const std::int64_t start = clock_.from_monotonic(start_ns);
  // What began before the recording is cut.
  const std::int64_t from = std::max<std::int64_t>(start, 0);
  const std::int64_t to = clock_.from_monotonic(end_ns);
  if (to < from) return;
  builder_.run().slices.append(from, to - from, name, track.value, category.value, shape,
                               std::span<const std::int64_t>(values.begin(), values.size()));
  ++account_.slices;
}

void HostFiller::add(const HostEvent& event) {
  if (account_.threads >= kMostThreads && !threads_.contains({event.pid, event.tid})) {
    if (event.kind == HostEvent::Kind::kExit) ++threads_left_out_;
    return;
  }
  switch (event.kind) {
    case HostEvent::Kind::kOnCore: add_on_core(event); return;
    case HostEvent::Kind::kOffCore: add_off_core(event); return;
    case HostEvent::Kind::kCall: add_call(event); return;
    case HostEvent::Kind::kBegin: return;  // of interest when it does something
    case HostEvent::Kind::kExec:
      place_of(event);
      name_thread(event);
      name_process(event);
      add_mark(event);
      return;
    case HostEvent::Kind::kExit:
      if (!threads_.contains({event.pid, event.tid})) return;
      name_thread(event);
      add_mark(event);
      threads_.erase({event.pid, event.tid});
      if (!has_threads(event.pid)) sources_.forget(event.pid);
      return;
  }
}

/// The start of another program, or the end of a thread.
void HostFiller::add_mark(const HostEvent& event) {
  const std::int64_t time = clock_.from_monotonic(event.start_ns);
  const TrackId track = threads_[{event.pid, event.tid}].host;
  if (time < 0) return;
  if (event.kind == HostEvent::Kind::kExec) {
    const std::int64_t values[] = {builder_.intern_repaired(event.name.data()).value};
    builder_.run().instants.append(time, 0, exec_, track.value, system_.value, exec_shape_, values);
    return;
  }
  // As wait() has it: the code above, the signal below.
  const std::int64_t values[] = {event.call >> 8 & 0xFF, event.call & 0x7F};
  builder_.run().instants.append(time, 0, exit_, track.value, system_.value, exit_shape_, values);
}

bool HostFiller::has_threads(std::int64_t pid) const {
  const auto next = threads_.lower_bound({pid, 0});
  return next != threads_.end() && next->first.first == pid;
}

void HostFiller::add_on_core(const HostEvent& event) {
  account_.turns += event.turns;
  append(
      event.start_ns, event.end_ns, on_core_, place_of(event).host, system_, on_shape_,
      {event.on_ns, event.queued_ns, event.turns, event.faults, event.disk_faults, event.is_open});
}

void HostFiller::add_off_core(const HostEvent& event) {
  const TrackId track = place_of(event).host;
  const bool is_ready = event.reason == HostEvent::Reason::kReady;
  std::int64_t ready_ns = is_ready ? event.start_ns : event.end_ns - event.queued_ns;
  if (!is_ready && event.queued_ns < kShortestQueue) ready_ns = event.end_ns;
  if (ready_ns > event.start_ns) {
    append(event.start_ns, ready_ns, builder_.intern(wait_name(event.call, event.reason)), track,
           system_, wait_shape_,
           {event.call, event.reason == HostEvent::Reason::kDisk, event.is_open});
  }
  if (ready_ns < event.end_ns) {
    append(ready_ns, event.end_ns, queued_, track, system_, queued_shape_, {event.is_open});
  }
}

StringId HostFiller::hex(std::uint64_t address) {
  return builder_.intern(fmt::format("{:#x}", address));
}

StringId HostFiller::dimensions(const std::array<std::uint32_t, 3>& of) {
  return builder_.intern(fmt::format("[{},{},{}]", of[0], of[1], of[2]));
}

/// Launches have no duration: their return is not watched, which would cost more than the launch.
void HostFiller::add_call(const HostEvent& event) {
  const auto number = static_cast<std::size_t>(event.call);
  if (number >= driver_calls().size()) return;
  const DriverCall& call = driver_calls()[number];
  ThreadPlace& place = place_of(event);
  const TrackId track = calls_of(place, event);
  const StringId name = builder_.intern(call.name);
  if (call.waits()) {
    append(event.start_ns, event.end_ns, name, track, driver_, no_shape_, {});
    if (!place.step_start_ns) return;
    append(*place.step_start_ns, event.end_ns, step_, track, annotation_, step_shape_,
           {place.step_launches});
    place.step_start_ns.reset();
    place.step_launches = 0;
    return;
  }
  ++account_.launches;
  ++place.step_launches;
  if (!place.step_start_ns) place.step_start_ns = event.start_ns;
  const std::int64_t values[] = {hex(event.function).value, hex(event.stream).value,
                                 dimensions(event.grid).value, dimensions(event.block).value,
                                 event.shared_bytes};
  const std::int64_t time = clock_.from_monotonic(event.start_ns);
  if (time < 0) return;
  builder_.run().instants.append(time, 0, name, track.value, driver_.value, launch_shape_, values);
}

void HostFiller::count_losses(const HostHarvest& harvest) {
  account_.lost = harvest.lost;
  if (harvest.lost != 0) builder_.run().dropped["host_ring_full"] = harvest.lost;
  const std::uint64_t threads_lost = harvest.threads_lost + threads_left_out_;
  if (threads_lost != 0) builder_.run().dropped["host_thread_not_traced"] = threads_lost;
  if (harvest.damaged != 0) builder_.run().dropped["damaged_host_event"] = harvest.damaged;
}

}  // namespace tactus::record

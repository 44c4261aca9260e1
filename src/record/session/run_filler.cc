#include "record/session/run_filler.h"

#include <fmt/format.h>

#include <algorithm>

#include "record/session/fill/demangled.h"
#include "record/session/fill/engine_step.h"
#include "record/session/fill/operator_filler.h"
#include "record/session/processes.h"

namespace tactus::record {
namespace {

using wire::RecordKind;

/// GPU times come soon after their launch; launches whose time was never taken are forgotten.
constexpr std::size_t kMostOpenGraphs = 64;
constexpr std::int64_t kUnknownDevice = -1;

/// True for calls after which the device has done all that the thread gave it.
bool waits(const wire::Record& record) {
  const auto call = static_cast<wire::CallId>(record.call);
  return record.kind == RecordKind::kSynchronise || call == wire::CallId::kMemcpyDtoH ||
         call == wire::CallId::kMemcpy;
}

using Fields = std::initializer_list<std::pair<std::string_view, ValueType>>;

ArgShape shape_of(RunBuilder& builder, Fields fields) {
  ArgShape shape;
  for (const auto& [key, type] : fields) shape.push_back({builder.intern(key), type});
  return shape;
}

/// Without a stack, and with one.
std::array<ShapeId, 2> shapes_of_call(RunBuilder& builder, Fields fields) {
  ArgShape shape = shape_of(builder, fields);
  const ShapeId without = builder.shape(shape);
  shape.push_back({builder.intern("@sf"), ValueType::kStack});
  return {without, builder.shape(shape)};
}

}  // namespace

RunFiller::RunFiller(RunBuilder& builder, const TickClock& clock, const std::string& host_name)
    : builder_(builder), clock_(clock), host_name_(builder.intern_repaired(host_name)) {
  using enum ValueType;
  shapes_.launch = shapes_of_call(builder, {{"correlation", kInt},
                                            {"kernel", kText},
                                            {"stream", kInt},
                                            {"grid", kJson},
                                            {"block", kJson},
                                            {"cluster", kJson},
                                            {"shared memory", kInt},
                                            {"captured", kBool},
                                            {"failed", kBool}});
  shapes_.graph = shapes_of_call(
      builder, {{"correlation", kInt}, {"graph", kText}, {"stream", kInt}, {"failed", kBool}});
  shapes_.memory = shapes_of_call(builder, {{"correlation", kInt},
                                            {"stream", kInt},
                                            {"bytes", kInt},
                                            {"captured", kBool},
                                            {"failed", kBool}});
  shapes_.other =
      shapes_of_call(builder, {{"correlation", kInt}, {"stream", kInt}, {"failed", kBool}});
  shapes_.gpu = builder.shape(
      shape_of(builder, {{"stream", kInt}, {"launches", kInt}, {"off by at most ns", kInt}}));
  shapes_.step = builder.shape(shape_of(builder, {{"launches", kInt}}));
  shapes_.engine_step = builder.shape(shape_of(builder, {{"engine", kText},
                                                         {"phase", kText},
                                                         {"launches", kInt},
                                                         {"sequences", kDecimal},
                                                         {"tokens", kDecimal},
                                                         {"context sequences", kDecimal},
                                                         {"context tokens", kDecimal}}));
  shapes_.product = builder.shape(shape_of(builder, {{"Input Dims", kJson},
                                                     {"Input type", kJson},
                                                     {"m", kInt},
                                                     {"n", kInt},
                                                     {"k", kInt},
                                                     {"batch", kInt},
                                                     {"transposes a", kBool},
                                                     {"transposes b", kBool}}));
  operator_ = builder.category("cpu_op");
  driver_ = builder.category("cuda_driver");
  annotation_ = builder.category("user_annotation");
  graph_ = builder.category("cuda_graph");
  gpu_annotation_ = builder.category("gpu_user_annotation");
  step_name_ = builder.intern("step");
  unknown_kernel_ = builder.intern("unknown");
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(wire::CallId::kCount); ++i) {
    call_names_.push_back(builder.intern(wire::call_name(static_cast<wire::CallId>(i))));
  }
}

std::size_t RunFiller::add_process(const AgentMemory& memory, std::int64_t pid,
                                   const std::string& command) {
  Known known;
  if (sources_ != nullptr) {
    known.source = sources_->of(pid);
  } else {
    known.source = builder_.begin_source(fmt::format("process {}", pid), "tactus");
    builder_.source().host_name = host_name_;
    builder_.end_source(clock_.origin_ns(), 0);
  }
  Source& source = builder_.run().sources[known.source.value];
  source.rank = memory.rank();
  source.world_size = memory.world_size();
  known.process = builder_.process(known.source, RunBuilder::ident(pid));
  builder_.run().processes[known.process.value].name = builder_.intern_repaired(command);
  known.stacks.emplace(symbols_, pid);
  known.activities.emplace(builder_, known.source, pid);
  known_.push_back(std::move(known));
  ProcessAccount account;
  account.pid = pid;
  account.command = command;
  account.rank = memory.rank();
  account.sees_calls = !memory.has_no_hooks();
  accounts_.push_back(std::move(account));
  return known_.size() - 1;
}

RunFiller::ThreadPlace& RunFiller::thread_of(Known& known, std::uint32_t tid) {
  const auto [at, is_new] = known.threads.try_emplace(tid);
  if (is_new) {
    const ThreadId thread = builder_.thread(known.process, RunBuilder::ident(tid));
    at->second.track = builder_.track(thread, false);
    const Process& process = builder_.run().processes[known.process.value];
    builder_.run().threads[thread.value].name =
        builder_.intern_repaired(thread_name(process.pid.value, tid));
  }
  return at->second;
}

const RunFiller::StreamPlace& RunFiller::stream_of(Known& known, const AgentMemory& memory,
                                                   std::uint16_t place) {
  if (const auto at = known.streams.find(place); at != known.streams.end()) return at->second;
  const std::optional<AgentStream> stream = memory.stream(place);
  const std::int64_t device = stream ? stream->device : kUnknownDevice;
  const ProcessId owner = builder_.process(
      known.source,
      builder_.ident(fmt::format("GPU {} ({})", device,
                                 builder_.run().processes[known.process.value].pid.value)));
  builder_.run().processes[owner.value].labels = builder_.intern(fmt::format("GPU {}", device));
  // As the agent numbers them; 0 is a device's default stream.
  const std::int64_t number =
      stream && stream->handle == 0 ? 0 : static_cast<std::int64_t>(place) + 1;
  const ThreadId thread = builder_.thread(owner, RunBuilder::ident(number));
  builder_.run().threads[thread.value].name = builder_.intern(fmt::format("stream {}", number));
  StreamPlace made{.track = builder_.track(thread, true),
                   .number = number,
                   .device = static_cast<std::int32_t>(device)};
  Track& track = builder_.run().tracks[made.track.value];
  if (device >= 0) track.device_index = device;
  track.stream = number;
  return known.streams.emplace(place, made).first->second;
}

StringId RunFiller::name_of(Known& known, const AgentMemory& memory, std::uint32_t id) {
  const auto at = known.names.find(id);
  if (at != known.names.end()) return at->second;
  const std::string text = memory.name(id);
  if (text.empty()) return unknown_kernel_;
  return known.names.emplace(id, builder_.intern_repaired(demangled(text))).first->second;
}

StringId RunFiller::dimensions(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  const auto [at, is_new] = dimensions_.try_emplace({x, y, z});
  if (is_new) at->second = builder_.intern(fmt::format("[{},{},{}]", x, y, z));
  return at->second;
}

void RunFiller::append(std::int64_t start, std::int64_t dur, StringId name, TrackId track,
                       CategoryId category, ShapeId shape, std::span<const std::int64_t> values) {
  builder_.run().slices.append(start, dur, name, track.value, category.value, shape, values);
  ++rows_;
}

void RunFiller::add(std::size_t process, const AgentMemory& memory, const ThreadRecord& record) {
  Known& known = known_[process];
  ProcessAccount& account = accounts_[process];
  if (record.record.kind == RecordKind::kGpuTime) {
    add_gpu_time(known, account, memory, record);
  } else if (record.record.kind == RecordKind::kEngineStep) {
    begin_engine_step(thread_of(known, record.tid), record.record);
  } else if (record.record.kind == RecordKind::kCorrelation) {
    ThreadPlace& thread = thread_of(known, record.tid);
    thread.correlated = record.record.sequence + 1;
    thread.correlation = static_cast<std::uint32_t>(record.record.words[0]);
  } else if (record.record.kind == RecordKind::kOperator) {
    add_operator(known, memory, record);
  } else {
    add_call(known, account, memory, record);
  }
}

void RunFiller::add(std::size_t process, const AgentMemory& memory,
                    const wire::Activity& activity) {
  ActivityFiller& activities = *known_[process].activities;
  if (activities.add(memory, clock_, activity, rows_)) ++rows_;
  accounts_[process].kernels = activities.kernels();
}

void RunFiller::add_call(Known& known, ProcessAccount& account, const AgentMemory& memory,
                         const ThreadRecord& given) {
  const wire::Record& record = given.record;
  const std::optional<std::int64_t> start = clock_.to_ns(record.begin_ticks);
  const std::int64_t dur = clock_.duration_ns(record.took_ticks);
  constexpr std::int64_t kSecond = 1'000'000'000;
  if (!start || record.call >= call_names_.size() || dur < 0 ||
      *start + dur > clock_.latest_ns() + kSecond) {
    ++damaged_;
    return;
  }
  const StringId name = call_names_[record.call];
  ThreadPlace& thread = thread_of(known, given.tid);
  const bool is_correlated = thread.correlated && *thread.correlated == record.sequence;
  const std::int64_t stream = record.stream == wire::kStreams - 1
                                  ? kUnknownDevice
                                  : stream_of(known, memory, record.stream).number;
  const std::int64_t correlation = ++known.correlation;
  const std::int64_t failed = (record.flags & wire::kFailed) != 0;
  const std::int64_t captured = (record.flags & wire::kCaptured) != 0;
  const std::optional<StackId> stack =
      record.launch.stack != wire::kNoStack
          ? known.stacks->find(builder_, memory, record.launch.stack)
          : std::nullopt;
  const auto put = [&](const std::array<ShapeId, 2>& shapes,
                       std::initializer_list<std::int64_t> values) {
    std::array<std::int64_t, 16> all{};
    std::copy(values.begin(), values.end(), all.begin());
    if (stack) all[values.size()] = static_cast<std::int64_t>(stack->value);
    append(*start, dur, name, thread.track, driver_, shapes[stack ? 1 : 0],
           std::span(all).first(values.size() + (stack ? 1 : 0)));
    if (is_correlated) known.activities->add_call(thread.correlation, rows_ - 1);
  };
  follow_steps(thread, record, *start, *start + dur);
  follow_engine_step(thread, record, *start + dur);
  switch (record.kind) {
    case RecordKind::kLaunch: {
      const auto& l = record.launch;
      ++account.launches;
      put(shapes_.launch,
          {correlation, name_of(known, memory, record.name).value, stream,
           dimensions(l.grid[0], l.grid[1], l.grid[2]).value,
           dimensions(l.block[0], l.block[1], l.block[2]).value,
           dimensions(l.cluster & 31u, l.cluster >> 5 & 31u, l.cluster >> 10 & 31u).value,
           l.shared_bytes, captured, failed});
      return;
    }
    case RecordKind::kGraphLaunch:
      ++account.graph_launches;
      thread.graphs.push_back({record.begin_ticks, record.name, rows_, is_correlated});
      if (thread.graphs.size() > kMostOpenGraphs) thread.graphs.pop_front();
      put(shapes_.graph, {correlation, name_of(known, memory, record.name).value, stream, failed});
      return;
    case RecordKind::kCopy:
    case RecordKind::kFill:
    case RecordKind::kAllocate:
    case RecordKind::kFree:
      if (record.kind == RecordKind::kCopy) ++account.copies;
      put(shapes_.memory,
          {correlation, stream,
           static_cast<std::int64_t>(std::min<std::uint64_t>(record.memory.bytes, kLatestTime)),
           captured, failed});
      return;
    case RecordKind::kSynchronise: ++account.synchronisations; [[fallthrough]];
    case RecordKind::kCapture:
    case RecordKind::kHostFunction: put(shapes_.other, {correlation, stream, failed}); return;
    default: ++damaged_; return;
  }
}

void RunFiller::add_operator(Known& known, const AgentMemory& memory, const ThreadRecord& given) {
  const std::optional<std::int64_t> start = clock_.to_ns(given.record.begin_ticks);
  const std::int64_t dur = clock_.duration_ns(given.record.took_ticks);
  const std::optional<wire::Scope> scope = memory.scope(given.record.launch.scope);
  constexpr std::int64_t kSecond = 1'000'000'000;
  if (!start || !scope || dur < 0 || *start + dur > clock_.latest_ns() + kSecond) {
    ++damaged_;
    return;
  }
  const OperatorInputs inputs = operator_inputs(*scope);
  const std::int64_t values[] = {builder_.intern(inputs.dims).value,
                                 builder_.intern(inputs.types).value,
                                 static_cast<std::int64_t>(scope->m),
                                 static_cast<std::int64_t>(scope->n),
                                 static_cast<std::int64_t>(scope->k),
                                 scope->batch,
                                 scope->transposes_a != 0,
                                 scope->transposes_b != 0};
  append(*start, dur, builder_.intern(wire::operator_name(scope->call)),
         thread_of(known, given.tid).track, operator_, shapes_.product, values);
}

void RunFiller::begin_engine_step(ThreadPlace& thread, const wire::Record& record) {
  end_engine_step(thread);
  const std::optional<std::int64_t> start = clock_.to_ns(record.begin_ticks);
  if (!start) {
    ++damaged_;
    return;
  }
  thread.engine_step = {.part = record.step, .start = *start, .end = *start};
}

/// A step of an engine goes on as long as its function is on the stack of launches.
void RunFiller::follow_engine_step(ThreadPlace& thread, const wire::Record& record,
                                   std::int64_t end) {
  if (!thread.engine_step) return;
  const bool launches =
      record.kind == RecordKind::kLaunch || record.kind == RecordKind::kGraphLaunch;
  if ((record.flags & wire::kInStep) != 0) {
    thread.engine_step->end = std::max(thread.engine_step->end, end);
    if (launches) ++thread.engine_step->launches;
  } else if (launches) {
    end_engine_step(thread);
  } else if (waits(record) && !thread.engine_step->has_waited) {
    // An engine launches a step in one function and waits for its tokens in the next.
    thread.engine_step->end = std::max(thread.engine_step->end, end);
    thread.engine_step->has_waited = true;
  }
}

void RunFiller::end_engine_step(ThreadPlace& thread) {
  if (!thread.engine_step) return;
  const EngineStep step = *std::exchange(thread.engine_step, std::nullopt);
  const auto count = [](std::uint32_t value) {
    return value == wire::kUnknownCount ? Decimal::unknown() : Decimal::pack(value, 0);
  };
  const std::int64_t values[] = {builder_.intern(engine_name(step.part.engine)).value,
                                 builder_.intern(step_phase(step.part)).value,
                                 step.launches,
                                 count(step.part.sequences),
                                 count(step.part.tokens),
                                 count(step.part.context_sequences),
                                 count(step.part.context_tokens)};
  append(step.start, step.end - step.start, builder_.intern(step_name(step.part)), thread.track,
         annotation_, shapes_.engine_step, values);
}

void RunFiller::finish() {
  for (Known& known : known_) {
    for (auto& [tid, thread] : known.threads) end_engine_step(thread);
  }
}

/// A step is what a thread launches until it waits for the device.
void RunFiller::follow_steps(ThreadPlace& thread, const wire::Record& record, std::int64_t start,
                             std::int64_t end) {
  const bool launches =
      record.kind == RecordKind::kLaunch || record.kind == RecordKind::kGraphLaunch;
  if (launches && (record.flags & wire::kCaptured) == 0) {
    if (!thread.step_start) thread.step_start = start;
    ++thread.step_launches;
  } else if (thread.step_start && waits(record) && thread.engine_step) {
    // The engine says better what a step is.
    thread.step_start.reset();
    thread.step_launches = 0;
  } else if (thread.step_start && waits(record)) {
    const std::int64_t values[] = {thread.step_launches};
    append(*thread.step_start, end - *thread.step_start, step_name_, thread.track, annotation_,
           shapes_.step, values);
    thread.step_start.reset();
    thread.step_launches = 0;
  }
}

void RunFiller::add_gpu_time(Known& known, ProcessAccount& account, const AgentMemory& memory,
                             const ThreadRecord& given) {
  const wire::Record& record = given.record;
  const std::optional<std::int64_t> asked = clock_.to_ns(record.begin_ticks);
  const std::optional<std::int64_t> done = clock_.to_ns(record.gpu.done_ticks);
  const std::int64_t begin_ns = record.gpu.begin_ns;
  const std::int64_t end_ns = record.gpu.end_ns;
  constexpr std::int64_t kLongest = 1'000'000'000'000'000;  // 11 days
  if (!asked || !done || begin_ns < -kLongest || end_ns > kLongest || end_ns < begin_ns) {
    ++damaged_;
    return;
  }
  const std::int64_t dur = end_ns - begin_ns;
  GpuClock& clock = known.gpu_clocks[{given.tid, record.gpu.clock}];
  clock.add(begin_ns, *asked, *done - dur);
  account.gpu_clock_residual_ns = clock.residual_ns();
  const StreamPlace& stream = stream_of(known, memory, record.stream);
  const bool of_graph = (record.flags & wire::kOfGraph) != 0;
  if (of_graph) {
    // The launch that it belongs to is the first one after the event was recorded.
    std::deque<GraphLaunch>& graphs = thread_of(known, given.tid).graphs;
    while (!graphs.empty() && graphs.front().ticks < record.begin_ticks) graphs.pop_front();
    const bool is_known = !graphs.empty() && graphs.front().name == record.name;
    // Its kernels are recorded one by one, though they may come later than this.
    const bool has_kernels = is_known ? graphs.front().has_kernels : known.has_activities;
    if (has_kernels && is_known) graphs.pop_front();
    if (has_kernels) return;
    if (is_known) {
      builder_.run().links.append(
          {static_cast<std::int64_t>(LinkKind::kLaunch), graphs.front().row, rows_});
      graphs.pop_front();
    }
  }
  ++account.gpu_times;
  const std::int64_t values[] = {stream.number, record.gpu.launches, clock.residual_ns()};
  append(clock.to_ns(begin_ns), dur, of_graph ? name_of(known, memory, record.name) : step_name_,
         stream.track, of_graph ? graph_ : gpu_annotation_, shapes_.gpu, values);
}

void RunFiller::update(std::size_t process, const AgentMemory& memory) {
  Known& known = known_[process];
  accounts_[process].agent = memory.counts();
  const std::vector<AgentDevice> devices = memory.devices();
  for (; known.devices < devices.size(); ++known.devices) {
    const AgentDevice& device = devices[known.devices];
    builder_.run().described_devices.push_back({.source = known.source,
                                                .index = device.index,
                                                .name = builder_.intern_repaired(device.name),
                                                .uuid = builder_.intern(device.uuid)});
  }
}

void RunFiller::count_losses() {
  AgentCounts sum;
  sum.damaged = damaged_;
  std::uint64_t untimed = 0;
  for (const Known& known : known_) {
    sum.damaged += known.activities->damaged();
    untimed += known.activities->untimed();
  }
  for (const ProcessAccount& account : accounts_) {
    sum.ring_full += account.agent.ring_full;
    sum.no_ring += account.agent.no_ring;
    sum.interrupted += account.agent.interrupted;
    sum.damaged += account.agent.damaged;
    sum.activities_lost += account.agent.activities_lost;
    sum.stacks_lost += account.agent.stacks_lost;
  }
  Tally& dropped = builder_.run().dropped;
  const auto set = [&](const char* reason, std::uint64_t count) {
    if (count != 0) dropped[reason] = count;
  };
  set("ring_full", sum.ring_full);
  set("no_ring", sum.no_ring);
  set("interrupted_record", sum.interrupted);
  set("damaged_record", sum.damaged);
  set("activity_lost", sum.activities_lost);
  set("activity_without_time", untimed);
  set("stack_lost", sum.stacks_lost);
}

}  // namespace tactus::record

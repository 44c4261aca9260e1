#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "record/session/agent_memory.h"
#include "record/session/clocks.h"
#include "record/session/fill/activity_filler.h"
#include "record/session/fill/stack_filler.h"
#include "record/session/process_sources.h"
#include "run/builder.h"

namespace tactus::record {

/// What was recorded of one process.
struct ProcessAccount {
  std::int64_t pid = 0;
  std::string command;
  std::optional<std::int64_t> rank;
  std::uint64_t launches = 0;
  std::uint64_t graph_launches = 0;
  std::uint64_t copies = 0;
  std::uint64_t synchronisations = 0;
  std::uint64_t gpu_times = 0;
  std::uint64_t kernels = 0;  ///< with times of their own
  bool sees_calls = true;     ///< false: the agent was loaded while it ran; calls do not reach it
  AgentCounts agent;
  std::optional<std::int64_t> gpu_clock_residual_ns;  ///< how far GPU times can be off
};

/// Turns records of agents into slices of a Run that is written while it grows.
class RunFiller {
 public:
  /// Rows of the run are taken out from time to time; this class counts from the first one.
  RunFiller(RunBuilder& builder, const TickClock& clock, const std::string& host_name);

  /// Where other parts of the recording put the same process.
  void share_sources(ProcessSources& sources) { sources_ = &sources; }
  /// Others put so many slices into the run.
  void skip_rows(std::uint64_t rows) { rows_ += static_cast<std::int64_t>(rows); }
  /// A process; its number.
  std::size_t add_process(const AgentMemory& memory, std::int64_t pid, const std::string& command);
  void add(std::size_t process, const AgentMemory& memory, const ThreadRecord& record);
  void add(std::size_t process, const AgentMemory& memory, const wire::Activity& activity);
  /// Whether kernels of the process come one by one now: times of whole graphs are not wanted then.
  void expect_activities(std::size_t process, bool come) { known_[process].has_activities = come; }
  /// Takes over what the agent counted, devices that it described, and names of threads.
  void update(std::size_t process, const AgentMemory& memory);

  const std::vector<ProcessAccount>& accounts() const { return accounts_; }
  /// Ends what is open.
  void finish();
  /// Adds to `dropped` of the run what changed since the call before.
  void count_losses();

 private:
  struct GraphLaunch {
    std::uint64_t ticks = 0;
    std::uint32_t name = 0;
    std::int64_t row = 0;
    bool has_kernels = false;  ///< CUPTI tells of them
  };
  struct EngineStep {
    wire::EngineStepPart part;
    std::int64_t start = 0;
    std::int64_t end = 0;  ///< of the last call in it
    std::int64_t launches = 0;
    bool has_waited = false;  ///< behind its function
  };
  struct ThreadPlace {
    TrackId track;
    std::deque<GraphLaunch> graphs;          ///< whose GPU time may still come
    std::optional<std::int64_t> step_start;  ///< of the first launch since the thread waited
    std::int64_t step_launches = 0;
    std::optional<EngineStep> engine_step;    ///< that has not ended yet
    std::optional<std::uint32_t> correlated;  ///< the record that CUPTI's number belongs to
    std::uint32_t correlation = 0;
  };
  struct StreamPlace {
    TrackId track;
    std::int64_t number = 0;
    std::int32_t device = -1;
  };
  struct Known {
    SourceId source;
    ProcessId process;
    std::map<std::uint32_t, ThreadPlace> threads;       ///< by tid
    std::unordered_map<std::uint32_t, StringId> names;  ///< by the agent's id
    std::map<std::uint16_t, StreamPlace> streams;       ///< by the agent's place
    std::map<std::pair<std::uint32_t, std::uint32_t>, GpuClock> gpu_clocks;  ///< tid, clock
    std::size_t devices = 0;
    std::optional<StackFiller> stacks;
    std::optional<ActivityFiller> activities;
    bool has_activities = false;
    std::int64_t correlation = 0;
  };
  struct Shapes {
    std::array<ShapeId, 2> launch;  ///< without and with a stack, as the next
    std::array<ShapeId, 2> graph;
    std::array<ShapeId, 2> memory;
    std::array<ShapeId, 2> other;
    ShapeId gpu;
    ShapeId step;
    ShapeId engine_step;
    ShapeId product;
  };

  ThreadPlace& thread_of(Known& known, std::uint32_t tid);
  const StreamPlace& stream_of(Known& known, const AgentMemory& memory, std::uint16_t place);
  StringId name_of(Known& known, const AgentMemory& memory, std::uint32_t id);
  StringId dimensions(std::uint32_t x, std::uint32_t y, std::uint32_t z);
  void add_gpu_time(Known& known, ProcessAccount& account, const AgentMemory& memory,
                    const ThreadRecord& record);
  void add_call(Known& known, ProcessAccount& account, const AgentMemory& memory,
                const ThreadRecord& record);
  void follow_steps(ThreadPlace& thread, const wire::Record& record, std::int64_t start,
                    std::int64_t end);
  void add_operator(Known& known, const AgentMemory& memory, const ThreadRecord& record);
  void begin_engine_step(ThreadPlace& thread, const wire::Record& record);
  void follow_engine_step(ThreadPlace& thread, const wire::Record& record, std::int64_t end);
  void end_engine_step(ThreadPlace& thread);
  void append(std::int64_t start, std::int64_t dur, StringId name, TrackId track,
              CategoryId category, ShapeId shape, std::span<const std::int64_t> values);

  RunBuilder& builder_;
  const TickClock& clock_;
  ProcessSources* sources_ = nullptr;
  StringId host_name_;
  std::shared_ptr<Symbols> symbols_ = std::make_shared<Symbols>();
  std::vector<Known> known_;
  std::vector<ProcessAccount> accounts_;
  Shapes shapes_;
  CategoryId operator_;
  CategoryId driver_, graph_, annotation_, gpu_annotation_;
  StringId step_name_, unknown_kernel_;
  std::vector<StringId> call_names_;
  std::map<std::array<std::uint32_t, 3>, StringId> dimensions_;
  std::int64_t rows_ = 0;
  std::uint64_t damaged_ = 0;  ///< records that made no sense
};

}  // namespace tactus::record

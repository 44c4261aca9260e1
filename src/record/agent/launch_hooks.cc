#include "record/agent/gate/gate.h"
#include "record/agent/hooks.h"
#include "record/agent/names.h"
#include "record/agent/originals.h"

namespace tactus::agent {
namespace {

constexpr unsigned kClusterDimension = 4;  // CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION

/// CUlaunchAttribute and CUlaunchConfig
struct LaunchAttribute {
  unsigned id;
  unsigned spare;
  unsigned value[16];
};
static_assert(sizeof(LaunchAttribute) == 72);

struct LaunchFacts {
  wire::CallId call;
  Handle function;
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  Handle stream;
  bool per_thread;
  std::uint16_t cluster = 0;
};

template <class Call>
inline int record_launch(const LaunchFacts& facts, Call&& call) {
  pass_gate(facts.function, facts.stream, facts.per_thread, false);
  ThreadState* thread = recording_thread();
  if (thread == nullptr) return call();
  thread->begin_call();
  const std::uint16_t stream = thread->stream_of(facts.stream, facts.per_thread);
  const bool captured = is_captured(facts.stream, facts.per_thread);
  thread->is_about_to_call();
  thread->gpu.before_launch(*thread, facts.stream, stream, facts.per_thread);
  look_for_wishes();
  const std::uint64_t begin = wire::ticks();
  const int result = call_correlated(*thread, call);
  const std::uint64_t end = wire::ticks();
  const std::uint32_t name = result == kSuccess ? thread->name_of(facts.function) : wire::kNoName;
  write_record(*thread, wire::RecordKind::kLaunch, facts.call, begin, end, result, captured, stream,
               [&](wire::Record& record) {
                 record.name = name;
                 for (int i = 0; i < 3; ++i) {
                   record.launch.grid[i] = facts.grid[i];
                   record.launch.block[i] = static_cast<std::uint16_t>(facts.block[i]);
                 }
                 record.launch.cluster = facts.cluster;
                 record.launch.shared_bytes = facts.shared_bytes;
                 record.launch.scope = thread->scope;
               });
  return result;
}

std::uint16_t cluster_of(const LaunchConfig& config) {
  const auto* attributes = static_cast<const LaunchAttribute*>(config.attributes);
  for (unsigned i = 0; i < config.attribute_count; ++i) {
    if (attributes[i].id != kClusterDimension) continue;
    return wire::pack_cluster(attributes[i].value[0], attributes[i].value[1],
                              attributes[i].value[2]);
  }
  return 0;
}

template <class Call>
inline int record_graph(Handle exec, Handle stream, bool per_thread, Call&& launch) {
  pass_gate(nullptr, stream, per_thread, true);
  const auto call = [&] {
    const int result = launch();
    end_timing();
    return result;
  };
  ThreadState* thread = recording_thread();
  if (thread == nullptr) return call();
  thread->begin_call();
  const std::uint16_t index = thread->stream_of(stream, per_thread);
  const std::uint32_t name = find_graph_name(exec);
  thread->is_about_to_call();
  thread->gpu.before_launch(*thread, stream, index, per_thread);
  thread->gpu.before_graph(*thread, stream, index, per_thread, name);
  look_for_wishes();
  const std::uint64_t begin = wire::ticks();
  const int result = call_correlated(*thread, call);
  const std::uint64_t end = wire::ticks();
  thread->gpu.after_graph(*thread);
  write_record(*thread, wire::RecordKind::kGraphLaunch, wire::CallId::kGraphLaunch, begin, end,
               result, false, index, [&](wire::Record& record) {
                 record.name = name;
                 for (std::uint64_t& word : record.words) word = 0;
               });
  return result;
}

}  // namespace
}  // namespace tactus::agent

using namespace tactus::agent;
using tactus::wire::CallId;

#define TACTUS_LAUNCH_HOOKS(suffix, is_ptsz)                                                       \
  TACTUS_HOOK cuLaunchKernel##suffix(Handle function, unsigned gx, unsigned gy, unsigned gz,       \
                                     unsigned bx, unsigned by, unsigned bz, unsigned shared,       \
                                     Handle stream, void** params, void** extra) {                 \
    const auto original = originals.cuLaunchKernel##suffix.get();                                  \
    if (original == nullptr) return kNotInitialized;                                               \
    return record_launch(                                                                          \
        {CallId::kLaunchKernel, function, {gx, gy, gz}, {bx, by, bz}, shared, stream, is_ptsz},    \
        [&] {                                                                                      \
          return original(function, gx, gy, gz, bx, by, bz, shared, stream, params, extra);        \
        });                                                                                        \
  }                                                                                                \
  TACTUS_HOOK cuLaunchCooperativeKernel##suffix(                                                   \
      Handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,            \
      unsigned bz, unsigned shared, Handle stream, void** params) {                                \
    const auto original = originals.cuLaunchCooperativeKernel##suffix.get();                       \
    if (original == nullptr) return kNotInitialized;                                               \
    return record_launch(                                                                          \
        {CallId::kLaunchCooperativeKernel,                                                         \
         function,                                                                                 \
         {gx, gy, gz},                                                                             \
         {bx, by, bz},                                                                             \
         shared,                                                                                   \
         stream,                                                                                   \
         is_ptsz},                                                                                 \
        [&] { return original(function, gx, gy, gz, bx, by, bz, shared, stream, params); });       \
  }                                                                                                \
  TACTUS_HOOK cuLaunchKernelEx##suffix(const LaunchConfig* config, Handle function, void** params, \
                                       void** extra) {                                             \
    const auto original = originals.cuLaunchKernelEx##suffix.get();                                \
    if (original == nullptr) return kNotInitialized;                                               \
    if (config == nullptr) return original(config, function, params, extra);                       \
    return record_launch({CallId::kLaunchKernelEx,                                                 \
                          function,                                                                \
                          {config->grid[0], config->grid[1], config->grid[2]},                     \
                          {config->block[0], config->block[1], config->block[2]},                  \
                          config->shared_bytes,                                                    \
                          config->stream,                                                          \
                          is_ptsz,                                                                 \
                          cluster_of(*config)},                                                    \
                         [&] { return original(config, function, params, extra); });               \
  }                                                                                                \
  TACTUS_HOOK cuLaunchHostFunc##suffix(Handle stream, void (*function)(void*), void* user) {       \
    const auto original = originals.cuLaunchHostFunc##suffix.get();                                \
    if (original == nullptr) return kNotInitialized;                                               \
    return record_memory({.kind = tactus::wire::RecordKind::kHostFunction,                         \
                          .call = CallId::kLaunchHostFunc,                                         \
                          .bytes = 0,                                                              \
                          .stream = stream,                                                        \
                          .per_thread = is_ptsz},                                                  \
                         [&] { return original(stream, function, user); });                        \
  }                                                                                                \
  TACTUS_HOOK cuGraphLaunch##suffix(Handle exec, Handle stream) {                                  \
    const auto original = originals.cuGraphLaunch##suffix.get();                                   \
    if (original == nullptr) return kNotInitialized;                                               \
    return record_graph(exec, stream, is_ptsz, [&] { return original(exec, stream); });            \
  }

TACTUS_LAUNCH_HOOKS(, false)
TACTUS_LAUNCH_HOOKS(_ptsz, true)

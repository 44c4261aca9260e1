#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/arithmetic.h"
#include "kernels/trace/trace_analysis.h"
#include "run/event_view.h"
#include "run/identity.h"

namespace tactus {
namespace {

using Streams = std::vector<StreamPasses>;

/// The number that occurs most often, the largest of several.
std::optional<std::int64_t> most_common(const std::vector<std::size_t>& numbers) {
  std::map<std::size_t, std::size_t> times;
  for (const std::size_t number : numbers) ++times[number];
  std::optional<std::int64_t> result;
  std::size_t most = 0;
  for (const auto& [number, count] : times) {
    if (count < most) continue;
    most = count;
    result = static_cast<std::int64_t>(number);
  }
  return result;
}

/// The streams of one device process: of a rank, or of one of its devices.
struct DeviceStreams {
  std::uint32_t process = 0;
  std::vector<const StreamPasses*> streams;
};

/// Those that have passes.
std::vector<DeviceStreams> streams_by_device(const Run& run, const Streams& streams) {
  std::map<std::uint32_t, DeviceStreams> by_process;
  for (const StreamPasses& of : streams) {
    if (of.passes.empty()) continue;
    const std::size_t thread = run.tracks[of.stream.track].thread.value;
    const std::uint32_t process =
        thread < run.threads.size() ? run.threads[thread].process.value : 0;
    by_process[process].process = process;
    by_process[process].streams.push_back(&of);
  }
  std::vector<DeviceStreams> found;
  for (auto& [process, of_process] : by_process) found.push_back(std::move(of_process));
  return found;
}

std::optional<std::int64_t> rank_of(const Run& run, const DeviceStreams& device) {
  return device.process < run.processes.size() ? run.processes[device.process].rank : std::nullopt;
}

/// By their ranks if these tell them apart, or else by their devices.
std::vector<std::string> labels_of(const Run& run, const std::vector<DeviceStreams>& devices) {
  std::set<std::int64_t> ranks;
  for (const DeviceStreams& device : devices) {
    if (const auto rank = rank_of(run, device)) ranks.insert(*rank);
  }
  std::vector<std::string> labels;
  for (const DeviceStreams& device : devices) {
    const Track& track = run.tracks[device.streams.front()->stream.track];
    labels.push_back(ranks.size() == devices.size() ? fmt::format("rank {}", *rank_of(run, device))
                                                    : device_label(run, track.device));
  }
  return labels;
}

bool is_product(const KernelName& name) {
  return name.family == Family::kGemm || name.family == Family::kGemv;
}

/// Calls f(stream, pass) for each pass.
template <class F>
void for_each_pass(const std::vector<const StreamPasses*>& streams, F&& f) {
  for (const StreamPasses* of : streams) {
    for (const Pass& pass : of->passes) f(of->stream, pass);
  }
}

void add_passes(const std::vector<const StreamPasses*>& streams, DecodedNames& names,
                Structure& structure) {
  std::map<Phase, PassGroup> groups;
  std::vector<std::size_t> layers;
  std::vector<std::size_t> products;
  std::int64_t sampled = 0;
  for_each_pass(streams, [&](const KernelStream& stream, const Pass& pass) {
    PassGroup& group = groups[pass.work.phase];
    ++group.passes;
    std::int64_t total_ns = 0;
    std::size_t layer_products = 0;
    bool samples = false;
    for (std::size_t i = pass.first; i < pass.end; ++i) {
      const KernelName& name = names.of(stream.names[i]);
      total_ns = wrapping_add(total_ns, stream.durs[i]);
      samples |= name.family == Family::kSampling;
      const bool in_layers = i >= pass.layers_first && i < pass.layers_end;
      layer_products += in_layers && is_product(name) ? 1 : 0;
    }
    group.total_ns = wrapping_add(group.total_ns.value_or(0), total_ns);
    sampled += samples ? 1 : 0;
    if (!pass.complete && streams.front()->passes.size() > 1) return;
    layers.push_back(pass.layers);
    if (pass.layers > 0) products.push_back((layer_products + pass.layers / 2) / pass.layers);
  });
  if (groups.empty()) return;
  structure.passes = 0;
  for (auto& [phase, group] : groups) {
    group.phase = phase_name(phase);
    *structure.passes += group.passes;
    structure.phases.push_back(group);
  }
  structure.layers = most_common(layers);
  structure.gemms_per_layer = most_common(products);
  if (sampled > 0) structure.sampled_steps = sampled;
}

/// Each rank has passes of its own. Those of one count, those of all are listed.
void add_passes_of_ranks(const Run& run, const Streams& streams, DecodedNames& names,
                         Structure& structure) {
  const std::vector<DeviceStreams> devices = streams_by_device(run, streams);
  const std::vector<std::string> labels = labels_of(run, devices);
  std::optional<Structure> most;
  std::vector<RankPasses> ranks;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    Structure own;
    add_passes(devices[i].streams, names, own);
    RankPasses& rank = ranks.emplace_back(RankPasses{.label = labels[i],
                                                     .rank = rank_of(run, devices[i]),
                                                     .passes = own.passes.value_or(0),
                                                     .layers = own.layers});
    for (const PassGroup& group : own.phases) {
      rank.total_ns = wrapping_add(rank.total_ns, group.total_ns.value_or(0));
    }
    if (most && own.passes <= most->passes) continue;
    own.of_rank = labels[i];
    most = std::move(own);
  }
  if (!most) return;
  structure.passes = most->passes;
  structure.layers = most->layers;
  structure.gemms_per_layer = most->gemms_per_layer;
  structure.sampled_steps = most->sampled_steps;
  structure.phases = std::move(most->phases);
  if (ranks.size() < 2) return;
  structure.of_rank = std::move(most->of_rank);
  std::stable_sort(ranks.begin(), ranks.end(), [](const RankPasses& a, const RankPasses& b) {
    return a.rank.value_or(INT64_MAX) < b.rank.value_or(INT64_MAX);
  });
  structure.ranks = std::move(ranks);
}

/// Without passes, greedy sampling still shows the steps: one argmax each.
void add_sampled_steps(const Streams& streams, DecodedNames& names, Structure& structure) {
  std::int64_t count = 0;
  for (const StreamPasses& of : streams) {
    for (const std::uint32_t name : of.stream.names) count += names.of(name).op == "argmax" ? 1 : 0;
  }
  if (count > 0) structure.sampled_steps = count;
}

/// Graphs that were launched, and how many of them appear on the device.
struct GraphLaunches {
  std::int64_t launches = 0;
  std::int64_t with_work = 0;
  std::int64_t whole_graphs = 0;  ///< ran as one slice, without recorded kernels
};

/// Rows of the calls that launch graphs. A call of the runtime makes a call of the driver, which
/// some profilers record too: then those of the runtime count.
std::vector<std::size_t> graph_launch_rows(const Run& run, const SliceFilter& filter,
                                           GraphLaunches& graphs) {
  std::vector<std::size_t> of_runtime;
  std::vector<std::size_t> of_driver;
  std::vector<std::int8_t> launches_graph(run.strings.size(), -1);  // -1: not looked at yet
  const auto is_launch = [&](std::uint64_t name) {
    if (name >= launches_graph.size()) return false;
    std::int8_t& known = launches_graph[name];
    if (known < 0) {
      known = run.strings[StringId(name)].find("GraphLaunch") != std::string_view::npos ? 1 : 0;
    }
    return known == 1;
  };
  const EventTable& slices = run.slices;
  for_each_slice(
      run, Captures::kInclude,
      [](SliceKind kind) {
        return kind == SliceKind::kRuntime || kind == SliceKind::kDriver ||
               kind == SliceKind::kGraph;
      },
      std::array{&slices.name(), filter.limits_time() ? &slices.start() : nullptr},
      [&](std::size_t row, SliceKind kind, const auto& values) {
        if (!filter.takes(values[1])) return;
        if (kind == SliceKind::kGraph) {
          ++graphs.whole_graphs;
        } else if (is_launch(static_cast<std::uint64_t>(values[0]))) {
          (kind == SliceKind::kRuntime ? of_runtime : of_driver).push_back(row);
        }
      });
  return of_runtime.empty() ? of_driver : of_runtime;
}

GraphLaunches find_graph_launches(const Run& run, const SliceFilter& filter) {
  GraphLaunches graphs;
  const std::vector<std::size_t> rows = graph_launch_rows(run, filter, graphs);
  graphs.launches = static_cast<std::int64_t>(rows.size());
  if (rows.empty()) return graphs;
  std::vector<bool> has_work(rows.size(), false);
  for_each_launch(run, [&](std::uint32_t call, std::uint32_t) {
    const auto found = std::lower_bound(rows.begin(), rows.end(), call);
    if (found == rows.end() || *found != call) return;
    has_work[static_cast<std::size_t>(found - rows.begin())] = true;
  });
  graphs.with_work = std::count(has_work.begin(), has_work.end(), true);
  return graphs;
}

void add_missing_decode(const Run& run, const SliceFilter& filter, Structure& structure) {
  const GraphLaunches graphs = find_graph_launches(run, filter);
  const std::int64_t missing = graphs.launches - graphs.with_work;
  if (graphs.whole_graphs > 0) {
    structure.decode_missing = true;
    structure.decode_missing_why = fmt::format(
        "{} CUDA graphs ran as one piece each: the kernels inside them were not recorded.",
        graphs.whole_graphs);
  } else if (10 * missing > graphs.launches) {  // a few at the edges mean nothing
    structure.decode_missing = true;
    structure.decode_missing_why = fmt::format(
        "{} of {} graph launches have no kernels in the recording.", missing, graphs.launches);
  }
}

void add_signs(const Run& run, Structure& structure) {
  std::set<std::string_view> said;
  for (const Device& device : run.devices) {
    const std::string_view name = run.strings[device.name];
    if (name.empty() || !said.insert(name).second) continue;
    structure.signs.push_back(fmt::format("The card is {}, as the recording says.", name));
  }
}

}  // namespace

Structure structure_of_trace(const Run& run, const SliceFilter& filter, RunPasses& passes) {
  Structure structure;
  const Streams& streams = passes.streams(filter);
  DecodedNames& names = passes.names();
  for (const StreamPasses& of : streams) {
    for (const std::int64_t dur : of.stream.durs) {
      structure.longest_kernel_ns = std::max(structure.longest_kernel_ns, dur);
    }
  }
  add_passes_of_ranks(run, streams, names, structure);
  if (!structure.passes) add_sampled_steps(streams, names, structure);
  add_missing_decode(run, filter, structure);
  add_signs(run, structure);
  return structure;
}

}  // namespace tactus

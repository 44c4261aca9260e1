#include "page/timeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "names/display_names.h"
#include "names/kernel_name.h"
#include "page/slice_bytes.h"
#include "run/identity.h"

namespace tactus::page {
namespace {

std::optional<std::int64_t> number_in(const Ident& ident) {
  return ident.is_text ? std::nullopt : std::optional(ident.value);
}

std::string process_label(const Run& run, const Process& process) {
  std::string label(run.strings[process.name]);
  if (process.os_pid) label += fmt::format("{}{}", label.empty() ? "pid " : " ", *process.os_pid);
  if (label.empty() && process.pid.is_text) {
    label = run.strings[StringId(static_cast<std::uint64_t>(process.pid.value))];
  }
  if (process.rank) label = fmt::format("rank {}: {}", *process.rank, label);
  return label;
}

std::string thread_label(const Run& run, const Thread& thread) {
  std::string label(run.strings[thread.name]);
  if (thread.tid.is_text) {
    const std::string_view text =
        run.strings[StringId(static_cast<std::uint64_t>(thread.tid.value))];
    return label.empty() ? std::string(text) : label;
  }
  const std::string number = std::to_string(thread.tid.value);
  if (label.find(number) != std::string::npos) return label;
  return label.empty() ? "thread " + number : fmt::format("{} {}", label, number);
}

TimelineTrack describe(const Run& run, const IndexedTrack& indexed) {
  const Track& track = run.tracks[indexed.track];
  const Thread& thread = run.threads[track.thread.value];
  const Process& process = run.processes[thread.process.value];
  TimelineTrack shown;
  shown.on_device = track.on_device;
  shown.rank = process.rank;
  shown.pid = process.os_pid;
  shown.tid = number_in(thread.tid);
  shown.depth = indexed.lanes.size();
  shown.count = indexed.count;
  if (process.host.value < run.hosts.size()) shown.host = host_label(run, process.host);
  const bool on_known = track.on_device && track.device.value < run.devices.size();
  if (!on_known) {
    shown.group = process_label(run, process);
    shown.label = thread_label(run, thread);
    return shown;
  }
  const Device& device = run.devices[track.device.value];
  shown.device = device_number(run, track);
  if (device.rank) shown.rank = device.rank;
  const std::string_view name = run.strings[device.name];
  shown.group = device_label(run, track.device);
  if (!name.empty()) shown.group += fmt::format(" ({})", name);
  shown.label = track.stream ? fmt::format("stream {}", *track.stream) : thread_label(run, thread);
  return shown;
}

/// Names of slices that are kernels, by their place.
std::vector<bool> kernel_names(const Run& run, const SliceIndex& index) {
  std::vector<bool> is_kernel(index.names().size(), false);
  std::vector<std::int64_t> categories(Column::kBlockRows);
  run.slices.name().for_each_piece(
      0, run.slices.size(), [&](std::size_t first, std::span<const std::int64_t> names) {
        run.slices.category().read(first, std::span(categories).first(names.size()));
        for (std::size_t i = 0; i < names.size(); ++i) {
          if (run.kind_of(categories[i]) != SliceKind::kKernel) continue;
          if (is_kernel.empty() || run.is_captured(categories[i])) continue;
          is_kernel[index.place_of_name(names[i])] = true;
        }
      });
  return is_kernel;
}

void add_families(const Run& run, const SliceIndex& index, Timeline& timeline) {
  const std::vector<bool> is_kernel = kernel_names(run, index);
  std::vector<std::string_view> texts;
  std::vector<KernelName> decoded;
  std::vector<std::size_t> places;
  timeline.family_of_name.assign(timeline.names.size(), -1);
  timeline.short_names.assign(timeline.names.size(), "");
  for (std::size_t i = 0; i < is_kernel.size(); ++i) {
    if (!is_kernel[i]) continue;
    texts.push_back(run.strings[StringId(index.names()[i])]);
    decoded.push_back(decode_kernel_name(texts.back()));
    places.push_back(i);
    const std::string family(family_name(decoded.back().family));
    const auto at = std::find(timeline.families.begin(), timeline.families.end(), family);
    timeline.family_of_name[i] = static_cast<std::int32_t>(at - timeline.families.begin());
    if (at == timeline.families.end()) timeline.families.push_back(family);
  }
  const std::vector<std::string> shown = display_names(texts, decoded);
  for (std::size_t i = 0; i < places.size(); ++i) timeline.short_names[places[i]] = shown[i];
}

}  // namespace

Timeline make_timeline(const Run& run, const SliceIndex& index) {
  Timeline timeline;
  timeline.origin_ns = run.origin_ns;
  timeline.span = run.span().value_or(TimeSpan());
  for (const std::uint32_t name : index.names()) {
    timeline.names.emplace_back(run.strings[StringId(name)]);
  }
  for (const IndexedTrack& track : index.tracks()) timeline.tracks.push_back(describe(run, track));
  add_families(run, index, timeline);
  const std::vector<std::size_t> counts = samples_per_series(run);
  for (std::size_t i = 0; i < run.series.size(); ++i) {
    if (counts[i] == 0) continue;
    const CounterSeries& series = run.series[i];
    std::string name(run.strings[series.name]);
    if (series.field.value != 0) name += fmt::format(" {}", run.strings[series.field]);
    timeline.counters.push_back({.id = i,
                                 .name = std::move(name),
                                 .unit = std::string(run.strings[series.unit]),
                                 .device = std::string(run.strings[series.place]),
                                 .count = counts[i]});
  }
  return timeline;
}

}  // namespace tactus::page

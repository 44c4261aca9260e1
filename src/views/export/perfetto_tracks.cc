#include "views/export/perfetto_tracks.h"

#include <fmt/format.h>

#include "base/json.h"
#include "run/identity.h"
#include "sources/perfetto/schema.h"

namespace tactus {
namespace {

/// pid and tid are 32-bit numbers in Perfetto, and 0 is its idle task.
bool fits_perfetto(std::int64_t number) {
  return number > 0 && number <= INT32_MAX;
}

void write_unit(ProtobufWriter& out, std::string_view unit) {
  namespace counter = perfetto::counter;
  if (unit == "ns") {
    out.number(counter::kUnit, perfetto::kUnitTimeNs);
  } else if (unit == "count") {
    out.number(counter::kUnit, perfetto::kUnitCount);
  } else if (unit == "bytes" || unit == "B") {
    out.number(counter::kUnit, perfetto::kUnitBytes);
  } else if (!unit.empty()) {
    out.text(counter::kUnitName, unit);
  }
}

Json optional_number(const std::optional<std::int64_t>& number) {
  return number ? Json(*number) : Json(nullptr);
}

}  // namespace

PerfettoTracks::PerfettoTracks(const Run& run)
    : run_(run), uuids_(run), runs_code_(run.processes.size(), false) {
  for (const Track& track : run.tracks) {
    if (!track.on_device) runs_code_[run.threads[track.thread.value].process.value] = true;
  }
}

std::string PerfettoTracks::ident_text(const Ident& ident) const {
  if (!ident.is_text) return std::to_string(ident.value);
  return std::string(run_.strings[StringId(static_cast<std::uint64_t>(ident.value))]);
}

std::string PerfettoTracks::process_name(std::size_t index) const {
  const Process& process = run_.processes[index];
  const std::string_view labels = run_.strings[process.labels];
  const std::string_view name = run_.strings[process.name];
  std::string text;
  if (run_.sources.size() > 1 && process.rank) text = fmt::format("rank {} ", *process.rank);
  if (!runs_code_[index] && !labels.empty()) return text.append(labels);
  if (!name.empty()) return text.append(name);
  return text.append(runs_code_[index] || process.pid.is_text ? "" : "device ")
      .append(ident_text(process.pid));
}

void PerfettoTracks::write_process(ProtobufWriter& out, std::size_t index) const {
  const Process& process = run_.processes[index];
  out.number(perfetto::track::kUuid, PerfettoUuids::process(index));
  // Streams of a device that the source shows as a process are not a process for Perfetto.
  if (!runs_code_[index] || !fits_perfetto(process.number)) {
    out.text(perfetto::track::kName, process_name(index));
    return;
  }
  const std::size_t descriptor = out.begin(perfetto::track::kProcess);
  out.number(perfetto::process::kPid, static_cast<std::uint64_t>(process.number));
  out.text(perfetto::process::kName, process_name(index));
  if (process.labels.value != 0) {
    out.text(perfetto::process::kLabels, run_.strings[process.labels]);
  }
  out.end(descriptor);
}

std::string PerfettoTracks::track_name(std::size_t index) const {
  const Track& track = run_.tracks[index];
  const Thread& thread = run_.threads[track.thread.value];
  if (thread.name.value != 0) return std::string(run_.strings[thread.name]);
  if (track.on_device && track.stream) return fmt::format("stream {}", *track.stream);
  return (thread.tid.is_text ? "" : "thread ") + ident_text(thread.tid);
}

void PerfettoTracks::write_track(ProtobufWriter& out, std::size_t index, std::size_t lane) const {
  const Track& track = run_.tracks[index];
  const Thread& thread = run_.threads[track.thread.value];
  const Process& process = run_.processes[thread.process.value];
  const bool is_thread = !track.on_device && fits_perfetto(process.number) && !thread.tid.is_text &&
                         fits_perfetto(thread.tid.value);
  out.number(perfetto::track::kUuid, uuids_.track(index, lane));
  out.number(perfetto::track::kParentUuid, lane == 0 || !is_thread
                                               ? PerfettoUuids::process(thread.process.value)
                                               : uuids_.track(index));
  if (lane != 0 || !is_thread) {
    out.text(perfetto::track::kName, track_name(index));
    return;
  }
  const std::size_t descriptor = out.begin(perfetto::track::kThread);
  out.number(perfetto::thread::kPid, static_cast<std::uint64_t>(process.number));
  out.number(perfetto::thread::kTid, static_cast<std::uint64_t>(thread.tid.value));
  if (thread.name.value != 0) out.text(perfetto::thread::kName, run_.strings[thread.name]);
  out.end(descriptor);
}

void PerfettoTracks::write_series(ProtobufWriter& out, std::size_t index) const {
  const CounterSeries& series = run_.series[index];
  std::string name(run_.strings[series.name]);
  if (series.field.value != 0) name.append(" ").append(run_.strings[series.field]);
  if (series.place.value != 0) name.append(" [").append(run_.strings[series.place]).append("]");
  out.number(perfetto::track::kUuid, uuids_.series + index);
  out.text(perfetto::track::kName, name);
  if (series.process.valid()) {
    out.number(perfetto::track::kParentUuid, PerfettoUuids::process(series.process.value));
  }
  const std::size_t descriptor = out.begin(perfetto::track::kCounter);
  write_unit(out, run_.strings[series.unit]);
  out.end(descriptor);
}

std::string perfetto_facts(const Run& run, const PerfettoUuids& uuids) {
  const auto text = [&](StringId id) { return Json(run.strings[id]); };
  const auto ident = [&](const Ident& value) {
    return value.is_text ? text(StringId(static_cast<std::uint64_t>(value.value)))
                         : Json(value.value);
  };
  Json facts = {{"version", 1}, {"first_track", uuids.tracks}, {"first_series", uuids.series}};
  facts["sources"] = Json::array();
  for (const Source& source : run.sources) {
    Json metadata = Json::object();
    for (const Metadata& entry : source.metadata) {
      metadata[run.strings[entry.key]] = text(entry.json);
    }
    facts["sources"].push_back(
        {{"path", text(source.path)},
         {"kind", source.kind},
         {"rank", optional_number(source.rank)},
         {"world_size", optional_number(source.world_size)},
         {"host", text(source.host_name)},
         {"is_capture", source.is_capture},
         {"beside", source.beside.valid() ? Json(source.beside.value) : Json()},
         {"metadata", metadata}});
  }
  facts["devices"] = Json::array();
  for (const DescribedDevice& device : run.described_devices) {
    facts["devices"].push_back({{"source", device.source.value},
                                {"index", device.index},
                                {"name", text(device.name)},
                                {"uuid", text(device.uuid)}});
  }
  facts["processes"] = Json::array();
  for (const Process& process : run.processes) {
    facts["processes"].push_back({{"source", process.source.value},
                                  {"pid", ident(process.pid)},
                                  {"name", text(process.name)},
                                  {"labels", text(process.labels)},
                                  {"host", text(process.host_name)},
                                  {"container", text(process.container)},
                                  {"sort_index", optional_number(process.sort_index)},
                                  {"start_ns", optional_number(process.start_ns)}});
  }
  facts["threads"] = Json::array();
  for (const Thread& thread : run.threads) {
    facts["threads"].push_back({{"process", thread.process.value},
                                {"tid", ident(thread.tid)},
                                {"name", text(thread.name)},
                                {"sort_index", optional_number(thread.sort_index)}});
  }
  facts["tracks"] = Json::array();
  for (const Track& track : run.tracks) {
    facts["tracks"].push_back({{"thread", track.thread.value},
                               {"on_device", track.on_device},
                               {"device", optional_number(track.device_index)},
                               {"stream", optional_number(track.stream)}});
  }
  facts["series"] = Json::array();
  for (const CounterSeries& series : run.series) {
    facts["series"].push_back(
        {{"source", series.source.value},
         {"process", series.process.valid() ? Json(series.process.value) : Json()},
         {"name", text(series.name)},
         {"field", text(series.field)},
         {"category", text(series.category)},
         {"place", text(series.place)},
         {"unit", text(series.unit)}});
  }
  return facts.dump();
}

}  // namespace tactus

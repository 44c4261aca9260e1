#include <fmt/format.h>

#include <iterator>

#include "base/arithmetic.h"
#include "run/args/arg_json.h"
#include "run/event_view.h"
#include "run/identity.h"
#include "views/common/buffered_output.h"
#include "views/common/text_table.h"
#include "views/cycles/patterns_view.h"
#include "views/export/exported_events.h"
#include "views/export/exports.h"
#include "views/kernels/kernels_view.h"

namespace tactus {
namespace {

constexpr std::size_t kRowsPerProgress = 1 << 16;

std::string ident_cell(const Run& run, const Ident& ident) {
  if (!ident.is_text) return std::to_string(ident.value);
  return csv_cell(run.strings[StringId(static_cast<std::uint64_t>(ident.value))]);
}

/// pid,tid,device,stream,rank of a track, ready to be written.
std::vector<std::string> track_cells(const Run& run) {
  const auto number = [](const std::optional<std::int64_t>& value) {
    return value ? std::to_string(*value) : std::string();
  };
  std::vector<std::string> cells;
  for (const Track& track : run.tracks) {
    const Thread& thread = run.threads[track.thread.value];
    const Process& process = run.processes[thread.process.value];
    cells.push_back(fmt::format("{},{},{},{},{}", ident_cell(run, process.pid),
                                ident_cell(run, thread.tid), number(device_number(run, track)),
                                number(track.stream), number(process.rank)));
  }
  return cells;
}

std::string args_json(const Run& run, const EventView& event) {
  const ArgShape& shape = run.shapes[event.shape];
  if (shape.empty()) return {};
  std::string json = "{";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i != 0) json += ',';
    append_json_string(json, run.strings[shape[i].key]);
    json += ':';
    append_json_value(json, run.strings, field_value(run, run.slices, event, i));
  }
  return json + "}";
}

Status write_slices(const Run& run, const WantedSlices& wanted, BufferedOutput& out,
                    Progress& progress) {
  const ExportedEvents exported(run, wanted);
  const std::vector<std::string> tracks = track_cells(run);
  out.text() += "start_ns,dur_ns,kind,category,name,pid,tid,device,stream,rank,args\n";
  for_each_event(run, run.slices, [&](const EventView& event) {
    if (!exported.takes_slice(event)) return;
    const bool known = event.category < run.categories.size();
    fmt::format_to(std::back_inserter(out.text()), "{},{},{},{},{},{},{}\n", event.start_ns,
                   event.dur_ns, kind_name(run.kind_of(event.category)),
                   known ? csv_cell(run.strings[run.categories[event.category].name]) : "",
                   csv_cell(run.strings[event.name]),
                   event.track < tracks.size() ? tracks[event.track] : ",,,,",
                   csv_cell(args_json(run, event)));
    out.flush_if_full();
    if (event.row % kRowsPerProgress == 0) progress.update("writing", event.row, run.slices.size());
  });
  return out.finish();
}

Status write_counters(const Run& run, const WantedSlices& wanted, BufferedOutput& out) {
  const WantedTimes times(wanted);
  out.text() += "timestamp_ns,counter,device,value\n";
  for (std::size_t row = 0; row < run.counters.rows; ++row) {
    if (!times.takes(run.counters.time()[row])) continue;
    const CounterSeries& series = run.series[static_cast<std::size_t>(run.counters.series()[row])];
    fmt::format_to(std::back_inserter(out.text()), "{},{},{},{}\n",
                   wrapping_add(run.origin_ns, run.counters.time()[row]),
                   csv_cell(run.strings[series.name]), csv_cell(run.strings[series.place]),
                   Decimal::to_text(run.counters.value()[row], run.strings));
    out.flush_if_full();
  }
  return out.finish();
}

}  // namespace

Status write_csv(const Run& run, const WantedSlices& wanted, OutputFile& file, Progress& progress) {
  if (run.kernel_summary) {
    return file.write(kernels_csv(*run.kernel_summary));
  }
  BufferedOutput out(file);
  if (run.slices.size() == 0 && run.patterns.rows != 0) {
    return write_patterns(run, PatternNumbers::kAsKept, out);
  }
  if (run.slices.size() == 0 && run.counters.rows != 0) return write_counters(run, wanted, out);
  return write_slices(run, wanted, out, progress);
}

}  // namespace tactus

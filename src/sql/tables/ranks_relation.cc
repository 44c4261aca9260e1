#include <algorithm>
#include <set>

#include "run/event_view.h"
#include "run/identity.h"
#include "sql/tables/column_makers.h"
#include "sql/tables/tables.h"

namespace tactus::sql {
namespace {

/// One process of the job, or the whole recording of a source that names no rank.
struct RankRow {
  std::optional<std::int64_t> rank, world_size, pid, device;
  std::string_view host, device_name, source;
  std::int64_t begin_ns = INT64_MAX, end_ns = INT64_MIN;
  std::int64_t slices = 0, kernels = 0, kernel_ns = 0;
};

std::vector<RankRow> find_ranks(const Derived& derived) {
  const Run& run = derived.run();
  std::vector<RankRow> of_source(run.sources.size());
  const std::vector<std::optional<std::int64_t>> pids = host_pids(run);
  for (std::size_t i = 0; i < run.sources.size(); ++i) {
    of_source[i].rank = run.sources[i].rank;
    of_source[i].world_size = run.sources[i].world_size;
    of_source[i].pid = pids[i];
    of_source[i].source = run.strings[run.sources[i].path];
    if (run.sources[i].host.value < run.hosts.size()) {
      of_source[i].host = run.strings[run.hosts[run.sources[i].host.value].name];
    }
  }
  const auto source_of = [&](std::size_t track) {
    const Thread& thread = run.threads[run.tracks[track].thread.value];
    return std::size_t{run.processes[thread.process.value].source.value};
  };
  for (std::size_t track = 0; track < run.tracks.size(); ++track) {
    const DeviceId device = run.tracks[track].device;
    RankRow& row = of_source[source_of(track)];
    if (row.device || device.value >= run.devices.size()) continue;
    row.device = run.devices[device.value].number;
    row.device_name = run.strings[run.devices[device.value].name];
  }
  for_each_slice(
      run, Captures::kLeaveOut, [](SliceKind) { return true; },
      std::array<const Column*, 3>{&run.slices.track(), &run.slices.start(), &run.slices.dur()},
      [&](std::size_t, SliceKind kind, const std::array<std::int64_t, 3>& values) {
        const auto track = static_cast<std::uint64_t>(values[0]);
        if (track >= run.tracks.size()) return;
        RankRow& row = of_source[source_of(track)];
        ++row.slices;
        row.begin_ns = std::min(row.begin_ns, values[1]);
        row.end_ns = std::max(row.end_ns, wrapping_add(values[1], values[2]));
        if (kind != SliceKind::kKernel) return;
        ++row.kernels;
        row.kernel_ns = wrapping_add(row.kernel_ns, values[2]);
      });
  std::vector<RankRow> rows;
  for (const RankRow& row : of_source) {
    const bool is_taken = !derived.filter().rank || row.rank == derived.filter().rank;
    if (row.slices != 0 && is_taken) rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const RankRow& a, const RankRow& b) { return a.rank < b.rank; });
  return rows;
}

}  // namespace

Relation ranks_relation(Derived& derived) {
  const auto rows = std::make_shared<std::optional<std::vector<RankRow>>>();
  const auto get = [rows, &derived]() -> const std::vector<RankRow>& {
    if (!*rows) *rows = find_ranks(derived);
    return **rows;
  };
  Relation relation;
  relation.name = "ranks";
  relation.about = "the ranks of the job: one row per recording of a process";
  relation.rows = [get] { return get().size(); };
  const auto field = [&](std::string name, std::string_view type,
                         std::function<Cell(const RankRow&)> cell, std::string_view about) {
    relation.columns.push_back(computed(
        std::move(name), type,
        [get, cell = std::move(cell)](std::size_t row, std::string&) { return cell(get()[row]); },
        about));
  };
  field(
      "rank", "INTEGER", [](const RankRow& r) { return Cell::number(r.rank); },
      "NULL if the source names none");
  field(
      "world_size", "INTEGER", [](const RankRow& r) { return Cell::number(r.world_size); },
      "ranks of the job");
  field(
      "host", "TEXT", [](const RankRow& r) { return Cell::words_or_null(r.host); }, "machine");
  field(
      "pid", "INTEGER", [](const RankRow& r) { return Cell::number(r.pid); }, "process");
  field(
      "device", "INTEGER", [](const RankRow& r) { return Cell::number(r.device); },
      "number of its (first) GPU");
  field(
      "device_name", "TEXT", [](const RankRow& r) { return Cell::words_or_null(r.device_name); },
      "model of the GPU");
  field(
      "ts_ns", "INTEGER", [](const RankRow& r) { return Cell::number(r.begin_ns); },
      "start of its first slice");
  field(
      "dur_ns", "INTEGER",
      [](const RankRow& r) { return Cell::number(wrapping_subtract(r.end_ns, r.begin_ns)); },
      "to the end of its last slice");
  field(
      "slices", "INTEGER", [](const RankRow& r) { return Cell::number(r.slices); }, "slices");
  field(
      "kernels", "INTEGER", [](const RankRow& r) { return Cell::number(r.kernels); }, "kernels");
  field(
      "kernel_ns", "INTEGER", [](const RankRow& r) { return Cell::number(r.kernel_ns); },
      "sum of the durations of its kernels");
  field(
      "source", "TEXT", [](const RankRow& r) { return Cell::words(r.source); }, "the input");
  return relation;
}

std::vector<Relation> make_relations(Derived& derived) {
  std::vector<Relation> relations;
  add_slice_relations(derived, relations);
  relations.push_back(launches_relation(derived));
  relations.push_back(counters_relation(derived));
  relations.push_back(steps_relation(derived));
  relations.push_back(stacks_relation(derived));
  relations.push_back(ranks_relation(derived));
  return relations;
}

}  // namespace tactus::sql

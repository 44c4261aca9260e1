#include <cmath>
#include <numeric>
#include <set>

#include "base/arithmetic.h"
#include "names/python_frame.h"
#include "run/event_view.h"
#include "run/identity.h"
#include "sql/tables/column_makers.h"
#include "sql/tables/tables.h"

namespace tactus::sql {
namespace {

/// A column that is made at its first use.
Codes made_once(Derived& derived, std::function<Column()> make) {
  const auto column = std::make_shared<std::optional<Column>>();
  return [column, &derived, make = std::move(make)]() -> const Column& {
    if (!*column) {
      Column made = make();
      if (derived.is_stopped()) return derived.nothing(made.size());
      *column = std::move(made);
    }
    return **column;
  };
}

/// Values of slices, one for each row of `rows`.
Codes gathered(Derived& derived, Codes rows, std::function<const Column&()> from) {
  return made_once(derived, [rows = std::move(rows), from = std::move(from)] {
    Column column;
    const Column& values = from();
    rows().for_each_piece(0, rows().size(), [&](std::size_t, std::span<const std::int64_t> piece) {
      for (const std::int64_t row : piece) column.append(values[static_cast<std::size_t>(row)]);
    });
    column.shrink();
    return column;
  });
}

/// The launches of the device work that the filter takes, ascending by the work.
struct LaunchPairs {
  Column calls, works;
};

std::shared_ptr<LaunchPairs> launch_pairs(const Derived& derived) {
  auto pairs = std::make_shared<LaunchPairs>();
  const Run& run = derived.run();
  const std::vector<bool> wanted = wanted_tracks(run, derived.filter());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;  // work and call
  for_each_launch(run, [&](std::uint32_t call, std::uint32_t work) {
    const auto track = static_cast<std::size_t>(run.slices.track()[work]);
    if (track < wanted.size() && !wanted[track]) return;
    if (!derived.filter().takes(run.slices.start()[work])) return;
    if (!derived.wanted().has_slice(work)) return;
    if (run.is_captured(run.slices.category()[work])) return;
    found.emplace_back(work, call);
  });
  std::sort(found.begin(), found.end());
  for (const auto& [work, call] : found) {
    pairs->works.append(work);
    pairs->calls.append(call);
  }
  pairs->works.shrink();
  pairs->calls.shrink();
  return pairs;
}

}  // namespace

Relation launches_relation(Derived& derived) {
  const Run& run = derived.run();
  const auto pairs = std::make_shared<std::shared_ptr<LaunchPairs>>();
  const auto get = [pairs, &derived]() -> LaunchPairs& {
    if (!*pairs) *pairs = launch_pairs(derived);
    return **pairs;
  };
  const Codes calls = [get]() -> const Column& { return get().calls; };
  const Codes works = [get]() -> const Column& { return get().works; };
  const EventTable& slices = run.slices;
  const auto start = [&slices]() -> const Column& { return slices.start(); };
  const auto dur = [&slices]() -> const Column& { return slices.dur(); };
  const auto name = [&slices]() -> const Column& { return slices.name(); };
  const auto track = [&slices]() -> const Column& { return slices.track(); };
  Relation relation;
  relation.name = "launches";
  relation.about = "calls that launched work of a GPU, one row per piece of work";
  relation.rows = [get] { return get().works.size(); };
  const Codes call_start = gathered(derived, calls, start);
  const Codes work_start = gathered(derived, works, start);
  const Codes work_track = gathered(derived, works, track);
  relation.columns = {
      number("kernel_id", works, "the kernel, copy or fill: slices.id"),
      number("call_id", calls, "the call on the host: slices.id"),
      number("ts_ns", call_start, "start of the call"),
      number("dur_ns", gathered(derived, calls, dur), "duration of the call"),
      number("kernel_ts_ns", work_start, "start of the work"),
      number("kernel_dur_ns", gathered(derived, works, dur), "duration of the work"),
      number("delay_ns",
             made_once(derived,
                       [call_start, work_start] {
                         Column column;
                         for (std::size_t i = 0; i < work_start().size(); ++i) {
                           column.append(wrapping_subtract(work_start()[i], call_start()[i]));
                         }
                         column.shrink();
                         return column;
                       }),
             "from the start of the call to the start of the work"),
      text_of_run("name", run, gathered(derived, works, name), "name of the work"),
      text_of_run("call", run, gathered(derived, calls, name), "name of the call"),
      text_of_run("op", run,
                  gathered(derived, works,
                           [&derived]() -> const Column& { return derived.name_of(derived.op()); }),
                  "the innermost op around the call"),
      place_column("device", "INTEGER", derived, work_track, device_of, "number of the GPU"),
      place_column("stream", "INTEGER", derived, work_track, stream_of, "stream of the GPU"),
      place_column("rank", "INTEGER", derived, work_track, rank_of, "rank of the job"),
  };
  relation.sorted_column = 0;
  return relation;
}

Relation counters_relation(Derived& derived) {
  const Run& run = derived.run();
  Relation relation;
  relation.name = "counters";
  relation.about = "samples of counters";
  relation.rows = [&run] { return run.counters.rows; };
  relation.conditions = [&derived] {
    const Run& all = derived.run();
    const SliceFilter& filter = derived.filter();
    std::vector<Condition> conditions;
    if (filter.device) {
      auto wanted = std::make_shared<std::vector<std::uint8_t>>();
      for (const CounterSeries& series : all.series) {
        const bool is_other = series.device.value < all.devices.size() &&
                              all.devices[series.device.value].number != *filter.device;
        wanted->push_back(!is_other);
      }
      conditions.push_back({.column = &all.counters.series(), .wanted = wanted});
    }
    if (filter.limits_time()) {
      const std::int64_t to = filter.to_ns.value_or(INT64_MAX);
      conditions.push_back({.column = &all.counters.time(),
                            .low = filter.from_ns.value_or(INT64_MIN),
                            .high = filter.to_ns && to != INT64_MIN ? to - 1 : to});
    }
    if (derived.wanted().steps != nullptr) {
      conditions.push_back({.column = &derived.sample_is_taken(), .low = 0});
    }
    return conditions;
  };
  const Codes series = [&run]() -> const Column& { return run.counters.series(); };
  const auto of_series = [&](std::string name, std::string_view type,
                             std::function<Cell(const CounterSeries&)> field,
                             std::string_view about) {
    relation.columns.push_back(looked_up(
        std::move(name), type, series,
        [&run, field = std::move(field)](std::int64_t code) {
          const auto at = static_cast<std::uint64_t>(code);
          return at < run.series.size() ? field(run.series[at]) : Cell::null();
        },
        about));
  };
  relation.columns = {row_number("id", "the number of the sample"),
                      number(
                          "ts_ns", [&run]() -> const Column& { return run.counters.time(); },
                          "time, in ns since the start of the run")};
  of_series(
      "name", "TEXT", [&run](const CounterSeries& s) { return Cell::words(run.strings[s.name]); },
      "as the source wrote it");
  of_series(
      "field", "TEXT",
      [&run](const CounterSeries& s) { return Cell::words_or_null(run.strings[s.field]); },
      "of counters with several values per sample");
  relation.columns.push_back(looked_up(
      "value", "REAL", [&run]() -> const Column& { return run.counters.value(); },
      [&run](std::int64_t code) {
        const double value = Decimal::to_double(code, run.strings);
        return std::isfinite(value) ? Cell::real_number(value) : Cell::null();
      },
      "NULL where the source gave no number"));
  of_series(
      "unit", "TEXT",
      [&run](const CounterSeries& s) { return Cell::words_or_null(run.strings[s.unit]); },
      "if the source gave one");
  of_series(
      "device", "INTEGER",
      [&run](const CounterSeries& s) {
        return s.device.value < run.devices.size()
                   ? Cell::number(run.devices[s.device.value].number)
                   : Cell::null();
      },
      "number of the GPU; NULL for counters of the host");
  of_series(
      "place", "TEXT",
      [&run](const CounterSeries& s) { return Cell::words_or_null(run.strings[s.place]); },
      "as the source wrote it: GPU 0, Host, eth0");
  of_series(
      "host", "TEXT",
      [&run](const CounterSeries& s) {
        return s.host.value < run.hosts.size()
                   ? Cell::words_or_null(run.strings[run.hosts[s.host.value].name])
                   : Cell::null();
      },
      "machine");
  return relation;
}

Relation steps_relation(Derived& derived) {
  Relation relation;
  relation.name = "steps";
  relation.about = "steps of the engine's loop, as `tactus cycles` finds them";
  relation.rows = [&derived] { return derived.steps().size(); };
  const auto field = [&](std::string name, std::string_view type,
                         std::function<Cell(const Cycle&)> cell, std::string_view about) {
    relation.columns.push_back(computed(
        std::move(name), type,
        [&derived, cell = std::move(cell)](std::size_t row, std::string&) {
          return cell(derived.steps()[row]);
        },
        about));
  };
  const Run& run = derived.run();
  relation.columns.push_back(row_number("id", "the number of the step"));
  field(
      "phase", "TEXT", [](const Cycle& c) { return Cell::words(phase_name(c.phase)); },
      "prefill, decode, mixed or unknown");
  field(
      "ts_ns", "INTEGER", [](const Cycle& c) { return Cell::number(c.start_ns); },
      "start of its first work on a GPU");
  field(
      "dur_ns", "INTEGER", [](const Cycle& c) { return Cell::number(c.dur_ns); },
      "to the first work of the next step");
  field(
      "end_ns", "INTEGER",
      [](const Cycle& c) { return Cell::number(wrapping_add(c.start_ns, c.dur_ns)); },
      "end: ts_ns + dur_ns");
  field(
      "gpu_busy_ns", "INTEGER",
      [](const Cycle& c) { return lacks_gpu_time(c) ? Cell::null() : Cell::number(c.gpu_busy_ns); },
      "time with work of it on a GPU");
  field(
      "kernels", "INTEGER", [](const Cycle& c) { return Cell::number(c.launches); },
      "kernels that it launched");
  field(
      "tokens", "INTEGER", [](const Cycle& c) { return Cell::number(c.tokens); },
      "tokens that were computed");
  field(
      "sequences", "INTEGER", [](const Cycle& c) { return Cell::number(c.sequences); },
      "sequences that took part");
  field(
      "context", "INTEGER", [](const Cycle& c) { return Cell::number(c.context); },
      "tokens that they attend to");
  field(
      "batch", "INTEGER", [](const Cycle& c) { return Cell::number(c.batch); },
      "as the engine says it");
  field(
      "evidence", "TEXT", [](const Cycle& c) { return Cell::words(evidence_name(c.evidence)); },
      "what shows phase and tokens");
  field(
      "complete", "INTEGER", [](const Cycle& c) { return Cell::number(c.complete ? 1 : 0); },
      "0 if an edge of the recording cuts it");
  field(
      "pid", "INTEGER",
      [&run](const Cycle& c) {
        return c.process < run.processes.size() ? Cell::number(run.processes[c.process].os_pid)
                                                : Cell::null();
      },
      "the process whose loop it is");
  field(
      "rank", "INTEGER",
      [&run](const Cycle& c) {
        return c.process < run.processes.size() ? Cell::number(run.processes[c.process].rank)
                                                : Cell::null();
      },
      "rank of the job");
  return relation;
}

}  // namespace tactus::sql

#include "watch/keep/cut_run.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/progress.h"
#include "run/tact/tact_file.h"

namespace tactus::watch {
namespace {

constexpr std::int64_t kGone = -1;

/// The rows of a table that start in the span. The value: the new row of each old one.
std::vector<std::int64_t> cut_events(EventTable& events, const std::vector<ArgShape>& shapes,
                                     const TimeSpan& span) {
  EventTable kept;
  std::vector<std::int64_t> new_rows(events.size(), kGone);
  std::vector<std::size_t> next_argument(shapes.size(), 0);
  std::vector<std::int64_t> values;
  for (std::size_t row = 0; row < events.size(); ++row) {
    const auto shape = static_cast<std::size_t>(events.shape()[row]);
    const bool has_arguments =
        shape != 0 && shape < events.args().size() && shape < next_argument.size();
    const std::size_t argument = has_arguments ? next_argument[shape]++ : 0;
    const std::int64_t start = events.start()[row];
    if (start < span.begin_ns || start >= span.end_ns) continue;
    new_rows[row] = static_cast<std::int64_t>(kept.size());
    values.clear();
    if (has_arguments) {
      for (const LazyColumn& column : events.args()[shape].columns) {
        values.push_back(argument < column.get().size() ? column.get()[argument] : 0);
      }
    }
    kept.append(start, events.dur()[row], StringId(static_cast<std::uint64_t>(events.name()[row])),
                static_cast<std::uint32_t>(events.track()[row]),
                static_cast<std::uint32_t>(events.category()[row]),
                ShapeId(has_arguments ? static_cast<std::uint32_t>(shape) : 0), values);
    const std::int64_t flags = events.flags()[row];
    for (const EventFlag flag : {kFlowOut, kFlowIn, kOpenBegin, kOpenEnd}) {
      if ((flags & flag) != 0) kept.flag_last(flag);
    }
  }
  events = std::move(kept);
  return new_rows;
}

void cut_links(const std::vector<std::int64_t>& new_rows, Links& links) {
  std::vector<std::array<std::int64_t, 3>> kept;
  for (std::size_t i = 0; i < links.rows; ++i) {
    const auto from = static_cast<std::size_t>(links.from()[i]);
    const auto to = static_cast<std::size_t>(links.to()[i]);
    if (from >= new_rows.size() || to >= new_rows.size()) continue;
    if (new_rows[from] == kGone || new_rows[to] == kGone) continue;
    kept.push_back({links.kind()[i], new_rows[from], new_rows[to]});
  }
  const auto order = [](const std::array<std::int64_t, 3>& link) {
    return std::array{link[2] / static_cast<std::int64_t>(kGroupRows), link[0], link[2], link[1]};
  };
  std::sort(kept.begin(), kept.end(),
            [&](const auto& a, const auto& b) { return order(a) < order(b); });
  Links sorted;
  for (const auto& link : kept) sorted.append(std::span<const std::int64_t>(link));
  links = std::move(sorted);
}

}  // namespace

void cut_run(Run& run, const TimeSpan& span) {
  cut_links(cut_events(run.slices, run.shapes, span), run.links);
  cut_events(run.instants, run.shapes, span);
  cut_events(run.flows, run.shapes, span);
  Counters counters;
  for (std::size_t i = 0; i < run.counters.rows; ++i) {
    const std::int64_t time = run.counters.time()[i];
    if (time < span.begin_ns || time >= span.end_ns) continue;
    counters.append({time, run.counters.series()[i], run.counters.value()[i]});
  }
  run.counters = std::move(counters);
}

Result<Run> open_cut(const std::string& path, const TimeSpan& span) {
  // The clock of a file is known when it is open; a first look reads none of its columns.
  Result<Run> whole = open_run(path, 1);
  if (!whole) return whole.error();
  const TimeSpan own{span.begin_ns - whole->origin_ns, span.end_ns - whole->origin_ns};
  Result<Run> run = open_run(path, OpenOptions{.threads = 1, .window = own});
  if (!run) return run.error();
  cut_run(*run, own);
  if (Status status = run->status(); !status) return status.error();
  if (run->slices.empty()) return input_error(path + ": holds nothing of that time any more");
  return run;
}

Status write_cut(Run& run, const std::string& output, bool overwrite) {
  NoProgress progress;
  const Result<std::uint64_t> written = write_run(run, output, overwrite, 1, progress);
  if (!written) return written.error();
  ::chmod(output.c_str(), 0600);  // as the recorder's own files
  return {};
}

Result<std::size_t> cut_file(const std::string& path, const TimeSpan& span,
                             const std::string& output, bool overwrite) {
  Result<Run> run = open_cut(path, span);
  if (!run) return run.error();
  const std::size_t slices = run->slices.size();
  if (Status status = write_cut(*run, output, overwrite); !status) return status.error();
  return slices;
}

}  // namespace tactus::watch

#include "views/run/info_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/arithmetic.h"
#include "run/identity.h"
#include "views/common/json.h"
#include "views/common/numbers.h"
#include "views/common/text_table.h"

namespace tactus {
namespace {

/// Slices by kind; those of unknown kind by the category of the source.
std::map<std::string, std::uint64_t> count_kinds(const Run& run) {
  std::vector<std::uint64_t> by_category(run.categories.size(), 0);
  run.slices.category().for_each_piece(0, run.slices.size(),
                                       [&](std::size_t, std::span<const std::int64_t> categories) {
                                         for (const std::int64_t category : categories) {
                                           const auto index = static_cast<std::size_t>(category);
                                           if (index < by_category.size()) ++by_category[index];
                                         }
                                       });
  std::map<std::string, std::uint64_t> kinds;
  for (std::size_t i = 0; i < by_category.size(); ++i) {
    const Category& category = run.categories[i];
    if (by_category[i] == 0 || category.is_captured) continue;
    const std::string_view name = run.strings[category.name];
    const bool known = category.kind != SliceKind::kOther;
    kinds[std::string(known          ? kind_name(category.kind)
                      : name.empty() ? "other"
                                     : name)] += by_category[i];
  }
  return kinds;
}

std::uint64_t count_kernels(const Run& run, const std::map<std::string, std::uint64_t>& kinds) {
  if (run.kernel_summary) {
    std::uint64_t instances = 0;
    for (const KernelRow& row : run.kernel_summary->rows) {
      instances += static_cast<std::uint64_t>(row.instances);
    }
    return instances;
  }
  const auto kernels = kinds.find("kernel");
  return kernels == kinds.end() ? 0 : kernels->second;
}

std::string ident_text(const Run& run, const Ident& ident) {
  if (!ident.is_text) return std::to_string(ident.value);
  return std::string(run.strings[StringId(static_cast<std::uint64_t>(ident.value))]);
}

/// By track: whether a slice is on it. Marks of a profiler ("Record Window End") have tracks, too.
std::vector<bool> tracks_with_slices(const Run& run) {
  std::vector<bool> has_slices(run.tracks.size(), false);
  run.slices.track().for_each_piece(0, run.slices.size(),
                                    [&](std::size_t, std::span<const std::int64_t> tracks) {
                                      for (const std::int64_t track : tracks) {
                                        const auto index = static_cast<std::uint64_t>(track);
                                        if (index < has_slices.size()) has_slices[index] = true;
                                      }
                                    });
  return has_slices;
}

/// Processes that have slices of their own. What a device did is listed under its process, as most
/// sources write it; that is not a process, unless there is no other.
std::vector<bool> shown_processes(const Run& run) {
  std::vector<bool> runs_code(run.processes.size(), false);
  std::vector<bool> runs_work(run.processes.size(), false);
  const std::vector<bool> has_slices = tracks_with_slices(run);
  for (std::size_t i = 0; i < run.tracks.size(); ++i) {
    if (!has_slices[i]) continue;
    const Track& track = run.tracks[i];
    const std::uint32_t process = run.threads[track.thread.value].process.value;
    if (run.sources[run.processes[process].source.value].is_capture) continue;
    (track.on_device ? runs_work : runs_code)[process] = true;
  }
  const bool has_code = std::find(runs_code.begin(), runs_code.end(), true) != runs_code.end();
  return has_code ? runs_code : runs_work;
}

Json host_json(const Run& run, HostId host) {
  return host.value < run.hosts.size() ? text_or_null(run.strings[run.hosts[host.value].name])
                                       : Json(nullptr);
}

Json processes_json(const Run& run) {
  const std::vector<bool> shown = shown_processes(run);
  Json list = Json::array();
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    if (!shown[i]) continue;
    const Process& process = run.processes[i];
    list.push_back({{"id", i},
                    {"pid", ident_text(run, process.pid)},
                    {"os_pid", value_or_null(process.os_pid)},
                    {"name", text_or_null(run.strings[process.name])},
                    {"labels", text_or_null(run.strings[process.labels])},
                    {"host", host_json(run, process.host)},
                    {"rank", value_or_null(process.rank)},
                    {"world_size", value_or_null(process.world_size)},
                    {"container", text_or_null(run.strings[process.container])}});
  }
  return list;
}

Json devices_json(const Run& run) {
  Json list = Json::array();
  for (const Device& device : run.devices) {
    if (device.only_counters) continue;
    list.push_back({{"id", device.number},
                    {"host", host_json(run, device.host)},
                    {"index", device.index},
                    {"name", text_or_null(run.strings[device.name])},
                    {"uuid", text_or_null(run.strings[device.uuid])},
                    {"rank", value_or_null(device.rank)}});
  }
  return list;
}

Json clock_json(const Run& run, const Source& source) {
  return {{"source", run.strings[source.path]},
          {"rank", value_or_null(source.rank)},
          {"method", source.clock.method.empty() ? "as recorded" : source.clock.method},
          {"offset_ns", source.clock.offset_ns},
          {"drift_ppm", source.clock.drift * 1e6},
          {"points", source.clock.points},
          {"residual_ns", value_or_null(source.clock.residual_ns)}};
}

Json series_json(const Run& run) {
  Json list = Json::array();
  for (const CounterSeries& series : run.series) {
    list.push_back({{"name", run.strings[series.name]},
                    {"field", text_or_null(run.strings[series.field])},
                    {"device", text_or_null(run.strings[series.place])},
                    {"host", host_json(run, series.host)},
                    {"unit", text_or_null(run.strings[series.unit])}});
  }
  return list;
}

std::string info_json(const Run& run) {
  const std::map<std::string, std::uint64_t> kinds = count_kinds(run);
  const std::optional<TimeSpan> span = run.span();
  Json document;
  document["source"] = run.source_kind();
  document["sources"] = Json::array();
  for (const Source& source : run.sources) {
    document["sources"].push_back({{"path", run.strings[source.path]},
                                   {"kind", source.kind},
                                   {"bytes", source.bytes},
                                   {"rank", value_or_null(source.rank)},
                                   {"host", host_json(run, source.host)}});
  }
  document["slices"] = run.own_slices();
  document["kernels"] = count_kernels(run, kinds);
  document["counters"] = run.counters.rows;
  document["instants"] = run.instants.size();
  document["links"] = run.links.rows;
  document["patterns"] = run.patterns.rows;
  document["origin_ns"] = std::to_string(run.origin_ns);
  document["span_ns"] =
      span ? Json(wrapping_subtract(span->end_ns, span->begin_ns)) : Json(nullptr);
  document["devices"] = devices_json(run);
  document["processes"] = processes_json(run);
  document["clocks"] = Json::array();
  for (const Source& source : run.sources) document["clocks"].push_back(clock_json(run, source));
  document["kinds"] = kinds;
  document["series"] = series_json(run);
  add_account(document, run);
  document["remarks"] = run.remarks;
  return to_text(document);
}

std::string join(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
  return out;
}

std::string line(std::string_view head, const std::string& text) {
  return text.empty() ? "" : fmt::format("{:<10} {}\n", head, printable(text));
}

std::string tally_text(const Tally& tally) {
  std::vector<std::string> parts;
  for (const auto& [reason, count] : tally) {
    parts.push_back(fmt::format("{} {}", format_count(count), reason));
  }
  return join(parts);
}

std::string account_text(const Run& run) {
  return line("dropped", run.dropped.empty() ? "nothing" : tally_text(run.dropped)) +
         line("repaired", tally_text(run.repaired));
}

std::string contents_text(const Run& run, const std::map<std::string, std::uint64_t>& kinds) {
  std::vector<std::pair<std::string, std::uint64_t>> sorted(kinds.begin(), kinds.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out;
  for (const auto& [kind, count] : sorted) {
    out += fmt::format("{:<10} {:>12}  {}\n", "", format_count(count), printable(kind));
  }
  const auto extra = [&](std::string_view head, std::size_t count) {
    if (count != 0) out += line(head, format_count(count));
  };
  extra("instants", run.instants.size());
  extra("links", run.links.rows);
  extra("patterns", run.patterns.rows);
  if (run.counters.rows != 0) {
    out += line("counters", fmt::format("{} samples of {} series", format_count(run.counters.rows),
                                        run.series.size()));
  }
  return out;
}

/// Rows of a job of many ranks that are shown in text; JSON has all.
constexpr std::size_t kMostShown = 16;

std::string join_some(const std::vector<std::string>& parts) {
  if (parts.size() <= kMostShown) return join(parts);
  return fmt::format("{} and {} more (--json shows all)",
                     join({parts.begin(), parts.begin() + kMostShown}), parts.size() - kMostShown);
}

std::string hosts_text(const Run& run) {
  std::vector<std::string> parts;
  for (const Host& host : run.hosts) {
    if (host.name.value != 0) parts.push_back(printable(run.strings[host.name]));
  }
  return join_some(parts);
}

std::string devices_text(const Run& run) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < run.devices.size(); ++i) {
    const Device& device = run.devices[i];
    if (device.only_counters) continue;
    const std::string_view name = run.strings[device.name];
    std::string part =
        fmt::format("{} {}", device.number, name.empty() ? "unknown" : printable(name));
    if (device.shares_index) part += " (" + printable(device_label(run, DeviceId(i))) + ")";
    parts.push_back(std::move(part));
  }
  return join_some(parts);
}

std::string processes_text(const Run& run) {
  const std::vector<bool> shown = shown_processes(run);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    const Process& process = run.processes[i];
    if (!shown[i] || (process.pid.is_text && !process.os_pid)) continue;
    if (run.strings[process.labels].starts_with("GPU")) continue;
    std::string part = printable(ident_text(run, process.pid));
    const std::string_view name = run.strings[process.name];
    if (!name.empty()) part += " " + printable(name);
    if (process.rank) part += fmt::format(" (rank {})", *process.rank);
    parts.push_back(std::move(part));
  }
  return join_some(parts);
}

std::string source_label(const Run& run, const Source& source) {
  return source.rank ? fmt::format("rank {}", *source.rank) : printable(run.strings[source.path]);
}

std::string clock_text(const Run& run, const Source& source) {
  const Clock& clock = source.clock;
  if (clock.method.empty()) {
    return fmt::format("{}: as recorded; the ends of {} collectives differ by {}",
                       source_label(run, source), format_count(clock.points),
                       format_duration(clock.residual_ns.value_or(0)));
  }
  std::string text = fmt::format(
      "{}: {}{} by {} {}", source_label(run, source), clock.offset_ns < 0 ? "-" : "+",
      format_duration(std::abs(clock.offset_ns)), format_count(clock.points), clock.method);
  if (clock.drift != 0) text += fmt::format(", drift {:+.2f} ppm", clock.drift * 1e6);
  if (clock.residual_ns) text += fmt::format(", within {}", format_duration(*clock.residual_ns));
  return text;
}

/// How the clocks of the sources were aligned, one line per source.
std::string clocks_text(const Run& run) {
  std::vector<std::string> lines;
  for (const Source& source : run.sources) {
    if (source.kind != "counters" && source.clock.points != 0)
      lines.push_back(clock_text(run, source));
  }
  std::string out;
  for (std::size_t i = 0; i < std::min(lines.size(), kMostShown); ++i)
    out += line("clock", lines[i]);
  if (lines.size() > kMostShown) {
    out += line("clock", fmt::format("and {} more (--json shows all)", lines.size() - kMostShown));
  }
  return out;
}

std::string sources_text(const Run& run) {
  std::string out;
  std::size_t shown = 0;
  for (const Source& source : run.sources) {
    if (shown++ == kMostShown) {
      return out + line("source", fmt::format("and {} more (--json shows all)",
                                              run.sources.size() - kMostShown));
    }
    std::string what = fmt::format("{} ({}, {})", printable(run.strings[source.path]), source.kind,
                                   format_bytes(source.bytes));
    if (source.rank) what += fmt::format(", rank {}", *source.rank);
    if (source.host_name.value != 0) {
      what += fmt::format(", host {}", printable(run.strings[source.host_name]));
    }
    out += line("source", what);
  }
  return out;
}

/// How it was recorded, in lines of at most `width` characters.
std::string remarks_text(const Run& run, std::size_t width) {
  constexpr std::size_t kRemarkHead = 11;
  std::string out;
  for (std::size_t i = 0; i < run.remarks.size(); ++i) {
    out += paragraph(i == 0 ? "remarks" : "", run.remarks[i], width, kRemarkHead);
  }
  return out;
}

std::string info_text(const Run& run, std::size_t width) {
  const std::map<std::string, std::uint64_t> kinds = count_kinds(run);
  std::string out = sources_text(run);
  if (const std::optional<TimeSpan> span = run.span()) {
    out += line("span", format_duration(wrapping_subtract(span->end_ns, span->begin_ns)));
  }
  out += line("hosts", hosts_text(run));
  out += line("devices", devices_text(run));
  out += line("processes", processes_text(run));
  out += clocks_text(run);
  if (run.kernel_summary) {
    out += line("table", fmt::format("{} kernels, {} launches, {}",
                                     format_count(run.kernel_summary->rows.size()),
                                     format_count(count_kernels(run, kinds)),
                                     format_duration(run.kernel_summary->total_ns)));
    if (!run.kernel_summary->notes.empty()) {
      out += line("notes", format_count(run.kernel_summary->notes.size()));
    }
  }
  if (!run.slices.empty()) out += line("slices", format_count(run.own_slices()));
  out += contents_text(run, kinds);
  return out + account_text(run) + remarks_text(run, width);
}

}  // namespace

std::string show_info(const Run& run, bool as_json, std::size_t width) {
  return as_json ? info_json(run) : info_text(run, width);
}

std::string show_import(const Run& run, const ImportAccount& account, bool as_json) {
  const std::map<std::string, std::uint64_t> kinds = count_kinds(run);
  if (as_json) {
    Json document;
    document["slices"] = run.own_slices();
    document["kernels"] = count_kernels(run, kinds);
    document["counters"] = run.counters.rows;
    document["seconds"] = account.seconds;
    document["bytes_in"] = account.bytes_in;
    document["bytes_out"] = account.bytes_out;
    add_account(document, run);
    return to_text(document);
  }
  const double rate =
      account.seconds > 0 ? static_cast<double>(account.bytes_in) / account.seconds : 0;
  std::string out =
      fmt::format("{}: {} slices, {} kernels, {} counter samples; {} from {} in {:.2f} s ({}/s)\n",
                  printable(account.output), format_count(run.own_slices()),
                  format_count(count_kernels(run, kinds)), format_count(run.counters.rows),
                  format_bytes(account.bytes_out), format_bytes(account.bytes_in), account.seconds,
                  format_bytes(static_cast<std::uint64_t>(rate)));
  return out + clocks_text(run) + account_text(run);
}

}  // namespace tactus

#include "views/run/info_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/arithmetic.h"
#include "views/common/json.h"
#include "views/common/numbers.h"
#include "views/common/text_table.h"

namespace tactus {
namespace {

/// Slices by kind; those of unknown kind by the category of the source.
std::map<std::string, std::uint64_t> count_kinds(const Run& run) {
  std::vector<std::uint64_t> by_category(run.categories.size(), 0);
  run.slices.category().for_each_piece(0, run.own_slices(),
                                       [&](std::size_t, std::span<const std::int64_t> categories) {
                                         for (const std::int64_t category : categories) {
                                           const auto index = static_cast<std::size_t>(category);
                                           if (index < by_category.size()) ++by_category[index];
                                         }
                                       });
  std::map<std::string, std::uint64_t> kinds;
  for (std::size_t i = 0; i < by_category.size(); ++i) {
    if (by_category[i] == 0) continue;
    const Category& category = run.categories[i];
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

/// The devices that the source describes or that did work, each once.
std::map<std::int64_t, std::string> devices(const Run& run) {
  std::map<std::int64_t, std::string> names;
  for (const Track& track : run.tracks) {
    if (track.on_device && track.device) names.try_emplace(*track.device);
  }
  for (const Device& device : run.devices) {
    std::string& name = names[device.id];
    if (name.empty()) name = run.strings[device.name];
  }
  return names;
}

std::string ident_text(const Run& run, const Ident& ident) {
  if (!ident.is_text) return std::to_string(ident.value);
  return std::string(run.strings[StringId(static_cast<std::uint64_t>(ident.value))]);
}

/// Processes that have a track; Kineto announces many that never run.
std::vector<bool> used_processes(const Run& run) {
  std::vector<bool> used(run.processes.size(), false);
  for (const Track& track : run.tracks) used[run.threads[track.thread.value].process.value] = true;
  return used;
}

Json processes_json(const Run& run) {
  const std::vector<bool> used = used_processes(run);
  Json list = Json::array();
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    if (!used[i]) continue;
    const Process& process = run.processes[i];
    list.push_back({{"pid", ident_text(run, process.pid)},
                    {"os_pid", value_or_null(process.os_pid)},
                    {"name", text_or_null(run.strings[process.name])},
                    {"labels", text_or_null(run.strings[process.labels])},
                    {"host", text_or_null(run.strings[process.host])},
                    {"rank", value_or_null(run.sources[process.source.value].rank)}});
  }
  return list;
}

Json series_json(const Run& run) {
  Json list = Json::array();
  for (const CounterSeries& series : run.series) {
    list.push_back({{"name", run.strings[series.name]},
                    {"field", text_or_null(run.strings[series.field])},
                    {"device", text_or_null(run.strings[series.device])},
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
                                   {"rank", value_or_null(source.rank)}});
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
  document["devices"] = Json::array();
  for (const auto& [id, name] : devices(run)) {
    document["devices"].push_back({{"id", id}, {"name", text_or_null(name)}});
  }
  document["processes"] = processes_json(run);
  document["kinds"] = kinds;
  document["series"] = series_json(run);
  add_account(document, run);
  return to_text(document);
}

std::string join(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
  return out;
}

std::string line(std::string_view head, const std::string& text) {
  return text.empty() ? "" : fmt::format("{:<10} {}\n", head, text);
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

std::string info_text(const Run& run) {
  const std::map<std::string, std::uint64_t> kinds = count_kinds(run);
  std::string out;
  for (const Source& source : run.sources) {
    std::string what = fmt::format("{} ({}, {})", printable(run.strings[source.path]), source.kind,
                                   format_bytes(source.bytes));
    if (source.rank) what += fmt::format(", rank {}", *source.rank);
    out += line("source", what);
  }
  if (const std::optional<TimeSpan> span = run.span()) {
    out += line("span", format_duration(wrapping_subtract(span->end_ns, span->begin_ns)));
  }
  std::vector<std::string> device_names;
  for (const auto& [id, name] : devices(run)) {
    device_names.push_back(fmt::format("{} {}", id, name.empty() ? "unknown" : printable(name)));
  }
  out += line("devices", join(device_names));
  std::vector<std::string> process_names;
  const std::vector<bool> used = used_processes(run);
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    const Process& process = run.processes[i];
    if (!used[i] || (process.pid.is_text && !process.os_pid)) continue;
    const std::string_view label = run.strings[process.labels];
    if (label.starts_with("GPU")) continue;
    process_names.push_back(
        fmt::format("{} {}", ident_text(run, process.pid), printable(run.strings[process.name])));
  }
  out += line("processes", join(process_names));
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
  return out + account_text(run);
}

}  // namespace

std::string show_info(const Run& run, bool as_json) {
  return as_json ? info_json(run) : info_text(run);
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
  return out + account_text(run);
}

}  // namespace tactus

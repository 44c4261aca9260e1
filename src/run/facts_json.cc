#include "run/facts_json.h"

#include <cmath>

#include "base/hash.h"
#include "base/json.h"

namespace tactus {
namespace {

using Number = std::optional<std::int64_t>;

Json number_or_null(const Number& number) {
  return number ? Json(*number) : Json(nullptr);
}

Number number_or_none(const Json& value) {
  return value.is_null() ? Number() : Number(value.get<std::int64_t>());
}

using Dims = std::optional<std::array<std::int64_t, 3>>;

Json dims_or_null(const Dims& dims) {
  return dims ? Json::array({(*dims)[0], (*dims)[1], (*dims)[2]}) : Json(nullptr);
}

Dims dims_or_none(const Json& value) {
  if (value.is_null()) return {};
  return std::array{value.at(0).get<std::int64_t>(), value.at(1).get<std::int64_t>(),
                    value.at(2).get<std::int64_t>()};
}

template <class IdType>
IdType id(const Json& value) {
  return IdType(value.get<std::uint32_t>());
}

Json ident_json(const Ident& ident) {
  return Json::array({ident.value, ident.is_text});
}

Ident ident_from(const Json& value) {
  return {.value = value.at(0).get<std::int64_t>(), .is_text = value.at(1).get<bool>()};
}

// Each fact is an array with a fixed order. Writer and reader are next to each other here. What
// came after version 1 of the file stands at the end and may be missing.

/// The element at a place that may be missing.
const Json* element(const Json& value, std::size_t place) {
  return place < value.size() ? &value.at(place) : nullptr;
}

Json to_json(const Clock& clock) {
  return Json::array({clock.offset_ns, clock.drift, clock.since_ns, clock.points,
                      number_or_null(clock.residual_ns), clock.method});
}

void from_json(const Json& value, Clock& clock) {
  clock.offset_ns = value.at(0).get<std::int64_t>();
  clock.drift = value.at(1).get<double>();
  if (!(std::abs(clock.drift) <= kLargestDrift)) throw std::out_of_range("drift");
  clock.since_ns = value.at(2).get<std::int64_t>();
  clock.points = value.at(3).get<std::uint64_t>();
  clock.residual_ns = number_or_none(value.at(4));
  clock.method = value.at(5).get<std::string>();
}

Json to_json(const Source& source) {
  Json metadata = Json::array();
  for (const Metadata& entry : source.metadata) {
    metadata.push_back({entry.key.value, entry.json.value});
  }
  return {source.path.value,
          source.kind,
          source.bytes,
          source.base_ns,
          number_or_null(source.rank),
          metadata,
          number_or_null(source.world_size),
          source.host_name.value,
          source.beside.value,
          source.is_capture,
          to_json(source.clock)};
}

void from_json(const Json& value, Source& source) {
  source.path = id<StringId>(value.at(0));
  source.kind = value.at(1).get<std::string>();
  source.bytes = value.at(2).get<std::uint64_t>();
  source.base_ns = value.at(3).get<std::int64_t>();
  source.rank = number_or_none(value.at(4));
  for (const Json& entry : value.at(5)) {
    source.metadata.push_back({id<StringId>(entry.at(0)), id<StringId>(entry.at(1))});
  }
  if (element(value, 6) == nullptr) return;
  source.world_size = number_or_none(value.at(6));
  source.host_name = id<StringId>(value.at(7));
  source.beside = id<SourceId>(value.at(8));
  source.is_capture = value.at(9).get<bool>();
  from_json(value.at(10), source.clock);
}

Json to_json(const Process& process) {
  return {process.source.value,
          ident_json(process.pid),
          number_or_null(process.os_pid),
          process.host_name.value,
          process.name.value,
          process.labels.value,
          number_or_null(process.sort_index),
          number_or_null(process.start_ns),
          process.container.value};
}

void from_json(const Json& value, Process& process) {
  process.source = id<SourceId>(value.at(0));
  process.pid = ident_from(value.at(1));
  process.os_pid = number_or_none(value.at(2));
  process.host_name = id<StringId>(value.at(3));
  process.name = id<StringId>(value.at(4));
  process.labels = id<StringId>(value.at(5));
  process.sort_index = number_or_none(value.at(6));
  if (element(value, 7) == nullptr) return;
  process.start_ns = number_or_none(value.at(7));
  process.container = id<StringId>(value.at(8));
}

Json to_json(const Thread& thread) {
  return {thread.process.value, ident_json(thread.tid), thread.name.value,
          number_or_null(thread.sort_index)};
}

void from_json(const Json& value, Thread& thread) {
  thread.process = id<ProcessId>(value.at(0));
  thread.tid = ident_from(value.at(1));
  thread.name = id<StringId>(value.at(2));
  thread.sort_index = number_or_none(value.at(3));
}

Json to_json(const Track& track) {
  return {track.thread.value, track.on_device, number_or_null(track.device_index),
          number_or_null(track.stream)};
}

void from_json(const Json& value, Track& track) {
  track.thread = id<ThreadId>(value.at(0));
  track.on_device = value.at(1).get<bool>();
  track.device_index = number_or_none(value.at(2));
  track.stream = number_or_none(value.at(3));
}

Json to_json(const DescribedDevice& device) {
  return {device.source.value, device.index, device.name.value, device.uuid.value};
}

void from_json(const Json& value, DescribedDevice& device) {
  device.source = id<SourceId>(value.at(0));
  device.index = value.at(1).get<std::int64_t>();
  device.name = id<StringId>(value.at(2));
  if (const Json* uuid = element(value, 3)) device.uuid = id<StringId>(*uuid);
}

Json to_json(const Category& category) {
  return Json::array({category.name.value, category.is_captured});
}

void from_json(const Json& value, Category& category) {
  if (!value.is_array()) {
    category.name = id<StringId>(value);  // as in version 1
    return;
  }
  category.name = id<StringId>(value.at(0));
  category.is_captured = value.at(1).get<bool>();
}

Json to_json(const CounterSeries& series) {
  return {series.source.value,   series.process.value, series.name.value, series.field.value,
          series.category.value, series.place.value,   series.unit.value};
}

void from_json(const Json& value, CounterSeries& series) {
  series.source = id<SourceId>(value.at(0));
  series.process = id<ProcessId>(value.at(1));
  series.name = id<StringId>(value.at(2));
  series.field = id<StringId>(value.at(3));
  series.category = id<StringId>(value.at(4));
  series.place = id<StringId>(value.at(5));
  series.unit = id<StringId>(value.at(6));
}

Json to_json(const ArgShape& shape) {
  Json fields = Json::array();
  for (const ArgField& field : shape) {
    fields.push_back({field.key.value, static_cast<int>(field.type)});
  }
  return fields;
}

void from_json(const Json& value, ArgShape& shape) {
  for (const Json& field : value) {
    const int type = field.at(1).get<int>();
    if (type < 0 || type >= kValueTypes) throw std::out_of_range("value type");
    shape.push_back({id<StringId>(field.at(0)), static_cast<ValueType>(type)});
  }
}

Json to_json(const KernelRow& row) {
  return {row.name,
          row.instances,
          row.total_ns,
          row.avg_ns,
          number_or_null(row.med_ns),
          number_or_null(row.min_ns),
          number_or_null(row.max_ns),
          number_or_null(row.stddev_ns),
          number_or_null(row.p90_ns),
          number_or_null(row.p99_ns),
          row.time_pct,
          row.typed_source,
          row.line,
          dims_or_null(row.grid),
          dims_or_null(row.block)};
}

void from_json(const Json& value, KernelRow& row) {
  row.name = value.at(0).get<std::string>();
  row.instances = value.at(1).get<std::int64_t>();
  row.total_ns = value.at(2).get<std::int64_t>();
  row.avg_ns = value.at(3).get<std::int64_t>();
  row.med_ns = number_or_none(value.at(4));
  row.min_ns = number_or_none(value.at(5));
  row.max_ns = number_or_none(value.at(6));
  row.stddev_ns = number_or_none(value.at(7));
  row.p90_ns = number_or_none(value.at(8));
  row.p99_ns = number_or_none(value.at(9));
  row.time_pct = value.at(10).get<double>();
  row.typed_source = value.at(11).get<std::string>();
  row.line = value.at(12).get<std::int64_t>();
  if (element(value, 13) == nullptr) return;
  row.grid = dims_or_none(value.at(13));
  row.block = dims_or_none(value.at(14));
}

Json to_json(const TableNote& note) {
  return {note.kind, note.line, note.text};
}

void from_json(const Json& value, TableNote& note) {
  note.kind = value.at(0).get<std::string>();
  note.line = value.at(1).get<std::int64_t>();
  note.text = value.at(2).get<std::string>();
}

template <class T>
Json list_json(const std::vector<T>& items) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(to_json(item));
  return list;
}

template <class T>
void list_from(const Json& document, const char* key, std::vector<T>& items) {
  items.clear();
  for (const Json& value : document.at(key)) {
    T item;
    from_json(value, item);
    items.push_back(std::move(item));
  }
}

/// [[place, item], ...] of the items that are new or changed since they were written.
template <class T>
Json changed_items(const std::vector<T>& items, std::vector<std::uint64_t>& written) {
  Json list = Json::array();
  for (std::size_t i = 0; i < items.size(); ++i) {
    Json item = to_json(items[i]);
    const std::uint64_t hash = hash_bytes(item.dump());
    if (i < written.size() && written[i] == hash) continue;
    if (i < written.size()) {
      written[i] = hash;
    } else {
      written.push_back(hash);
    }
    list.push_back(Json::array({i, std::move(item)}));
  }
  return list;
}

template <class T>
void take_changed(const Json& document, const char* key, std::vector<T>& items) {
  const Json* list = document.find(key);
  if (list == nullptr) return;
  for (const Json& change : *list) {
    const auto place = change.at(0).get<std::uint64_t>();
    if (place > items.size()) throw std::out_of_range(key);
    T item;
    from_json(change.at(1), item);
    if (place == items.size()) {
      items.push_back(std::move(item));
    } else {
      items[place] = std::move(item);
    }
  }
}

/// Calls f(key, list) for every list of facts. All users must agree on the keys.
template <class AnyRun, class F>
void for_each_list(AnyRun& run, F&& f) {
  f("sources", run.sources);
  f("processes", run.processes);
  f("threads", run.threads);
  f("tracks", run.tracks);
  f("devices", run.described_devices);
  f("categories", run.categories);
  f("series", run.series);
  f("shapes", run.shapes);
}

/// What is not a list; short, apart from a kernel summary.
Json others_json(const Run& run) {
  Json document = {
      {"origin_ns", run.origin_ns}, {"dropped", run.dropped}, {"repaired", run.repaired},
      {"warnings", run.warnings},   {"remarks", run.remarks},
  };
  if (run.kernel_summary) {
    document["kernel_summary"] = {{"rows", list_json(run.kernel_summary->rows)},
                                  {"total_ns", run.kernel_summary->total_ns},
                                  {"whole_ns", number_or_null(run.kernel_summary->whole_ns)},
                                  {"notes", list_json(run.kernel_summary->notes)}};
  }
  return document;
}

void others_from(const Json& document, Run& run) {
  run.origin_ns = document.at("origin_ns").get<std::int64_t>();
  run.dropped = document.at("dropped").get<Tally>();
  run.repaired = document.at("repaired").get<Tally>();
  run.warnings = document.at("warnings").get<std::vector<std::string>>();
  // Files of earlier versions have none.
  if (const Json* remarks = document.find("remarks")) {
    run.remarks = remarks->get<std::vector<std::string>>();
  }
  if (!document.contains("kernel_summary")) return;
  const Json& summary = document.at("kernel_summary");
  run.kernel_summary.emplace();
  list_from(summary, "rows", run.kernel_summary->rows);
  list_from(summary, "notes", run.kernel_summary->notes);
  run.kernel_summary->total_ns = summary.at("total_ns").get<std::int64_t>();
  if (const Json* whole = summary.find("whole_ns")) {
    run.kernel_summary->whole_ns = number_or_none(*whole);
  }
}

/// Threads refer to processes, processes to sources, and so on; a damaged file may have references
/// to missing things.
bool references_hold(const Run& run) {
  const auto below = [](std::uint32_t index, std::size_t size) { return index < size; };
  for (const Process& process : run.processes) {
    if (!below(process.source.value, run.sources.size())) return false;
  }
  for (const Thread& thread : run.threads) {
    if (!below(thread.process.value, run.processes.size())) return false;
  }
  for (const Track& track : run.tracks) {
    if (!below(track.thread.value, run.threads.size())) return false;
  }
  for (const DescribedDevice& device : run.described_devices) {
    if (!below(device.source.value, run.sources.size())) return false;
  }
  for (const CounterSeries& series : run.series) {
    if (series.process.valid() && !below(series.process.value, run.processes.size())) return false;
    if (!below(series.source.value, run.sources.size())) return false;
  }
  return !run.shapes.empty() && run.shapes[0].empty();
}

void set_kinds(Run& run) {
  for (Category& category : run.categories) {
    category.kind = kind_of_category(run.strings[category.name]);
  }
}

}  // namespace

std::string FactsWriter::changes(const Run& run) {
  Json document = Json::object();
  for_each_list(run, [&](const char* key, const auto& items) {
    Json changed = changed_items(items, written_[key]);
    if (!changed.empty()) document[key] = std::move(changed);
  });
  Json others = others_json(run);
  std::string text = others.dump();
  if (text != others_) {
    document["others"] = std::move(others);
    others_ = std::move(text);
  }
  return document.empty() ? std::string() : document.dump();
}

bool add_facts(std::string_view text, Run& run) {
  // Json throws if something does not fit; only this function sees the exception.
  try {
    const Json document = Json::parse(text);
    for_each_list(run, [&](const char* key, auto& items) { take_changed(document, key, items); });
    if (const Json* others = document.find("others")) others_from(*others, run);
  } catch (const std::exception&) {
    return false;
  }
  set_kinds(run);
  return references_hold(run);
}

bool facts_of_version_1(std::string_view text, Run& run, std::size_t& captured_slices) {
  try {
    const Json document = Json::parse(text);
    for_each_list(run, [&](const char* key, auto& items) { list_from(document, key, items); });
    others_from(document, run);
    const Json* captured = document.find("captured_slices");
    captured_slices = captured == nullptr ? 0 : captured->get<std::size_t>();
  } catch (const std::exception&) {
    return false;
  }
  set_kinds(run);
  return references_hold(run);
}

}  // namespace tactus

#include "run/facts_json.h"

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

// Each fact is an array with a fixed order. Writer and reader are next to each other here.

Json to_json(const Source& source) {
  Json metadata = Json::array();
  for (const Metadata& entry : source.metadata) {
    metadata.push_back({entry.key.value, entry.json.value});
  }
  return {source.path.value,           source.kind, source.bytes, source.base_ns,
          number_or_null(source.rank), metadata};
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
}

Json to_json(const Process& process) {
  return {process.source.value,
          ident_json(process.pid),
          number_or_null(process.os_pid),
          process.host.value,
          process.name.value,
          process.labels.value,
          number_or_null(process.sort_index)};
}

void from_json(const Json& value, Process& process) {
  process.source = id<SourceId>(value.at(0));
  process.pid = ident_from(value.at(1));
  process.os_pid = number_or_none(value.at(2));
  process.host = id<StringId>(value.at(3));
  process.name = id<StringId>(value.at(4));
  process.labels = id<StringId>(value.at(5));
  process.sort_index = number_or_none(value.at(6));
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
  return {track.thread.value, track.on_device, number_or_null(track.device),
          number_or_null(track.stream)};
}

void from_json(const Json& value, Track& track) {
  track.thread = id<ThreadId>(value.at(0));
  track.on_device = value.at(1).get<bool>();
  track.device = number_or_none(value.at(2));
  track.stream = number_or_none(value.at(3));
}

Json to_json(const Device& device) {
  return {device.source.value, device.id, device.name.value};
}

void from_json(const Json& value, Device& device) {
  device.source = id<SourceId>(value.at(0));
  device.id = value.at(1).get<std::int64_t>();
  device.name = id<StringId>(value.at(2));
}

Json to_json(const Category& category) {
  return category.name.value;
}

void from_json(const Json& value, Category& category) {
  category.name = id<StringId>(value);
}

Json to_json(const CounterSeries& series) {
  return {series.source.value,   series.process.value, series.name.value, series.field.value,
          series.category.value, series.device.value,  series.unit.value};
}

void from_json(const Json& value, CounterSeries& series) {
  series.source = id<SourceId>(value.at(0));
  series.process = id<ProcessId>(value.at(1));
  series.name = id<StringId>(value.at(2));
  series.field = id<StringId>(value.at(3));
  series.category = id<StringId>(value.at(4));
  series.device = id<StringId>(value.at(5));
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
          row.med_ns,
          row.min_ns,
          row.max_ns,
          row.stddev_ns,
          number_or_null(row.p90_ns),
          number_or_null(row.p99_ns),
          row.time_pct,
          row.typed_source,
          row.line};
}

void from_json(const Json& value, KernelRow& row) {
  row.name = value.at(0).get<std::string>();
  std::int64_t* const numbers[] = {&row.instances, &row.total_ns, &row.avg_ns,   &row.med_ns,
                                   &row.min_ns,    &row.max_ns,   &row.stddev_ns};
  for (std::size_t i = 0; i < std::size(numbers); ++i) {
    *numbers[i] = value.at(i + 1).get<std::int64_t>();
  }
  row.p90_ns = number_or_none(value.at(8));
  row.p99_ns = number_or_none(value.at(9));
  row.time_pct = value.at(10).get<double>();
  row.typed_source = value.at(11).get<std::string>();
  row.line = value.at(12).get<std::int64_t>();
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
  for (const CounterSeries& series : run.series) {
    if (series.process.valid() && !below(series.process.value, run.processes.size())) return false;
    if (!below(series.source.value, run.sources.size())) return false;
  }
  return !run.shapes.empty() && run.shapes[0].empty();
}

}  // namespace

std::string facts_to_json(const Run& run) {
  Json document = {
      {"origin_ns", run.origin_ns},
      {"captured_slices", run.captured_slices},
      {"sources", list_json(run.sources)},
      {"processes", list_json(run.processes)},
      {"threads", list_json(run.threads)},
      {"tracks", list_json(run.tracks)},
      {"devices", list_json(run.devices)},
      {"categories", list_json(run.categories)},
      {"series", list_json(run.series)},
      {"shapes", list_json(run.shapes)},
      {"dropped", run.dropped},
      {"repaired", run.repaired},
      {"warnings", run.warnings},
  };
  if (run.kernel_summary) {
    document["kernel_summary"] = {{"rows", list_json(run.kernel_summary->rows)},
                                  {"total_ns", run.kernel_summary->total_ns},
                                  {"notes", list_json(run.kernel_summary->notes)}};
  }
  return document.dump();
}

bool facts_from_json(std::string_view text, Run& run) {
  // The library throws if something does not fit; only this function sees the exception.
  try {
    const Json document = Json::parse(text);
    run.origin_ns = document.at("origin_ns").get<std::int64_t>();
    if (const Json* captured = document.find("captured_slices"); captured != nullptr) {
      run.captured_slices = captured->get<std::size_t>();
    }
    list_from(document, "sources", run.sources);
    list_from(document, "processes", run.processes);
    list_from(document, "threads", run.threads);
    list_from(document, "tracks", run.tracks);
    list_from(document, "devices", run.devices);
    list_from(document, "categories", run.categories);
    list_from(document, "series", run.series);
    list_from(document, "shapes", run.shapes);
    run.dropped = document.at("dropped").get<Tally>();
    run.repaired = document.at("repaired").get<Tally>();
    run.warnings = document.at("warnings").get<std::vector<std::string>>();
    if (document.contains("kernel_summary")) {
      const Json& summary = document.at("kernel_summary");
      run.kernel_summary.emplace();
      list_from(summary, "rows", run.kernel_summary->rows);
      list_from(summary, "notes", run.kernel_summary->notes);
      run.kernel_summary->total_ns = summary.at("total_ns").get<std::int64_t>();
    }
  } catch (const std::exception&) {
    return false;
  }
  for (Category& category : run.categories) {
    category.kind = kind_of_category(run.strings[category.name]);
  }
  return references_hold(run);
}

}  // namespace tactus

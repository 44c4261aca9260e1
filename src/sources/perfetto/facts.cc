#include "sources/perfetto/facts.h"

#include <string>
#include <vector>

#include "base/json.h"

namespace tactus::perfetto {
namespace {

std::optional<std::int64_t> optional_number(const Json& object, std::string_view key) {
  const Json* value = object.find(key);
  if (value == nullptr || !value->is_number_integer()) return std::nullopt;
  return value->get<std::int64_t>();
}

/// Reads the lists. Json throws if something does not fit; nothing was added to the run then.
class FactsReader {
 public:
  FactsReader(const Json& facts, RunBuilder& builder) : facts_(facts), builder_(builder) {}

  void check() const {
    const auto size = [&](std::string_view key) { return facts_.at(key).size(); };
    const auto refers = [&](std::string_view list, std::string_view key, std::string_view to,
                            bool may_be_null = false) {
      for (const Json& item : facts_.at(list)) {
        if (may_be_null && item.at(key).is_null()) continue;
        if (item.at(key).get<std::uint64_t>() >= size(to)) throw Json::Error("leads nowhere");
      }
    };
    bool has_source = false;
    for (const Json& source : facts_.at("sources")) {
      const Json* is_capture = source.find("is_capture");
      has_source |= is_capture == nullptr || *is_capture != Json(true);
      source.at("kind").get<std::string>();
      for (const auto& [key, value] : source.at("metadata").items()) value.get<std::string>();
    }
    if (!has_source) throw Json::Error("no source");
    refers("sources", "beside", "sources", true);
    refers("devices", "source", "sources");
    refers("processes", "source", "sources");
    refers("threads", "process", "processes");
    refers("tracks", "thread", "threads");
    refers("series", "source", "sources");
    refers("series", "process", "processes", true);
    for (const Json& track : facts_.at("tracks")) track.at("on_device").get<bool>();
    facts_.at("first_track").get<std::uint64_t>();
    facts_.at("first_series").get<std::uint64_t>();
  }

  TactusFacts add(std::string_view path) {
    TactusFacts facts;
    facts.first_track = facts_.at("first_track").get<std::uint64_t>();
    facts.first_series = facts_.at("first_series").get<std::uint64_t>();
    add_sources(path);
    add_devices();
    add_tracks(facts);
    add_series(facts);
    return facts;
  }

 private:
  StringId text(const Json& object, std::string_view key) {
    return builder_.intern_repaired(object.text_at(key));
  }
  Ident ident(const Json& object, std::string_view key) {
    const Json& value = object.at(key);
    if (value.is_number_integer()) return RunBuilder::ident(value.get<std::int64_t>());
    return {text(object, key).value, true};
  }

  /// Processes belong to the source that is current when they are added.
  void add_sources(std::string_view path) {
    const Json& list = facts_.at("sources");
    sources_.resize(list.size());
    processes_.resize(facts_.at("processes").size());
    bool has_begun = false;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Json& item = list.at(i);
      const Json* is_capture = item.find("is_capture");
      if (is_capture != nullptr && *is_capture == Json(true))
        continue;  // nothing of it was written
      if (has_begun) builder_.end_source(0, 0);
      has_begun = true;
      sources_[i] = builder_.begin_source(path, item.at("kind").get<std::string>());
      Source& source = builder_.source();
      source.rank = optional_number(item, "rank");
      source.world_size = optional_number(item, "world_size");
      source.host_name = text(item, "host");
      if (const auto beside = optional_number(item, "beside")) {
        source.beside = sources_[static_cast<std::size_t>(*beside)];
      }
      for (const auto& [key, json] : item.at("metadata").items()) {
        builder_.source().metadata.push_back(
            {builder_.intern_repaired(key), builder_.intern_repaired(json.get<std::string>())});
      }
      add_processes(i);
    }
  }

  void add_processes(std::size_t source) {
    const Json& list = facts_.at("processes");
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Json& item = list.at(i);
      if (item.at("source").get<std::uint64_t>() != source) continue;
      processes_[i] = builder_.process(ident(item, "pid"));
      Process& process = builder_.run().processes[processes_[i].value];
      process.name = text(item, "name");
      process.labels = text(item, "labels");
      process.host_name = text(item, "host");
      process.container = text(item, "container");
      process.sort_index = optional_number(item, "sort_index");
      process.start_ns = optional_number(item, "start_ns");
    }
  }

  SourceId source_of(const Json& item) const {
    return sources_[item.at("source").get<std::uint64_t>()];
  }

  void add_devices() {
    for (const Json& item : facts_.at("devices")) {
      if (!source_of(item).valid()) continue;
      builder_.run().described_devices.push_back(
          {.source = source_of(item),
           .index = optional_number(item, "index").value_or(0),
           .name = text(item, "name"),
           .uuid = text(item, "uuid")});
    }
  }

  void add_tracks(TactusFacts& facts) {
    std::vector<ThreadId> threads;
    for (const Json& item : facts_.at("threads")) {
      const ProcessId process = processes_[item.at("process").get<std::uint64_t>()];
      threads.push_back(process.valid() ? builder_.thread(process, ident(item, "tid"))
                                        : ThreadId());
      if (!process.valid()) continue;  // of a capture
      Thread& thread = builder_.run().threads[threads.back().value];
      thread.name = text(item, "name");
      thread.sort_index = optional_number(item, "sort_index");
    }
    for (const Json& item : facts_.at("tracks")) {
      const ThreadId thread = threads[item.at("thread").get<std::uint64_t>()];
      facts.tracks.push_back(
          thread.valid() ? builder_.track(thread, item.at("on_device").get<bool>()) : TrackId());
      if (!thread.valid()) continue;
      Track& track = builder_.run().tracks[facts.tracks.back().value];
      track.device_index = optional_number(item, "device");
      track.stream = optional_number(item, "stream");
    }
  }

  void add_series(TactusFacts& facts) {
    for (const Json& item : facts_.at("series")) {
      CounterSeries series;
      series.source = source_of(item);
      if (!series.source.valid()) series.source = builder_.source_id();
      if (const auto process = optional_number(item, "process")) {
        series.process = processes_[static_cast<std::size_t>(*process)];
      }
      series.name = text(item, "name");
      series.field = text(item, "field");
      series.category = text(item, "category");
      series.place = text(item, "place");
      series.unit = text(item, "unit");
      facts.series.push_back(builder_.series(series));
    }
  }

  const Json& facts_;
  RunBuilder& builder_;
  std::vector<SourceId> sources_;     ///< by their place in the facts; captures are not valid
  std::vector<ProcessId> processes_;  ///< by their place in the facts
};

}  // namespace

std::optional<TactusFacts> add_tactus_facts(std::string_view json, std::string_view path,
                                            RunBuilder& builder) {
  try {
    const Json facts = Json::parse(json);
    FactsReader reader(facts, builder);
    reader.check();
    return reader.add(path);
  } catch (const Json::Error&) {
    return std::nullopt;
  }
}

}  // namespace tactus::perfetto

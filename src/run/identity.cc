#include "run/identity.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace tactus {
namespace {

constexpr std::int64_t kPidsPerRank = 10'000'000;  // larger than any pid of Linux (2^22)

class Resolver {
 public:
  explicit Resolver(Run& run) : run_(run), devices_of_source_(run.sources.size()) {}

  void resolve() {
    run_.hosts.clear();
    run_.devices.clear();
    find_hosts();
    find_used_devices();
    find_described_devices();
    find_places_of_series();
    number_devices();
    number_processes();
  }

 private:
  using DeviceKey = std::tuple<HostId, std::int64_t, std::optional<std::int64_t>>;

  const Process& process_of(const Track& track) const {
    return run_.processes[run_.threads[track.thread.value].process.value];
  }

  HostId named_host(StringId name) {
    const auto [at, is_new] = hosts_.try_emplace(name, run_.hosts.size());
    if (is_new) run_.hosts.push_back({name});
    return at->second;
  }

  HostId new_host() {
    run_.hosts.emplace_back();
    return HostId(run_.hosts.size() - 1);
  }

  /// True if two sources without a host use a device of the same index.
  bool unnamed_sources_clash() const {
    std::map<std::int64_t, SourceId> user_of;
    for (const Track& track : run_.tracks) {
      const Process& process = process_of(track);
      const Source& source = run_.sources[process.source.value];
      if (!track.device_index || source.is_capture) continue;
      if (source.host_name.value != 0 || process.host_name.value != 0) continue;
      const auto [at, is_new] = user_of.try_emplace(*track.device_index, process.source);
      if (at->second != process.source) return true;
    }
    return false;
  }

  void find_hosts() {
    const bool separate = unnamed_sources_clash();
    HostId unnamed;
    for (Source& source : run_.sources) {
      source.host = HostId();
      const bool follows = source.kind == "counters" || source.is_capture;
      if (source.host_name.value != 0) source.host = named_host(source.host_name);
      if (source.host.valid() || follows) continue;
      if (const StringId name = host_of_processes(source); name.value != 0) {
        source.host = named_host(name);
        continue;
      }
      if (separate || !unnamed.valid()) unnamed = new_host();
      source.host = unnamed;
    }
    for (Source& source : run_.sources) {
      if (!source.host.valid()) source.host = host_that_it_follows(source);
    }
    for (Process& process : run_.processes) {
      const Source& source = run_.sources[process.source.value];
      process.host = process.host_name.value != 0 ? named_host(process.host_name) : source.host;
      process.rank = source.rank;
      process.world_size = source.world_size;
    }
  }

  /// The host that processes of a source name; empty if they name none, or several.
  StringId host_of_processes(const Source& source) {
    if (names_of_sources_.empty()) {
      names_of_sources_.resize(run_.sources.size(), StringId(0));
      std::vector<bool> has_several(run_.sources.size(), false);
      for (const Process& process : run_.processes) {
        if (process.host_name.value == 0) continue;
        StringId& name = names_of_sources_[process.source.value];
        if (name.value != 0 && name != process.host_name) has_several[process.source.value] = true;
        name = process.host_name;
      }
      for (std::size_t i = 0; i < has_several.size(); ++i) {
        if (has_several[i]) names_of_sources_[i] = StringId(0);
      }
    }
    return names_of_sources_[static_cast<std::size_t>(&source - run_.sources.data())];
  }

  HostId host_that_it_follows(const Source& source) {
    for (const Source& other : run_.sources) {
      const bool leads = other.kind != "counters" && !other.is_capture && other.host.valid();
      if (leads && source.rank && other.rank == source.rank) return other.host;
    }
    if (source.beside.value < run_.sources.size()) {
      if (const HostId host = run_.sources[source.beside.value].host; host.valid()) return host;
    }
    return run_.hosts.size() == 1 ? HostId(0) : new_host();
  }

  DeviceId add_device(HostId host, std::int64_t index, std::optional<std::int64_t> rank) {
    run_.devices.push_back({.host = host, .index = index, .rank = rank});
    const DeviceId id(run_.devices.size() - 1);
    devices_[{host, index, rank}] = id;
    of_index_[{host, index}].push_back(id);
    return id;
  }

  void find_used_devices() {
    std::map<std::pair<SourceId, std::int64_t>, StringId> uuids;
    for (const DescribedDevice& described : run_.described_devices) {
      if (described.uuid.value != 0) uuids[{described.source, described.index}] = described.uuid;
    }
    std::unordered_map<std::uint32_t, DeviceId> of_uuid;
    for (Track& track : run_.tracks) {
      track.device = DeviceId();
      if (!track.on_device || !track.device_index) continue;
      const Process& process = process_of(track);
      if (run_.sources[process.source.value].is_capture) continue;
      auto& of_source = devices_of_source_[process.source.value];
      const auto [known, is_new] = of_source.try_emplace({process.host, *track.device_index});
      if (is_new) {
        known->second = used_device(process, *track.device_index, uuids, of_uuid);
        note_index(process.source, known->first, known->second);
      }
      track.device = known->second;
    }
  }

  void note_index(SourceId source, const std::pair<HostId, std::int64_t>& key, DeviceId device) {
    const auto [at, is_new] = index_in_source_.try_emplace({source, key.second}, key.first, device);
    if (!is_new && key.first < at->second.first) at->second = {key.first, device};
  }

  /// The device that a source calls by an index, on the first host that has one; not valid if none
  /// does.
  DeviceId device_in(SourceId source, std::int64_t index) const {
    const auto found = index_in_source_.find({source, index});
    return found == index_in_source_.end() ? DeviceId() : found->second.second;
  }

  DeviceId used_device(const Process& process, std::int64_t index,
                       const std::map<std::pair<SourceId, std::int64_t>, StringId>& uuids,
                       std::unordered_map<std::uint32_t, DeviceId>& of_uuid) {
    const auto uuid = uuids.find({process.source, index});
    if (uuid != uuids.end()) {
      const auto [at, is_new] = of_uuid.try_emplace(uuid->second.value);
      if (is_new) {
        at->second = add_device(process.host, index, process.rank);
        run_.devices[at->second.value].uuid = uuid->second;
      } else if (run_.devices[at->second.value].rank != process.rank) {
        run_.devices[at->second.value].rank.reset();
      }
      return at->second;
    }
    const auto found = devices_.find({process.host, index, process.rank});
    return found != devices_.end() ? found->second : add_device(process.host, index, process.rank);
  }

  /// Names the devices. Kineto describes all that a process sees; those that nobody uses are
  /// listed once per host.
  void find_described_devices() {
    for (const DescribedDevice& described : run_.described_devices) {
      const Source& source = run_.sources[described.source.value];
      const DeviceId device = described_device(described, source);
      if (!device.valid()) continue;
      Device& entity = run_.devices[device.value];
      if (entity.name.value == 0) entity.name = described.name;
      if (entity.uuid.value == 0) entity.uuid = described.uuid;
    }
  }

  DeviceId described_device(const DescribedDevice& described, const Source& source) {
    const DeviceId used = device_in(described.source, described.index);
    if (used.valid()) return used;
    if (source.is_capture) return {};
    const auto same = of_index_.find({source.host, described.index});
    if (same == of_index_.end()) return add_device(source.host, described.index, std::nullopt);
    return same->second.size() == 1 ? same->second.front() : DeviceId();
  }

  void find_places_of_series() {
    for (CounterSeries& series : run_.series) {
      const Source& source = run_.sources[series.source.value];
      series.host =
          series.process.valid() ? run_.processes[series.process.value].host : source.host;
      series.device = DeviceId();
      if (const auto index = device_index_in(run_.strings[series.place])) {
        series.device = device_of_series(source, series, *index);
      }
    }
  }

  DeviceId device_of_series(const Source& source, const CounterSeries& series, std::int64_t index) {
    // Several ranks may call their device by one index; the one that they were recorded with
    // counts.
    for (const SourceId near : {series.source, source.beside}) {
      if (const DeviceId used = device_in(near, index); used.valid()) return used;
    }
    const auto same = of_index_.find({series.host, index});
    if (same != of_index_.end() && same->second.size() == 1) return same->second.front();
    for (const DeviceId device : same == of_index_.end() ? std::vector<DeviceId>() : same->second) {
      if (run_.devices[device.value].only_counters) return device;
    }
    const DeviceId device = add_device(series.host, index, std::nullopt);
    run_.devices[device.value].only_counters = true;
    return device;
  }

  void number_devices() {
    std::unordered_map<std::int64_t, std::size_t> users;
    for (const Device& device : run_.devices) ++users[device.index];
    const bool is_unique = users.size() == run_.devices.size();
    for (std::size_t i = 0; i < run_.devices.size(); ++i) {
      Device& device = run_.devices[i];
      device.number = is_unique ? device.index : static_cast<std::int64_t>(i);
      device.shares_index = users[device.index] > 1;
    }
  }

  void number_processes() {
    std::vector<bool> runs_code(run_.processes.size(), false);
    for (const Track& track : run_.tracks) {
      if (!track.on_device) runs_code[run_.threads[track.thread.value].process.value] = true;
    }
    std::unordered_map<std::int64_t, std::size_t> users;
    for (std::size_t i = 0; i < run_.processes.size(); ++i) {
      const Process& process = run_.processes[i];
      const bool is_own = !run_.sources[process.source.value].is_capture;
      if (process.os_pid && runs_code[i] && is_own) ++users[*process.os_pid];
    }
    for (Process& process : run_.processes) {
      process.number = process.os_pid.value_or(-1);
      const auto found = users.find(process.number);
      if (found == users.end() || found->second < 2 || process.number < 0) continue;
      const std::int64_t which = process.rank.value_or(process.source.value);
      if (process.number < kPidsPerRank && which >= 0 && which < kPidsPerRank) {
        process.number += (which + 1) * kPidsPerRank;
      }
    }
  }

  Run& run_;
  std::map<StringId, HostId> hosts_;
  std::vector<StringId> names_of_sources_;
  /// By source: the devices that its tracks use.
  std::vector<std::map<std::pair<HostId, std::int64_t>, DeviceId>> devices_of_source_;
  std::map<std::pair<SourceId, std::int64_t>, std::pair<HostId, DeviceId>> index_in_source_;
  std::map<DeviceKey, DeviceId> devices_;
  std::map<std::pair<HostId, std::int64_t>, std::vector<DeviceId>> of_index_;
};

}  // namespace

void resolve_identity(Run& run) {
  Resolver(run).resolve();
}

std::optional<std::int64_t> device_index_in(std::string_view place) {
  const std::size_t last = place.find_last_not_of("0123456789");
  const std::size_t digits = last == std::string_view::npos ? 0 : last + 1;
  if (digits == place.size() || place.size() - digits > 4) return std::nullopt;
  std::string word;
  for (const char c : place.substr(0, digits)) {
    if (c >= 'A' && c <= 'Z') word.push_back(static_cast<char>(c - 'A' + 'a'));
    if (c >= 'a' && c <= 'z') word.push_back(c);
  }
  static constexpr std::string_view kWords[] = {"", "gpu", "cuda", "catxpu", "nvidia", "device"};
  if (std::find(std::begin(kWords), std::end(kWords), word) == std::end(kWords)) {
    return std::nullopt;
  }
  return std::stoll(std::string(place.substr(digits)));
}

std::string device_label(const Run& run, DeviceId id) {
  if (id.value >= run.devices.size()) return "GPU";
  const Device& device = run.devices[id.value];
  std::string label = "GPU " + std::to_string(device.index);
  if (!device.shares_index) return label;
  if (device.rank) return label + " of rank " + std::to_string(*device.rank);
  const StringId host = run.hosts[device.host.value].name;
  if (host.value != 0) return label + " of " + std::string(run.strings[host]);
  return label + " of host " + std::to_string(device.host.value);
}

std::string host_label(const Run& run, HostId id) {
  if (run.hosts.size() < 2 || id.value >= run.hosts.size()) return "Host";
  const StringId name = run.hosts[id.value].name;
  return name.value != 0 ? std::string(run.strings[name]) : "host " + std::to_string(id.value);
}

std::optional<std::int64_t> device_number(const Run& run, const Track& track) {
  if (track.device.value >= run.devices.size()) return std::nullopt;
  return run.devices[track.device.value].number;
}

}  // namespace tactus

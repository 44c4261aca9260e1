#include "sources/perfetto/tracks.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "run/identity.h"
#include "sources/perfetto/schema.h"
#include "sources/perfetto/wire.h"

namespace tactus::perfetto {
namespace {

constexpr int kDeepestTrack = 64;  // parents may form a loop

/// Uuids of tracks that have none of their own: those of old writers.
constexpr std::uint64_t kOwnThread = std::uint64_t{1} << 63;
constexpr std::uint64_t kOwnProcess = std::uint64_t{1} << 62;

std::int64_t as_pid(const Field& field) {
  return static_cast<std::int32_t>(field.value);
}

/// The number behind a word, as in "stream 7", "Stream #14(Compute)" and "QUEUE [2]".
std::optional<std::int64_t> number_after(std::string_view text, std::string_view word) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  const auto found = std::search(text.begin(), text.end(), word.begin(), word.end(), same);
  if (found == text.end()) return std::nullopt;
  const char* at = text.data() + (found - text.begin()) + word.size();
  const char* end = text.data() + text.size();
  while (at != end && (*at == ' ' || *at == '#' || *at == '[' || *at == ':' || *at == '_')) ++at;
  std::int64_t number = 0;
  if (std::from_chars(at, end, number).ec != std::errc()) return std::nullopt;
  return number;
}

}  // namespace

void TrackTable::read_thread(std::string_view bytes, Entry& entry) {
  Message message(bytes);
  for (Field field; message.next(field);) {
    if (field.number == thread::kPid && !field.is_bytes) entry.pid = as_pid(field);
    if (field.number == thread::kTid && !field.is_bytes) entry.tid = field.as_signed();
    if (field.number == thread::kName && field.is_bytes) entry.name = field.bytes;
  }
}

void TrackTable::read_process(std::string_view bytes, Entry& entry) {
  Message message(bytes);
  for (Field field; message.next(field);) {
    if (field.number == process::kPid && !field.is_bytes) entry.pid = as_pid(field);
    if (field.number == process::kName && field.is_bytes) entry.process_name = field.bytes;
    if (field.number == process::kLabels && field.is_bytes) {
      if (!entry.labels.empty()) entry.labels += ", ";
      entry.labels += field.bytes;
    }
  }
}

void TrackTable::read_counter(std::string_view bytes, Entry& entry) {
  Message message(bytes);
  for (Field field; message.next(field);) {
    if (field.number == counter::kUnitName && field.is_bytes) entry.unit = field.bytes;
    if (field.is_bytes) continue;
    if (field.number == counter::kUnit && field.value == kUnitTimeNs) entry.unit = "ns";
    if (field.number == counter::kUnit && field.value == kUnitCount) entry.unit = "count";
    if (field.number == counter::kUnit && field.value == kUnitBytes) entry.unit = "bytes";
    if (field.number == counter::kUnitMultiplier && field.value != 0) {
      entry.unit_multiplier = field.as_signed();
    }
    if (field.number == counter::kIsIncremental) entry.is_incremental = field.value != 0;
  }
}

void TrackTable::add_descriptor(std::string_view bytes) {
  Entry described;
  Message message(bytes);
  for (Field field; message.next(field);) {
    switch (field.number) {
      case track::kUuid: described.uuid = field.value; break;
      case track::kParentUuid: described.parent = field.value; break;
      case track::kName:
      case track::kStaticName:
      case track::kAtraceName:
        if (field.is_bytes) described.name = field.bytes;
        break;
      case track::kThread:
        if (field.is_bytes) read_thread(field.bytes, described);
        break;
      case track::kProcess:
        if (field.is_bytes) read_process(field.bytes, described);
        break;
      case track::kCounter:
        if (field.is_bytes) read_counter(field.bytes, described);
        break;
      default: break;
    }
  }
  Entry& entry = tracks_[number(described.uuid)];
  described.sum = entry.sum;
  described.category = entry.category;
  // Some writers repeat descriptors without the name.
  if (described.name.empty()) described.name = entry.name;
  entry = std::move(described);
}

std::uint64_t TrackTable::add_own_thread(std::string_view bytes) {
  Entry described;
  read_thread(bytes, described);
  described.uuid = kOwnThread | static_cast<std::uint64_t>(described.pid.value_or(0)) << 32 |
                   (static_cast<std::uint64_t>(described.tid.value_or(0)) & UINT32_MAX);
  Entry& entry = tracks_[number(described.uuid)];
  if (described.name.empty()) described.name = entry.name;
  entry = std::move(described);
  return entry.uuid;
}

std::uint64_t TrackTable::add_own_process(std::string_view bytes) {
  Entry described;
  read_process(bytes, described);
  described.uuid =
      kOwnProcess | (static_cast<std::uint64_t>(described.pid.value_or(0)) & UINT32_MAX);
  Entry& entry = tracks_[number(described.uuid)];
  entry = std::move(described);
  return entry.uuid;
}

std::uint32_t TrackTable::number(std::uint64_t uuid) {
  const auto [at, is_new] = numbers_.try_emplace(uuid, static_cast<std::uint32_t>(tracks_.size()));
  if (is_new) tracks_.emplace_back().uuid = uuid;
  return at->second;
}

void TrackTable::add_sample(std::uint64_t uuid, std::int64_t time_ns, Value value,
                            StringId category) {
  const std::uint32_t index = number(uuid);
  Entry& entry = tracks_[index];
  if (category.value != 0) entry.category = category;
  StringPool& strings = builder_.run().strings;
  std::int64_t sample = value.type == ValueType::kInt
                            ? Decimal::from_text(std::to_string(value.raw), strings)
                            : value.raw;
  if (entry.is_incremental || entry.unit_multiplier != 1) {
    double number =
        Decimal::to_double(sample, strings) * static_cast<double>(entry.unit_multiplier);
    if (entry.is_incremental) number = entry.sum += number;
    sample = Decimal::from_double(number, strings);
  }
  if (Decimal::scale(sample) == Decimal::kUnknownScale) {
    builder_.drop("counter_without_number");
    return;
  }
  builder_.run().counters.append({time_ns, index, sample});
}

const TrackTable::Entry* TrackTable::parent_of(const Entry& entry) const {
  const auto found = numbers_.find(entry.parent);
  if (entry.parent == 0 || found == numbers_.end()) return nullptr;
  return &tracks_[found->second];
}

/// The process that the track or one of its parents names; else the outermost parent counts as one.
ProcessId TrackTable::process_of(const Entry& entry) {
  const Entry* at = &entry;
  for (int depth = 0; depth < kDeepestTrack && !at->pid; ++depth) {
    const Entry* parent = parent_of(*at);
    if (parent == nullptr) break;
    at = parent;
  }
  if (!at->pid) return builder_.process(builder_.ident(at->name));
  const ProcessId id = builder_.process(RunBuilder::ident(*at->pid));
  Process& process = builder_.run().processes[id.value];
  // A thread knows its process only by its pid; the process itself may be described elsewhere.
  for (const Entry* named : {at, parent_of(*at)}) {
    if (named == nullptr || named->pid != at->pid) continue;
    if (!named->process_name.empty()) process.name = builder_.intern_repaired(named->process_name);
    if (!named->labels.empty()) process.labels = builder_.intern_repaired(named->labels);
  }
  return id;
}

ThreadId TrackTable::thread_of(const Entry& entry, ProcessId process) {
  const Entry* owner = &entry;
  for (int depth = 0; depth < kDeepestTrack && !owner->tid; ++depth) {
    const Entry* parent = parent_of(*owner);
    if (parent == nullptr) break;
    owner = parent;
  }
  const bool is_lane = owner != &entry && (entry.name.empty() || entry.name == owner->name);
  if (owner->tid && (owner == &entry || is_lane)) {
    const ThreadId id = builder_.thread(process, RunBuilder::ident(*owner->tid));
    if (!owner->name.empty()) {
      builder_.run().threads[id.value].name = builder_.intern_repaired(owner->name);
    }
    return id;
  }
  // Other tracks are threads that have a text instead of a number; equal names are one track.
  std::string name = entry.name.empty() ? "track " + std::to_string(entry.uuid) : entry.name;
  if (owner->tid) name += " (" + std::to_string(*owner->tid) + ")";
  const ThreadId id = builder_.thread(process, {builder_.intern_repaired(name).value, true});
  builder_.run().threads[id.value].name = builder_.intern_repaired(name);
  return id;
}

void TrackTable::find_device(const Entry& entry, Track& track) const {
  const Entry* at = &entry;
  for (int depth = 0; depth < kDeepestTrack && at != nullptr; ++depth, at = parent_of(*at)) {
    for (const std::string_view word : {"stream", "queue"}) {
      if (!track.stream) track.stream = number_after(at->name, word);
    }
    for (const std::string_view name : {std::string_view(at->name), std::string_view(at->labels)}) {
      if (!track.device_index) track.device_index = device_index_in(name);
      for (const std::string_view word : {"gpu", "agent", "device"}) {
        if (!track.device_index) track.device_index = number_after(name, word);
      }
    }
  }
  if (!track.device_index) track.device_index = 0;
}

TrackId TrackTable::place(std::uint32_t index, bool on_device) {
  const Entry& entry = tracks_[index];
  if (facts_) {
    if (const auto known = facts_->track(entry.uuid)) return *known;
  }
  const ProcessId process = process_of(entry);
  const TrackId id = builder_.track(thread_of(entry, process), on_device);
  if (on_device) find_device(entry, builder_.run().tracks[id.value]);
  return id;
}

SeriesId TrackTable::place_counter(std::uint32_t index) {
  const Entry& entry = tracks_[index];
  if (facts_) {
    if (const auto known = facts_->counter(entry.uuid)) return *known;
  }
  CounterSeries series;
  series.source = builder_.source_id();
  if (entry.parent != 0 || entry.pid) series.process = process_of(entry);
  series.name = builder_.intern_repaired(entry.name);
  series.field = StringId(0);
  series.category = entry.category;
  series.place = StringId(0);
  series.unit = builder_.intern_repaired(entry.unit);
  return builder_.series(series);
}

}  // namespace tactus::perfetto

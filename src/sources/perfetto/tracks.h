#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "run/builder.h"
#include "sources/perfetto/facts.h"

namespace tactus::perfetto {

/// The tracks of a trace. The descriptor of a track may come after its first events, so tracks have
/// numbers while the trace is read, and their place in the run is looked for at the end.
class TrackTable {
 public:
  explicit TrackTable(RunBuilder& builder) : builder_(builder) {}

  /// A TrackDescriptor.
  void add_descriptor(std::string_view bytes);
  /// The ThreadDescriptor or ProcessDescriptor of a sequence, as old writers have it; gives the
  /// uuid of the track that it stands for.
  std::uint64_t add_own_thread(std::string_view bytes);
  std::uint64_t add_own_process(std::string_view bytes);
  void set_facts(TactusFacts facts) { facts_ = std::move(facts); }
  bool has_facts() const { return facts_.has_value(); }

  std::uint32_t number(std::uint64_t uuid);
  std::size_t size() const { return tracks_.size(); }

  /// A sample of a counter track.
  void add_sample(std::uint64_t uuid, std::int64_t time_ns, Value value, StringId category);

  /// The run's track for events of a track that are on the device, or not.
  TrackId place(std::uint32_t number, bool on_device);
  /// The run's counter series for a counter track.
  SeriesId place_counter(std::uint32_t number);

 private:
  struct Entry {
    std::uint64_t uuid = 0;
    std::uint64_t parent = 0;
    std::string name;
    std::optional<std::int64_t> pid;
    std::optional<std::int64_t> tid;
    std::string process_name;
    std::string labels;
    std::string unit;
    std::int64_t unit_multiplier = 1;
    bool is_incremental = false;
    double sum = 0;                   ///< of an incremental counter
    StringId category = StringId(0);  ///< of a counter
  };

  static void read_thread(std::string_view bytes, Entry& entry);
  static void read_process(std::string_view bytes, Entry& entry);
  static void read_counter(std::string_view bytes, Entry& entry);
  const Entry* parent_of(const Entry& entry) const;
  ProcessId process_of(const Entry& entry);
  ThreadId thread_of(const Entry& entry, ProcessId process);
  void find_device(const Entry& entry, Track& track) const;

  RunBuilder& builder_;
  std::deque<Entry> tracks_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
  std::optional<TactusFacts> facts_;
};

}  // namespace tactus::perfetto

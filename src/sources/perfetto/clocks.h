#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace tactus::perfetto {

/// Maps the clocks of a trace to one: the one that counts from the boot, if the trace has it.
/// Clocks are tied together by snapshots, which tell what several of them showed at one moment.
class TraceClocks {
 public:
  /// A ClockSnapshot of a packet; `sequence` owns the clocks 64 to 127.
  void add_snapshot(std::uint32_t sequence, std::string_view snapshot);

  /// The time of a packet in ns; nothing if no snapshot tells how its clock goes.
  std::optional<std::int64_t> time(std::uint32_t sequence, std::uint32_t clock,
                                   std::uint64_t timestamp);

  /// When the clock showed 0, in ns since the epoch; 0 if the trace does not tell.
  std::int64_t base_ns() const { return base_ns_.value_or(0); }

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // sequence (0: all), clock

  struct Clock {
    std::int64_t offset_ns = 0;  ///< to add to its time
    std::int64_t multiplier = 1;
    bool is_incremental = false;
    std::int64_t last = 0;  ///< of an incremental clock, in its units
    bool is_known = false;
  };

  static Key key(std::uint32_t sequence, std::uint32_t clock);

  std::map<Key, Clock> clocks_;
  bool has_snapshot_ = false;
  std::optional<std::int64_t> base_ns_;
};

}  // namespace tactus::perfetto

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tactus {

/// How to read the values of a counter.
enum class CounterKind : std::uint8_t {
  kLevel,      ///< the state at that moment: a clock, a share, bytes in use
  kRate,       ///< something per second; those of several links or disks add up
  kMonotonic,  ///< a total that only grows
};

/// The facts about a counter.
struct CounterFact {
  std::string_view name;  ///< as Tactus writes it
  std::string_view unit;
  CounterKind kind;
  std::string_view family;  ///< counters of one family show the same thing and count once
  /// In `unit`; added before taking a logarithm, so that the noise of an idle resource does not
  /// look like a change: about half a per cent of the maximum of such hardware.
  double floor;
  std::string_view meaning;
  /// One reading is a fact, such as that a process is there; others are samples of what varies.
  bool is_state = false;
};

std::span<const CounterFact> known_counters();

/// A counter of a recording and its meaning.
struct CounterMatch {
  const CounterFact* fact = nullptr;
  double scale = 1;                 ///< factor from a value of the recording to the fact's unit
  bool is_total = false;            ///< it counts up; the fact is its growth per second
  std::optional<std::int64_t> pid;  ///< the process that the name ends with
};

/// Finds a counter by any of its names: ours, those of other recorders (NVML, DCGM, /proc), with a
/// number after it ("process_cpu_usage_4711", "..._2.520152e+06", "cpu_frequency_12"). `unit` is
/// the unit in the recording, if it has one. Nothing if the counter is not in the table.
std::optional<CounterMatch> match_counter(std::string_view name, std::string_view unit = {});

/// The fact by Tactus' own name, null if there is none.
const CounterFact* find_counter(std::string_view name);

/// mu_pct of a `*_perf_data.csv` for a value of 1: percentages are not scaled, everything else is
/// multiplied by 100 (1980 MHz is 198000).
double mu_pct_per_unit(std::string_view metric);

}  // namespace tactus

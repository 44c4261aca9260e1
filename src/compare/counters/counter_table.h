#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "compare/comparison.h"

namespace tactus {

/// How the values of a counter are to be read.
enum class CounterKind : std::uint8_t {
  kLevel,      ///< what is so at that moment: a clock, a share, bytes in use
  kRate,       ///< something per second; those of several links or disks add up
  kMonotonic,  ///< a total that only grows
};

/// What a change of a counter can mean.
enum class CounterRole : std::uint8_t {
  kCause,    ///< it can slow a step when it moves in its harmful direction
  kSymptom,  ///< it follows from what the program itself does
  kContext,  ///< good to know, says nothing by itself
};

enum class Harm : std::uint8_t { kNone, kUp, kDown };

/// What is known of a counter.
struct CounterFact {
  std::string_view name;  ///< as Tactus writes it
  std::string_view unit;
  CounterKind kind;
  CounterRole role;
  Harm harm;
  VerdictClass verdict;     ///< the class that it speaks for; kNone for none
  std::string_view family;  ///< counters of one family show one thing and count once
  /// In `unit`; added before a logarithm is taken, so that the noise of an idle resource is not
  /// taken for a change: about half a per cent of what such hardware can do.
  double floor;
  std::string_view meaning;
};

std::span<const CounterFact> known_counters();

/// A counter of a recording and what it is.
struct CounterMatch {
  const CounterFact* fact = nullptr;
  double scale = 1;                 ///< times a value of the recording: in the fact's unit
  bool is_total = false;            ///< it counts up: its growth per second is what the fact is
  std::optional<std::int64_t> pid;  ///< the process that the name ends with
};

/// Finds a counter by any of its names: ours, those of other recorders (NVML, DCGM, /proc), with a
/// number behind it ("process_cpu_usage_4711", "..._2.520152e+06", "cpu_frequency_12"). `unit` is
/// what the recording says, if it says anything. Nothing if it is not in the table.
std::optional<CounterMatch> match_counter(std::string_view name, std::string_view unit = {});

/// The fact by Tactus' own name, null if there is none.
const CounterFact* find_counter(std::string_view name);

/// mu_pct of a `*_perf_data.csv` for a value of 1: percentages stand there as they are, and
/// everything else times 100 (1980 MHz as 198000).
double mu_pct_per_unit(std::string_view metric);

}  // namespace tactus

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bench/results/failure.h"

namespace tactus {

enum class BenchStatus : std::uint8_t {
  kOk,
  kBuildFailed,
  kWrong,
  kError,
  kImpossible,  ///< faster than the bound: something is wrong that was not found
  kSkipped,
};
std::string_view bench_status_name(BenchStatus status);

struct RivalTime {
  std::string name;
  double t_ns = 0;
};

/// One of several rivals on the same shape: its time, or why it has none.
struct RivalMeasurement {
  std::string name;
  std::optional<double> t_ns;
  std::optional<double> t_low_ns;
  std::optional<double> t_high_ns;
  std::vector<double> samples_ns;
  std::string how;                ///< "graph", or "stream": the time may contain pauses of the host
  std::optional<double> differs;  ///< from the first rival, relative to the size of its output
  std::string note;
  std::string skipped;  ///< why there is no time
};

/// The reason of a row that was skipped because the time for all of them was over.
inline constexpr std::string_view kOutOfTime = "not run: the time limit of the whole run ended";

/// The result of one candidate on one shape.
struct BenchRow {
  std::string operator_name;
  std::string shape_id;
  std::string candidate;
  std::string content;  ///< hash of the candidate's code; empty in results of older versions
  std::string options;  ///< how it was measured: "full, 0.5 s, 2 threads", "quick, ...", "check"
  BenchStatus status = BenchStatus::kOk;
  std::string reason;           ///< why it is not ok, in words
  bool lacks_operator = false;  ///< of a skipped row; results in files do not say it
  std::string note;             ///< other observations: it prints, it leaks
  std::optional<double> max_rel_err;
  std::int64_t checked = 0;          ///< numbers that were compared
  std::int64_t mismatch = 0;         ///< of these wrong
  std::optional<double> slack_used;  ///< largest share of the allowed error that a number used
  std::string tolerance;             ///< what is allowed, in words: "out: within 1 ulp of bf16"
  std::string variant;               ///< which accepted rounding it has; empty: as defined
  std::optional<Failure> failure;    ///< what can be said about a wrong result
  std::optional<double> t_ns;
  std::optional<double> t_low_ns;
  std::optional<double> t_high_ns;
  bool interval_known = false;  ///< else low and high are the range of the samples: too few for 95%
  std::vector<double> samples_ns;
  std::vector<std::int64_t> rounds;  ///< how many samples each has
  std::optional<double> t_sol_ns;
  std::optional<double> s;
  std::optional<double> launch_floor_ns;
  std::optional<double> clock_noise_ns;  ///< smaller differences cannot be measured
  std::optional<double> touch_floor_ns;  ///< of a kernel that only touches cold memory
  std::optional<double> copy_ns;         ///< of a plain copy of as many bytes, if memory is the
                                         ///< bound
  std::optional<double> sm_clock_mhz;    ///< median while it was timed
  std::int64_t throttled = 0;            ///< discarded samples: clocks were lowered
  std::optional<double> seconds;         ///< to measure it, with all its checks
  std::optional<double> s_with_launch;   ///< the bound is at least the launch floor
  std::optional<RivalTime> rival;        ///< the fastest
  std::vector<RivalMeasurement> rivals;  ///< all, if several were measured
  std::string rivals_date;               ///< "2026-11-15", if that is another day than the result's
};

}  // namespace tactus

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tactus {

enum class BenchStatus : std::uint8_t { kOk, kBuildFailed, kWrong, kError, kSkipped };
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
  std::string how;                ///< "graph", or "stream": pauses of the host are in it
  std::optional<double> differs;  ///< from the first rival, relative to the size of its output
  std::string note;
  std::string skipped;  ///< why there is no time
};

/// What came of one candidate on one shape.
struct BenchRow {
  std::string operator_name;
  std::string shape_id;
  std::string candidate;
  BenchStatus status = BenchStatus::kOk;
  std::string reason;  ///< why it is not ok, in words
  std::string note;    ///< what else was seen: it prints, it leaks
  std::optional<double> max_rel_err;
  std::int64_t checked = 0;   ///< numbers that were compared
  std::int64_t mismatch = 0;  ///< of these wrong
  std::optional<double> t_ns;
  std::optional<double> t_low_ns;
  std::optional<double> t_high_ns;
  bool interval_known = false;  ///< else low and high are all that was seen: too little for 95%
  std::vector<double> samples_ns;
  std::vector<std::int64_t> rounds;  ///< how many samples each has
  std::optional<double> t_sol_ns;
  std::optional<double> s;
  std::optional<double> launch_floor_ns;
  std::optional<double> clock_noise_ns;  ///< times closer together are the same to the clock
  std::optional<double> touch_floor_ns;  ///< of a kernel that only touches cold memory
  std::optional<double> copy_ns;         ///< of a plain copy of its bytes, if memory bounds it
  std::optional<double> sm_clock_mhz;    ///< median while it was timed
  std::int64_t throttled = 0;            ///< samples left out: clocks were lowered
  std::optional<double> s_with_launch;   ///< the bound not below the launch floor
  std::optional<RivalTime> rival;        ///< the fastest
  std::vector<RivalMeasurement> rivals;  ///< all, where several were asked
};

}  // namespace tactus

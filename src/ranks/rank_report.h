#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cycles/cycles.h"
#include "measure/measurement.h"
#include "ranks/collectives.h"
#include "run/run.h"

namespace tactus {

/// What the average step of a rank is made of. Times are per step; busy and idle add up to the
/// step.
struct RankSummary {
  std::optional<std::int64_t> rank;  ///< none if the recording does not say it
  std::string label;  ///< "rank 1"; "pid 4711", also "pid 4711 of b.json", where ranks are unknown
  std::string host;
  std::string device;
  std::int64_t steps = 0;
  std::int64_t step_ns = 0;
  std::int64_t busy_ns = 0;  ///< something runs: kernels, copies, collectives
  std::int64_t idle_ns = 0;
  std::int64_t comm_ns = 0;          ///< inside collectives, also beside kernels
  std::int64_t exposed_comm_ns = 0;  ///< inside collectives while no kernel computes
  std::int64_t copy_ns = 0;          ///< copies to and from the device, also beside kernels
  std::int64_t wait_ns = 0;          ///< inside collectives until the last rank has come
  std::int64_t late_ns = 0;          ///< how much later it came than the rank before it
  std::int64_t was_last = 0;         ///< collectives for which it came last

  /// False if the recording has no work of a device: then it is unknown, not idle.
  bool device_known = false;
};

/// Collectives of one kind, in all of the ranks.
struct CollectiveRow {
  CollectiveKind kind;
  std::int64_t count = 0;
  std::int64_t wait_ns = 0;       ///< from the first arrival to the last, of all of them together
  std::int64_t rank_wait_ns = 0;  ///< what all ranks together waited
  std::int64_t time_ns = 0;       ///< of all of them together, after the last has come
  std::uint32_t first_rank = 0;   ///< of RankReport::ranks: came first most often
  std::int64_t first_times = 0;
  std::uint32_t last_rank = 0;  ///< came last most often
  std::int64_t last_times = 0;
  std::optional<double> bus_bytes_per_s;
  std::optional<double> link_bytes_per_s;  ///< the most that the link of the device can do
};

/// An operator that takes longer on some ranks.
struct ImbalanceRow {
  std::string name;                ///< "aten::embedding"; a kernel's operator if no op is known
  std::vector<std::int64_t> ns;    ///< per step, by rank
  std::int64_t median_ns = 0;      ///< of the other ranks
  std::uint32_t longest_rank = 0;  ///< of RankReport::ranks
  std::int64_t extra_ns = 0;       ///< of the longest, over the median
};

/// A rank that the others wait for.
struct LateRank {
  std::uint32_t rank = 0;    ///< of RankReport::ranks
  std::int64_t cost_ns = 0;  ///< per step: how much later it comes than the others do
  std::int64_t low_ns = 0;   ///< 95% interval of it
  std::int64_t high_ns = 0;
  std::int64_t was_last = 0;
  std::int64_t of = 0;         ///< collectives
  std::optional<Part> longer;  ///< the part of its step that is longest beyond that of the others
  std::int64_t longer_ns = 0;  ///< by this much per step
};

struct RankReport {
  std::vector<RankSummary> ranks;
  std::vector<CollectiveRow> collectives;  ///< longest wait first
  std::vector<ImbalanceRow> imbalance;     ///< largest extra first
  std::vector<LateRank> stragglers;        ///< most expensive first
  std::int64_t matched = 0;                ///< collectives that were found in all their ranks
  std::int64_t unmatched = 0;              ///< calls of collectives that were not
  bool one_clock = true;  ///< the clocks agree: arrivals are compared by time, not by duration
};

/// Looks at the complete steps of all ranks of a run.
RankReport report_ranks(const Run& run, const Cycles& cycles, unsigned threads = 1);

/// The factor between bytes per second and what each link carries, as nccl-tests counts it.
double bus_factor(std::string_view collective, std::int64_t ranks);

}  // namespace tactus

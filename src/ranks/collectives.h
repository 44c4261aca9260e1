#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/measurement.h"
#include "run/run.h"

namespace tactus {

/// What a collective does, with how much, between how many.
struct CollectiveKind {
  std::string name;                   ///< "all_reduce", "gloo:all_reduce"
  std::optional<std::int64_t> bytes;  ///< of the whole message, as bandwidths are counted
  std::int64_t group_size = 0;        ///< ranks that take part
  bool on_device = true;              ///< kernels do it, not the host

  bool operator==(const CollectiveKind&) const = default;
};

/// One rank's part in a collective.
struct CollectiveCall {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t number = -1;  ///< its sequence number in the group, if it is known
  std::uint32_t rank = 0;    ///< of Measurement::ranks
  std::uint32_t kind = 0;    ///< of Collectives::kinds
  std::uint32_t group = 0;   ///< equal for calls of one process group

  std::int64_t dur_ns() const { return end_ns - start_ns; }
};

struct Collectives {
  std::vector<CollectiveKind> kinds;
  std::vector<std::vector<CollectiveCall>> of_rank;  ///< inside its steps, by start
};

/// The collectives inside the measured steps of each rank. Those of a device are kernels; those of
/// the host (Gloo) are known by the name of their range.
Collectives read_collectives(const Run& run, const Loops& loops, const Measurement& measurement);

/// Collectives that all ranks of a group took part in, found in each of their recordings.
struct MatchedCollectives {
  /// Of one collective after the other, its calls by rank.
  std::vector<CollectiveCall> calls;
  std::vector<std::size_t> begins;  ///< of each collective in `calls`, and the end of the last
  std::size_t unmatched = 0;        ///< calls that no other rank has, or not all of the group

  std::size_t size() const { return begins.empty() ? 0 : begins.size() - 1; }
  std::span<const CollectiveCall> operator[](std::size_t i) const {
    return std::span(calls).subspan(begins[i], begins[i + 1] - begins[i]);
  }
};

/// Ranks call the collectives of a group in one order, so the order (or the number that was
/// recorded) says which calls belong together. One rank may have begun to record later: its first
/// call belongs to the calls of the others that overlap it most. Calls that are far apart
/// are no match: nobody leaves a collective before the last has come.
MatchedCollectives match_collectives(const Collectives& collectives);

}  // namespace tactus

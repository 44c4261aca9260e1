#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tactus {

/// A moment that two recordings have in common, by the clock of one of them.
struct Moment {
  std::uint32_t key = 0;  ///< moments of different keys cannot be the same
  std::int64_t at_ns = 0;
};

/// Which moment of one recording is which of the other.
struct Pairing {
  std::int64_t shift = 0;     ///< b[i] is a[i + shift]
  std::size_t ways = 1;       ///< shifts that fit as well as this one
  std::int64_t apart_ns = 0;  ///< how far the next of them would move the clock; 0 if there is none
};

/// Fewer moments do not tell one shift from another.
inline constexpr std::size_t kFewestMoments = 5;

/// Pairs two recordings of one sequence by nothing but the order and the times between moments.
/// These times are equal in both, whatever their clocks show, so a shift under which more of them
/// differ than chance makes is wrong. Of those that are left, all with all is right if the
/// recordings have the same part of the sequence. Otherwise one began elsewhere, and the shift
/// that moves the clock least is taken; `ways` says whether there was a choice.
///
/// Moments must be in the order of time. At least half of the shorter recording is paired.
std::optional<Pairing> pair_sequences(std::span<const Moment> a, std::span<const Moment> b);

}  // namespace tactus

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "measure/parts.h"

namespace tactus {

/// A piece of device work of one rank.
struct DevicePiece {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t call_start_ns = 0;  ///< of the call that launched it
  std::int64_t call_end_ns = 0;
  std::uint32_t thread = UINT32_MAX;  ///< of HostThreads; UINT32_MAX if its call is not known
  Part part = Part::kUnknownIdle;
  bool by_host = false;  ///< communication of the host: it ends no idle time of the device
};

/// A call of a host thread that is no plain code.
struct HostCall {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  Part part = Part::kHostCode;
};

/// A stretch in which the device idles for one reason.
struct IdleStretch {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t thread = UINT32_MAX;  ///< that launched the work after it; UINT32_MAX if unknown
  Part part = Part::kUnknownIdle;
};

/// Cuts the windows of steps into parts. Pieces are sorted by start; calls of a thread are sorted
/// and do not overlap. Windows are [start, end), sorted, and do not overlap.
class StepParts {
 public:
  StepParts(std::span<const DevicePiece> pieces, std::span<const std::vector<HostCall>> threads)
      : pieces_(pieces), threads_(threads) {}

  /// From now on, idle stretches are added to `stretches`, too, in the order of time.
  void keep_idle(std::vector<IdleStretch>& stretches) { idle_ = &stretches; }

  /// The parts of the next window, by Part. They add up to its length.
  std::array<double, kParts> next(std::int64_t start_ns, std::int64_t end_ns);

 private:
  struct Stretch {
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
  };

  void collect(std::int64_t start_ns, std::int64_t end_ns);
  void add_layer(int layer, std::array<double, kParts>& parts);
  void add_idle(std::int64_t start_ns, std::int64_t end_ns, std::array<double, kParts>& parts);

  std::span<const DevicePiece> pieces_;
  std::span<const std::vector<HostCall>> threads_;
  std::vector<IdleStretch>* idle_ = nullptr;
  std::size_t next_piece_ = 0;
  std::vector<DevicePiece> carried_;  ///< work of earlier windows that still runs
  std::vector<DevicePiece> inside_;   ///< of this window, cut to it
  std::vector<Stretch> busy_;         ///< of the layers so far
  std::vector<Stretch> layer_;
  std::vector<std::size_t> next_call_;  ///< by thread
};

}  // namespace tactus

#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "bench/device/device.h"
#include "bench/timing/timing.h"
#include "bench/worker/tensor_copies.h"

namespace tactus {

/// Everything that was observed while calls were timed.
struct Sampling {
  CallOutcome outcome;                ///< of the last call
  SampledRounds all;                  ///< throttled ones too
  std::vector<bool> slowed;           ///< per sample: clocks were lowered
  std::uint64_t lowered = 0;          ///< all reasons seen for that
  std::vector<double> sm_clocks_mhz;  ///< one per batch
  std::int64_t heap_growth = 0;       ///< over the calls below [bytes]
  std::int64_t allocations = 0;       ///< by the candidate's own code, in the same calls
  std::int64_t heap_calls = 0;        ///< all timed calls except the audited one
  std::int64_t page_faults = 0;       ///< in the calls below
  std::int64_t faults_of_calls = 0;
};

/// Times calls on copies of their tensors, in rounds.
class Sampler {
 public:
  Sampler(Device& device, const tactus_entry& entry, TensorCopies& copies)
      : device_(device), entry_(entry), copies_(copies) {}

  /// Makes calls until clocks are steady, at every place that timed calls will use, so that no
  /// timed call is the first to see its memory. `secret` decides the places.
  CallOutcome warm_up(std::uint64_t secret);

  /// One of the calls, chosen by `secret` (when, and on which copy), is made by `audit(copy,
  /// samples_ns)`, which may add its time; false ends everything.
  using Audit = std::function<bool(BoundCall& copy, std::vector<double>& samples_ns)>;
  void sample(const StopRule& stop, std::uint64_t secret, const Audit& audit, Sampling& sampling);

  /// For work between timed calls that must not count for their budget.
  void spent_elsewhere(double seconds) { elsewhere_seconds_ += seconds; }

 private:
  using Clock = std::chrono::steady_clock;

  bool finished(const StopRule& stop, const Sampling& sampling) const;
  bool change_round(const StopRule& stop, Sampling& sampling);
  bool take_round(const StopRule& stop, const Audit& audit, Sampling& sampling);
  bool take_batch(std::size_t calls, Sampling& sampling);
  bool take_audit(const Audit& audit, Sampling& sampling);
  void keep(const std::vector<double>& samples_ns, const ClockReading& before,
            const ClockReading& after, Sampling& sampling) const;

  Device& device_;
  const tactus_entry& entry_;
  TensorCopies& copies_;
  Clock::time_point begin_;
  double call_seconds_ = 0;  ///< of the last call before timing
  double elsewhere_seconds_ = 0;
  std::uint64_t audited_ = 0;  ///< the audited call comes after this many samples
  std::size_t audited_copy_ = 0;
  bool audit_done_ = false;
};

}  // namespace tactus

#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "bench/device/device.h"
#include "bench/timing/timing.h"
#include "bench/worker/tensor_copies.h"

namespace tactus {

/// Everything that was seen while calls were timed.
struct Sampling {
  CallOutcome outcome;                ///< of the last call
  SampledRounds all;                  ///< throttled ones too
  std::vector<bool> slowed;           ///< of each sample: clocks were lowered
  std::uint64_t lowered = 0;          ///< all reasons that were seen for that
  std::vector<double> sm_clocks_mhz;  ///< one a batch
  std::int64_t heap_growth = 0;       ///< over the calls below [bytes]
  std::int64_t allocations = 0;       ///< by the candidate's own code, likewise
  std::int64_t heap_calls = 0;        ///< all that were timed but the audited one
  std::int64_t page_faults = 0;       ///< of the calls below
  std::int64_t faults_of_calls = 0;
};

/// Times calls on copies of their tensors, in rounds.
class Sampler {
 public:
  Sampler(Device& device, const tactus_entry& entry, TensorCopies& copies)
      : device_(device), entry_(entry), copies_(copies) {}

  /// Calls until clocks are steady, on every place that timed calls will work on: none of those is
  /// the first that sees its memory. `secret` decides the places.
  CallOutcome warm_up(std::uint64_t secret);

  /// One call among those that are made in any case, when and on which copy `secret` decides, is
  /// made by `audit(copy, samples_ns)`, which may add its time; false ends everything.
  using Audit = std::function<bool(BoundCall& copy, std::vector<double>& samples_ns)>;
  void sample(const StopRule& stop, std::uint64_t secret, const Audit& audit, Sampling& sampling);

  /// Between timed calls, for what is none of their business: not of their budget.
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
  std::uint64_t audited_ = 0;  ///< after so many samples comes the audited call
  std::size_t audited_copy_ = 0;
  bool audit_done_ = false;
};

}  // namespace tactus

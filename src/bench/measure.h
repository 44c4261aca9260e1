#pragma once

#include <cstdint>

#include "bench/candidate/candidate.h"
#include "bench/results/bench_row.h"
#include "bench/rooms/kept_block.h"
#include "bench/timing/timing.h"
#include "catalogue/catalogue.h"
#include "hardware/profile.h"

namespace tactus {

/// Memory that one measurement leaves to the next.
struct MeasureMemory {
  KeptBlock drawn;      ///< what inputs are made of
  KeptBlock audited;    ///< the inputs of the call that is judged
  KeptBlock chosen[4];  ///< the outputs of the calls that will be judged
  KeptBlock latest;     ///< the same, of a call alone
  KeptBlock decoy;      ///< right results of other inputs
  KeptBlock control;    ///< what inputs of a worker without a candidate are made of
};

struct MeasureOptions {
  bool check_only = false;
  int seeds = 2;                    ///< draws of inputs; all must be right
  double check_work = 5e8;          ///< multiplications of the check per draw
  double patience_s = 60;           ///< for one call
  double largest_flops = 1e30;      ///< larger shapes are skipped
  bool beside_copies = true;        ///< if memory is the bound, time a plain copy as well
  MeasureMemory* memory = nullptr;  ///< null: its own
  StopRule stop;
  unsigned threads = 1;
  std::uint64_t salt = 0;  ///< decides the inputs; the candidate must not know it
};

/// Checks and times a candidate on a shape, in its own process. Whatever happens to it, the result
/// is a row. `hardware` gives the bound; null for none.
BenchRow measure(const Operator& op, const Shape& shape, const Candidate& candidate,
                 const HardwareProfile* hardware, const MeasureOptions& options);

/// Sets the bound of a row and the values that follow from it.
void add_bound(BenchRow& row, const Operator& op, const Shape& shape,
               const HardwareProfile& hardware);

}  // namespace tactus

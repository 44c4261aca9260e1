#pragma once

#include <string>

#include "run/run.h"

namespace tactus {

enum class Alignment : unsigned char {
  kAuto,         ///< by collectives, between hosts that differ or are not known, if it is needed
  kNone,         ///< times are used as they were recorded
  kCollectives,  ///< by collectives; an error if there are none in common
};

/// Sets the clocks of the sources of a job, so that the ends of collectives that ranks took part in
/// together are at the same time. Only the end tells the time: a rank that comes early waits
/// inside. The source of the lowest rank keeps its time.
Status align_clocks(Run& run, Alignment alignment);

}  // namespace tactus

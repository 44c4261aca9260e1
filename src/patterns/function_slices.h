#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/arithmetic.h"
#include "cycles/cycles.h"
#include "names/function_type.h"
#include "run/run.h"

namespace tactus {

/// A function as patterns count it: the slices of one process with one name in one place.
struct CycleFunction {
  std::uint32_t process = 0;  ///< of run.processes; the one whose cycle it is for device work
  StringId name;              ///< of run.strings; none for oncpu, whose slices are one function
  FunctionType type = FunctionType::kNone;
  DeviceId device;  ///< of device work
};

struct FunctionSlice {
  std::uint32_t cycle = 0;
  std::uint32_t function = 0;
  std::int64_t start_ns = 0;
  std::int64_t dur_ns = 0;

  std::int64_t end_ns() const { return wrapping_add(start_ns, dur_ns); }
};

struct FunctionSlices {
  std::vector<CycleFunction> functions;
  std::vector<FunctionSlice> slices;  ///< by cycle, function and start
};

/// The slices of a run that have a cycle and a type. Slices of length 0 are left out.
FunctionSlices function_slices(const Run& run, const Cycles& cycles);

}  // namespace tactus

#pragma once

#include "bench/bench.h"
#include "support/sample_roofline.h"

namespace tactus::testing {

/// A row that is right, with its bound and interval (1% to either side).
BenchRow timed_row(const std::string& operator_name, const std::string& shape, double t_ns,
                   double t_sol_ns);
BenchRow skipped_row(const std::string& operator_name, const std::string& shape);

/// Adds a rival as a run with torch leaves it: in the list, and as the fastest if it is.
void add_measured_rival(BenchRow& row, const std::string& name, double t_ns);

/// The shapes of SampleRoofline on the machine Fast: rms_norm/2 with a slower rival, rms_norm/10
/// with a faster one, gemm/0 skipped with a rival.
BenchResult sample_bench();

}  // namespace tactus::testing

#pragma once

#include <memory>

#include "bounds/roofline/roofline.h"

namespace tactus::testing {

/// A catalogue of two operators on two machines that are easy to reckon with: "Fast" has 1 TB/s,
/// 100 TFLOP/s on its matrix units, 10 on its vector units and a launch floor of 2 us; "Slow" has
/// 100 GB/s, 1 TFLOP/s on its vector units, and nothing else.
struct SampleRoofline {
  Catalogue catalogue;
  HardwareProfile fast;
  HardwareProfile slow;

  SampleRoofline();
  Roofline roofline(const RooflineQuestion& question = {}) const;
  Roofline roofline(CostModel model) const;
};

}  // namespace tactus::testing

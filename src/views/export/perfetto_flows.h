#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "run/run.h"

namespace tactus {

/// The arrows that leave and reach each slice. Frames that call other frames lie inside each other,
/// so they need none. Each arrow has a number of its own: one launch may have many kernels.
class PerfettoFlows {
 public:
  /// `is_written` by row of the slices; empty if all are.
  PerfettoFlows(const Run& run, const std::vector<bool>& is_written);

  std::span<const std::uint32_t> from(std::size_t row) const { return from_.of(row); }
  std::span<const std::uint32_t> to(std::size_t row) const { return to_.of(row); }

 private:
  struct Ends {
    std::vector<std::uint32_t> first;    ///< by row, and one more
    std::vector<std::uint32_t> numbers;  ///< of arrows

    std::span<const std::uint32_t> of(std::size_t row) const {
      if (row + 1 >= first.size()) return {};
      return std::span(numbers).subspan(first[row], first[row + 1] - first[row]);
    }
    void prepare(std::size_t rows, const std::vector<std::uint32_t>& row_of_arrow);
  };

  Ends from_;
  Ends to_;
};

}  // namespace tactus

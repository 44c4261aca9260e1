#pragma once

#include <span>
#include <string>
#include <vector>

#include "bounds/roofline/roofline.h"

namespace tactus {

/// A logarithmic axis.
struct LogScale {
  double low = 0;   ///< log10 of the value at `from`, a whole number
  double high = 1;  ///< log10 of the value at `to`
  double from = 0;  ///< [px]
  double to = 1;    ///< [px]

  double at(double value) const;  ///< [px], kept within the axis
  double per_decade() const { return (to - from) / (high - low); }
};

/// The places in a roofline plot: FLOP/s over FLOP per byte, and below it a strip of bytes/s for
/// the operators that hardly compute.
struct PlotFrame {
  LogScale intensity;                  ///< x: [FLOP/byte]
  LogScale flops;                      ///< y: [FLOP/s]
  LogScale bytes;                      ///< x of the strip: [bytes/s]
  std::vector<const Operator*> strip;  ///< one line each
  double strip_top = 0;                ///< [px]
  double width = 0;                    ///< [px]
  double height = 0;                   ///< [px]

  /// Middle of the operator's line in the strip, or nothing if it has no line.
  std::optional<double> strip_y(const Operator& op) const;
};

/// A frame with room for all shapes of all rooflines, on any of their machines.
PlotFrame plot_frame(std::span<const Roofline* const> rooflines);

/// A shape's place in the plot.
struct PlotDot {
  double x = 0;
  double y = 0;
  bool timed = false;  ///< at the measured rate; else at the bound
  double rate = 0;     ///< [FLOP/s], or [bytes/s] in the strip
};

/// Nothing if the machine has neither a time nor a bound.
std::optional<PlotDot> dot_of(const PlotFrame& frame, const RooflineRow& row, std::size_t hardware);

/// The dots of a machine, larger ones behind, as SVG.
std::string dots_svg(const PlotFrame& frame, const Roofline& roofline, std::size_t hardware);

/// The axes with their labels, as SVG.
std::string axes_svg(const PlotFrame& frame);

/// The label at the right end of a line of a roof.
struct RoofLabel {
  double y = 0;  ///< [px] of the line
  std::string text;
  bool faint = false;
};

/// The roof of a machine, with one line per peak that the shapes can reach, as SVG; `faint` for a
/// machine that is only for comparison. Labels of its lines are added to `labels`.
std::string roof_svg(const PlotFrame& frame, const Roofline& roofline, std::size_t hardware,
                     bool faint, std::vector<RoofLabel>& labels);

/// The labels as SVG, moved as little as possible so that they do not overlap.
std::string roof_labels_svg(const PlotFrame& frame, std::vector<RoofLabel> labels);

}  // namespace tactus

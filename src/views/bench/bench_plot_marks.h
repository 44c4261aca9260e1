#pragma once

#include <string>
#include <string_view>

#include "bench/results/bench_report.h"

namespace tactus {

/// A filled dot, or a hollow one for a rival, as SVG; `more` are attributes.
std::string mark_svg(double x, double y, double radius, bool is_rival, std::string_view more = "");

/// The marks of a shape in the colour of its operator's family, with its details in a tooltip.
std::string marked_shape_svg(const BenchReport& report, const ReportRow& entry,
                             const std::string& marks);

/// The meaning of filled and hollow dots, as SVG.
std::string marks_legend_svg(const BenchReport& report, double x, double y);

}  // namespace tactus

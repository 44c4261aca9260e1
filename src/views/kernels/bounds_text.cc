#include <fmt/format.h>

#include <algorithm>

#include "views/common/numbers.h"
#include "views/common/text_table.h"
#include "views/kernels/kernels_parts.h"

namespace tactus {
namespace {

constexpr std::size_t kReasonsShown = 3;
/// A smaller share says nothing about the run.
constexpr double kWorthSaying = 0.01;
constexpr double kAllOfIt = 0.9995;

/// "79%", and "0.4%" where a whole number would say nothing.
std::string s_text(double s) {
  return s < 0.0095 ? fmt::format("{:.1f}%", 100 * s) : fmt::format("{:.0f}%", 100 * s);
}

}  // namespace

std::string bound_cell(const KernelBound& bound) {
  // A kernel that is faster than memory allows had its data in the cache.
  const bool in_cache = bound.s > 1 && bound.limit != Limit::kCompute && bound.fits_cache;
  // Of a bound that counts a part only, S is at least this.
  return fmt::format("{}{} {}", bound.at_least ? ">" : "", s_text(bound.s),
                     in_cache ? "cache" : limit_name(bound.limit));
}

std::string bounds_summary(const KernelReport& report, const KernelBounds& bounds) {
  if (report.kernels.size() == 0) return {};
  std::string text;
  if (bounds.hardware != nullptr) {
    text = fmt::format("known for {} of the GPU time on {}", percent_text(bounds.coverage),
                       printable(bounds.hardware->name));
    const double whole = bounds.coverage - bounds.at_least;
    if (bounds.at_least > kWorthSaying) {
      text += fmt::format("; for {} all of the work is known", percent_text(whole));
    }
    if (bounds.s && whole > kWorthSaying) {
      text += fmt::format("; {} at {} of what the machine allows",
                          whole > kAllOfIt ? "it runs" : "that part runs", percent_text(*bounds.s));
    }
  }
  for (std::size_t i = 0; i < std::min(bounds.reasons.size(), kReasonsShown); ++i) {
    text += (text.empty() ? "" : "; ") + printable(bounds.reasons[i]);
  }
  return text;
}

std::string first_gain(const KernelReport& report, const KernelBounds& bounds) {
  if (bounds.gains.empty() || report.table.total_ns <= 0) return {};
  if (bounds.coverage < kWorthSaying) return {};
  const Gain& gain = bounds.gains.front();
  return fmt::format(
      "{} runs at {} of its bound and takes {} of the GPU time: at the bound the GPU time "
      "would be {} shorter.",
      printable(gain.what), s_text(gain.s), percent_text(gain.share),
      percent_text(gain.saved_share));
}

}  // namespace tactus

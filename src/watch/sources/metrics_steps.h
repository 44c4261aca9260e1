#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "watch/sources/metrics_page.h"
#include "watch/step.h"

namespace tactus::watch {

/// Turns pages of metrics, read one after another, into steps: each stands for all steps between
/// two pages, with their mean latency and mean work. A step is as long as the time between two
/// tokens.
class MetricsSteps {
 public:
  struct Found {
    std::string engine;
    Step step;
  };
  /// `now_ns` since the epoch. The first page of an engine gives none.
  std::vector<Found> add(const std::map<std::string, EngineMetrics>& engines, std::int64_t now_ns);

  /// Pages on which some engine counted less than before: it was restarted.
  std::uint64_t restarts() const { return restarts_; }
  /// True if a page had what is needed; says what was missing otherwise.
  bool was_understood() const { return was_understood_; }

 private:
  struct Before {
    EngineMetrics metrics;
    std::int64_t time_ns = 0;
    std::int64_t token_ns = 0;  ///< when the last token came
    double told_ns = 0;         ///< the length of the stall that was told last
    Step last;
  };
  std::optional<Step> difference(Before& before, const EngineMetrics& now, std::int64_t now_ns);

  std::map<std::string, Before> before_;
  std::uint64_t restarts_ = 0;
  bool was_understood_ = false;
};

}  // namespace tactus::watch

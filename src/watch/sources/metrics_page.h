#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tactus::watch {

/// One line of a page of metrics.
struct MetricSample {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string>> labels;
  double value = 0;
};

/// Reads a page in the text form of Prometheus or OpenMetrics. Comments, times and exemplars are
/// skipped; lines that make no sense are counted.
///
///   # TYPE vllm:num_requests_running gauge
///   vllm:num_requests_running{engine="0",model_name="m"} 12.0
///   sglang:gen_throughput 512.5 1700000000000
struct MetricsPage {
  std::vector<MetricSample> samples;  ///< names point into the text
  std::uint64_t bad_lines = 0;
};
MetricsPage parse_metrics(std::string_view text);

/// What a page says about the engines of a server, by engine (or rank): names without the prefix of
/// the engine, values of several label sets added up.
struct EngineMetrics {
  std::string server;  ///< vllm or sglang
  std::map<std::string, double, std::less<>> values;

  double value(std::string_view name) const;  ///< not-a-number if it is not there
};
std::map<std::string, EngineMetrics> engine_metrics(const MetricsPage& page);

}  // namespace tactus::watch

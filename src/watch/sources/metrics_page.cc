#include "watch/sources/metrics_page.h"

#include <cmath>
#include <optional>

#include "base/printable.h"
#include "base/text.h"

namespace tactus::watch {
namespace {

/// A page with more names than this is not one of an engine.
constexpr std::size_t kMostSamples = 200'000;
constexpr std::size_t kMostEngines = 256;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == ':' || c == '.';
}

void skip_blanks(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

std::string_view take_name(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() && is_name_character(text[size])) ++size;
  const std::string_view name = text.substr(0, size);
  text.remove_prefix(size);
  return name;
}

/// {a="b",c="d\"e"}
bool take_labels(std::string_view& text,
                 std::vector<std::pair<std::string_view, std::string>>& labels) {
  text.remove_prefix(1);
  for (;;) {
    skip_blanks(text);
    if (text.empty()) return false;
    if (text.front() == '}') {
      text.remove_prefix(1);
      return true;
    }
    const std::string_view name = take_name(text);
    skip_blanks(text);
    if (name.empty() || !text.starts_with('=')) return false;
    text.remove_prefix(1);
    skip_blanks(text);
    if (!text.starts_with('"')) return false;
    text.remove_prefix(1);
    std::string value;
    for (;;) {
      if (text.empty()) return false;
      char c = text.front();
      text.remove_prefix(1);
      if (c == '"') break;
      if (c == '\\') {
        if (text.empty()) return false;
        c = text.front() == 'n' ? '\n' : text.front();
        text.remove_prefix(1);
      }
      value += c;
    }
    labels.emplace_back(name, std::move(value));
    skip_blanks(text);
    if (text.starts_with(',')) text.remove_prefix(1);
  }
}

std::optional<double> take_value(std::string_view& text) {
  skip_blanks(text);
  const std::size_t size = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view word = text.substr(0, size);
  text.remove_prefix(size);
  if (word == "+Inf" || word == "Inf") return INFINITY;
  if (word == "-Inf") return -INFINITY;
  if (word == "NaN" || word == "nan") return NAN;
  return finite_number(word.starts_with('+') ? word.substr(1) : word);
}

std::string engine_name(const MetricSample& sample) {
  std::string name;
  for (const auto& [label, value] : sample.labels) {
    if (label == "engine" || label == "dp_rank" || label == "tp_rank" || label == "pp_rank") {
      name += (name.empty() ? "" : " ") + std::string(label) + " " + printable(value);
    }
  }
  return name;
}

}  // namespace

MetricsPage parse_metrics(std::string_view text) {
  MetricsPage page;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    // A line without an end may be cut: half a number looks like a number.
    if (end == std::string_view::npos) {
      if (!text.starts_with('#')) ++page.bad_lines;
      break;
    }
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    skip_blanks(line);
    if (line.empty() || line.front() == '#') continue;
    MetricSample sample;
    sample.name = take_name(line);
    skip_blanks(line);
    if (sample.name.empty() || (line.starts_with('{') && !take_labels(line, sample.labels))) {
      ++page.bad_lines;
      continue;
    }
    const std::optional<double> value = take_value(line);
    if (!value || page.samples.size() >= kMostSamples) {
      ++page.bad_lines;
      continue;
    }
    sample.value = *value;
    page.samples.push_back(std::move(sample));
  }
  return page;
}

double EngineMetrics::value(std::string_view name) const {
  const auto at = values.find(name);
  return at == values.end() ? NAN : at->second;
}

std::map<std::string, EngineMetrics> engine_metrics(const MetricsPage& page) {
  std::map<std::string, EngineMetrics> engines;
  for (const MetricSample& sample : page.samples) {
    const std::size_t colon = sample.name.find(':');
    if (colon == std::string_view::npos || !std::isfinite(sample.value)) continue;
    const std::string_view server = sample.name.substr(0, colon);
    if (server != "vllm" && server != "sglang") continue;
    if (sample.name.ends_with("_bucket")) continue;
    const std::string name = engine_name(sample);
    if (!engines.contains(name) && engines.size() >= kMostEngines) continue;
    EngineMetrics& engine = engines[name];
    engine.server = server;
    engine.values[std::string(sample.name.substr(colon + 1))] += sample.value;
  }
  return engines;
}

}  // namespace tactus::watch

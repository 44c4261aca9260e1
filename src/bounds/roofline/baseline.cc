#include "bounds/roofline/baseline.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/json.h"

namespace tactus {
namespace {

std::string text(const Json& entry, const char* key) {
  const Json* found = entry.find(key);
  if (found == nullptr) return {};
  if (found->is_string()) return found->get<std::string>();
  return found->is_number_integer() ? found->dump() : std::string();
}

std::optional<double> time_in(const Json& entry) {
  const Json* t_ns = entry.find("t_ns");
  if (t_ns == nullptr || !t_ns->is_number()) return std::nullopt;
  const auto value = t_ns->get<double>();
  if (!(value > 0) || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// {"hardware": {"name": "NVIDIA H200"}, "results": [{"operator": "rms_norm", "shape": "3",
///  "candidate": "cuda", "status": "ok", "t_ns": 8200.5,
///  "rival": {"name": "torch_compiled", "t_ns": 7900.0}}]}
/// The best time of a row counts: the candidate if it is right, or its fastest rival.
std::vector<BaselineTime> times_of_results(const Json& document) {
  std::vector<BaselineTime> times;
  std::string hardware;
  if (const Json* found = document.find("hardware"); found != nullptr) {
    hardware = found->is_object() ? text(*found, "name") : text(document, "hardware");
  }
  for (const Json& row : document.at("results")) {
    if (!row.is_object()) continue;
    BaselineTime time;
    if (const std::optional<double> t_ns = time_in(row); t_ns && text(row, "status") == "ok") {
      time.source = text(row, "candidate");
      time.t_ns = *t_ns;
    }
    if (const Json* rival = row.find("rival"); rival != nullptr && rival->is_object()) {
      const std::optional<double> t_ns = time_in(*rival);
      if (t_ns && (time.t_ns == 0 || *t_ns < time.t_ns)) {
        time.source = text(*rival, "name");
        time.t_ns = *t_ns;
      }
    }
    if (time.t_ns == 0) continue;
    time.operator_name = text(row, "operator");
    time.shape_id = text(row, "shape");
    time.hardware = hardware;
    times.push_back(std::move(time));
  }
  return times;
}

std::vector<BaselineTime> times_of_catalogue(const Catalogue& catalogue) {
  std::vector<BaselineTime> times;
  for (const Operator& op : catalogue.operators) {
    for (const Shape& shape : op.shapes) {
      for (const DeployedTime& deployed : shape.deployed) {
        // A mined catalogue has its own shape ids: only parameters identify a shape.
        BaselineTime time;
        time.operator_name = op.name;
        time.parameters = shape.parameters;
        time.hardware = deployed.hardware;
        time.source = deployed.framework;
        time.t_ns = deployed.t_ns;
        times.push_back(std::move(time));
      }
    }
  }
  return times;
}

}  // namespace

Result<std::vector<BaselineTime>> read_baseline(std::string_view text, std::string_view path) {
  const Json document = Json::parse(text);
  const bool results =
      document.is_object() && document.contains("results") && document["results"].is_array();
  std::vector<BaselineTime> times;
  if (results) {
    times = times_of_results(document);
  } else {
    const Result<Catalogue> catalogue = read_catalogue(text, path);
    if (!catalogue) {
      return input_error(
          fmt::format("{} is neither a result of `tactus bench` nor a catalogue of "
                      "`tactus mine` ({})",
                      path, catalogue.error().message));
    }
    times = times_of_catalogue(*catalogue);
  }
  if (times.empty()) return input_error(fmt::format("{} has no times in it", path));
  return times;
}

}  // namespace tactus

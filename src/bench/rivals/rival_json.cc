#include "bench/rivals/rival_json.h"

#include <cmath>
#include <string>

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& entry, const char* key) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<double> number_of(const Json& entry, const char* key) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_number()) return std::nullopt;
  const double value = found->get<double>();
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

void put(Json& entry, const char* key, const std::optional<double>& value) {
  if (value) entry[key] = *value;
}

void put(Json& entry, const char* key, const std::string& value) {
  if (!value.empty()) entry[key] = value;
}

}  // namespace

Json rival_json(const RivalMeasurement& measurement) {
  Json entry = {{"name", measurement.name}};
  put(entry, "t_ns", measurement.t_ns);
  put(entry, "t_low_ns", measurement.t_low_ns);
  put(entry, "t_high_ns", measurement.t_high_ns);
  put(entry, "how", measurement.how);
  put(entry, "differs", measurement.differs);
  put(entry, "note", measurement.note);
  put(entry, "skipped", measurement.skipped);
  if (!measurement.samples_ns.empty()) entry["samples"] = measurement.samples_ns;
  return entry;
}

std::optional<RivalMeasurement> rival_of_json(const Json& entry, const char* name_key) {
  if (!entry.is_object()) return std::nullopt;
  RivalMeasurement measurement;
  measurement.name = text_of(entry, name_key);
  measurement.t_ns = number_of(entry, "t_ns");
  measurement.t_low_ns = number_of(entry, "t_low_ns");
  measurement.t_high_ns = number_of(entry, "t_high_ns");
  measurement.how = text_of(entry, "how");
  measurement.differs = number_of(entry, "differs");
  measurement.note = text_of(entry, "note");
  measurement.skipped = text_of(entry, "skipped");
  if (const auto samples = entry.find("samples"); samples != entry.end() && samples->is_array()) {
    for (const Json& sample : *samples) {
      if (sample.is_number()) measurement.samples_ns.push_back(sample.get<double>());
    }
  }
  const bool said = (measurement.t_ns && *measurement.t_ns > 0) || !measurement.skipped.empty();
  if (measurement.name.empty() || !said) return std::nullopt;
  return measurement;
}

}  // namespace tactus

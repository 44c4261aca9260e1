#include "bench/rivals/rival_json.h"

#include <cmath>
#include <string>

namespace tactus {
namespace {

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
  measurement.name = entry.text_at(name_key);
  measurement.t_ns = entry.number_at("t_ns");
  measurement.t_low_ns = entry.number_at("t_low_ns");
  measurement.t_high_ns = entry.number_at("t_high_ns");
  measurement.how = entry.text_at("how");
  measurement.differs = entry.number_at("differs");
  measurement.note = entry.text_at("note");
  measurement.skipped = entry.text_at("skipped");
  measurement.samples_ns = entry.numbers_at("samples");
  const bool said = (measurement.t_ns && *measurement.t_ns > 0) || !measurement.skipped.empty();
  if (measurement.name.empty() || !said) return std::nullopt;
  return measurement;
}

}  // namespace tactus

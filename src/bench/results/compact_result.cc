#include "bench/results/compact_result.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/json.h"

namespace tactus {
namespace {

bool says_nothing(const std::string& key, const Json& value) {
  if (value.is_null() || key == "samples" || key == "rounds") return true;
  return (key == "mismatch" || key == "throttled") && value == 0;
}

/// Clocks of GPUs tick every 32 ns: five digits lose nothing.
double rounded(double value) {
  return std::stod(fmt::format("{:.5g}", value));
}

Json compacted(const Json& value) {
  if (value.is_number_float()) {
    const double number = rounded(value.get<double>());
    const auto whole = static_cast<std::int64_t>(number);
    if (std::abs(number) < 1e15 && static_cast<double>(whole) == number) return whole;
    return number;
  }
  if (value.is_array()) {
    Json kept = Json::array();
    for (const Json& element : value) kept.push_back(compacted(element));
    return kept;
  }
  if (!value.is_object()) return value;
  Json kept = Json::object();
  for (const auto& [key, member] : value.items()) {
    if (!says_nothing(key, member)) kept[key] = compacted(member);
  }
  return kept;
}

}  // namespace

std::string compact_result_text(std::string_view text) {
  const Json document = Json::parse(text);
  CHECK(document.is_object() && document.contains("results"));
  std::string out = "{";
  for (const auto& [key, value] : document.items()) {
    out += fmt::format("{}\"{}\": ", out.size() == 1 ? "" : ",\n ", key);
    if (key != "results") {
      out += key == "hardware" ? value.dump() : compacted(value).dump();
      continue;
    }
    out += "[";
    for (const Json& row : value) {
      out += fmt::format("{}\n  {}", &row == &value.front() ? "" : ",", compacted(row).dump());
    }
    out += "\n ]";
  }
  return out + "}\n";
}

}  // namespace tactus

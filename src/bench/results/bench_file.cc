#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/bench.h"
#include "bench/rivals/rival_json.h"

// {"format": "tactus bench 1", "hardware": {"name": "NVIDIA H200", ...}, "results": [
//   {"operator": "rms_norm", "shape": "3", "candidate": "cuda", "status": "ok", "t_ns": 8200.5,
//   ...}],
//  "score": {"weighted_s": 0.61, "covered_importance": 1.0}}

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFormat = "tactus bench 1";
constexpr double kConfidence = 0.95;
constexpr std::size_t kFewestForInterval = 6;

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json row_json(const BenchRow& row) {
  Json entry = {{"operator", row.operator_name},
                {"shape", row.shape_id},
                {"candidate", row.candidate},
                {"status", bench_status_name(row.status)},
                {"reason", row.reason.empty() ? Json(nullptr) : Json(row.reason)},
                {"note", row.note.empty() ? Json(nullptr) : Json(row.note)},
                {"max_rel_err", or_null(row.max_rel_err)},
                {"checked", row.checked},
                {"mismatch", row.mismatch},
                {"t_ns", or_null(row.t_ns)},
                {"t_low_ns", or_null(row.t_low_ns)},
                {"t_high_ns", or_null(row.t_high_ns)},
                {"confidence", row.t_ns && row.interval_known ? Json(kConfidence) : Json(nullptr)},
                {"samples", row.samples_ns},
                {"rounds", row.rounds},
                {"t_sol_ns", or_null(row.t_sol_ns)},
                {"s", or_null(row.s)},
                {"launch_floor_ns", or_null(row.launch_floor_ns)},
                {"s_with_launch", or_null(row.s_with_launch)},
                {"clock_noise_ns", or_null(row.clock_noise_ns)},
                {"touch_floor_ns", or_null(row.touch_floor_ns)},
                {"copy_ns", or_null(row.copy_ns)},
                {"sm_clock_mhz", or_null(row.sm_clock_mhz)},
                {"throttled", row.throttled}};
  entry["rival"] =
      row.rival ? Json{{"name", row.rival->name}, {"t_ns", row.rival->t_ns}} : Json(nullptr);
  if (!row.rivals.empty()) {
    Json& rivals = entry["rivals"] = Json::array();
    for (const RivalMeasurement& rival : row.rivals) rivals.push_back(rival_json(rival));
  }
  return entry;
}

std::string text_of(const Json& entry, const char* key) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<double> number_of(const Json& entry, const char* key) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::int64_t count_of(const Json& entry, const char* key) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

std::optional<BenchRow> row_of(const Json& entry) {
  BenchRow row;
  if (!entry.is_object()) return std::nullopt;
  row.operator_name = text_of(entry, "operator");
  row.shape_id = text_of(entry, "shape");
  row.candidate = text_of(entry, "candidate");
  const std::string status = text_of(entry, "status");
  bool known = false;
  for (int i = 0; i <= static_cast<int>(BenchStatus::kSkipped); ++i) {
    if (bench_status_name(static_cast<BenchStatus>(i)) != status) continue;
    row.status = static_cast<BenchStatus>(i);
    known = true;
  }
  if (row.operator_name.empty() || row.shape_id.empty() || !known) return std::nullopt;
  row.reason = text_of(entry, "reason");
  row.note = text_of(entry, "note");
  row.max_rel_err = number_of(entry, "max_rel_err");
  row.checked = count_of(entry, "checked");
  row.mismatch = count_of(entry, "mismatch");
  row.t_ns = number_of(entry, "t_ns");
  row.t_low_ns = number_of(entry, "t_low_ns");
  row.t_high_ns = number_of(entry, "t_high_ns");
  if (const auto samples = entry.find("samples"); samples != entry.end() && samples->is_array()) {
    for (const Json& sample : *samples) {
      if (sample.is_number()) row.samples_ns.push_back(sample.get<double>());
    }
  }
  if (const auto rounds = entry.find("rounds"); rounds != entry.end() && rounds->is_array()) {
    for (const Json& round : *rounds) {
      if (round.is_number_integer()) row.rounds.push_back(round.get<std::int64_t>());
    }
  }
  row.interval_known = entry.contains("confidence")
                           ? number_of(entry, "confidence").has_value()
                           : row.samples_ns.size() >= kFewestForInterval;  // of older versions
  row.t_sol_ns = number_of(entry, "t_sol_ns");
  row.s = number_of(entry, "s");
  row.launch_floor_ns = number_of(entry, "launch_floor_ns");
  row.s_with_launch = number_of(entry, "s_with_launch");
  row.clock_noise_ns = number_of(entry, "clock_noise_ns");
  row.touch_floor_ns = number_of(entry, "touch_floor_ns");
  row.copy_ns = number_of(entry, "copy_ns");
  row.sm_clock_mhz = number_of(entry, "sm_clock_mhz");
  row.throttled = count_of(entry, "throttled");
  if (const auto rival = entry.find("rival"); rival != entry.end() && rival->is_object()) {
    row.rival = RivalTime{text_of(*rival, "name"), number_of(*rival, "t_ns").value_or(0)};
  }
  if (const auto rivals = entry.find("rivals"); rivals != entry.end() && rivals->is_array()) {
    for (const Json& rival : *rivals) {
      std::optional<RivalMeasurement> measurement = rival_of_json(rival, "name");
      if (measurement) row.rivals.push_back(std::move(*measurement));
    }
  }
  return row;
}

}  // namespace

std::string_view bench_status_name(BenchStatus status) {
  constexpr std::array<std::string_view, 5> kNames = {"ok", "build_failed", "wrong", "error",
                                                      "skipped"};
  return kNames[static_cast<std::size_t>(status)];
}

std::string bench_result_text(const BenchResult& result) {
  const BenchMachine& machine = result.machine;
  const Json hardware = {{"name", machine.name},
                         {"profile", machine.profile},
                         {"driver", machine.driver.empty() ? Json(nullptr) : Json(machine.driver)},
                         {"date", machine.date},
                         {"memory_bandwidth", machine.memory_bandwidth}};
  const Json score = {{"weighted_s", or_null(result.score.weighted_s)},
                      {"weighted_s_with_launch", or_null(result.score.weighted_s_with_launch)},
                      {"covered_importance", result.score.covered_importance}};
  const auto line = [](const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  std::string text = fmt::format("{{\"format\": \"{}\",\n \"hardware\": {},\n \"results\": [",
                                 kFormat, line(hardware));
  for (const BenchRow& row : result.rows) {
    text += &row == result.rows.data() ? "\n  " : ",\n  ";
    text += line(row_json(row));
  }
  text +=
      fmt::format("\n ],\n \"score\": {},\n \"warnings\": [], \"dropped\": {{}}}}\n", line(score));
  return text;
}

Result<BenchResult> read_bench_result(std::string_view text, std::string_view path) {
  const Json document = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded() || !document.is_object() || !document.contains("results") ||
      !document["results"].is_array()) {
    return input_error(fmt::format("{} is no result of `tactus bench`", path));
  }
  const std::string format = text_of(document, "format");
  if (format != kFormat) {
    return input_error(
        fmt::format("{} is no result of `tactus bench` that can be read here: its "
                    "format is \"{}\", not \"{}\"",
                    path, format, kFormat));
  }
  BenchResult result;
  if (const auto hardware = document.find("hardware");
      hardware != document.end() && hardware->is_object()) {
    result.machine = {.name = text_of(*hardware, "name"),
                      .profile = text_of(*hardware, "profile"),
                      .driver = text_of(*hardware, "driver"),
                      .date = text_of(*hardware, "date"),
                      .memory_bandwidth = number_of(*hardware, "memory_bandwidth").value_or(0)};
  }
  for (const Json& entry : document["results"]) {
    std::optional<BenchRow> row = row_of(entry);
    if (!row) {
      return input_error(fmt::format("{}: row {} of its results has no operator, shape or status",
                                     path, result.rows.size() + 1));
    }
    result.rows.push_back(std::move(*row));
  }
  if (const auto score = document.find("score"); score != document.end() && score->is_object()) {
    result.score = {.weighted_s = number_of(*score, "weighted_s"),
                    .weighted_s_with_launch = number_of(*score, "weighted_s_with_launch"),
                    .covered_importance = number_of(*score, "covered_importance").value_or(0)};
  }
  return result;
}

}  // namespace tactus

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/json.h"
#include "bench/bench.h"
#include "bench/results/failure_json.h"
#include "bench/rivals/rival_json.h"

// {"format": "tactus bench 1", "hardware": {"name": "NVIDIA H200", ...}, "results": [
//   {"operator": "rms_norm", "shape": "3", "candidate": "cuda", "status": "ok", "t_ns": 8200.5,
//   ...}],
//  "score": {"weighted_s": 0.61, "covered_importance": 1.0}}

namespace tactus {
namespace {

constexpr std::string_view kFormat = "tactus bench 1";
constexpr double kConfidence = 0.95;
constexpr std::size_t kFewestForInterval = 6;

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json row_json(const BenchRow& row) {
  Json entry = {{"operator", row.operator_name},
                {"shape", row.shape_id},
                {"candidate", row.candidate},
                {"content", or_null(row.content)},
                {"options", or_null(row.options)},
                {"status", bench_status_name(row.status)},
                {"reason", or_null(row.reason)},
                {"note", or_null(row.note)},
                {"max_rel_err", or_null(row.max_rel_err)},
                {"checked", row.checked},
                {"mismatch", row.mismatch},
                {"slack_used", or_null(row.slack_used)},
                {"tolerance", or_null(row.tolerance)},
                {"variant", or_null(row.variant)},
                {"failure", row.failure ? failure_json(*row.failure) : Json(nullptr)},
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
  if (row.seconds) entry["seconds"] = *row.seconds;
  entry["rival"] =
      row.rival ? Json{{"name", row.rival->name}, {"t_ns", row.rival->t_ns}} : Json(nullptr);
  if (!row.rivals.empty()) {
    Json& rivals = entry["rivals"] = Json::array();
    for (const RivalMeasurement& rival : row.rivals) rivals.push_back(rival_json(rival));
  }
  if (!row.rivals_date.empty()) entry["rivals_date"] = row.rivals_date;
  return entry;
}

std::int64_t count_of(const Json& entry, const char* key) {
  const Json* found = entry.find(key);
  return found != nullptr && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

std::optional<BenchRow> row_of(const Json& entry) {
  BenchRow row;
  if (!entry.is_object()) return std::nullopt;
  row.operator_name = entry.text_at("operator");
  row.shape_id = entry.text_at("shape");
  row.candidate = entry.text_at("candidate");
  row.content = entry.text_at("content");
  row.options = entry.text_at("options");
  const std::string status = entry.text_at("status");
  bool known = false;
  for (int i = 0; i <= static_cast<int>(BenchStatus::kSkipped); ++i) {
    if (bench_status_name(static_cast<BenchStatus>(i)) != status) continue;
    row.status = static_cast<BenchStatus>(i);
    known = true;
  }
  if (row.operator_name.empty() || row.shape_id.empty() || !known) return std::nullopt;
  row.reason = entry.text_at("reason");
  row.note = entry.text_at("note");
  row.max_rel_err = entry.number_at("max_rel_err");
  row.checked = count_of(entry, "checked");
  row.mismatch = count_of(entry, "mismatch");
  row.slack_used = entry.number_at("slack_used");
  row.tolerance = entry.text_at("tolerance");
  row.variant = entry.text_at("variant");
  if (const Json* failure = entry.find("failure"); failure != nullptr) {
    row.failure = failure_of_json(*failure);
  }
  row.t_ns = entry.number_at("t_ns");
  row.t_low_ns = entry.number_at("t_low_ns");
  row.t_high_ns = entry.number_at("t_high_ns");
  row.samples_ns = entry.numbers_at("samples");
  if (const Json* rounds = entry.find("rounds"); rounds != nullptr && rounds->is_array()) {
    for (const Json& round : *rounds) {
      if (round.is_number_integer()) row.rounds.push_back(round.get<std::int64_t>());
    }
  }
  row.interval_known = entry.contains("confidence")
                           ? entry.number_at("confidence").has_value()
                           : row.samples_ns.size() >= kFewestForInterval;  // of older versions
  row.t_sol_ns = entry.number_at("t_sol_ns");
  row.s = entry.number_at("s");
  row.launch_floor_ns = entry.number_at("launch_floor_ns");
  row.s_with_launch = entry.number_at("s_with_launch");
  row.clock_noise_ns = entry.number_at("clock_noise_ns");
  row.touch_floor_ns = entry.number_at("touch_floor_ns");
  row.copy_ns = entry.number_at("copy_ns");
  row.sm_clock_mhz = entry.number_at("sm_clock_mhz");
  row.throttled = count_of(entry, "throttled");
  row.seconds = entry.number_at("seconds");
  if (const Json* rival = entry.find("rival"); rival != nullptr && rival->is_object()) {
    row.rival = RivalTime{rival->text_at("name"), rival->number_at("t_ns").value_or(0)};
  }
  if (const Json* rivals = entry.find("rivals"); rivals != nullptr && rivals->is_array()) {
    for (const Json& rival : *rivals) {
      std::optional<RivalMeasurement> measurement = rival_of_json(rival, "name");
      if (measurement) row.rivals.push_back(std::move(*measurement));
    }
  }
  row.rivals_date = entry.text_at("rivals_date");
  return row;
}

}  // namespace

std::string_view bench_status_name(BenchStatus status) {
  constexpr std::array<std::string_view, 6> kNames = {"ok",    "build_failed", "wrong",
                                                      "error", "impossible",   "skipped"};
  return kNames[static_cast<std::size_t>(status)];
}

std::string bench_result_text(const BenchResult& result) {
  const BenchMachine& machine = result.machine;
  Json hardware = {{"name", machine.name},
                   {"profile", or_null(machine.profile)},
                   {"driver", machine.driver.empty() ? Json(nullptr) : Json(machine.driver)},
                   {"date", machine.date},
                   {"memory_bandwidth",
                    machine.memory_bandwidth > 0 ? Json(machine.memory_bandwidth) : Json(nullptr)}};
  if (!machine.card.empty()) hardware["card"] = machine.card;
  const Json score = {{"weighted_s", or_null(result.score.weighted_s)},
                      {"weighted_s_with_launch", or_null(result.score.weighted_s_with_launch)},
                      {"covered_importance", result.score.covered_importance}};
  const auto line = [](const Json& value) { return value.dump(); };
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
  const Json document = Json::parse(text);
  if (document.is_discarded() || !document.is_object() || !document.contains("results") ||
      !document["results"].is_array()) {
    return input_error(fmt::format("{} is not a result of `tactus bench`", path));
  }
  const std::string format = document.text_at("format");
  if (format != kFormat) {
    return input_error(
        fmt::format("{} is not a result of `tactus bench` that can be read here: its "
                    "format is \"{}\", not \"{}\"",
                    path, format, kFormat));
  }
  BenchResult result;
  if (const Json* hardware = document.find("hardware");
      hardware != nullptr && hardware->is_object()) {
    result.machine = {.name = hardware->text_at("name"),
                      .profile = hardware->text_at("profile"),
                      .driver = hardware->text_at("driver"),
                      .date = hardware->text_at("date"),
                      .card = hardware->text_at("card"),
                      .memory_bandwidth = hardware->number_at("memory_bandwidth").value_or(0)};
  }
  for (const Json& entry : document["results"]) {
    std::optional<BenchRow> row = row_of(entry);
    if (!row) {
      return input_error(fmt::format("{}: row {} of its results has no operator, shape or status",
                                     path, result.rows.size() + 1));
    }
    result.rows.push_back(std::move(*row));
  }
  if (const Json* score = document.find("score"); score != nullptr && score->is_object()) {
    result.score = {.weighted_s = score->number_at("weighted_s"),
                    .weighted_s_with_launch = score->number_at("weighted_s_with_launch"),
                    .covered_importance = score->number_at("covered_importance").value_or(0)};
  }
  return result;
}

}  // namespace tactus

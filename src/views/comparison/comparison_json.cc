#include <cmath>

#include "views/comparison/comparison_view.h"

namespace tactus {
namespace {

Json or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json or_null(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json();
}

/// Infinities and not-a-number have no JSON.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json numbers(const double (&pair)[2]) {
  return Json::array({number(pair[0]), number(pair[1])});
}

Json comparability_json(const Comparability& facts) {
  const auto launches = [](double count) { return count > 0 ? number(count) : Json(); };
  Json json;
  json["reasons"] = facts.reasons;
  json["anchors"] = Json::array({or_null(facts.anchors[0]), or_null(facts.anchors[1])});
  json["launches_per_cycle"] =
      Json::array({launches(facts.launches_per_cycle[0]), launches(facts.launches_per_cycle[1])});
  json["kernel_jaccard"] = or_null(facts.kernel_jaccard);
  json["aligned_by"] = or_null(facts.aligned_by);
  return json;
}

Json ratio_json(const RatioRow& row) {
  Json json;
  json["ratio"] = number(row.ratio);
  json["low"] = number(row.low);
  json["high"] = number(row.high);
  return json;
}

Json change_json(const std::optional<Change>& change) {
  if (!change) return {};
  Json json = ratio_json(*change);
  json["phase"] = or_null(change->phase);
  json["unit"] = change->unit;
  json["mean"] = ratio_json(change->mean);
  json["p99"] = change->p99 ? ratio_json(*change->p99) : Json();
  if (change->p99) json["p99"]["quantile"] = number(change->tail);
  json["shape"] = change->shape;
  json["by_phase"] = Json::array();
  for (const PhaseRow& phase : change->by_phase) {
    Json row = ratio_json(phase);
    row["phase"] = phase.phase;
    row["n"] = phase.n;
    row["step_ns"] = {std::llround(phase.step_ns[0]), std::llround(phase.step_ns[1])};
    row["pause_ns"] = {std::llround(phase.pause_ns[0]), std::llround(phase.pause_ns[1])};
    row["share"] = number(phase.share);
    row["mean"] = ratio_json(phase.mean);
    json["by_phase"].push_back(std::move(row));
  }
  json["by_rank"] = Json::array();
  for (const RankRow& rank : change->by_rank) {
    Json row = ratio_json(rank);
    row["rank"] = rank.rank ? Json(*rank.rank) : Json();
    row["label"] = rank.label;
    row["phase"] = rank.phase;
    json["by_rank"].push_back(std::move(row));
  }
  return json;
}

Json verdict_json(const Comparison& comparison) {
  const Verdict& verdict = comparison.verdict;
  Json json;
  json["class"] = verdict_class_name(verdict.verdict);
  json["resource"] = or_null(verdict.resource);
  json["device"] = or_null(verdict.device);
  json["phase"] = or_null(verdict.phase);
  json["rank"] = verdict.rank ? Json(*verdict.rank) : Json();
  json["felt"] = felt_name(verdict.felt);
  json["explains"] = or_null(verdict.explains);
  json["reason"] = or_null(verdict.reason);
  json["confidence"] = confidence_name(verdict.confidence);
  json["text"] = verdict.text;
  json["also"] = Json::array();
  for (const ShareRow& other : comparison.also) {
    json["also"].push_back(verdict_class_name(other.verdict));
  }
  return json;
}

Json time_breakdown_json(const TimeBreakdownRow& row) {
  return {{"what", row.what},
          {"kind", row.kind},
          {"phase", or_null(row.phase)},
          {"state", row.state},
          {"delta_ns_per_cycle", number(row.delta_ns_per_cycle)},
          {"share", number(row.share)},
          {"ratio", number(row.ratio)},
          {"count_ratio", number(row.count_ratio)},
          {"each_ratio", number(row.each_ratio)},
          {"q", or_null(row.q)}};
}

Json counter_shifts_json(const CounterShiftRow& row) {
  return {{"counter", row.counter},
          {"device", row.device},
          {"unit", row.unit.empty() ? Json(nullptr) : Json(row.unit)},
          {"normal", number(row.normal)},
          {"abnormal", number(row.abnormal)},
          {"ratio", number(row.ratio)},
          {"low", number(row.low)},
          {"high", number(row.high)},
          {"q", or_null(row.q)},
          {"role", row.is_cause ? "cause" : "symptom"},
          {"samples", row.samples},
          {"coverage", Json::array({or_null(row.coverage[0]), or_null(row.coverage[1])})}};
}

Json classic_json(const ClassicRow& row) {
  return {{"function", row.function},
          {"metric", row.metric},
          {"device", row.device},
          {"suspicion", number(row.suspicion)},
          {"beta", numbers(row.beta)},
          {"beta_z", number(row.beta_z)},
          {"beta_p", number(row.beta_p)},
          {"beta_u_p", number(row.beta_u_p)},
          {"mu", numbers(row.mu)},
          {"mu_z", number(row.mu_z)},
          {"log_mu_z", number(row.log_mu_z)},
          {"mu_p", number(row.mu_p)},
          {"mu_u_p", number(row.mu_u_p)}};
}

template <class Rows, class ToJson>
Json list(const Rows& rows, const ToJson& to_json) {
  Json json = Json::array();
  for (const auto& row : rows) json.push_back(to_json(row));
  return json;
}

}  // namespace

ComparisonContext context_of(const Run& normal, const Run& abnormal,
                             const std::array<std::string, 2>& labels) {
  ComparisonContext context;
  const std::array<const Run*, 2> runs = {&normal, &abnormal};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const auto& [reason, count] : runs[i]->dropped) context.dropped[reason] += count;
    for (const auto& [reason, count] : runs[i]->repaired) context.repaired[reason] += count;
    for (const std::string& warning : runs[i]->warnings) {
      context.warnings.push_back(labels[i] + ": " + warning);
    }
  }
  return context;
}

ComparisonContext context_of(const ClassicReportText& report) {
  ComparisonContext context{.rows = &report.rows};
  if (report.unreadable_rows > 0) {
    context.dropped["report_rows"] = static_cast<std::uint64_t>(report.unreadable_rows);
  }
  if (report.cut_off) context.warnings.emplace_back("The report is cut off before its end.");
  if (report.more_reports)
    context.warnings.emplace_back("Only the first of several reports is read.");
  return context;
}

Json comparison_document(const Comparison& comparison, const ComparisonContext& context) {
  Json json;
  json["labels"] = comparison.labels;
  json["comparable"] = comparison.comparable;
  json["comparability"] = comparability_json(comparison.comparability);
  json["change"] = change_json(comparison.change);
  json["verdict"] = verdict_json(comparison);
  json["where"] = list(comparison.time_breakdown, time_breakdown_json);
  json["why"] = list(comparison.counter_shifts, counter_shifts_json);
  json["seen"] = list(comparison.seen, [](const SeenRow& seen) {
    return Json{{"class", verdict_class_name(seen.verdict)},
                {"resource", or_null(seen.resource)},
                {"device", or_null(seen.device)},
                {"text", seen.text}};
  });
  json["evidence"] = comparison.evidence;
  json["not_known"] = comparison.not_known;
  json["next"] = list(comparison.next, [](const NextStep& step) {
    return Json{{"text", step.text}, {"command", or_null(step.command)}};
  });
  json["step_ms"] = comparison.step_ms;
  json["rows"] = context.rows == nullptr ? Json::array() : list(*context.rows, classic_json);
  json["dropped"] = context.dropped;
  json["repaired"] = context.repaired;
  json["warnings"] = context.warnings;
  return json;
}

std::string show_comparison_json(const Comparison& comparison, const ComparisonContext& context) {
  return to_text(comparison_document(comparison, context));
}

}  // namespace tactus

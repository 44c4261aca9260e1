#include "views/ranks/ranks_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "views/common/json.h"
#include "views/common/numbers.h"
#include "views/common/text_table.h"
#include "views/ranks/ranks_text.h"

namespace tactus {
namespace {

Json rank_json(const RankSummary& row) {
  const auto time = [&row](std::int64_t ns) { return row.device_known ? Json(ns) : Json(nullptr); };
  return {{"rank", value_or_null(row.rank)},
          {"label", row.label},
          {"host", text_or_null(row.host)},
          {"device", text_or_null(row.device)},
          {"steps", row.steps},
          {"step_ns", row.step_ns},
          {"busy_ns", time(row.busy_ns)},
          {"idle_ns", time(row.idle_ns)},
          {"comm_ns", time(row.comm_ns)},
          {"exposed_comm_ns", time(row.exposed_comm_ns)},
          {"copy_ns", time(row.copy_ns)},
          {"wait_ns", row.wait_ns},
          {"late_ns", row.late_ns},
          {"was_last", row.was_last}};
}

/// The number of a rank; null where ranks are unknown.
Json rank_number(const RankReport& report, std::uint32_t rank) {
  return value_or_null(report.ranks[rank].rank);
}

Json collective_json(const RankReport& report, const CollectiveRow& row) {
  return {{"name", row.kind.name},
          {"bytes", value_or_null(row.kind.bytes)},
          {"group_size", row.kind.group_size},
          {"on_device", row.kind.on_device},
          {"count", row.count},
          {"wait_ns", row.wait_ns},
          {"rank_wait_ns", row.rank_wait_ns},
          {"time_ns", row.time_ns},
          {"first_rank", rank_number(report, row.first_rank)},
          {"first_times", row.first_times},
          {"last_rank", rank_number(report, row.last_rank)},
          {"last_times", row.last_times},
          {"bus_bytes_per_s", value_or_null(row.bus_bytes_per_s)},
          {"link_bytes_per_s", value_or_null(row.link_bytes_per_s)}};
}

Json imbalance_json(const RankReport& report, const ImbalanceRow& row) {
  Json times = Json::array();
  for (const std::int64_t ns : row.ns) times.push_back(ns);
  return {{"operator", row.name},
          {"ns", std::move(times)},
          {"median_ns", row.median_ns},
          {"longest_rank", rank_number(report, row.longest_rank)},
          {"extra_ns", row.extra_ns}};
}

Json straggler_json(const RankReport& report, const LateRank& straggler) {
  return {{"rank", rank_number(report, straggler.rank)},
          {"text", straggler_text(report, straggler)},
          {"cost_ns", straggler.cost_ns},
          {"low_ns", straggler.low_ns},
          {"high_ns", straggler.high_ns},
          {"was_last", straggler.was_last},
          {"of", straggler.of},
          {"longer_part", straggler.longer ? Json(part_name(*straggler.longer)) : Json(nullptr)},
          {"longer_ns", straggler.longer_ns}};
}

std::string as_json(const RankReport& report, const Run& run) {
  Json document;
  document["ranks"] = Json::array();
  for (const RankSummary& row : report.ranks) document["ranks"].push_back(rank_json(row));
  document["collectives"] = Json::array();
  for (const CollectiveRow& row : report.collectives) {
    document["collectives"].push_back(collective_json(report, row));
  }
  document["stragglers"] = Json::array();
  for (const LateRank& straggler : report.stragglers) {
    document["stragglers"].push_back(straggler_json(report, straggler));
  }
  document["imbalance"] = Json::array();
  for (const ImbalanceRow& row : report.imbalance) {
    document["imbalance"].push_back(imbalance_json(report, row));
  }
  document["matched"] = report.matched;
  document["unmatched"] = report.unmatched;
  document["arrival_by"] = report.one_clock ? "time" : "duration";
  add_account(document, run);
  if (std::string note = unmatched_text(report); !note.empty()) {
    document["warnings"].push_back(std::move(note));
  }
  return to_text(document);
}

std::string as_csv(const RankReport& report) {
  std::string out =
      "rank,host,device,steps,step_ns,busy_ns,idle_ns,comm_ns,exposed_comm_ns,copy_ns,wait_ns,"
      "late_ns,was_last\n";
  for (const RankSummary& row : report.ranks) {
    out += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{}\n", row.rank ? std::to_string(*row.rank) : "",
        csv_cell(row.host), csv_cell(row.device), row.steps, row.step_ns, row.busy_ns, row.idle_ns,
        row.comm_ns, row.exposed_comm_ns, row.copy_ns, row.wait_ns, row.late_ns, row.was_last);
  }
  return out;
}

}  // namespace

std::string show_ranks(const RankReport& report, const Run& run, const RanksViewOptions& options) {
  switch (options.format) {
    case RanksFormat::kJson: return as_json(report, run);
    case RanksFormat::kCsv: return as_csv(report);
    case RanksFormat::kTable:
    case RanksFormat::kMarkdown: break;
  }
  return ranks_text(report, options);
}

}  // namespace tactus

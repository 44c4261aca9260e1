#include "views/ranks/ranks_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "views/common/numbers.h"
#include "views/common/text_table.h"

namespace tactus {
namespace {

constexpr std::size_t kRankRemarkHead = 12;

std::string share_text(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? percent_text(static_cast<double>(part) / static_cast<double>(whole)) : "-";
}

std::string rate_text(const std::optional<double>& bytes_per_s) {
  return bytes_per_s ? fmt::format("{:.3g} GB/s", *bytes_per_s * 1e-9) : "-";
}

TextTable rank_table(const RankReport& report) {
  TextTable table({"Steps", "Step", "Busy", "Idle", "Comm", "Exposed", "Copies", "Waits", "Late",
                   "Last in", "Rank"});
  table.set_ranks({6, 0, 1, 1, 3, 2, 7, 2, 2, 5, 0});
  for (const RankSummary& row : report.ranks) {
    std::string place = row.label;
    if (!row.device.empty()) place += ", " + row.device;
    if (!row.host.empty()) place += " on " + row.host;
    const bool known = row.device_known;
    const auto time = [known](std::int64_t ns) { return known ? format_duration(ns) : "-"; };
    const auto share = [&](std::int64_t ns) { return known ? share_text(ns, row.step_ns) : "-"; };
    table.add({format_count(row.steps), format_duration(row.step_ns), share(row.busy_ns),
               share(row.idle_ns), time(row.comm_ns), time(row.exposed_comm_ns), time(row.copy_ns),
               format_duration(row.wait_ns), format_duration(row.late_ns),
               share_text(row.was_last, report.matched), place});
  }
  return table;
}

TextTable collective_table(const RankReport& report, std::size_t shown) {
  TextTable table({"Count", "Bytes", "Ranks", "Wait each", "Time each", "Bus", "Of link", "First",
                   "Last", "Collective"});
  table.set_ranks({3, 2, 7, 1, 1, 4, 5, 6, 2, 0});
  for (std::size_t i = 0; i < shown; ++i) {
    const CollectiveRow& row = report.collectives[i];
    const std::int64_t count = std::max<std::int64_t>(row.count, 1);
    const auto who = [&](std::uint32_t rank, std::int64_t times) {
      return fmt::format("{} ({})", report.ranks[rank].label, share_text(times, count));
    };
    table.add({format_count(row.count),
               row.kind.bytes ? format_bytes(static_cast<std::uint64_t>(*row.kind.bytes)) : "-",
               std::to_string(row.kind.group_size), format_duration(row.wait_ns / count),
               format_duration(row.time_ns / count), rate_text(row.bus_bytes_per_s),
               row.link_bytes_per_s && row.bus_bytes_per_s
                   ? percent_text(*row.bus_bytes_per_s / *row.link_bytes_per_s)
                   : "-",
               who(row.first_rank, row.first_times), who(row.last_rank, row.last_times),
               row.kind.name});
  }
  return table;
}

TextTable imbalance_table(const RankReport& report, std::size_t shown) {
  TextTable table({"Longest", "On", "Others", "Ratio", "Extra", "Operator"});
  for (std::size_t i = 0; i < shown; ++i) {
    const ImbalanceRow& row = report.imbalance[i];
    const std::int64_t longest = row.ns[row.longest_rank];
    table.add({format_duration(longest), report.ranks[row.longest_rank].label,
               format_duration(row.median_ns),
               row.median_ns > 0 ? fmt::format("{:.2f}", static_cast<double>(longest) /
                                                             static_cast<double>(row.median_ns))
                                 : "-",
               format_duration(row.extra_ns), row.name});
  }
  return table;
}

std::string more_text(std::size_t shown, std::size_t size) {
  if (shown == size) return {};
  return fmt::format("... and {} more; --top 0 shows all.\n", size - shown);
}

/// What the tables cannot say.
std::string remarks(const RankReport& report, const RanksViewOptions& options) {
  std::string out;
  const auto add = [&](std::string_view head, const std::string& text) {
    out += options.format == RanksFormat::kMarkdown
               ? markdown_cell(text) + "\n\n"
               : paragraph(head, text, options.width, kRankRemarkHead);
  };
  for (std::size_t i = 0; i < report.stragglers.size(); ++i) {
    add(i == 0 ? "straggler" : "", straggler_text(report, report.stragglers[i]));
  }
  if (report.ranks.size() == 1) {
    add("note",
        "This recording has one rank. Give the traces of all ranks, or their folder, to "
        "see who waits for whom.");
  } else if (report.matched == 0 && report.unmatched == 0) {
    add("note", "No collectives were recorded inside the steps, so nobody waits for anybody here.");
  } else if (report.matched != 0 && report.stragglers.empty()) {
    add("balance", "No rank is late often enough to cost 1% of a step.");
  }
  if (const std::string note = unmatched_text(report); !note.empty()) add("note", note);
  if (!report.one_clock) {
    add("note",
        "The clocks of the ranks differ: who came last follows from how long each was "
        "inside a collective, since all leave it together.");
  }
  return out;
}

}  // namespace

std::string unmatched_text(const RankReport& report) {
  if (report.unmatched == 0 || report.ranks.size() < 2) return {};
  const std::string calls = count_of(report.unmatched, "collective call", "collective calls");
  if (report.matched == 0) {
    return fmt::format(
        "None of {} could be found in all ranks: who waits for whom is not known. Were they "
        "recorded at the same time?",
        calls);
  }
  return fmt::format("{} at the edges or outside of common steps were not matched.", calls);
}

std::string straggler_text(const RankReport& report, const LateRank& straggler) {
  const RankSummary& row = report.ranks[straggler.rank];
  std::string text = fmt::format(
      "{} came last in {} of {}. Without its delay a step would be {} shorter ({} to {}), {} of "
      "its {}.",
      row.label, format_count(straggler.was_last),
      count_of(straggler.of, "collective", "collectives"), format_duration(straggler.cost_ns),
      format_duration(straggler.low_ns), format_duration(straggler.high_ns),
      share_text(straggler.cost_ns, row.step_ns), format_duration(row.step_ns));
  if (straggler.longer) {
    text += fmt::format(" Compared with the others, it spends {} more per step on: {}.",
                        format_duration(straggler.longer_ns), part_name(*straggler.longer));
  }
  return text;
}

std::string ranks_text(const RankReport& report, const RanksViewOptions& options) {
  const bool markdown = options.format == RanksFormat::kMarkdown;
  std::string out;
  const auto add = [&](std::string_view title, const TextTable& table) {
    if (!out.empty()) out += '\n';
    if (markdown) {
      out += fmt::format("## {}\n\n{}", title, table.to_markdown());
    } else {
      out += fmt::format("{}\n{}", title, table.to_text(options.width));
    }
  };
  const auto shown = [&](std::size_t size) {
    return options.top == 0 ? size : std::min(options.top, size);
  };
  add("Ranks: the average step of each", rank_table(report));
  if (!report.collectives.empty()) {
    const std::size_t rows = shown(report.collectives.size());
    add("Collectives, longest wait first", collective_table(report, rows));
    out += more_text(rows, report.collectives.size());
  }
  if (!report.imbalance.empty()) {
    const std::size_t rows = shown(report.imbalance.size());
    add("Operators that take longer on one rank, per step", imbalance_table(report, rows));
    out += more_text(rows, report.imbalance.size());
  }
  return out + "\n" + remarks(report, options);
}

}  // namespace tactus

#include <fmt/format.h>

#include <algorithm>

#include "views/common/json.h"
#include "views/common/numbers.h"
#include "views/common/text_table.h"
#include "views/kernels/kernels_view.h"

namespace tactus {
namespace {

Json ratio_json(const OperatorPair& pair) {
  return pair.a_ns > 0 && pair.b_ns > 0 ? Json(pair.ratio()) : Json(nullptr);
}

Json pair_json(const KernelPairs& pairs, const OperatorPair& pair) {
  const bool per_pass = pairs.knows_passes();
  return {{"operator", pair.op},
          {"a_ns", pair.a_ns},
          {"b_ns", pair.b_ns},
          {"ratio", ratio_json(pair)},
          {"a_per_pass_ns", per_pass ? Json(pairs.a_per_pass_ns(pair)) : Json(nullptr)},
          {"b_per_pass_ns", per_pass ? Json(pairs.b_per_pass_ns(pair)) : Json(nullptr)},
          {"ratio_per_pass", per_pass && pair.a_ns > 0 && pair.b_ns > 0
                                 ? Json(pairs.ratio_per_pass(pair))
                                 : Json(nullptr)},
          {"a_instances", pair.a_instances},
          {"b_instances", pair.b_instances},
          {"a_kernels", pair.a_kernels},
          {"b_kernels", pair.b_kernels}};
}

Json list_json(const KernelPairs& pairs, const std::vector<OperatorPair>& list) {
  Json out = Json::array();
  for (const OperatorPair& pair : list) out.push_back(pair_json(pairs, pair));
  return out;
}

/// Warnings and tallies of both runs, added up.
void add_accounts(Json& document, const Run& a, const Run& b) {
  Tally dropped = a.dropped;
  for (const auto& [reason, count] : b.dropped) dropped[reason] += count;
  Tally repaired = a.repaired;
  for (const auto& [reason, count] : b.repaired) repaired[reason] += count;
  std::vector<std::string> warnings = a.warnings;
  warnings.insert(warnings.end(), b.warnings.begin(), b.warnings.end());
  document["dropped"] = dropped;
  document["repaired"] = repaired;
  document["warnings"] = warnings;
}

std::string ratio_text(const KernelPairs& pairs, const OperatorPair& pair) {
  if (!(pair.a_ns > 0 && pair.b_ns > 0)) return "-";
  return fmt::format("{:.2f}", pairs.knows_passes() ? pairs.ratio_per_pass(pair) : pair.ratio());
}

std::string kernels_text(const std::vector<std::string>& kernels, const std::string& first) {
  if (kernels.empty()) return "-";
  const std::string more =
      kernels.size() > 1 ? fmt::format(" +{}", kernels.size() - 1) : std::string();
  return shorten(printable(first), 40) + more;
}

TextTable table_of(const KernelPairs& pairs, std::size_t top) {
  const bool per_pass = pairs.knows_passes();
  TextTable table({per_pass ? "A per pass" : "A", per_pass ? "B per pass" : "B", "B/A", "Count A",
                   "Count B", "Operator", "Kernels of A | of B"});
  table.set_ranks({0, 0, 1, 4, 3, 2, 0});
  std::size_t shown = 0;
  for (const auto* list : {&pairs.pairs, &pairs.only_a, &pairs.only_b}) {
    for (const OperatorPair& pair : *list) {
      if (top != 0 && shown++ >= top) break;
      const std::int64_t a_ns = per_pass ? pairs.a_per_pass_ns(pair) : pair.a_ns;
      const std::int64_t b_ns = per_pass ? pairs.b_per_pass_ns(pair) : pair.b_ns;
      table.add({pair.a_kernels.empty() ? "-" : format_duration(a_ns),
                 pair.b_kernels.empty() ? "-" : format_duration(b_ns), ratio_text(pairs, pair),
                 format_count(pair.a_instances), format_count(pair.b_instances),
                 shorten(printable(pair.op), 28),
                 kernels_text(pair.a_kernels, pair.a_short_name) + " | " +
                     kernels_text(pair.b_kernels, pair.b_short_name)});
    }
  }
  return table;
}

std::string csv_of(const KernelPairs& pairs) {
  std::string out = "operator,a_ns,b_ns,ratio,a_instances,b_instances,a_kernel,b_kernel\n";
  const auto first = [](const std::vector<std::string>& kernels) {
    return kernels.empty() ? std::string() : csv_cell(kernels.front());
  };
  for (const auto* list : {&pairs.pairs, &pairs.only_a, &pairs.only_b}) {
    for (const OperatorPair& pair : *list) {
      const bool both = pair.a_ns > 0 && pair.b_ns > 0;
      out += fmt::format("{},{},{},{},{},{},{},{}\n", csv_cell(pair.op), pair.a_ns, pair.b_ns,
                         both ? fmt::format("{:.6g}", pair.ratio()) : "", pair.a_instances,
                         pair.b_instances, first(pair.a_kernels), first(pair.b_kernels));
    }
  }
  return out;
}

/// "A takes 2.222 s in 74 passes, B 9.936 s in 48: 30.03 ms and 207.0 ms per pass."
std::string total_line(const KernelPairs& pairs, std::size_t width) {
  const auto side = [](std::int64_t ns, const std::optional<std::int64_t>& passes) {
    std::string text = format_duration(ns);
    if (passes) text += fmt::format(" in {} passes", *passes);
    return text;
  };
  std::string line = fmt::format("A takes {}, B {}", side(pairs.a_total_ns, pairs.a_passes),
                                 side(pairs.b_total_ns, pairs.b_passes));
  if (pairs.a_passes && pairs.b_passes && *pairs.a_passes > 0 && *pairs.b_passes > 0) {
    line += fmt::format(": {} and {} per pass", format_duration(pairs.a_total_ns / *pairs.a_passes),
                        format_duration(pairs.b_total_ns / *pairs.b_passes));
  }
  const std::string total = paragraph("", line + ".", width, 0);
  return pairs.warning.empty() ? total : total + paragraph("", pairs.warning, width, 0);
}

}  // namespace

std::string show_kernel_pairs(const KernelPairs& pairs, const Run& a, const Run& b,
                              const KernelsViewOptions& options) {
  switch (options.format) {
    case TableFormat::kJson: {
      Json document;
      document["pairs"] = list_json(pairs, pairs.pairs);
      document["only_a"] = list_json(pairs, pairs.only_a);
      document["only_b"] = list_json(pairs, pairs.only_b);
      document["a_total_ns"] = pairs.a_total_ns;
      document["b_total_ns"] = pairs.b_total_ns;
      document["a_passes"] = value_or_null(pairs.a_passes);
      document["b_passes"] = value_or_null(pairs.b_passes);
      add_accounts(document, a, b);
      if (!pairs.warning.empty()) document["warnings"].push_back(pairs.warning);
      return to_text(document);
    }
    case TableFormat::kCsv:
    case TableFormat::kTsv: return csv_of(pairs);
    case TableFormat::kMarkdown: return table_of(pairs, options.top).to_markdown();
    case TableFormat::kTable: break;
  }
  return table_of(pairs, options.top).to_text(options.width) + "\n" +
         total_line(pairs, options.width);
}

}  // namespace tactus

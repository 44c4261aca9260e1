#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "views/common/numbers.h"
#include "views/common/text_table.h"
#include "views/kernels/idle_view.h"
#include "views/kernels/kernels_parts.h"

namespace tactus {
namespace {

constexpr std::size_t kHead = 12;
constexpr std::size_t kFamilies = 8;
constexpr std::size_t kGroups = 4;
constexpr std::size_t kHints = 4;
constexpr std::size_t kMembers = 8;

std::string families_text(const KernelReport& report) {
  if (report.families.empty()) return {};
  std::string text;
  std::size_t shown = 0;
  double rest = 1;
  for (const FamilyShare& share : report.families) {
    const bool is_other = share.family == Family::kOther;
    if (++shown > kFamilies && !is_other) continue;
    rest -= share.share;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", family_name(share.family),
                        percent_text(share.share));
  }
  if (rest > 0.0005) text += fmt::format(", the rest {}", percent_text(rest));
  return text;
}

std::string passes_text(std::int64_t passes, std::optional<std::int64_t> layers) {
  std::string text = count_of(passes, "pass", "passes");
  if (layers) text += fmt::format(" of {} layers", *layers);
  return text;
}

/// Whether all ranks have as many passes of as many layers.
bool are_alike(const std::vector<RankPasses>& ranks) {
  return std::all_of(ranks.begin(), ranks.end(), [&](const RankPasses& rank) {
    return rank.passes == ranks.front().passes && rank.layers == ranks.front().layers;
  });
}

/// What is said of a rank behind its passes: "per rank", or which one it is.
std::string of_rank_text(const Structure& structure) {
  if (structure.ranks.empty()) return {};
  if (!are_alike(structure.ranks)) return " on " + structure.of_rank;
  return structure.of_rank.starts_with("rank") ? " per rank" : " per GPU";
}

/// The passes of the ranks that have others; whose times are given.
std::string other_ranks_text(const Structure& structure) {
  constexpr std::size_t kMostNamed = 4;
  if (structure.ranks.empty()) return {};
  if (are_alike(structure.ranks)) return "; times of " + structure.of_rank;
  std::string text;
  std::size_t named = 0;
  for (const RankPasses& rank : structure.ranks) {
    if (rank.label == structure.of_rank || ++named > kMostNamed) continue;
    text += fmt::format("; {}: {}", rank.label, passes_text(rank.passes, rank.layers));
  }
  if (named > kMostNamed) text += fmt::format("; and {} more", named - kMostNamed);
  return text;
}

std::string structure_text(const Structure& structure) {
  if (!structure.passes) return {};
  std::string text = passes_text(*structure.passes, structure.layers) + of_rank_text(structure);
  if (structure.gemms_per_layer)
    text += fmt::format(", {} GEMMs per layer", *structure.gemms_per_layer);
  std::string phases;
  for (const PassGroup& phase : structure.phases) {
    if (phase.passes == 0) continue;
    phases += fmt::format("{}{} {}", phases.empty() ? "" : ", ", phase.passes, phase.phase);
    if (phase.total_ns) phases += " (" + format_duration(*phase.total_ns) + ")";
  }
  if (!phases.empty()) text += ": " + phases;
  if (structure.sampled_steps) {
    text += fmt::format("; {} sampled", count_of(*structure.sampled_steps, "step", "steps"));
  }
  text += other_ranks_text(structure);
  std::size_t broken = 0;
  for (const Identity& identity : structure.identities) broken += identity.holds() ? 0 : 1;
  if (broken != 0) {
    text += fmt::format("; {} of {} counts do not fit", broken, structure.identities.size());
  }
  return text;
}

std::string sizes_text(const std::vector<std::int64_t>& sizes) {
  std::string text;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes.size() > 12 && i == 8) text += " ...";
    if (sizes.size() > 12 && i >= 8 && i + 1 < sizes.size()) continue;
    text += fmt::format("{}{}", text.empty() ? "" : " ", sizes[i]);
  }
  return text;
}

std::string coverage_text(const Coverage& coverage) {
  std::string text;
  const auto add = [&](double share, std::string_view what) {
    if (share < 0.0005) return;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, percent_text(share));
  };
  add(coverage.stack, "by stack");
  add(coverage.capture, "by the graph's capture");
  add(coverage.note, "by the author's note");
  add(coverage.rule, "by rule from the name");
  add(coverage.unattributed, "unknown");
  if (coverage.shape >= 0.0005) text += "; shapes known for " + percent_text(coverage.shape);
  return text;
}

std::string group_text(const LaunchGroup& group) {
  std::string text = fmt::format("{}: ", printable(group.name));
  std::size_t shown = 0;
  for (const GroupMember& member : group.members) {
    if (++shown > kMembers) {
      text += fmt::format(" and {} more", group.members.size() - kMembers);
      break;
    }
    const std::string name =
        member.kernels.empty() ? "?" : shorten(printable(member.short_name), 40);
    text += fmt::format("{}{}{}{}", shown == 1 ? "" : " → ", member.optional ? "[" : "", name,
                        member.optional ? "]" : "");
    if (member.kernels.size() > 1) {
      text += fmt::format(" (or {} like it)", member.kernels.size() - 1);
    }
  }
  text += "; " + count_of(group.instances, "time", "times");
  if (group.tail_absent != 0) {
    text += fmt::format(", {} of them without the optional part", format_count(group.tail_absent));
  }
  return text + (group.intercept_as_one ? "; can be intercepted as one"
                                        : "; cannot be intercepted as one");
}

/// What to change first and then: what gains most time comes first.
std::vector<std::string> first_changes(const KernelReport& report, const KernelBounds& bounds,
                                       const IdleTime* idle) {
  std::vector<std::string> changes = {first_gain(report, bounds)};
  if (idle != nullptr) {
    const std::int64_t saved_ns = bounds.gains.empty() ? 0 : bounds.gains.front().saved_ns;
    const bool is_first = changes.front().empty() || idle->host_ns() > saved_ns;
    changes.insert(is_first ? changes.begin() : changes.end(), idle_advice(*idle));
  }
  std::erase(changes, "");
  return changes;
}

/// "[[32,4096],[4096,14336],[]]" as "32x4096, 4096x14336".
std::string dims_of_inputs(std::string_view json) {
  const Json dims = Json::parse(json);
  std::string text;
  for (std::size_t i = 0; dims.is_array() && i < dims.size(); ++i) {
    if (!dims[i].is_array() || dims[i].empty() || !dims[i][0].is_number_integer()) continue;
    std::string sizes;
    for (const Json& size : dims[i]) sizes += (sizes.empty() ? "" : "x") + size.dump();
    text += (text.empty() ? "" : ", ") + sizes;
  }
  return text;
}

}  // namespace

std::string shapes_cell(const RowOrigin& origin) {
  constexpr std::size_t kWidth = 28;
  if (origin.shapes.empty()) return "-";
  std::string text = shorten(printable(dims_of_inputs(origin.shapes.front().dims)), kWidth);
  if (text.empty()) text = "-";
  if (origin.shape_count > 1) text += fmt::format(" +{}", origin.shape_count - 1);
  return text;
}

std::vector<Remark> kernel_remarks(const KernelReport& report, const KernelBounds& bounds,
                                   const IdleTime* idle) {
  std::vector<Remark> remarks;
  const auto add = [&](std::string_view head, std::string text) {
    if (!text.empty()) remarks.push_back({std::string(head), std::move(text)});
  };
  add("families", families_text(report));
  add("structure", structure_text(report.structure));
  if (report.structure.decode_missing) add("missing", report.structure.decode_missing_why);
  if (!report.structure.capture_sizes.empty()) {
    add("captured", "graphs for batch sizes " + sizes_text(report.structure.capture_sizes));
  }
  for (std::size_t i = 0; i < report.structure.signs.size(); ++i) {
    add(i == 0 ? "signs" : "", report.structure.signs[i]);
  }
  add("launched", coverage_text(report.coverage));
  add("bounds", bounds_summary(report, bounds));
  if (idle != nullptr) {
    add("idle", idle_summary(*idle));
    add("", idle_places(*idle));
  }
  const std::vector<std::string> changes = first_changes(report, bounds, idle);
  for (std::size_t i = 0; i < changes.size(); ++i) add(i == 0 ? "fix first" : "then", changes[i]);
  for (std::size_t i = 0; i < std::min(report.groups.size(), kGroups); ++i) {
    add(i == 0 ? "groups" : "", group_text(report.groups[i]));
  }
  for (std::size_t i = 0; i < std::min(report.hints.size(), kHints); ++i) {
    add(i == 0 ? "hints" : "", report.hints[i].text);
  }
  for (const std::string& text : report.inconsistencies) add("odd", text);
  for (const AnsweredRow& answer : report.answers) add("answer", answer.answer);
  return remarks;
}

std::string kernels_remarks(const KernelReport& report, const KernelBounds& bounds,
                            const IdleTime* idle, std::size_t width) {
  std::string out;
  for (const Remark& remark : kernel_remarks(report, bounds, idle)) {
    out += paragraph(remark.label, remark.text, width, kHead);
  }
  return out;
}

}  // namespace tactus

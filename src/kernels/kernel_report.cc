#include "kernels/kernel_report.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "cycles/cycle_selection.h"
#include "cycles/passes/run_passes.h"
#include "kernels/trace/trace_analysis.h"

namespace tactus {
namespace {

std::vector<KernelName> decode_rows(const KernelTable& table) {
  std::vector<KernelName> names;
  names.reserve(table.rows.size());
  for (const KernelRow& row : table.rows) names.push_back(decode_kernel_name(row.name));
  return names;
}

std::vector<FamilyShare> family_shares(const KernelTable& table,
                                       std::span<const KernelName> names) {
  std::vector<FamilyShare> all(kFamilies);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    FamilyShare& share = all[static_cast<std::size_t>(names[i].family)];
    share.total_ns += table.rows[i].total_ns;
    share.instances += table.rows[i].instances;
    ++share.rows;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].family = static_cast<Family>(i);
    all[i].share = table.total_ns > 0
                       ? static_cast<double>(all[i].total_ns) / static_cast<double>(table.total_ns)
                       : 0;
  }
  std::erase_if(all, [](const FamilyShare& share) { return share.rows == 0; });
  std::stable_sort(all.begin(), all.end(), [](const FamilyShare& a, const FamilyShare& b) {
    return a.total_ns > b.total_ns;
  });
  return all;
}

/// What a row is summed up under; `origins` may be empty if that is not by source.
std::string label_of(GroupBy by, const KernelName& name, const RowOrigin* origin) {
  if (by == GroupBy::kFamily) return std::string(family_name(name.family));
  const bool unknown = name.op.empty() || name.family == Family::kOther;
  if (unknown && origin != nullptr && !origin->op.empty()) return origin->op;
  return name.op.empty() ? std::string(family_name(name.family)) : name.op;
}

void finish_rows(std::vector<FoldedRow>& rows, std::int64_t total_ns) {
  for (FoldedRow& folded : rows) {
    KernelRow& row = folded.sum;
    if (row.instances > 0) row.avg_ns = row.total_ns / row.instances;
    row.time_pct = total_ns == 0
                       ? 0
                       : 100.0 * static_cast<double>(row.total_ns) / static_cast<double>(total_ns);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const FoldedRow& a, const FoldedRow& b) {
    return a.sum.total_ns > b.sum.total_ns;
  });
}

/// The smaller or the larger of two figures; unknown if one is.
std::optional<std::int64_t> known_of_both(const std::optional<std::int64_t>& a,
                                          const std::optional<std::int64_t>& b,
                                          const std::int64_t& (*choose)(const std::int64_t&,
                                                                        const std::int64_t&)) {
  return a && b ? std::optional(choose(*a, *b)) : std::nullopt;
}

/// Rows of a table under common labels. Medians and similar figures cannot be combined.
std::vector<FoldedRow> fold_rows(const KernelTable& table, const std::vector<std::string>& labels) {
  std::map<std::string, FoldedRow> rows;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const KernelRow& row = table.rows[i];
    FoldedRow& folded = rows[labels[i]];
    if (folded.kernels++ == 0) {
      folded.sum = row;
      folded.sum.name = labels[i];
      folded.largest = row.name;
      continue;
    }
    folded.known = Known::kRange;
    folded.sum.instances += row.instances;
    folded.sum.total_ns += row.total_ns;
    folded.sum.min_ns = known_of_both(folded.sum.min_ns, row.min_ns, std::min<std::int64_t>);
    folded.sum.max_ns = known_of_both(folded.sum.max_ns, row.max_ns, std::max<std::int64_t>);
  }
  std::vector<FoldedRow> list;
  list.reserve(rows.size());
  for (auto& [label, row] : rows) list.push_back(std::move(row));
  finish_rows(list, table.total_ns);
  return list;
}

/// Kernels of a trace under common labels, kernel by kernel.
std::vector<FoldedRow> fold_kernels(const Run& run, const KernelInstances& kernels,
                                    std::span<const std::uint32_t> keys,
                                    const std::vector<std::string>& labels) {
  // One label may have several keys (a line known by stack and by capture).
  std::unordered_map<std::string_view, std::uint32_t> key_of_label;
  std::vector<std::uint32_t> key_of(labels.size());
  for (std::uint32_t i = 0; i < labels.size(); ++i) {
    key_of[i] = key_of_label.try_emplace(labels[i], i).first->second;
  }
  std::vector<std::uint32_t> merged;
  merged.reserve(keys.size());
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> names;  // (key, name) -> ns
  for (std::size_t i = 0; i < keys.size(); ++i) {
    merged.push_back(key_of[keys[i]]);
    names[{merged.back(), kernels.names[i]}] += kernels.durs[i];
  }
  const KernelTable table = sum_up(merged, kernels.durs, labels.size(), [&](std::uint32_t key) {
    return std::string_view(labels[key]);
  });
  std::vector<FoldedRow> rows;
  for (const KernelRow& row : table.rows) {
    FoldedRow folded{.sum = row};
    const std::uint32_t key = key_of_label.at(row.name);
    std::int64_t most = -1;
    for (auto at = names.lower_bound({key, 0}); at != names.end() && at->first.first == key; ++at) {
      ++folded.kernels;
      if (at->second > most) {
        most = at->second;
        folded.largest = run.strings[StringId(at->first.second)];
      }
    }
    rows.push_back(std::move(folded));
  }
  return rows;
}

void note_line_kinds(const Attribution& attribution, std::vector<FoldedRow>& rows) {
  std::unordered_map<std::string_view, LineKind> kinds;
  for (std::size_t i = 0; i < attribution.labels.size(); ++i) {
    kinds.try_emplace(attribution.labels[i], attribution.line_kinds[i]);
  }
  for (FoldedRow& row : rows) row.line_kind = kinds.at(row.sum.name);
}

/// The line of a traceback is that of a call, for the rows that it explains.
void note_call_lines(std::span<const StackNote> notes, std::vector<RowOrigin>& origins) {
  for (const StackNote& note : notes) {
    if (note.frames.empty()) continue;
    const StackFrame& innermost = note.frames.back();
    for (const std::size_t row : note.rows) {
      if (row >= origins.size() || origins[row].call_line) continue;
      origins[row].call_line =
          CallLine{innermost.file, innermost.line, innermost.function, SourceEvidence::kNote};
    }
  }
}

std::vector<FoldedRow> fold_groups(const std::vector<LaunchGroup>& groups, std::int64_t total_ns) {
  std::vector<FoldedRow> rows;
  for (const LaunchGroup& group : groups) {
    FoldedRow row{.known = Known::kTotals};
    row.sum.name = group.name;
    if (group.call && !group.call->op.empty() && group.call->op != group.name) {
      row.sum.name += " (" + group.call->op + ")";
    }
    row.kernels = static_cast<std::int64_t>(group.members.size());
    row.largest = group.members.front().kernels.front();
    row.sum.instances = group.instances;
    row.sum.total_ns = group.total_ns;
    rows.push_back(std::move(row));
  }
  finish_rows(rows, total_ns);
  return rows;
}

KernelReport report_table(const Run& run, const KernelQuestion& question) {
  KernelReport report;
  report.table = *run.kernel_summary;
  report.names = decode_rows(report.table);
  report.families = family_shares(report.table, report.names);
  Attribution attribution = attribute(report.table, report.names);
  report.coverage = attribution.coverage;
  report.structure = structure_of_table(report.table, report.names);
  report.groups = groups_of_table(report.table, report.names);
  report.hints = hints_of_table(report.table, report.names);
  report.inconsistencies = inconsistencies(report.table);
  report.stack_notes = stack_notes(report.table, report.names);
  report.answers = answers(report.table, report.names, report.structure);
  report.origins = std::move(attribution.origins);
  note_call_lines(report.stack_notes, report.origins);
  if (question.by == GroupBy::kGroup) {
    report.folded = fold_groups(report.groups, report.table.total_ns);
  } else if (question.by != GroupBy::kKernel) {
    std::vector<std::string> labels = attribution.labels;
    for (std::size_t i = 0; question.by != GroupBy::kSource && i < labels.size(); ++i) {
      labels[i] = label_of(question.by, report.names[i], nullptr);
    }
    report.folded = fold_rows(report.table, labels);
  }
  return report;
}

/// Kernels by the labels of their rows.
std::vector<FoldedRow> fold_by_row_labels(const Run& run, const KernelInstances& kernels,
                                          const KernelReport& report, GroupBy by) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < report.table.rows.size(); ++i) {
    labels.push_back(
        label_of(by, report.names[i], report.origins.empty() ? nullptr : &report.origins[i]));
  }
  std::vector<std::uint32_t> keys;
  keys.reserve(kernels.size());
  for (const std::uint32_t name : kernels.names) keys.push_back(report.row_of_name[name]);
  return fold_kernels(run, kernels, keys, labels);
}

KernelInstances wanted_kernels(const Run& run, const KernelQuestion& question, RunPasses& passes) {
  KernelInstances kernels = kernel_instances(run, question.filter);
  if (question.skip_warmup != 0) {
    Result<Cycles> cycles = find_cycles(run, {.filter = question.filter}, passes);
    if (cycles) {
      skip_warmup(question.skip_warmup, *cycles);
      std::vector<bool> keep;
      for (const std::uint32_t row : kernels.rows) {
        keep.push_back(row < cycles->cycle_of_slice.size() && cycles->cycle_of_slice[row] >= 0);
      }
      kernels = only(kernels, keep);
    }
  }
  if (!question.phase) return kernels;
  const std::vector<Phase> phases = passes.phases(question.filter);
  std::vector<bool> keep;
  keep.reserve(kernels.size());
  for (const std::uint32_t row : kernels.rows) keep.push_back(phases[row] == *question.phase);
  return only(kernels, keep);
}

/// The sites of kernels that are among those of a report.
std::vector<LaunchSite> sites_among(const KernelReport& all, const KernelInstances& kernels) {
  std::vector<LaunchSite> sites;
  sites.reserve(kernels.size());
  std::size_t next = 0;
  for (const std::uint32_t row : kernels.rows) {
    while (next < all.kernels.size() && all.kernels.rows[next] < row) ++next;
    const bool is_known = next < all.kernels.size() && all.kernels.rows[next] == row;
    sites.push_back(is_known ? all.sites[next] : LaunchSite());
  }
  return sites;
}

KernelReport report_trace(const Run& run, const KernelQuestion& question, RunPasses& passes,
                          const KernelReport* all) {
  KernelInstances kernels = wanted_kernels(run, question, passes);
  KernelReport report;
  report.table = kernels_by_name(run, kernels);
  report.row_of_name = rows_of_names(run, kernels, report.table);
  report.names.resize(report.table.rows.size());
  for (std::uint32_t name = 0; name < report.row_of_name.size(); ++name) {
    const std::uint32_t row = report.row_of_name[name];
    if (row != kNoRow) report.names[row] = passes.names().of(name);
  }
  report.families = family_shares(report.table, report.names);
  if (question.phases) {
    const std::vector<Phase> phases = passes.phases({});
    for (const std::uint32_t row : kernels.rows) report.phases.push_back(phases[row]);
  }
  if (question.whole) {
    std::vector<LaunchSite> sites =
        all != nullptr ? sites_among(*all, kernels) : launch_sites(run, kernels.rows);
    Attribution attribution =
        attribute(run, kernels, sites, report.table, report.names, report.row_of_name);
    report.origins = std::move(attribution.origins);
    report.coverage = attribution.coverage;
    report.other_work = other_work(run, question.filter);
    report.structure = structure_of_trace(run, question.filter, passes);
    report.groups =
        groups_of_trace(run, kernels, sites, passes.streams(question.filter), passes.names());
    report.hints = hints_of_trace(run, kernels, report.names, report.row_of_name);
    for (Hint& hint : hints_of_table(report.table, report.names)) {
      report.hints.push_back(std::move(hint));
    }
    if (question.by == GroupBy::kSource) {
      report.folded = fold_kernels(run, kernels, attribution.source_of, attribution.labels);
      note_line_kinds(attribution, report.folded);
    } else if (question.by == GroupBy::kModule) {
      report.modules = module_tree(run, kernels, sites, !question.unfold);
    }
    report.sites = std::move(sites);
  }
  if (question.by == GroupBy::kGroup) {
    report.folded = fold_groups(report.groups, report.table.total_ns);
  } else if (question.by == GroupBy::kFamily || question.by == GroupBy::kOperator) {
    report.folded = fold_by_row_labels(run, kernels, report, question.by);
  }
  report.kernels = std::move(kernels);
  return report;
}

}  // namespace

KernelReport report_kernels(const Run& run, const KernelQuestion& question) {
  RunPasses passes(run);
  return report_kernels(run, question, passes);
}

KernelReport report_kernels(const Run& run, const KernelQuestion& question, RunPasses& passes,
                            const KernelReport* all) {
  return run.kernel_summary ? report_table(run, question)
                            : report_trace(run, question, passes, all);
}

}  // namespace tactus

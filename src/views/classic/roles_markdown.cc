#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "classic/roles/roles.h"
#include "views/classic/classic_view.h"
#include "views/classic/pipe_table.h"

namespace tactus {
namespace {

constexpr std::size_t kMostNamed = 50;  // roles in one list
constexpr std::size_t kMostPairs = 100;

/// "`a`, `b` and 7 more"
std::string named(const RolesComparison& comparison, const std::vector<std::size_t>& roles) {
  std::string text;
  for (std::size_t i = 0; i < std::min(roles.size(), kMostNamed); ++i) {
    fmt::format_to(std::back_inserter(text), "{}`{}`", i == 0 ? "" : ", ",
                   on_one_line(comparison.roles[roles[i]].label));
  }
  if (roles.size() > kMostNamed) text += fmt::format(" and {} more", roles.size() - kMostNamed);
  return text;
}

std::string cluster_sections(const RolesComparison& comparison) {
  std::string out = "## Clusters\n\n";
  PipeTable table({"Cluster", "Roles", "Representative"});
  for (std::size_t i = 0; i < comparison.clusters.size(); ++i) {
    const RoleCluster& cluster = comparison.clusters[i];
    table.add({std::to_string(i + 1), std::to_string(cluster.members.size()),
               comparison.roles[cluster.representative].label});
  }
  out += table.to_text() + "\n";
  std::vector<std::size_t> alone;
  for (std::size_t i = 0; i < comparison.clusters.size(); ++i) {
    const RoleCluster& cluster = comparison.clusters[i];
    if (cluster.members.size() == 1) {
      alone.push_back(cluster.members.front());
    } else {
      out += fmt::format("- Cluster {}: {}\n", i + 1, named(comparison, cluster.members));
    }
  }
  out += alone.empty()
             ? "- Outliers: none; every role is like another\n"
             : fmt::format("- Outliers, like no other role: {}\n", named(comparison, alone));
  if (!comparison.without_metrics.empty()) {
    out += fmt::format("- Not compared, because no row of theirs names a metric: {}\n",
                       named(comparison, comparison.without_metrics));
  }
  return out + "\n";
}

std::string pair_section(const RolesComparison& comparison) {
  std::string out = "## Pairs that differ\n\n";
  if (comparison.pairs.empty()) return out + "None.\n";
  PipeTable table({"Rank", "Suspicion Score", "First", "Second", "Alert"});
  for (std::size_t i = 0; i < std::min(comparison.pairs.size(), kMostPairs); ++i) {
    const RolePair& pair = comparison.pairs[i];
    table.add({std::to_string(i + 1), fmt::format("{:.4f}", pair.suspicion),
               comparison.roles[pair.normal].label, comparison.roles[pair.abnormal].label,
               pair.suspicion > comparison.warning_threshold ? "yes" : ""});
  }
  out += table.to_text();
  if (comparison.pairs.size() > kMostPairs) {
    out += fmt::format("\n{} more pairs differ.\n", comparison.pairs.size() - kMostPairs);
  }
  return out;
}

/// Two levels lower, under the heading of the pairs.
std::string with_lower_headings(const std::string& markdown) {
  std::string out;
  bool line_begins = true;
  for (const char c : markdown) {
    if (line_begins && c == '#') out += "##";
    out.push_back(c);
    line_begins = c == '\n';
  }
  return out;
}

}  // namespace

std::string roles_overview(const RolesComparison& comparison) {
  std::string out = fmt::format(
      "# Exploratory Comparison of {} Roles\n\n"
      "Roles whose highest **Suspicion Score** is below {:g}{} are alike; a cluster's "
      "representative "
      "is the one whose cycles vary least. Pairs above {:g} are alerts.\n\n",
      comparison.roles.size(), comparison.threshold,
      comparison.threshold_fitted ? " (where the scores part)" : "", comparison.warning_threshold);
  return out + cluster_sections(comparison) + pair_section(comparison);
}

std::string roles_markdown(const RolesComparison& comparison) {
  std::string out = roles_overview(comparison);
  for (const ClassicReport& report : comparison.reports) {
    out += "\n" + with_lower_headings(classic_markdown(report));
  }
  if (comparison.reports.size() < comparison.pairs.size()) {
    out += fmt::format("The first {} of {} pairs are reported.\n", comparison.reports.size(),
                       comparison.pairs.size());
  }
  return out;
}

}  // namespace tactus

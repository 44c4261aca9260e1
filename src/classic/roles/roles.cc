#include "classic/roles/roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <tuple>

#include "base/parallel.h"
#include "classic/report_names.h"
#include "classic/roles/role_clusters.h"
#include "classic/roles/role_labels.h"
#include "classic/roles/role_profile.h"

namespace tactus {
namespace {

/// The roles of all files with their patterns, in the order of their labels.
struct Roles {
  std::vector<ClassicRole> roles;
  std::vector<RolePatterns> patterns;
};

Roles collect_roles(std::span<const PatternFile> files, unsigned threads) {
  std::vector<std::vector<RolePatterns>> of_files(files.size());
  parallel_for(threads, files.size(),
               [&](std::size_t i, unsigned) { of_files[i] = read_roles(*files[i].run); });

  std::vector<RoleOrigin> origins;
  std::vector<std::pair<std::size_t, std::size_t>> places;  // file, role in it
  for (std::size_t file = 0; file < files.size(); ++file) {
    for (std::size_t i = 0; i < of_files[file].size(); ++i) {
      const RolePatterns& role = of_files[file][i];
      origins.push_back({files[file].path, std::string(role.host), role.pid});
      places.emplace_back(file, i);
    }
  }
  const std::vector<std::string> labels = label_roles(origins);
  std::vector<std::size_t> order(origins.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return labels[a] < labels[b]; });

  Roles all;
  for (const std::size_t i : order) {
    const auto [file, place] = places[i];
    all.roles.push_back({.label = labels[i],
                         .run = files[file].run,
                         .pid = origins[i].pid,
                         .host = origins[i].host});
    all.patterns.push_back(std::move(of_files[file][place]));
  }
  return all;
}

/// The member whose cycles vary least; the first of equals. A member with fewer than two cycles
/// says nothing about that and is used only if all members are like this.
std::size_t representative_of(const std::vector<std::size_t>& members,
                              std::span<const RolePatterns> patterns) {
  return *std::min_element(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
    const auto rank = [&](std::size_t role) {
      return std::tuple(patterns[role].cycle_us.size() < 2, patterns[role].cycle_us_stddev, role);
    };
    return rank(a) < rank(b);
  });
}

std::vector<RolePair> differing_pairs(const std::vector<RoleCluster>& clusters,
                                      const RoleScore& score, double threshold, unsigned threads) {
  std::vector<std::vector<RolePair>> of_first(clusters.size());
  parallel_for(threads, clusters.size(), [&](std::size_t first, unsigned) {
    for (std::size_t second = first + 1; second < clusters.size(); ++second) {
      const std::size_t normal =
          std::min(clusters[first].representative, clusters[second].representative);
      const std::size_t abnormal =
          std::max(clusters[first].representative, clusters[second].representative);
      const double suspicion = score(normal, abnormal);
      if (suspicion >= threshold) of_first[first].push_back({normal, abnormal, suspicion});
    }
  });
  std::vector<RolePair> pairs;
  for (const std::vector<RolePair>& some : of_first) {
    pairs.insert(pairs.end(), some.begin(), some.end());
  }
  std::sort(pairs.begin(), pairs.end(), [](const RolePair& a, const RolePair& b) {
    return std::tuple(-a.suspicion, a.normal, a.abnormal) <
           std::tuple(-b.suspicion, b.normal, b.abnormal);
  });
  return pairs;
}

std::vector<ClassicReport> report_pairs(const RolesComparison& comparison, std::size_t most,
                                        unsigned threads) {
  std::vector<ClassicReport> reports(std::min(most, comparison.pairs.size()));
  std::vector<std::string> stems;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const RolePair& pair = comparison.pairs[i];
    stems.push_back(file_name_of(fmt::format("exploratory_compare_{}_vs_{}",
                                             comparison.roles[pair.normal].label,
                                             comparison.roles[pair.abnormal].label)));
  }
  make_unique(stems);
  parallel_for(threads, reports.size(), [&](std::size_t i, unsigned) {
    const ClassicRole& normal = comparison.roles[comparison.pairs[i].normal];
    const ClassicRole& abnormal = comparison.roles[comparison.pairs[i].abnormal];
    reports[i] = compare_classic(normal, abnormal);
    reports[i].title =
        fmt::format("Exploratory Comparison: {} vs {}", normal.label, abnormal.label);
    reports[i].file_stem = stems[i];
  });
  return reports;
}

}  // namespace

RolesComparison compare_roles(std::span<const PatternFile> files, const RoleOptions& options) {
  Roles all = collect_roles(files, options.threads);
  const std::vector<RoleProfile> profiles = make_profiles(all.patterns, options.threads);
  RolesComparison comparison{.roles = std::move(all.roles),
                             .warning_threshold = options.warning_threshold};
  std::vector<std::size_t> compared;
  for (std::size_t role = 0; role < profiles.size(); ++role) {
    // A role without metrics has no score with any other and would look similar to all of them.
    (profiles[role].entries.empty() ? comparison.without_metrics : compared).push_back(role);
  }

  const RoleScore score = [&](std::size_t normal, std::size_t abnormal) {
    return highest_suspicion(profiles[normal], profiles[abnormal]);
  };
  const Clusters found =
      find_clusters(compared.size(),
                    [&](std::size_t a, std::size_t b) { return score(compared[a], compared[b]); },
                    {.threshold = options.similarity_threshold,
                     .fit_threshold = options.fit_threshold,
                     .threads = options.threads});
  comparison.threshold = found.threshold;
  comparison.threshold_fitted = found.threshold != options.similarity_threshold;

  std::map<std::size_t, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < compared.size(); ++i) members[found.leader[i]].push_back(compared[i]);
  for (auto& [leader, roles] : members) {
    const std::size_t representative = representative_of(roles, all.patterns);
    comparison.clusters.push_back({representative, std::move(roles)});
  }
  comparison.pairs =
      differing_pairs(comparison.clusters, score, comparison.threshold, options.threads);
  comparison.reports = report_pairs(comparison, options.most_reports, options.threads);
  return comparison;
}

}  // namespace tactus

#include "classic/roles/roles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "classic/roles/role_clusters.h"
#include "classic/roles/role_labels.h"
#include "classic/roles/role_profile.h"
#include "patterns/pattern_text.h"
#include "views/classic/classic_view.h"

namespace tactus {
namespace {

using testing::import_patterns;
using Names = std::vector<std::string>;

/// Rows of one process whose function takes about this share of a cycle.
std::string role_rows(int pid, double share, const std::string& host = "", double jitter_us = 0) {
  std::string rows;
  for (int cycle = 1; cycle <= 4; ++cycle) {
    const double beta = share + 0.01 * (cycle % 2);
    for (const char* function : {"gemm", "copy"}) {
      rows += std::to_string(cycle) + "," + std::to_string(pid) + "," + host + "," +
              std::to_string(beta) + "," + function + ",gpu_usage,GPU 0,50," +
              std::to_string(1000 + jitter_us * cycle) + "\n";
    }
  }
  return rows;
}

std::vector<Names> cluster_labels(const RolesComparison& comparison) {
  std::vector<Names> clusters;
  for (const RoleCluster& cluster : comparison.clusters) {
    Names names;
    for (const std::size_t role : cluster.members) names.push_back(comparison.roles[role].label);
    clusters.push_back(names);
  }
  return clusters;
}

TEST(Roles, that_behave_alike_are_one_cluster_and_the_odd_one_is_told) {
  const auto run = import_patterns(role_rows(1, 10) + role_rows(2, 10.001) + role_rows(3, 30) +
                                   role_rows(4, 10));
  const PatternFile file{"job_perf_data.csv", &run};
  const RolesComparison comparison = compare_roles({&file, 1}, {});
  EXPECT_EQ(cluster_labels(comparison),
            (std::vector<Names>{{"job_perf_data_1", "job_perf_data_2", "job_perf_data_4"},
                                {"job_perf_data_3"}}));
  ASSERT_EQ(comparison.pairs.size(), 1U);
  EXPECT_GT(comparison.pairs[0].suspicion, 50);
  ASSERT_EQ(comparison.reports.size(), 1U);
  EXPECT_EQ(comparison.reports[0].file_stem,
            "exploratory_compare_job_perf_data_1_vs_job_perf_data_3");
  EXPECT_NEAR(comparison.reports[0].rows[0].suspicion, comparison.pairs[0].suspicion, 1e-9);

  const std::string text = roles_markdown(comparison);
  EXPECT_NE(text.find("Outliers, like no other role: `job_perf_data_3`"), std::string::npos);
  EXPECT_NE(text.find("\n### Exploratory Comparison: job_perf_data_1 vs"), std::string::npos);
  EXPECT_NE(text.find("\n#### 1. High-Level Performance Summary\n"), std::string::npos);
  EXPECT_EQ(roles_overview(comparison).find("High-Level"), std::string::npos);
}

TEST(Roles, are_represented_by_the_one_whose_cycles_vary_least) {
  const auto run = import_patterns(role_rows(1, 10, "", 50) + role_rows(2, 10, "", 5) +
                                   role_rows(3, 10, "", 90));
  const PatternFile file{"job.csv", &run};
  const RolesComparison comparison = compare_roles({&file, 1}, {});
  ASSERT_EQ(comparison.clusters.size(), 1U);
  EXPECT_EQ(comparison.roles[comparison.clusters[0].representative].label, "job_2");
  EXPECT_TRUE(comparison.pairs.empty());
}

TEST(Roles, with_and_without_a_host_name_are_kept_apart) {
  const auto run = import_patterns(role_rows(1, 10) + role_rows(1, 60, "node-a"));
  const PatternFile file{"job.csv", &run};
  const RolesComparison comparison = compare_roles({&file, 1}, {});
  ASSERT_EQ(comparison.clusters.size(), 2U);
  ASSERT_EQ(comparison.reports.size(), 1U);
  EXPECT_EQ(comparison.reports[0].labels[0], "job_1");
  EXPECT_EQ(comparison.reports[0].labels[1], "job_node-a_1");
  EXPECT_EQ(comparison.reports[0].cycle_us[0].size(), 4U);
  EXPECT_NEAR(comparison.reports[0].rows[0].beta[1], 60.005, 1e-9);
}

TEST(Roles, without_metrics_join_no_cluster) {
  const auto run = import_patterns("1,1,,4,f,N/A,Host,,9\n" + role_rows(2, 10) + role_rows(3, 70));
  const PatternFile file{"job.csv", &run};
  const RolesComparison comparison = compare_roles({&file, 1}, {});
  EXPECT_EQ(comparison.without_metrics, std::vector<std::size_t>{0});
  EXPECT_EQ(comparison.clusters.size(), 2U);
  EXPECT_NE(roles_overview(comparison).find("Not compared"), std::string::npos);
}

TEST(Roles, of_nothing_are_nothing) {
  const auto run = import_patterns("");
  const PatternFile file{"job.csv", &run};
  const RolesComparison comparison = compare_roles({&file, 1}, {});
  EXPECT_TRUE(comparison.roles.empty());
  EXPECT_FALSE(roles_markdown(comparison).empty());
}

TEST(Roles, are_clustered_alike_for_any_number_of_threads_and_order_of_files) {
  std::vector<tactus::Run> runs;
  std::mt19937 random(3);
  for (int i = 0; i < 40; ++i) {
    runs.push_back(
        import_patterns(role_rows(i, 10.0 * (1 + static_cast<int>(random() % 3)) + 0.0001 * i)));
  }
  std::vector<PatternFile> files;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    files.push_back({"rank" + std::to_string(i) + ".csv", &runs[i]});
  }
  const std::string one = roles_markdown(compare_roles(files, {.threads = 1}));
  std::shuffle(files.begin(), files.end(), random);
  EXPECT_EQ(roles_markdown(compare_roles(files, {.threads = 4})), one);
}

TEST(RoleProfile, scores_a_pair_as_its_report_does) {
  const auto run =
      import_patterns(role_rows(1, 10) + role_rows(2, 14, "", 3) + "1,2,,9,only_here,m,Host,1,9\n");
  const std::vector<RolePatterns> roles = read_roles(run);
  const std::vector<RoleProfile> profiles = make_profiles(roles, 1);
  const ClassicReport report =
      compare_classic({.label = "a", .run = &run, .pid = 1}, {.label = "b", .run = &run, .pid = 2});
  EXPECT_DOUBLE_EQ(highest_suspicion(profiles[0], profiles[1]), report.rows[0].suspicion);
  EXPECT_EQ(highest_suspicion(profiles[0], profiles[0]), 0);
}

TEST(RoleLabels, take_folders_in_front_where_files_have_one_name) {
  const std::vector<RoleOrigin> roles = {{"x/normal/r.csv", "h", 1},
                                         {"x/abnormal/r.csv", "h", 1},
                                         {"x/abnormal/s.csv", "", 2},
                                         {"x/abnormal/s.csv", "", 2}};
  EXPECT_EQ(label_roles(roles),
            (Names{"normal_r_h_1", "abnormal_r_h_1", "x_abnormal_s_2", "x_abnormal_s_2_v2"}));
}

TEST(GapThreshold, lies_where_scores_clearly_part) {
  const std::vector<double> parted = {1, 1.1, 1.2, 1.3, 1.4, 6.5, 900, 905, 910, 915, 920};
  EXPECT_EQ(gap_threshold(parted), 0) << "one gap is not five times the next";
  const std::vector<double> clear = {6.1, 6.2, 6.3, 6.4, 6.5, 900, 905, 910, 915, 920};
  EXPECT_EQ(gap_threshold(clear), 7);
  const std::vector<double> from_zero = {0, 0, 0, 0, 0, 0, 0, 0, 0, 40};
  EXPECT_EQ(gap_threshold(from_zero), 20);
  EXPECT_EQ(gap_threshold(std::vector<double>{6, 900}), 0) << "too few";
  EXPECT_EQ(gap_threshold(std::vector<double>(20, 6)), 0);
  std::vector<double> noise(20, 6000);
  noise.back() = 6001;
  EXPECT_EQ(gap_threshold(noise), 0) << "scores that hardly differ are one group";
}

TEST(Clusters, raise_their_threshold_to_the_gap_and_start_again) {
  // Two groups of 20: 8 apart within, 5,000 between.
  const auto score = [](std::size_t a, std::size_t b) { return a / 20 == b / 20 ? 8.0 : 5000.0; };
  const Clusters fitted = find_clusters(40, score, {});
  EXPECT_EQ(fitted.threshold, 8) << "the first whole number from the low side of the gap";
  const Clusters plain = find_clusters(40, score, {.fit_threshold = false});
  EXPECT_EQ(plain.threshold, 5);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(plain.leader[i], i);
  const auto near = [&](std::size_t a, std::size_t b) {
    return score(a, b) + static_cast<double>(a + b) * 0.01;
  };
  const Clusters merged = find_clusters(40, near, {});
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(merged.leader[i], i / 20 * 20) << i;
}

}  // namespace
}  // namespace tactus

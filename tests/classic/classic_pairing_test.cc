#include "classic/classic_pairing.h"

#include <gtest/gtest.h>

#include "classic/report_names.h"
#include "patterns/pattern_text.h"

namespace tactus {
namespace {

using testing::import_patterns;

std::string rows_of(std::initializer_list<int> pids) {
  std::string rows;
  for (const int pid : pids) rows += "1," + std::to_string(pid) + ",,4,f,m,Host,1,9\n";
  return rows;
}

std::vector<std::string> stems(const std::vector<ClassicPair>& pairs) {
  std::vector<std::string> names;
  for (const ClassicPair& pair : pairs) names.push_back(pair.file_stem);
  return names;
}

using Names = std::vector<std::string>;

TEST(ClassicPairing, compares_processes_of_both_runs_with_themselves) {
  const auto normal = import_patterns(rows_of({9, 5, 7}));
  const auto abnormal = import_patterns(rows_of({5, 9}));
  const auto pairs = pair_processes({"n.csv", &normal}, {"a.csv", &abnormal}, "A/b c");
  EXPECT_EQ(stems(pairs), (Names{"A_b_c_pid5_strict_comparison", "A_b_c_pid9_strict_comparison"}));
  EXPECT_EQ(pairs[0].title, "Strict Performance Comparison: A/b c (PID: 5)");
  EXPECT_EQ(pairs[0].normal.label, "normal");
  EXPECT_EQ(pairs[0].abnormal.label, "abnormal");
}

TEST(ClassicPairing, compares_what_is_left_on_both_sides_each_with_each) {
  const auto normal = import_patterns(rows_of({1, 2, 3}));
  const auto abnormal = import_patterns(rows_of({3, 8, 9}));
  const auto pairs = pair_processes({"n.csv", &normal}, {"a.csv", &abnormal}, "c");
  EXPECT_EQ(stems(pairs),
            (Names{"c_pid3_strict_comparison", "c_n_pid1_vs_a_pid8_cross_comparison",
                   "c_n_pid1_vs_a_pid9_cross_comparison", "c_n_pid2_vs_a_pid8_cross_comparison",
                   "c_n_pid2_vs_a_pid9_cross_comparison"}));
  EXPECT_EQ(pairs[1].title, "Cross Performance Comparison: c (Normal PID:1 vs Abnormal PID:8)");
  EXPECT_EQ(pairs[1].normal.label, "normal_pid_1");
  EXPECT_EQ(pairs[1].abnormal.label, "abnormal_pid_8");
}

TEST(ClassicPairing, reads_pids_that_were_written_as_floats) {
  const auto normal = import_patterns("1,2.520152e+06,,4,f,m,Host,1,9\n");
  const auto abnormal = import_patterns("1,2520152,,4,f,m,Host,1,9\n");
  EXPECT_EQ(stems(pair_processes({"n.csv", &normal}, {"a.csv", &abnormal}, "c")),
            Names{"c_pid2520152_strict_comparison"});
}

TEST(ClassicPairing, of_a_run_without_rows_is_empty) {
  const auto normal = import_patterns("");
  const auto abnormal = import_patterns(rows_of({1}));
  EXPECT_TRUE(pair_processes({"n.csv", &normal}, {"a.csv", &abnormal}, "c").empty());
}

TEST(ClassicPairing, matches_files_by_job_and_phase) {
  const auto run = import_patterns(rows_of({1}));
  const auto pairs_of = [&](const Names& normal, const Names& abnormal) {
    std::vector<PatternFile> files[2];
    for (const std::string& name : normal) files[0].push_back({"n/" + name, &run});
    for (const std::string& name : abnormal) files[1].push_back({"a/" + name, &run});
    return stems(pair_case(files[0], files[1], "c"));
  };
  EXPECT_EQ(pairs_of({"j_prefill_perf_data.csv", "j_decode_perf_data.csv"},
                     {"j_decode_perf_data.csv", "j_prefill_perf_data.csv"}),
            (Names{"c_prefill_pid1_strict_comparison", "c_decode_pid1_strict_comparison"}));
  EXPECT_EQ(pairs_of({"j_decode_perf_data.csv"}, {"j_perf_data.csv"}),
            Names{"c_decode_pid1_strict_comparison"});
  EXPECT_EQ(pairs_of({"j_perf_data.csv"}, {"j_decode_perf_data.csv"}),
            Names{"c_pid1_strict_comparison"});
  EXPECT_EQ(pairs_of({"j_prefill_perf_data.csv"}, {"j_perf_data.csv"}), Names{});
  EXPECT_EQ(pairs_of({"j_layer_perf_data.csv"}, {"j_layer_perf_data.csv"}), Names{});
  EXPECT_EQ(pairs_of({"j_perf_data.csv"}, {"k_perf_data.csv"}), Names{});
  EXPECT_EQ(
      pairs_of({"j_perf_data.csv", "k_perf_data.csv"}, {"j_perf_data.csv", "k_perf_data.csv"}),
      (Names{"c_pid1_strict_comparison", "c_pid1_strict_comparison_v2"}))
      << "the second job must not overwrite the report of the first";
}

TEST(ReportNames, are_safe_as_file_names) {
  EXPECT_EQ(file_name_of("a:b/c\\d e.f-g_h"), "a_b_c_d_e.f-g_h");
  EXPECT_EQ(file_name_of("../x"), ".._x");
  const std::string longer = file_name_of(std::string(1000, 'a'));
  EXPECT_LT(longer.size(), 200U);
  EXPECT_NE(longer, file_name_of(std::string(1001, 'a')));
}

TEST(ReportNames, are_made_unique_without_taking_one_that_is_there) {
  Names names = {"a", "a", "a_v2", "a", "b"};
  make_unique(names);
  EXPECT_EQ(names, (Names{"a", "a_v3", "a_v2", "a_v4", "b"}));
}

}  // namespace
}  // namespace tactus

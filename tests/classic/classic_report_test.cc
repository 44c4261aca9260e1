#include "classic/classic_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "base/progress.h"
#include "classic/classic_pairing.h"
#include "patterns/pattern_text.h"
#include "sources/perf_data/cases.h"
#include "sources/sources.h"
#include "sources/text/csv_reader.h"
#include "views/classic/classic_view.h"

namespace tactus {
namespace {

using testing::import_patterns;
using testing::TextInput;

ClassicReport compare(const Run& normal, const Run& abnormal, std::int64_t pid = 7) {
  return compare_classic({.label = "normal", .run = &normal, .pid = pid},
                         {.label = "abnormal", .run = &abnormal, .pid = pid});
}

constexpr const char* kNormalRows =
    "1,7,,10.0,gemm,gpu_usage,GPU 0,5,1000\n"
    "2,7,,12.0,gemm,gpu_usage,GPU 0,7,1100\n"
    "3,7,,11.0,gemm,gpu_usage,GPU 0,6,1200\n"
    "1,7,,1.5,wait,N/A,Host,,1000\n";
constexpr const char* kAbnormalRows =
    "1,7,,20.0,gemm,gpu_usage,GPU 0,5,2000\n"
    "2,7,,22.0,gemm,gpu_usage,GPU 0,9,2100\n"
    "1,7,,3.0,copy,gpu_usage,,4,2000\n"
    "3,7,,1.5,wait,N/A,Host,,2500\n";

TEST(Classic, compares_means_and_deviations_of_each_function_metric_and_device) {
  const auto normal = import_patterns(kNormalRows);
  const auto abnormal = import_patterns(kAbnormalRows);
  const ClassicReport report = compare(normal, abnormal);
  ASSERT_EQ(report.rows.size(), 2U);
  const ClassicRow& gemm = report.rows[0];
  EXPECT_EQ(gemm.function, "gemm");
  EXPECT_EQ(gemm.device, "GPU 0");
  EXPECT_DOUBLE_EQ(gemm.beta[0], 11);
  EXPECT_DOUBLE_EQ(gemm.beta[1], 21);
  EXPECT_DOUBLE_EQ(gemm.beta_z, 10);
  EXPECT_DOUBLE_EQ(gemm.mu[0], 6);
  EXPECT_DOUBLE_EQ(gemm.mu[1], 7);
  EXPECT_DOUBLE_EQ(gemm.mu_z, 1);
  EXPECT_NEAR(gemm.beta_u_p, 0.2, 1e-12);
  EXPECT_GT(gemm.beta_p, 0);
  EXPECT_LT(gemm.beta_p, 0.05);
  EXPECT_DOUBLE_EQ(gemm.suspicion, 10 * (10 + std::abs(gemm.log_mu_z)));
}

TEST(Classic, takes_a_side_that_lacks_a_row_as_zero_and_a_missing_device_as_na) {
  const auto normal = import_patterns(kNormalRows);
  const auto abnormal = import_patterns(kAbnormalRows);
  const ClassicRow copy = compare(normal, abnormal).rows[1];
  EXPECT_EQ(copy.device, "N/A");
  EXPECT_EQ(copy.beta[0], 0);
  EXPECT_EQ(copy.beta[1], 3);
  EXPECT_EQ(copy.beta_z, 0);
  EXPECT_EQ(copy.suspicion, 0);
  EXPECT_EQ(copy.beta_p, 1);
  EXPECT_EQ(copy.beta_u_p, 1);
}

TEST(Classic, leaves_rows_without_a_metric_out_but_counts_their_cycles) {
  const auto normal = import_patterns(kNormalRows);
  const auto abnormal = import_patterns(kAbnormalRows);
  const ClassicReport report = compare(normal, abnormal);
  for (const ClassicRow& row : report.rows) EXPECT_NE(row.function, "wait");
  EXPECT_EQ(report.cycle_us[0], (std::vector<double>{1200, 1100, 1000}));
  EXPECT_EQ(report.cycle_us[1], (std::vector<double>{2500, 2100, 2000}));
}

TEST(Classic, sorts_by_suspicion_and_then_by_name) {
  const auto normal = import_patterns(
      "1,7,,1,b,m,Host,1,9\n2,7,,2,b,m,Host,1,9\n1,7,,1,a,m,Host,1,9\n2,7,,2,a,m,Host,1,9\n"
      "1,7,,1,a,k,Host,1,9\n2,7,,2,a,k,Host,1,9\n1,7,,1,z,m,Host,1,9\n2,7,,5,z,m,Host,1,9\n");
  const auto abnormal = import_patterns(
      "1,7,,8,b,m,Host,1,9\n1,7,,8,a,m,Host,1,9\n1,7,,8,a,k,Host,1,9\n1,7,,90,z,m,Host,1,9\n");
  std::vector<std::string> order;
  for (const ClassicRow& row : compare(normal, abnormal).rows) {
    order.push_back(row.function + row.metric);
  }
  EXPECT_EQ(order, (std::vector<std::string>{"zm", "ak", "am", "bm"}));
}

TEST(Classic, reads_missing_levels_as_zero_and_skips_missing_shares) {
  const auto normal = import_patterns("1,7,,4,f,m,Host,,9\n2,7,,NaN,f,m,Host,6,9\n");
  const ClassicReport report = compare(normal, normal);
  ASSERT_EQ(report.rows.size(), 1U);
  EXPECT_EQ(report.rows[0].beta[0], 4);
  EXPECT_EQ(report.rows[0].mu[0], 3);
}

TEST(Classic, counts_a_cycle_that_comes_twice_once) {
  const auto normal = import_patterns(
      "1,7,,4,f,m,Host,1,9\n1,7,,5,f,m,Host,1,9\n1,7,,6,g,m,Host,1,9\n2,7,,6,g,m,Host,1,9\n");
  const ClassicReport report = compare(normal, normal);
  EXPECT_EQ(report.cycle_us[0].size(), 2U);
  const ClassicRow& f = report.rows[0];
  EXPECT_EQ(f.function, "f");
  EXPECT_EQ(f.beta_p, 1) << "two rows of one cycle are one sample for the t-test";
}

TEST(Classic, of_one_cycle_or_of_none_is_a_report_without_findings) {
  const auto one = import_patterns("1,7,,4,f,m,Host,1,9\n");
  const std::string text = classic_markdown(compare(one, one));
  EXPECT_NE(text.find("Nothing stands out"), std::string::npos);
  EXPECT_NE(text.find("| Total Cycles"), std::string::npos);
  const auto none = import_patterns("");
  const ClassicReport report = compare(none, one);
  EXPECT_EQ(report.rows.size(), 1U);
  EXPECT_NE(classic_markdown(compare(none, none)).find("## 5. Legend"), std::string::npos);
}

TEST(Classic, keeps_hosts_apart_where_one_is_named) {
  const auto run = import_patterns("1,7,a,4,f,m,Host,1,9\n1,7,b,8,f,m,Host,1,9\n");
  const auto share = [&](std::optional<std::string> host) {
    const ClassicRole role{.label = "r", .run = &run, .pid = 7, .host = std::move(host)};
    const ClassicReport report = compare_classic(role, role);
    return report.rows.empty() ? -1 : report.rows[0].beta[0];
  };
  EXPECT_EQ(share("a"), 4);
  EXPECT_EQ(share("b"), 8);
  EXPECT_EQ(share(std::nullopt), 6);
  EXPECT_EQ(share("nowhere"), -1);
}

TEST(ClassicCsv, has_seventeen_columns_six_decimals_and_empty_cells_for_no_number) {
  const auto run =
      import_patterns("1,7,,4,\"f<int, 4>\",m,Host,1,9\n2,7,,5,\"f<int, 4>\",m,Host,1,9\n");
  EXPECT_EQ(classic_csv(compare(run, run)),
            "Function Name,Metric Name,Device,Suspicion Score,β_normal(%),β_abnormal(%),Δβ(%),"
            "Z-Score(β),p-value(β),U-test p(β),μ_normal,μ_abnormal,Δμ,Z-Score(μ),Z-Score(log_μ),"
            "p-value(μ),U-test p(μ)\n"
            "\"f<int, 4>\",m,Host,0.000000,4.500000,4.500000,0.000000,0.000000,1.000000,1.000000,"
            "1.000000,1.000000,0.000000,0.000000,0.000000,,1.000000\n");
}

TEST(ClassicMarkdown, names_what_changed_most_and_the_levels_beside_it) {
  const auto normal = import_patterns(kNormalRows);
  const auto abnormal = import_patterns(kAbnormalRows);
  ClassicReport report = compare(normal, abnormal);
  report.title = "Strict Performance Comparison: case (PID: 7)";
  const std::string text = classic_markdown(report);
  for (
      const char* part :
      {"# Strict Performance Comparison: case (PID: 7)\n\n## 1. High-Level Performance Summary\n\n",
       "| Avg Cycle Time (us) | 1,100.00 | 2,200.00   | 1,100.00                | +100.00%     |\n",
       "|   Time Rank |   normal Time (us) |   abnormal Time (us) | Δ (us)   | Δ (%)    |\n",
       "|           1 |           1,200.00 |             2,500.00 | 1,300.00 | +108.33% |\n",
       "**`gemm`**: there is a notable increase",
       "### Key Findings:\n- **`gemm` on device `GPU 0`:**\n",
       "from **11.00%** to **21.00%** (+10.00 ppt)",
       "    - **`gpu_usage`**: increased from 6.00 to 7.00.\n", "### Detailed comparison table\n",
       "\n## 5. Legend\n- **β (Beta)**"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in\n" << text;
  }
  EXPECT_EQ(text.find('\r'), std::string::npos);
}

using Table = std::map<std::string, std::vector<std::string>>;

/// The rows of a report by their names; its file may end lines with CR LF.
Table read_table(InputBytes& bytes) {
  Table table;
  Result<CsvReader> csv = CsvReader::open(bytes);
  EXPECT_TRUE(csv);
  while (csv) {
    const Result<bool> more = csv->next();
    if (!more || !*more) break;
    const auto fields = csv->fields();
    std::string name;
    for (const std::string_view part : fields.first(3)) name.append(part).append("|");
    for (const std::string_view field : fields.subspan(3)) table[name].emplace_back(field);
  }
  return table;
}

bool agree(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a == b;
  const double x = std::stod(a);
  const double y = std::stod(b);
  return std::abs(x - y) <= std::max(2e-6, 1e-6 * std::abs(x));
}

/// How many cells of a published report differ from ours.
std::size_t differing_cells(const std::string& published, const ClassicReport& report) {
  Result<std::unique_ptr<InputBytes>> file = InputBytes::open(published);
  TextInput ours_text(classic_csv(report));
  if (!file) return std::string::npos;
  const Table theirs = read_table(**file);
  const Table ours = read_table(ours_text.bytes());
  EXPECT_EQ(ours.size(), theirs.size());
  std::size_t differing = 0;
  for (const auto& [name, cells] : theirs) {
    const auto row = ours.find(name);
    EXPECT_TRUE(row != ours.end()) << name;
    if (row == ours.end()) continue;
    for (std::size_t i = 0; i < cells.size(); ++i) differing += !agree(cells[i], row->second[i]);
  }
  return differing;
}

TEST(Classic, reproduces_the_published_reports) {
  const auto folder = testing::shared_file("data/compare-cases");
  if (!folder) GTEST_SKIP() << "no shared/data/compare-cases";
  const auto cases = perf_data::find_cases(*folder);
  ASSERT_TRUE(cases);
  NoProgress progress;
  std::size_t reports = 0;
  for (const perf_data::CaseFiles& found : *cases) {
    ASSERT_EQ(found.normal.size(), 1U);
    ASSERT_EQ(found.abnormal.size(), 1U);
    const auto normal = import_run({.inputs = found.normal}, progress);
    const auto abnormal = import_run({.inputs = found.abnormal}, progress);
    ASSERT_TRUE(normal && abnormal);
    const PatternFile files[2] = {{found.normal[0], &normal->run},
                                  {found.abnormal[0], &abnormal->run}};
    const std::string identifier =
        "Processed" + found.identifier.substr(found.identifier.find('/'));
    for (const ClassicPair& pair : pair_processes(files[0], files[1], identifier)) {
      const std::string published = *folder + "/expected/" + pair.file_stem + ".csv";
      if (!std::filesystem::exists(published)) continue;
      ++reports;
      // Six cells of one report hang on a tie that pandas' inexact reading of numbers made.
      EXPECT_LE(differing_cells(published, report_pair(pair)), 6U) << published;
    }
  }
  EXPECT_GE(reports, 4U);
}

}  // namespace
}  // namespace tactus

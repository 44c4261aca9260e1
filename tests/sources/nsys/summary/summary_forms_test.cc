// The forms in which people paste kernel tables.
#include <gtest/gtest.h>

#include <array>

#include "sources/kineto/averages_table.h"
#include "sources/nsys/summary/summary_text.h"
#include "sources/text/text_input.h"

namespace tactus {
namespace {

Result<Run> import(std::string_view text) {
  testing::TextInput input(text);
  RunBuilder builder;
  if (Status imported = nsys::import_summary(input.bytes(), builder); !imported) {
    return imported.error();
  }
  return builder.finish();
}

const KernelTable& table_of(const Result<Run>& run) {
  return *run->kernel_summary;
}

bool warns_of(const Run& run, std::string_view text) {
  for (const std::string& warning : run.warnings) {
    if (warning.find(text) != std::string::npos) return true;
  }
  return false;
}

TEST(SummaryForms, with_frames) {
  const std::string_view text =
      " ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n"
      "\n"
      "+----------+-----------------+-----------+----------+----------+------+\n"
      "| Time (%) | Total Time (ns) | Instances | Avg (ns) | Max (ns) | Name |\n"
      "+----------+-----------------+-----------+----------+----------+------+\n"
      "|     75.0 |             300 |         2 |    150.0 |      200 | f<a> |\n"
      "|     25.0 |             100 |         1 |    100.0 |      100 | g    |\n"
      "+----------+-----------------+-----------+----------+----------+------+\n";
  EXPECT_TRUE(nsys::is_summary(text));
  const auto run = import(text);
  ASSERT_TRUE(run);
  ASSERT_EQ(table_of(run).rows.size(), 2U);
  EXPECT_EQ(table_of(run).rows[0].name, "f<a>");
  EXPECT_EQ(table_of(run).rows[0].max_ns, 200);
  EXPECT_EQ(table_of(run).rows[0].min_ns, std::nullopt);
  EXPECT_EQ(table_of(run).notes.size(), 1U) << "the frame is not a note";
}

TEST(SummaryForms, of_markdown) {
  const auto run = import(
      "| Time (%) | Total Time (ns) | Instances | Name |\n"
      "|---:|---:|:--|---|\n"
      "| 75.0 | 3,000 | 2 | `void f<int>(a \\| b)` |\n"
      "| 25.0 | 1,000 | 1 | **g** |\n");
  ASSERT_TRUE(run);
  ASSERT_EQ(table_of(run).rows.size(), 2U);
  EXPECT_EQ(table_of(run).rows[0].name, "void f<int>(a | b)");
  EXPECT_EQ(table_of(run).rows[0].avg_ns, 1500);
  EXPECT_EQ(table_of(run).rows[1].name, "g");
  EXPECT_TRUE(table_of(run).notes.empty());
}

TEST(SummaryForms, of_json) {
  const std::string_view text =
      "[\n"
      "{\"Time (%)\":60.0,\"Total Time (ns)\":600,\"Instances\":2,\"Avg (ns)\":300.0,"
      "\"Min (ns)\":200,\"Name\":\"f\"},\n"
      "{\"Time (%)\":40.0,\"Total Time (ns)\":400,\"Instances\":1,\"Avg (ns)\":400.0,"
      "\"Min (ns)\":400,\"Name\":\"g \\\"h\\\"\"}\n"
      "]\n";
  EXPECT_TRUE(nsys::is_summary(text));
  const auto run = import(text);
  ASSERT_TRUE(run);
  ASSERT_EQ(table_of(run).rows.size(), 2U);
  EXPECT_EQ(table_of(run).rows[0].min_ns, 200);
  EXPECT_EQ(table_of(run).rows[1].name, "g \"h\"");
  EXPECT_EQ(table_of(run).total_ns, 1000);
  EXPECT_FALSE(nsys::is_summary("[\n{\"ph\":\"X\",\"name\":\"Total Time\",\"ts\":1}\n]\n"));
}

TEST(SummaryForms, with_categories) {
  const auto run = import(
      " Time (%)  Total Time (ns)  Instances   Category             Operation\n"
      " --------  ---------------  ---------  -----------  --------------------------\n"
      "     60.0              600          2  CUDA_KERNEL  void f<int>(int, int)\n"
      "     40.0              400          1  MEMORY_OPER  [CUDA memcpy Host-to-Device]\n");
  ASSERT_TRUE(run);
  ASSERT_EQ(table_of(run).rows.size(), 2U);
  EXPECT_EQ(table_of(run).rows[0].name, "void f<int>(int, int)");
  EXPECT_EQ(table_of(run).rows[1].name, "[CUDA memcpy Host-to-Device]");
}

TEST(SummaryForms, with_the_sizes_of_launches) {
  const auto run = import(
      " Time (%)  Total Time (ns)  Instances     GridXYZ         BlockXYZ      Name\n"
      " --------  ---------------  ---------  --------------  --------------  ------\n"
      "    100.0              600          2   132    8    1   384    1    1  f g\n");
  ASSERT_TRUE(run);
  ASSERT_EQ(table_of(run).rows.size(), 1U);
  const KernelRow& row = table_of(run).rows[0];
  EXPECT_EQ(row.name, "f g");
  EXPECT_EQ(row.grid, (std::array<std::int64_t, 3>{132, 8, 1}));
  EXPECT_EQ(row.block, (std::array<std::int64_t, 3>{384, 1, 1}));
}

TEST(SummaryForms, of_older_versions_have_one_unit_for_all_columns) {
  const auto run = import(
      "CUDA API Statistics:\n\n"
      " Time(%)  Total Time (ns)  Num Calls  Average  Minimum  Maximum   Name\n"
      " -------  ---------------  ---------  -------  -------  -------  ------\n"
      "   100.0               10          1     10.0       10       10  cudaX\n"
      "\nCUDA Kernel Statistics:\n\n"
      " Time(%)  Total Time (ns)  Instances    Average  Minimum  Maximum   Name\n"
      " -------  ---------------  ---------  ---------  -------  -------  ------\n"
      "   100.0           67,652         15    4,510.1    4,469    4,518  f<g>\n");
  ASSERT_TRUE(run);
  ASSERT_EQ(table_of(run).rows.size(), 1U);
  const KernelRow& row = table_of(run).rows[0];
  EXPECT_EQ(row.avg_ns, 4510);
  EXPECT_EQ(row.min_ns, 4469);
  EXPECT_EQ(row.max_ns, 4518);
  EXPECT_EQ(row.med_ns, std::nullopt);
  EXPECT_TRUE(run->repaired.empty());
}

TEST(SummaryForms, of_nvprof) {
  const auto run = import(
      "==96== Profiling result:\n"
      "            Type  Time(%)      Time     Calls       Avg       Min       Max  Name\n"
      " GPU activities:   75.00%  3.0000us         2  1.5000us     512ns  2.4880us  f(int*, int)\n"
      "                   25.00%  1.0000us         1  1.0000us  1.0000us  1.0000us  [CUDA memset]\n"
      "      API calls:   53.00%  148.20ms         2  74.101ms     513ns  148.20ms  cudaMalloc\n"
      "                   35.85%  100.24ms         1  100.24ms  100.24ms  100.24ms  cudaFree\n");
  ASSERT_TRUE(run);
  ASSERT_EQ(table_of(run).rows.size(), 2U);
  EXPECT_EQ(table_of(run).rows[0].name, "f(int*, int)");
  EXPECT_EQ(table_of(run).rows[0].total_ns, 3000);
  EXPECT_EQ(table_of(run).rows[0].min_ns, 512);
  EXPECT_EQ(table_of(run).rows[0].stddev_ns, std::nullopt);
  EXPECT_TRUE(run->repaired.empty());
}

TEST(SummaryForms, of_older_nvprof_have_the_calls_in_a_table_of_their_own) {
  const auto run = import(
      "==7128== Profiling result:\n"
      "Time(%)      Time     Calls       Avg       Min       Max  Name\n"
      "100.00%  2.5211ms        12  210.09us     544ns  2.1360ms  void f<a, b>(int)\n"
      "\n"
      "==7128== API calls:\n"
      "Time(%)      Time     Calls       Avg       Min       Max  Name\n"
      "100.00%  99.341us         3  33.113us  1.0000us  50.000us  cudaMalloc\n");
  ASSERT_TRUE(run);
  ASSERT_EQ(table_of(run).rows.size(), 1U);
  EXPECT_EQ(table_of(run).rows[0].name, "void f<a, b>(int)");
}

TEST(SummaryForms, of_nvprof_as_csv) {
  const auto run = import(
      "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n"
      ",%,ms,,us,us,us,\n"
      "\"GPU activities\",100.0,0.003,2,1.5,0.5,2.5,\"f(int, int)\"\n"
      "\"API calls\",100.0,5.0,1,5000.0,5000.0,5000.0,\"cudaMalloc\"\n");
  ASSERT_TRUE(run);
  ASSERT_EQ(table_of(run).rows.size(), 1U);
  EXPECT_EQ(table_of(run).rows[0].total_ns, 3000);
  EXPECT_EQ(table_of(run).rows[0].max_ns, 2500);
}

TEST(SummaryForms, that_hold_only_the_top_rows_add_up) {
  const auto run = import(
      "Time (%),Total Time (ns),Instances,Avg (ns),Name\n"
      "50.0,5000,1,5000.0,f\n"
      "30.0,3000,1,3000.0,g\n");
  ASSERT_TRUE(run);
  EXPECT_TRUE(run->repaired.empty());
  EXPECT_TRUE(warns_of(*run, "top rows of a larger table"));
  ASSERT_TRUE(table_of(run).whole_ns);
  EXPECT_NEAR(static_cast<double>(*table_of(run).whole_ns), 10000, 20);
}

TEST(SummaryForms, whose_shares_are_of_no_common_total_do_not_add_up) {
  const auto run = import(
      "Time (%),Total Time (ns),Instances,Avg (ns),Name\n"
      "50.0,5000,1,5000.0,f\n"
      "30.0,9000,1,9000.0,g\n");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->repaired.at("inconsistent_row"), 2U);
  EXPECT_FALSE(table_of(run).whole_ns);
}

TEST(SummaryForms, of_torch_are_refused) {
  EXPECT_TRUE(kineto::is_averages_table(
      "-----  -----\n"
      "   Name    Self CPU %   Self CPU   CPU total %  Self CUDA   # of Calls  \n"
      "-----  -----\n"));
  EXPECT_FALSE(kineto::is_averages_table("{\"traceEvents\":[{\"name\":\"Self CPU\"}]}"));
  testing::TextInput input("x");
  const Status refused = kineto::refuse_averages_table(input.bytes());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("export_chrome_trace"), std::string::npos);
}

}  // namespace
}  // namespace tactus

#include "sources/nsys/summary/summary_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "sources/text/text_input.h"

namespace tactus {
namespace {

using testing::TextInput;
using Imported = Result<Run>;

const std::string kHeader = "Time\tTotal Time\tInstances\tAvg\tMed\tMin\tMax\tStdDev\tName\n";

Imported import_summary(InputBytes& bytes) {
  RunBuilder builder;
  if (Status imported = nsys::import_summary(bytes, builder); !imported) return imported.error();
  return builder.finish();
}

Imported import_summary(std::string_view text) {
  TextInput input(text);
  return import_summary(input.bytes());
}

Imported import_seed(const std::string& path) {
  Result<std::unique_ptr<InputBytes>> bytes = InputBytes::open(path);
  if (!bytes) return bytes.error();
  return import_summary(**bytes);
}

/// A row of one instance that takes all of the time.
std::string row(const std::string& name, const std::string& time = "2 ns") {
  std::string text = "100.0%\t" + time + "\t1";
  for (int i = 0; i < 4; ++i) text += "\t" + time;
  return text + "\t0 ns\t" + name + "\n";
}

std::int64_t all_instances(const KernelTable& table) {
  return std::accumulate(
      table.rows.begin(), table.rows.end(), std::int64_t{0},
      [](std::int64_t sum, const KernelRow& kernel) { return sum + kernel.instances; });
}

const KernelRow* find_row(const KernelTable& table, std::string_view name) {
  for (const KernelRow& kernel : table.rows) {
    if (kernel.name == name) return &kernel;
  }
  return nullptr;
}

TEST(NsysSummary, without_its_header_line_is_read_by_the_order_of_the_columns) {
  const std::string rows = row("gemm") + "norm.cuh\t" + row("rms_norm");
  EXPECT_TRUE(nsys::is_summary(rows));
  const Imported run = import_summary(rows + "\na remark\n\nTime\tTotal Time\tInstances\tName\n" +
                                      "0.1%\t2 ns\t1\tcopy\n");
  ASSERT_TRUE(run);
  const KernelTable& table = *run->kernel_summary;
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0].name, "gemm");
  EXPECT_EQ(table.rows[0].line, 1);
  EXPECT_EQ(table.rows[1].typed_source, "norm.cuh");
  EXPECT_TRUE(run->dropped.empty());
  ASSERT_FALSE(run->warnings.empty());
  EXPECT_NE(run->warnings.back().find("in line 1 has no header line"), std::string::npos);
}

TEST(NsysSummary, rows_above_the_table_do_not_stand_for_it) {
  const Imported run = import_summary(row("gemm") + "\n" + kHeader + row("gemm") + row("norm"));
  ASSERT_TRUE(run);
  EXPECT_EQ(run->kernel_summary->rows.size(), 2U);
  ASSERT_EQ(run->kernel_summary->notes.size(), 1U);
  EXPECT_TRUE(run->kernel_summary->notes[0].text.starts_with("100.0%"));
}

TEST(NsysSummary, rows_without_a_header_that_do_not_fit_are_counted) {
  const Imported run =
      import_summary("50.0%\t1 ms\t3\tgemm\n50.0%\t1 ms\t3\tnorm\n\n" + kHeader + row("gemm"));
  ASSERT_TRUE(run);
  EXPECT_EQ(run->kernel_summary->rows.size(), 1U);
  EXPECT_EQ(run->dropped.at("row_without_header"), 2U);
  ASSERT_EQ(run->warnings.size(), 1U);
  EXPECT_NE(run->warnings[0].find("the first is line 1"), std::string::npos);
}

TEST(NsysSummary, is_recognised_by_its_header_wherever_it_stands) {
  EXPECT_TRUE(nsys::is_summary(kHeader));
  EXPECT_TRUE(nsys::is_summary("\xEF\xBB\xBFTime\tTotal Time\tInstances\tName\r\n"));
  EXPECT_TRUE(
      nsys::is_summary("Processing [a.sqlite] ...\n\nTime (%),Total Time (ns),Instances,"
                       "Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"));
  EXPECT_TRUE(nsys::is_summary(" Time (%)  Total Time (ns)  Instances  Avg (ns)    Name  \n"));
  EXPECT_FALSE(nsys::is_summary("Time (%),Total Time (ns),Num Calls,Avg (ns),Name\n"));
  EXPECT_FALSE(nsys::is_summary("Total Time of all Instances by Name\n"));
  EXPECT_FALSE(nsys::is_summary("{\"traceEvents\":[]}"));
  EXPECT_FALSE(nsys::is_summary(""));
}

TEST(NsysSummary, reads_times_to_the_ns) {
  const Imported run = import_summary(
      kHeader +
      "99.9%\t1.266 s\t192\t6.596 ms\t84.724 \u03BCs\t84.7 \u00B5s\t12.387 ms\t7 us\tf\n");
  ASSERT_TRUE(run);
  ASSERT_EQ(run->kernel_summary->rows.size(), 1U);
  const KernelRow& kernel = run->kernel_summary->rows[0];
  EXPECT_EQ(kernel.total_ns, 1'266'000'000);
  EXPECT_EQ(kernel.instances, 192);
  EXPECT_EQ(kernel.avg_ns, 6'596'000);
  EXPECT_EQ(kernel.med_ns, 84'724);
  EXPECT_EQ(kernel.min_ns, 84'700);
  EXPECT_EQ(kernel.max_ns, 12'387'000);
  EXPECT_EQ(kernel.stddev_ns, 7'000);
  EXPECT_DOUBLE_EQ(kernel.time_pct, 99.9);
  EXPECT_EQ(kernel.name, "f");
  EXPECT_EQ(kernel.line, 2);
  EXPECT_EQ(run->kernel_summary->total_ns, 1'266'000'000);
  EXPECT_EQ(run->sources[0].kind, "nsys_table");
  EXPECT_EQ(run->slices.size(), 0U);
}

TEST(NsysSummary, finds_columns_by_their_headings) {
  const Imported run = import_summary(
      "Name\tStdDev\tMax\tMin\tMed\tAvg\tInstances\tTotal Time\tTime\r\n"
      "f\t1 ns\t6 ns\t4 ns\t5 ns\t5 ns\t2\t10 ns\t100.0%\r\n");
  ASSERT_TRUE(run);
  ASSERT_EQ(run->kernel_summary->rows.size(), 1U);
  EXPECT_EQ(run->kernel_summary->rows[0].max_ns, 6);
  EXPECT_EQ(run->kernel_summary->rows[0].total_ns, 10);
  EXPECT_TRUE(run->repaired.empty());
}

TEST(NsysSummary, reads_what_the_command_line_writes_as_csv) {
  const Imported run = import_summary(
      "Processing [a.sqlite] with [cuda_gpu_kern_sum.py]...\n\n"
      "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
      "75.0,300,2,150.0,150.0,100,200,70.7,\"void f<int, 4>(T *)\"\n"
      "25.0,\"1,00\",1,100.0,100.0,100,100,0.0,g\n");
  ASSERT_TRUE(run);
  const KernelTable& table = *run->kernel_summary;
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0].name, "void f<int, 4>(T *)");
  EXPECT_EQ(table.rows[0].stddev_ns, 70);
  EXPECT_EQ(table.rows[1].total_ns, 100);
  EXPECT_EQ(table.rows[1].line, 5);
  ASSERT_EQ(table.notes.size(), 1U);
  EXPECT_EQ(table.notes[0].kind, "text");
  EXPECT_TRUE(run->repaired.empty());
  EXPECT_TRUE(run->dropped.empty());
}

TEST(NsysSummary, reads_csv_in_any_order_of_columns_up_to_where_it_is_cut) {
  const Imported run = import_summary(
      "Name,Instances,Total Time (ns),Time (%)\n"
      "\"void f<int, 4>(T *)\",2,300,100.0\n"
      "g,1\n");
  ASSERT_TRUE(run);
  ASSERT_EQ(run->kernel_summary->rows.size(), 1U);
  EXPECT_EQ(run->kernel_summary->rows[0].total_ns, 300);

  const Imported cut = import_summary(
      "Time (%),Total Time (ns),Instances,Name\n100.0,300,2,f\n0.0,0,1,\"void f<int, ");
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->kernel_summary->rows.size(), 1U);
  EXPECT_EQ(cut->dropped, (Tally{{"unreadable_row", 1}}));
}

TEST(NsysSummary, takes_the_unit_of_the_heading) {
  const Imported run = import_summary(
      "Time (%)\tTotal Time (ms)\tInstances\tAvg (\u03BCs)\tMed (us)\tMin (us)\tMax (us)\t"
      "StdDev (us)\tName\n100.0\t1.5\t1\t1500\t1500\t1500\t1500\t0\tf\n");
  ASSERT_TRUE(run);
  ASSERT_EQ(run->kernel_summary->rows.size(), 1U);
  EXPECT_EQ(run->kernel_summary->rows[0].total_ns, 1'500'000);
  EXPECT_EQ(run->kernel_summary->rows[0].avg_ns, 1'500'000);
  EXPECT_TRUE(run->repaired.empty());
}

TEST(NsysSummary, reads_what_the_command_line_prints_in_columns) {
  const Imported run = import_summary(
      " ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\n"
      " Time (%)  Total Time (ns)  Instances  Avg (ns)  Med (ns)  Min (ns)  Max (ns)  StdDev (ns)"
      "             Name            \n"
      " --------  ---------------  ---------  --------  --------  --------  --------  -----------"
      "  --------------------------\n"
      "     75.0            3,000          2   1,500.0   1,500.0     1,000     2,000        707.1"
      "  void f<int, 4>(T *, long)  \n"
      "src/g.cu 25.0        1,000          1   1,000.0   1,000.0     1,000     1,000          0.0"
      "  g\n\n"
      " ** CUDA API Summary (cuda_api_sum):\n\n"
      " Time (%)  Total Time (ns)  Num Calls  Avg (ns)  Med (ns)  Min (ns)  Max (ns)  StdDev (ns)"
      "        Name      \n"
      " --------  ---------------  ---------  --------  --------  --------  --------  -----------"
      "  ----------------\n"
      "    100.0            9,000          3   3,000.0   3,000.0     3,000     3,000          0.0"
      "  cudaLaunchKernel\n");
  ASSERT_TRUE(run);
  const KernelTable& table = *run->kernel_summary;
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0].name, "void f<int, 4>(T *, long)");
  EXPECT_EQ(table.rows[0].total_ns, 3000);
  EXPECT_EQ(table.rows[0].stddev_ns, 707);
  EXPECT_EQ(table.rows[1].typed_source, "src/g.cu");
  EXPECT_EQ(table.total_ns, 4000);
  ASSERT_EQ(table.notes.size(), 3U);
  EXPECT_EQ(table.notes[2].kind, "table");
  EXPECT_NE(table.notes[2].text.find("cudaLaunchKernel"), std::string::npos);
  EXPECT_TRUE(run->dropped.empty());
  EXPECT_TRUE(run->repaired.empty());
}

TEST(NsysSummary, keeps_the_source_that_an_author_typed_in_front_of_a_row) {
  const Imported run = import_summary(kHeader + "src/a.cu  " + row("a") + " " + row("b") + "000 " +
                                      row("c") + "b.py\t" + row("d"));
  ASSERT_TRUE(run);
  const KernelTable& table = *run->kernel_summary;
  ASSERT_EQ(table.rows.size(), 4U);
  EXPECT_EQ(table.rows[0].typed_source, "src/a.cu");
  EXPECT_EQ(table.rows[1].typed_source, "");
  EXPECT_EQ(table.rows[2].typed_source, "");
  EXPECT_EQ(table.rows[3].typed_source, "b.py");
  EXPECT_EQ(run->repaired.at("stray_text_before_row"), 1U);
}

TEST(NsysSummary, counts_units_it_does_not_know_and_rows_it_cannot_read) {
  const Imported run = import_summary(kHeader + row("a") +
                                      "0.0%\t1 fortnight\t1\t0 ns\t0 ns\t0 ns\t0 ns\t0 ns\tb\n"
                                      "0.0%\t1 ns\t1\n"
                                      "?\t1 ns\t1\t1 ns\t1 ns\t1 ns\t1 ns\t0 ns\tc\n"
                                      "0.0%\t1 ns\tmany\t1 ns\t1 ns\t1 ns\t1 ns\t0 ns\td\n"
                                      "0.0%\t1 ns\t-1\t1 ns\t1 ns\t1 ns\t1 ns\t0 ns\te\n"
                                      "0.0%\t1 ns\t1\t1 ns\t1 ns\t1 ns\t1 ns\t0 ns\t\n"
                                      "0.0%\t99999999999 s\t1\t0 ns\t0 ns\t0 ns\t0 ns\t0 ns\tf\n"
                                      "0.0%\tx\t1\t1 ns\t1 ns\t1 ns\t1 ns\t0 ns\tg\n");
  ASSERT_TRUE(run);
  ASSERT_EQ(run->kernel_summary->rows.size(), 2U);
  EXPECT_EQ(run->kernel_summary->rows[1].total_ns, 0);
  EXPECT_EQ(run->repaired, (Tally{{"unknown_unit", 1}}));
  EXPECT_EQ(run->dropped, (Tally{{"unreadable_row", 7}}));
}

TEST(NsysSummary, counts_cells_that_are_empty) {
  const Imported run = import_summary(kHeader + "100.0%\t10 ns\t2\t\t5 ns\t5 ns\t5 ns\t\tf\n");
  ASSERT_TRUE(run);
  ASSERT_EQ(run->kernel_summary->rows.size(), 1U);
  EXPECT_EQ(run->kernel_summary->rows[0].avg_ns, 5);
  EXPECT_EQ(run->repaired, (Tally{{"missing_value", 2}}));
}

TEST(NsysSummary, tells_how_many_rows_do_not_add_up_and_where_the_first_is) {
  const Imported run =
      import_summary(kHeader + "40.0%\t400 ns\t4\t100 ns\t100 ns\t100 ns\t100 ns\t0 ns\tfits\n" +
                     "30.2%\t300 ns\t3\t100 ns\t100 ns\t100 ns\t100 ns\t0 ns\tshare is off\n" +
                     "20.0%\t200 ns\t2\t150 ns\t150 ns\t100 ns\t200 ns\t0 ns\ttotal is off\n" +
                     "10.0%\t100 ns\t1\t100 ns\t300 ns\t100 ns\t200 ns\t0 ns\torder is off\n");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->kernel_summary->rows.size(), 4U);
  EXPECT_EQ(run->repaired, (Tally{{"inconsistent_row", 3}}));
  ASSERT_EQ(run->warnings.size(), 1U);
  EXPECT_NE(run->warnings[0].find("3 rows"), std::string::npos);
  EXPECT_NE(run->warnings[0].find("line 3"), std::string::npos);
}

TEST(NsysSummary, allows_for_the_digits_that_were_not_printed) {
  // 30000 x 149.96 us is 4.4988 s, and a total of 4 s may stand for that.
  const Imported run = import_summary(
      kHeader + "100.0%\t4 s\t30000\t149.96 \u03BCs\t1 \u03BCs\t1 ns\t1 s\t0 ns\tf\n");
  ASSERT_TRUE(run);
  EXPECT_TRUE(run->repaired.empty());
}

TEST(NsysSummary, keeps_a_traceback_as_one_note) {
  const std::string traceback =
      "[rank0]:   File \"/x/engine.py\", line 378, in __init__\n"
      "[rank0]:     self.capture()\n"
      "[rank0]:     ^^^^^^^^^^^^^^\n"
      "[rank0]:   File \"/x/linear.py\", line 4, in apply\n"
      "[rank0]:     return f(x)";
  const Imported run = import_summary(kHeader + row("a") + "\n" + traceback + "\n\nafter\n");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->kernel_summary->notes,
            (std::vector<TableNote>{{"traceback", 4, traceback}, {"text", 10, "after"}}));
  EXPECT_TRUE(run->dropped.empty());
}

TEST(NsysSummary, ends_a_traceback_with_its_error) {
  const std::string traceback =
      "Traceback (most recent call last):\n"
      "  File \"a.py\", line 1, in <module>\n"
      "    f()\n"
      "torch.OutOfMemoryError: no room";
  const Imported run = import_summary(kHeader + row("a") + traceback + "\nsee above\n");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->kernel_summary->notes,
            (std::vector<TableNote>{{"traceback", 3, traceback}, {"text", 7, "see above"}}));
}

TEST(NsysSummary, keeps_paragraphs_as_notes_and_rows_between_them_as_rows) {
  const Imported run = import_summary("first\n" + kHeader + row("a") + "two\nlines\n\nthird\n" +
                                      row("b") + "\tfourth\n");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->kernel_summary->rows.size(), 2U);
  EXPECT_EQ(run->kernel_summary->notes, (std::vector<TableNote>{{"text", 1, "first"},
                                                                {"text", 4, "two\nlines"},
                                                                {"text", 7, "third"},
                                                                {"text", 9, "\tfourth"}}));
  EXPECT_TRUE(run->dropped.empty());
}

TEST(NsysSummary, keeps_a_smaller_table_as_a_note_before_and_behind_the_main_one) {
  const std::string excerpt = "Time\tTotal Time\tInstances\t    Name\n1.0%\t9 ns\t1\t  x";
  const Imported run = import_summary(excerpt + "\n\n" + kHeader + row("a") + "\n" + excerpt);
  ASSERT_TRUE(run);
  ASSERT_EQ(run->kernel_summary->rows.size(), 1U);
  EXPECT_EQ(run->kernel_summary->rows[0].name, "a");
  EXPECT_EQ(run->kernel_summary->notes,
            (std::vector<TableNote>{{"table", 1, excerpt}, {"table", 7, excerpt}}));
  EXPECT_TRUE(run->warnings.empty());
}

TEST(NsysSummary, reads_the_first_of_two_tables_and_says_so) {
  const Imported run = import_summary(kHeader + row("a") + "\n" + kHeader + row("b"));
  ASSERT_TRUE(run);
  ASSERT_EQ(run->kernel_summary->rows.size(), 1U);
  EXPECT_EQ(run->kernel_summary->rows[0].name, "a");
  EXPECT_EQ(run->kernel_summary->notes.size(), 1U);
  EXPECT_EQ(run->warnings.size(), 1U);
}

TEST(NsysSummary, says_when_columns_are_missing) {
  const Imported run = import_summary("Time\tTotal Time\tInstances\tName\n100.0%\t9 ns\t2\tx\n");
  ASSERT_TRUE(run);
  ASSERT_EQ(run->kernel_summary->rows.size(), 1U);
  EXPECT_EQ(run->kernel_summary->rows[0].avg_ns, 4);
  EXPECT_EQ(run->warnings.size(), 1U);
  EXPECT_TRUE(run->repaired.empty());
}

TEST(NsysSummary, replaces_what_is_not_utf8) {
  const Imported run = import_summary(kHeader + row("a\xFF") + "\n\xC3 note\n");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->kernel_summary->rows[0].name, "a\uFFFD");
  EXPECT_EQ(run->kernel_summary->notes[0].text, "\uFFFD note");
  EXPECT_EQ(run->repaired, (Tally{{"invalid_text", 2}}));
}

TEST(NsysSummary, that_breaks_off_is_kept_up_to_there) {
  const Imported run =
      import_summary(testing::gzip_breaking_off_after(kHeader + row("a") + "0.0%\t1 n"));
  ASSERT_TRUE(run);
  EXPECT_EQ(run->kernel_summary->rows.size(), 1U);
  EXPECT_EQ(run->dropped, (Tally{{"truncated_input", 1}}));
  EXPECT_EQ(run->warnings.size(), 1U);
}

TEST(NsysSummary, without_rows_is_empty_and_says_so) {
  const Imported run = import_summary(kHeader);
  ASSERT_TRUE(run);
  EXPECT_TRUE(run->kernel_summary->rows.empty());
  EXPECT_EQ(run->warnings.size(), 1U);
}

TEST(NsysSummary, needs_a_table) {
  for (const std::string& text : {std::string(), std::string("Time\tflies\n"),
                                  std::string("Time (%),Total Time (ns),Num Calls,Name\n1,2,3,f\n"),
                                  testing::binary_bytes(300'000)}) {
    const Imported run = import_summary(text);
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().code, ErrorCode::kInput);
  }
}

TEST(NsysSummary, survives_binary_behind_its_header) {
  for (const char* header :
       {"Time\tTotal Time\tInstances\tName\n", "Time,Total Time,Instances,Name\n",
        "Time  Total Time  Instances  Name\n"}) {
    EXPECT_TRUE(import_summary(header + testing::binary_bytes(300'000))) << header;
  }
}

TEST(NsysSummary, of_huge_totals_does_not_overflow) {
  std::string text = kHeader;
  for (int i = 0; i < 5; ++i) text += row("k" + std::to_string(i), "4611686018427387903 ns");
  EXPECT_TRUE(import_summary(text));
}

TEST(NsysSummary, fills_a_run_once) {
  RunBuilder builder;
  TextInput first(kHeader + row("a"));
  TextInput second(kHeader + row("b"));
  ASSERT_TRUE(nsys::import_summary(first.bytes(), builder));
  const Status again = nsys::import_summary(second.bytes(), builder);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kInput);
}

TEST(NsysSummary, of_seed_001_is_read_in_full) {
  const auto path = testing::shared_file("seeds/001_9d4567749f1494f6.txt");
  if (!path) GTEST_SKIP() << "the seeds are not here";
  EXPECT_TRUE(nsys::is_summary(testing::read_file(*path)));
  const Imported run = import_seed(*path);
  ASSERT_TRUE(run);
  const KernelTable& table = *run->kernel_summary;
  EXPECT_EQ(table.rows.size(), 201U);
  EXPECT_EQ(all_instances(table), 37'254);
  EXPECT_TRUE(run->dropped.empty());
  EXPECT_TRUE(run->repaired.empty());
  EXPECT_TRUE(run->warnings.empty());

  EXPECT_EQ(table.rows[0].name, "nvjet_tst_320x128_64x3_1x2_h_bz_coopB_TNT");
  EXPECT_EQ(table.rows[0].total_ns, 1'266'000'000);
  EXPECT_EQ(table.rows[0].max_ns, 12'387'000);
  EXPECT_EQ(table.rows[0].line, 2);
  const KernelRow* small = find_row(table, "nvjet_hsh_64x8_64x16_1x2_h_bz_NNT");
  ASSERT_NE(small, nullptr);
  EXPECT_EQ(small->total_ns, 2'496);
  EXPECT_EQ(small->stddev_ns, 0);
  EXPECT_EQ(table.rows.back().line, 202);

  ASSERT_EQ(table.notes.size(), 4U);
  EXPECT_EQ(table.notes[0].kind, "traceback");
  EXPECT_EQ(table.notes[0].line, 206);
  EXPECT_TRUE(table.notes[0].text.starts_with("[rank0]:   File \""));
  EXPECT_EQ(std::count(table.notes[0].text.begin(), table.notes[0].text.end(), '\n'), 54);
  EXPECT_EQ(table.notes[1].kind, "text");
  EXPECT_EQ(table.notes[2].kind, "text");
  EXPECT_EQ(table.notes[3].kind, "table");
  EXPECT_EQ(table.notes[3].line, 271);
  EXPECT_NE(table.notes[3].text.find("triton_poi_fused_clamp_sub_0"), std::string::npos);
  for (const KernelRow& kernel : table.rows) EXPECT_EQ(kernel.typed_source, "");
}

TEST(NsysSummary, of_seed_002_is_read_in_full_with_its_typed_sources) {
  const auto path = testing::shared_file("seeds/002_f016f53a8cb403b0.txt");
  if (!path) GTEST_SKIP() << "the seeds are not here";
  EXPECT_TRUE(nsys::is_summary(testing::read_file(*path)));
  const Imported run = import_seed(*path);
  ASSERT_TRUE(run);
  const KernelTable& table = *run->kernel_summary;
  EXPECT_EQ(table.rows.size(), 66U);
  EXPECT_EQ(all_instances(table), 21'937);
  EXPECT_TRUE(run->dropped.empty());
  EXPECT_EQ(run->repaired, (Tally{{"stray_text_before_row", 1}}));
  EXPECT_TRUE(run->warnings.empty());

  EXPECT_EQ(std::count_if(table.rows.begin(), table.rows.end(),
                          [](const KernelRow& kernel) { return !kernel.typed_source.empty(); }),
            12);
  EXPECT_EQ(table.rows[0].typed_source, "pytorch/aten/src/ATen/cuda/CUDABlas.cpp");
  EXPECT_EQ(table.rows[0].total_ns, 4'122'000'000);
  const KernelRow* position = find_row(table, "compute_position_kernel");
  ASSERT_NE(position, nullptr);
  EXPECT_EQ(position->avg_ns, 2'240);

  ASSERT_FALSE(table.notes.empty());
  EXPECT_EQ(table.notes[0].kind, "traceback");
  EXPECT_EQ(table.notes[0].line, 69);
  EXPECT_EQ(std::count_if(table.notes.begin(), table.notes.end(),
                          [](const TableNote& note) { return note.kind == "text"; }),
            4);
}

}  // namespace
}  // namespace tactus

#include <gtest/gtest.h>

#include "kernels/table/model_table.h"

namespace tactus {
namespace {

using testing::kSeed001;
using testing::kSeed002;
using testing::NamedTable;
using testing::seed_table;
using testing::table_of;

NamedTable with_note(const std::string& kind, const std::string& text) {
  NamedTable made = table_of({});
  made.table.notes.push_back({kind, 100, text});
  return made;
}

std::vector<StackNote> stacks_of(const std::string& text) {
  const NamedTable made = with_note("traceback", text);
  return stack_notes(made.table, made.names);
}

std::vector<AnsweredRow> answers_of(const std::string& text) {
  const NamedTable made = with_note("table", text);
  return answers(made.table, made.names, made.structure());
}

const std::string kAskHeader = "Time\tTotal Time\tInstances\t    Name\n";

TEST(StackNotes, are_read_with_files_lines_functions_and_code) {
  const auto stacks = stacks_of(
      "[rank0]:   File \"/x/engine.py\", line 378, in __init__\n"
      "[rank0]:     self.capture()\n"
      "[rank0]:     ^^^^^^^^^^^^^^\n"
      "[rank0]:   File \"/x/linear.py\", line 4, in apply\n"
      "[rank0]:     return F.linear(x, layer.weight, bias)\n"
      "[rank0]:            ^^^^^^^^");
  ASSERT_EQ(stacks.size(), 1U);
  EXPECT_EQ(stacks[0].line, 100);
  ASSERT_EQ(stacks[0].frames.size(), 2U);
  EXPECT_EQ(stacks[0].frames[0].file, "/x/engine.py");
  EXPECT_EQ(stacks[0].frames[0].line, 378);
  EXPECT_EQ(stacks[0].frames[0].function, "__init__");
  EXPECT_EQ(stacks[0].frames[0].code, "self.capture()");
  EXPECT_EQ(stacks[0].frames[1].code, "return F.linear(x, layer.weight, bias)");
}

TEST(StackNotes, explain_the_rows_that_their_innermost_line_launches) {
  const NamedTable made =
      with_note("traceback", "  File \"a.py\", line 1, in f\n    y = F.silu(x)");
  const auto stacks = stack_notes(made.table, made.names);
  ASSERT_EQ(stacks.size(), 1U);
  ASSERT_EQ(stacks[0].rows.size(), 1U);
  EXPECT_EQ(made.table.rows[stacks[0].rows[0]].name, "silu");
}

TEST(StackNotes, go_by_the_function_where_the_code_is_not_there) {
  const auto stacks = stacks_of("  File \"a.py\", line 1, in rms_norm_forward");
  ASSERT_EQ(stacks.size(), 1U);
  EXPECT_EQ(stacks[0].rows.size(), 2U);
}

TEST(StackNotes, explain_nothing_that_they_do_not_know) {
  const auto stacks = stacks_of("  File \"a.py\", line 1, in f\n    self.capture()");
  ASSERT_EQ(stacks.size(), 1U);
  EXPECT_TRUE(stacks[0].rows.empty());
}

TEST(StackNotes, hold_each_traceback_of_a_note) {
  const auto stacks = stacks_of(
      "Traceback (most recent call last):\n"
      "  File \"a.py\", line 1, in f\n"
      "    g()\n"
      "Traceback (most recent call last):\n"
      "  File \"b.py\", line 2, in <module>\n"
      "RuntimeError: no");
  ASSERT_EQ(stacks.size(), 2U);
  EXPECT_EQ(stacks[0].line, 100);
  EXPECT_EQ(stacks[1].line, 103);
  EXPECT_EQ(stacks[1].frames[0].function, "<module>");
}

TEST(StackNotes, survive_lines_that_only_look_like_frames) {
  EXPECT_TRUE(stacks_of("").empty());
  EXPECT_TRUE(stacks_of("File \"").empty());
  EXPECT_TRUE(stacks_of("File \"a\", line ").empty());
  EXPECT_TRUE(stacks_of("File \"a\", line 99999999999999999999999, in f").empty());
  EXPECT_EQ(stacks_of("File \"a\", line 3").size(), 1U);
  EXPECT_EQ(stacks_of("[rank0]:File \"a\", line 3, in \n[rank0]:").size(), 1U);
}

TEST(Answers, say_what_a_row_is_and_where_its_count_comes_from) {
  const auto answered = answers_of(kAskHeader + "0.0%\t1 ms\t20\t    argmax");
  ASSERT_EQ(answered.size(), 1U);
  EXPECT_EQ(answered[0].line, 101);
  EXPECT_EQ(answered[0].name, "argmax");
  EXPECT_NE(answered[0].answer.find("decode steps (23 sampled steps less 3"), std::string::npos)
      << answered[0].answer;
  EXPECT_NE(answered[0].answer.find("not merged"), std::string::npos);
}

TEST(Answers, count_in_layers_and_passes) {
  const auto answered = answers_of(kAskHeader + "0.0%\t1 ms\t1104\tkv\n0.0%\t1 ms\t7\tnobody");
  ASSERT_EQ(answered.size(), 2U);
  EXPECT_NE(answered[0].answer.find("2 x layers x passes"), std::string::npos)
      << answered[0].answer;
  EXPECT_NE(answered[1].answer.find("does not follow from"), std::string::npos)
      << answered[1].answer;
  EXPECT_NE(answered[1].answer.find("no such row"), std::string::npos);
}

TEST(Answers, pass_over_what_is_no_table) {
  EXPECT_TRUE(answers_of("").empty());
  EXPECT_TRUE(answers_of("Time\tflies").empty());
  EXPECT_TRUE(answers_of(kAskHeader + "garbage\n\t\t\t").empty());
  EXPECT_TRUE(answers(table_of({}).table, table_of({}).names, {}).empty());
}

TEST(StackNotes, of_the_seeds_lead_from_graph_capture_to_the_gemms) {
  for (const auto& [file, line, rows] : std::vector<std::tuple<const char*, int, std::size_t>>{
           {kSeed001, 206, 138}, {kSeed002, 69, 13}}) {
    const auto seed = seed_table(file);
    if (!seed) GTEST_SKIP() << "the seeds are not here";
    const auto stacks = stack_notes(seed->table, seed->names);
    ASSERT_EQ(stacks.size(), 1U);
    EXPECT_EQ(stacks[0].line, line);
    EXPECT_EQ(stacks[0].frames.size(), 19U);
    EXPECT_EQ(stacks[0].frames.front().function, "__init__");
    EXPECT_EQ(stacks[0].frames.back().code, "return F.linear(x, layer.weight, bias)");
    EXPECT_EQ(stacks[0].frames.back().line, 131);
    EXPECT_EQ(stacks[0].rows.size(), rows) << file;
  }
}

TEST(Answers, of_seed_001_lead_to_clamp_position) {
  const auto seed = seed_table(kSeed001);
  if (!seed) GTEST_SKIP() << "the seeds are not here";
  const auto answered = answers(seed->table, seed->names, seed->structure());
  ASSERT_EQ(answered.size(), 1U);
  EXPECT_EQ(answered[0].line, 272);
  EXPECT_EQ(answered[0].name, "triton_poi_fused_clamp_sub_0");
  EXPECT_NE(answered[0].answer.find("forward_batch_info.py"), std::string::npos);
  EXPECT_NE(answered[0].answer.find("30 instances are the decode steps"), std::string::npos);
  EXPECT_NE(answered[0].answer.find("line 175"), std::string::npos);
}

}  // namespace
}  // namespace tactus

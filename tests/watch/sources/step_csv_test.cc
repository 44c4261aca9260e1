#include "watch/sources/step_csv.h"

#include <gtest/gtest.h>

#include "support/files.h"
#include "watch/latency_model.h"

namespace tactus::watch {
namespace {

constexpr const char* kHead =
    "job_name,start_ts,duration_us,batch_size,avg_input_length,max_input_length,avg_output_length,"
    "max_output_length\n";

Result<StepTable> read(const std::string& text) {
  const testing::TemporaryFolder folder;
  return read_step_csv(folder.write("steps.csv", text));
}

TEST(StepCsv, reads_steps_by_job_and_sees_prompts_that_are_hidden) {
  const Result<StepTable> table =
      read(std::string(kHead) +
           "a,1000,30000,4,100,100,10,10\n"
           "a,2000,30000,4,100,100,11,11\n"
           "a,3000,90000,3,100,100,12,12\n"  // one is gone, a prompt is read
           "a,4000,30000,4,100,100,9.75,13\n"
           "a,5000,30000,4,100,100,10.75,14\n"
           "b,1,20000,1,100,100,5,5\n");
  ASSERT_TRUE(table) << table.error().message;
  ASSERT_EQ(table->streams.size(), 2U);
  const std::vector<Step>& steps = table->streams[0].steps;
  ASSERT_EQ(steps.size(), 5U);
  EXPECT_EQ(steps[0].phase, Phase::kUnknown);  // nothing in front of it tells
  EXPECT_EQ(steps[1].phase, Phase::kDecode);
  EXPECT_EQ(steps[2].phase, Phase::kMixed);
  EXPECT_EQ(steps[3].phase, Phase::kDecode);
  EXPECT_EQ(steps[1].context, 444);
  EXPECT_EQ(steps[1].start_ns, 2'000'000);
}

TEST(StepCsv, counts_what_it_leaves_out) {
  const Result<StepTable> table = read(std::string(kHead) +
                                       "a,1000,30000,4,100,100,10,10\n"
                                       "a,2000,nan,4,100,100,11,11\n"
                                       "a,2000,1e30,4,100,100,11,11\n"
                                       "a,2000,30000,,100,100,11,11\n"
                                       "a,2000\n"
                                       "a,2500,0,4,100,100,11,11\n"
                                       "a,2600,-5,4,100,100,11,11\n"
                                       "a,3000,30000,4,100,100,11,11\n"
                                       "a,10,30000,4,100,100,12,12\n"
                                       "a,4000,30,4,100,100,12,12\n");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->steps(), 2U);
  EXPECT_EQ(table->losses.bad_rows, 4U);
  EXPECT_EQ(table->losses.not_positive, 2U);
  EXPECT_EQ(table->losses.backwards, 1U);
  EXPECT_EQ(table->losses.empty_calls, 1U);
}

TEST(StepCsv, says_which_columns_are_missing_and_when_nothing_can_be_used) {
  const Result<StepTable> missing = read("job_name,start_ts\na,1\n");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("duration_us"), std::string::npos);
  const Result<StepTable> empty = read(std::string(kHead) + "a,b,c,d,e,f,g,h\n");
  ASSERT_FALSE(empty);
  EXPECT_NE(empty.error().message.find("holds no step"), std::string::npos);
}

TEST(StepCsv, takes_tokens_of_prompts_where_they_are_recorded) {
  const Result<StepTable> table = read(
      "job_name,start_ts,duration_us,batch_size,avg_input_length,avg_output_length,prompt_tokens\n"
      "a,1,30000,4,100,10,0\na,2,60000,4,100,11,512\n");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->streams[0].steps[0].phase, Phase::kDecode);
  EXPECT_EQ(table->streams[0].steps[1].phase, Phase::kMixed);
  EXPECT_EQ(table->streams[0].steps[1].prompt_tokens, 512);
}

TEST(StepCsv, reads_steps_of_which_only_the_launches_are_known) {
  const Result<StepTable> table = read(
      "job_name,start_ts,duration_us,launches\n"
      "a,1000,3000,40\n"
      "a,5000,3100,\n"
      "a,9000,3200,41\n");
  ASSERT_TRUE(table) << table.error().message;
  ASSERT_EQ(table->steps(), 2U);
  EXPECT_EQ(table->losses.bad_rows, 1U);
  EXPECT_EQ(table->streams[0].steps[1].launches, 41);
  EXPECT_EQ(kind_of(table->streams[0].steps[1]), ModelKind::kByLaunches);
}

TEST(StepCsv, reads_the_published_files) {
  const std::optional<std::string> vllm = testing::shared_file("data/watch/normal_vllm.csv.gz");
  const std::optional<std::string> sglang =
      testing::shared_file("data/watch/abnormal_sglang.csv.gz");
  if (!vllm || !sglang) GTEST_SKIP() << "the published files are not here";
  const Result<StepTable> first = read_step_csv(*vllm);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->streams.size(), 189U);
  EXPECT_EQ(first->steps(), 37'416U);
  EXPECT_EQ(first->losses.empty_calls, 13U);
  const Result<StepTable> second = read_step_csv(*sglang);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->streams.size(), 2U);
  EXPECT_EQ(second->steps(), 309U);
}

}  // namespace
}  // namespace tactus::watch

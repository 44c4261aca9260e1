#include "bench/rivals/torch_rival.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/json.h"
#include "bench/candidate/subprocess.h"
#include "support/files.h"
#include "support/paths.h"

namespace tactus {
namespace {

using testing::read_file;
using testing::TemporaryFolder;

/// Asks a shell script that stands for a Python with torch.
class TorchRival : public ::testing::Test {
 protected:
  TorchRival() : catalogue_(built_in_catalogue()) {
    const Result<std::vector<BenchTask>> tasks =
        plan_bench(catalogue_, {.operators = {"rms_norm"}, .shapes = {"0", "1"}});
    question_.tasks = *tasks;
    question_.seconds = 0.25;
    question_.device = 1;
  }

  TorchOutcome ask(const std::string& script) {
    question_.python = folder_.write("python3", "#!/bin/sh\n" + script);
    chmod(question_.python.c_str(), 0700);
    return ask_torch(question_, folder_.path().string(),
                     [this](TorchAnswer answer) { answers_.push_back(std::move(answer)); });
  }

  static std::string line(const std::string& fields) {
    return "echo '{\"operator\":\"rms_norm\",\"shape\":\"1\"," + fields + "}'\n";
  }

  TemporaryFolder folder_;
  Catalogue catalogue_;
  TorchQuestion question_;
  std::vector<TorchAnswer> answers_;
};

TEST_F(TorchRival, is_given_the_rows_and_the_script_of_this_version) {
  const TorchOutcome outcome = ask("cat > \"$(dirname $0)/asked.json\"; cp \"$2\" \"$2.seen\"\n");
  EXPECT_EQ(outcome.complaint, "");
  EXPECT_EQ(outcome.answers, 0U);
  const auto asked = Json::parse(read_file(folder_.file("asked.json")));
  EXPECT_EQ(asked["device"], 1);
  EXPECT_EQ(asked["seconds"], 0.25);
  ASSERT_EQ(asked["rows"].size(), 2U);
  EXPECT_EQ(asked["rows"][0]["operator"], "rms_norm");
  EXPECT_EQ(asked["rows"][0]["shape"], "0");
  EXPECT_EQ(asked["rows"][0]["params"]["hidden"], 1024);
  EXPECT_EQ(asked["rows"][0]["dtype"], "bf16");
  EXPECT_TRUE(asked["rows"][0]["sequences"].is_null());
  EXPECT_EQ(read_file(folder_.file("torch_operators.py.seen")),
            read_file(std::string(TACTUS_ROOT) + "/benchmarks/rivals/torch_operators.py"));
}

TEST_F(TorchRival, is_told_the_lengths_of_sequences) {
  const Result<std::vector<BenchTask>> tasks =
      plan_bench(catalogue_, {.operators = {"unified_attention"}, .shapes = {"0"}});
  question_.tasks = *tasks;
  ask("cat > \"$(dirname $0)/asked.json\"\n");
  const auto asked = Json::parse(read_file(folder_.file("asked.json")));
  EXPECT_EQ(asked["rows"][0]["sequences"].dump(), "[[256,130]]");
}

TEST_F(TorchRival, answers_with_times_and_with_reasons_why_there_is_none) {
  const TorchOutcome outcome = ask(line("\"rival\":\"torch_eager\",\"t_ns\":2000,\"t_low_ns\":1900,"
                                        "\"t_high_ns\":2100,\"samples\":[1,2],\"how\":\"graph\"") +
                                   line("\"rival\":\"triton\",\"skipped\":\"no triton\""));
  EXPECT_EQ(outcome.complaint, "");
  ASSERT_EQ(answers_.size(), 2U);
  EXPECT_EQ(answers_[0].operator_name, "rms_norm");
  EXPECT_EQ(answers_[0].shape_id, "1");
  EXPECT_EQ(answers_[0].measurement.t_ns, 2000);
  EXPECT_EQ(answers_[0].measurement.samples_ns.size(), 2U);
  EXPECT_EQ(answers_[0].measurement.how, "graph");
  EXPECT_EQ(answers_[1].measurement.skipped, "no triton");
  EXPECT_FALSE(answers_[1].measurement.t_ns);
}

TEST_F(TorchRival, that_prints_nonsense_loses_only_the_nonsense) {
  const TorchOutcome outcome =
      ask("echo warming up\necho '[1, 2'\necho '{\"rival\": 3}'\n" +
          line("\"rival\":\"torch_eager\"") + line("\"rival\":\"torch_eager\",\"t_ns\":-4") +
          "echo '{\"operator\":\"nobody_asked\",\"shape\":\"1\",\"rival\":\"x\",\"t_ns\":1}'\n" +
          line("\"rival\":\"cublas\",\"t_ns\":7"));
  ASSERT_EQ(answers_.size(), 1U);
  EXPECT_EQ(answers_[0].measurement.name, "cublas");
  EXPECT_EQ(outcome.complaint, "the rival: 6 lines were not answers");
}

TEST_F(TorchRival, that_crashes_keeps_what_it_said_and_says_why) {
  const TorchOutcome outcome = ask(line("\"rival\":\"torch_eager\",\"t_ns\":5") +
                                   "echo 'RuntimeError: out of luck' >&2\nexit 1\n");
  EXPECT_EQ(answers_.size(), 1U);
  EXPECT_EQ(outcome.complaint,
            "the rival ended with code 1 after 1 answers: RuntimeError: out of luck");
  EXPECT_NE(ask("kill -SEGV $$\n").complaint.find("code 139"), std::string::npos);
}

TEST_F(TorchRival, without_torch_is_one_clear_line) {
  const TorchOutcome outcome =
      ask("echo '{\"error\": \"ModuleNotFoundError: No module named torch\"}'\nexit 3\n");
  EXPECT_EQ(outcome.complaint, "no rival: " + question_.python +
                                   " has no torch that works (ModuleNotFoundError: No module "
                                   "named torch)");
  EXPECT_TRUE(answers_.empty());
}

TEST_F(TorchRival, that_hangs_is_ended_with_all_that_it_started) {
  question_.patience_s = 0.5;
  const TorchOutcome outcome = ask(line("\"rival\":\"torch_eager\",\"t_ns\":5") +
                                   "sleep 1000 &\necho $! > \"$(dirname $0)/child\"\nwait\n");
  EXPECT_EQ(answers_.size(), 1U);
  EXPECT_NE(outcome.complaint.find("was silent for"), std::string::npos) << outcome.complaint;
  const std::string child = "/proc/" + std::to_string(std::stoi(read_file(folder_.file("child"))));
  for (int i = 0; i < 500 && std::filesystem::exists(child + "/exe"); ++i) usleep(10000);
  EXPECT_FALSE(std::filesystem::exists(child + "/exe"));
}

TEST_F(TorchRival, without_python_is_one_clear_line) {
  question_.python = folder_.file("no_such_python");
  const TorchOutcome outcome =
      ask_torch(question_, folder_.path().string(), [](const TorchAnswer&) {});
  EXPECT_NE(outcome.complaint.find("cannot be started"), std::string::npos) << outcome.complaint;
}

TEST_F(TorchRival, says_so_where_the_real_script_finds_no_torch) {
  const std::string python = program_path("python3");
  if (python.empty()) GTEST_SKIP() << "no python3 here";
  question_.python = folder_.write("python3", "#!/bin/sh\nexec " + python + " -S -I \"$2\"\n");
  chmod(question_.python.c_str(), 0700);  // -S: without the folders in which torch could be
  const TorchOutcome outcome =
      ask_torch(question_, folder_.path().string(), [](const TorchAnswer&) {});
  EXPECT_NE(outcome.complaint.find("has no torch that works"), std::string::npos)
      << outcome.complaint;
}

TEST(Rivals, the_fastest_that_computes_the_same_is_the_rival_of_a_row) {
  BenchRow row;
  add_rival(row, {.name = "sdpa_cudnn", .skipped = "no kernel"});
  EXPECT_FALSE(row.rival);
  add_rival(row, {.name = "torch_eager", .t_ns = 30});
  add_rival(row, {.name = "torch_compiled", .t_ns = 20, .differs = 0.01});
  add_rival(row, {.name = "cublas", .t_ns = 10, .differs = 7});
  ASSERT_TRUE(row.rival);
  EXPECT_EQ(row.rival->name, "torch_compiled");
  EXPECT_EQ(row.rival->t_ns, 20);
  EXPECT_EQ(row.rivals.size(), 4U);
}

TEST(Rivals, are_kept_in_the_file_of_results) {
  BenchResult result;
  BenchRow& row = result.rows.emplace_back();
  row.operator_name = "rms_norm";
  row.shape_id = "1";
  add_rival(row, {.name = "torch_eager", .t_ns = 30, .samples_ns = {29, 31}, .how = "graph"});
  add_rival(row, {.name = "triton", .skipped = "no triton"});
  const Result<BenchResult> read = read_bench_result(bench_result_text(result), "r.json");
  ASSERT_TRUE(read);
  const BenchRow& again = read->rows[0];
  ASSERT_EQ(again.rivals.size(), 2U);
  EXPECT_EQ(again.rivals[0].name, "torch_eager");
  EXPECT_EQ(again.rivals[0].t_ns, 30);
  EXPECT_EQ(again.rivals[0].samples_ns, (std::vector<double>{29, 31}));
  EXPECT_EQ(again.rivals[0].how, "graph");
  EXPECT_EQ(again.rivals[1].skipped, "no triton");
  EXPECT_EQ(again.rival->name, "torch_eager");
}

}  // namespace
}  // namespace tactus

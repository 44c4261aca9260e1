#include "bounds/mining/mine.h"

#include <gtest/gtest.h>

#include "support/run_text.h"

namespace tactus {
namespace {

/// 1 byte and 1 FLOP take 1 ns.
HardwareProfile slow_machine(const std::string& name) {
  HardwareProfile machine;
  machine.name = name;
  machine.memory_bandwidth.value = 1e9;
  machine.launch_floor_ns = Figure{.value = 100, .source = {}, .date = {}};
  for (auto* rates : {&machine.tensor_flops, &machine.vector_flops}) {
    for (auto& rate : *rates) rate = Figure{.value = 1e9, .source = {}, .date = {}};
  }
  return machine;
}

struct Call {
  std::string op;
  std::string inputs;  ///< dims and types
  int dur_us = 0;
};

const std::string kProduct =
    R"("Input Dims":[[10,10],[10,10]],"Input type":["c10::BFloat16","c10::BFloat16"])";   // 2 us
const std::string kSum = R"("Input Dims":[[100],[100]],"Input type":["float","float"])";  // 1.2 us

tactus::Run run_of(const std::vector<Call>& calls) {
  std::string text = "[";
  int id = 0;
  for (const Call& call : calls) {
    const std::string start = std::to_string(100 * ++id);
    const std::string number = std::to_string(id);
    text += (id == 1 ? "" : ",") +
            (R"({"ph":"X","cat":"cpu_op","name":")" + call.op + R"(","pid":1,"tid":1,"ts":)" +
             start + R"(,"dur":50,"args":{)" + call.inputs + "}},") +
            R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":)" +
            start + R"(,"dur":2,"args":{"correlation":)" + number + "}}," +
            R"({"ph":"X","cat":"kernel","name":"k_)" + call.op + R"(","pid":0,"tid":7,"ts":)" +
            start + R"(,"dur":)" + std::to_string(call.dur_us) +
            R"(,"args":{"device":0,"stream":7,"correlation":)" + number + "}}";
  }
  return testing::import_json(text + "]");
}

Status add(Miner& miner, const tactus::Run& run, const HardwareProfile* machine,
           const std::string& label) {
  return miner.add(run, report_kernels(run, {.phases = true}), machine, label);
}

TEST(Mine, finds_operators_shapes_calls_and_times) {
  const HardwareProfile machine = slow_machine("slow");
  Miner miner;
  const auto run = run_of({{"aten::mm", kProduct, 4},
                           {"aten::mm", kProduct, 5},
                           {"aten::mm", kProduct, 6},
                           {"aten::add", kSum, 5}});
  ASSERT_TRUE(add(miner, run, &machine, "a"));
  const Mined mined = miner.finish();
  ASSERT_EQ(mined.operators.size(), 2u);
  EXPECT_EQ(mined.operators[0].name, "gemm");
  EXPECT_DOUBLE_EQ(mined.operators[0].share, 0.75);
  EXPECT_EQ(mined.operators[0].calls, 3);
  EXPECT_DOUBLE_EQ(*mined.operators[0].s, 0.4);
  ASSERT_EQ(mined.operators[0].shapes.size(), 1u);
  EXPECT_DOUBLE_EQ(mined.operators[0].shapes[0].times.at(0).med_ns, 5000);
  EXPECT_EQ(mined.operators[1].name, "elementwise");
}

TEST(Mine, merges_runs_by_the_mean_of_their_shares) {
  const HardwareProfile machine = slow_machine("slow");
  const HardwareProfile other = slow_machine("other");
  Miner miner;
  const auto first = run_of({{"aten::mm", kProduct, 4}});
  const auto second = run_of({{"aten::mm", kProduct, 10}, {"aten::add", kSum, 30}});
  const auto third = run_of({{"aten::mm", kProduct, 8}});
  ASSERT_TRUE(add(miner, first, &machine, "a"));
  ASSERT_TRUE(add(miner, second, &machine, "b"));
  ASSERT_TRUE(add(miner, third, &other, "c"));
  const Mined mined = miner.finish();
  ASSERT_EQ(mined.operators.size(), 2u);
  EXPECT_NEAR(mined.operators[0].share, (1 + 0.25 + 1) / 3, 1e-12);
  EXPECT_NEAR(mined.operators[1].share, 0.75 / 3, 1e-12);
  EXPECT_EQ(mined.operators[1].runs, 1);
  ASSERT_EQ(mined.operators[0].shapes.size(), 1u);
  ASSERT_EQ(mined.operators[0].shapes[0].times.size(), 2u) << "one time a machine";
  EXPECT_EQ(mined.operators[0].shapes[0].times[1].hardware->name, "other");
  EXPECT_NE(mined.method.find("mean over 3 runs"), std::string::npos);
}

TEST(Mine, writes_a_catalogue_that_reads_back) {
  const HardwareProfile machine = slow_machine("slow");
  Miner miner;
  const auto run = run_of({{"aten::mm", kProduct, 4}, {"aten::add", kSum, 5}});
  ASSERT_TRUE(add(miner, run, &machine, "a.json"));
  const std::string text = catalogue_text(mined_catalogue(miner.finish()));
  const Result<Catalogue> read = read_catalogue(text, "mined.json");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->operators.size(), 2u);
  double importance = 0;
  for (const Operator& op : read->operators) importance += op.importance;
  EXPECT_NEAR(importance, 1, 1e-12);
  const Operator& gemm = read->operators[1];
  EXPECT_EQ(gemm.name, "gemm");
  EXPECT_EQ(gemm.shapes.at(0).parameters.find("m"), 10);
  EXPECT_EQ(gemm.shapes.at(0).calls, 1);
  EXPECT_EQ(gemm.shapes.at(0).deployed.at(0).hardware, "slow");
  EXPECT_DOUBLE_EQ(gemm.shapes.at(0).deployed.at(0).t_ns, 4000);
  EXPECT_EQ(gemm.origin, "pytorch");
  EXPECT_EQ(read->profiles, 1);
  // What bench can compute has the name of that operator.
  const Operator& sum = read->operators[0];
  EXPECT_EQ(sum.name, "add");
  EXPECT_EQ(sum.shapes.at(0).id, "0");
  EXPECT_EQ(sum.shapes.at(0).parameters.find("elements"), 100);
  EXPECT_EQ(sum.dtype, NumberType::kFp32);
}

TEST(Mine, says_what_a_faster_operator_would_bring) {
  const HardwareProfile machine = slow_machine("slow");
  Miner miner;
  const auto run = run_of({{"aten::mm", kProduct, 8}, {"aten::add", kSum, 2}});
  ASSERT_TRUE(add(miner, run, &machine, "a"));
  const Mined mined = miner.finish();
  const Result<WhatIf> question = read_what_if("gemm=0.5", mined);
  ASSERT_TRUE(question);
  const WhatIfAnswer found = answer(*question, mined);
  EXPECT_DOUBLE_EQ(found.share, 0.8);
  EXPECT_DOUBLE_EQ(*found.now, 0.25);
  EXPECT_DOUBLE_EQ(found.saved, 0.4) << "4 of 10 us";
  EXPECT_DOUBLE_EQ(read_what_if("gemm=50%", mined)->s, 0.5);
  EXPECT_DOUBLE_EQ(answer({"elementwise", 0.1}, mined).saved, 0) << "it is faster already";
}

TEST(Mine, refuses_questions_that_make_no_sense) {
  const HardwareProfile machine = slow_machine("slow");
  Miner miner;
  const auto run = run_of({{"aten::mm", kProduct, 8}});
  ASSERT_TRUE(add(miner, run, &machine, "a"));
  const Mined mined = miner.finish();
  for (const char* text : {"gemm", "gemm=", "gemm=0", "gemm=1.5", "gemm=-1", "gemm=nan", "=0.5",
                           "gemm=0.5x", "gemm=101%"}) {
    const Result<WhatIf> question = read_what_if(text, mined);
    ASSERT_FALSE(question) << text;
    EXPECT_EQ(question.error().code, ErrorCode::kUsage);
  }
  EXPECT_NE(read_what_if("gem=0.5", mined).error().message.find("did you mean gemm"),
            std::string::npos);
}

TEST(Mine, says_what_to_give_where_there_is_nothing_to_learn) {
  const HardwareProfile machine = slow_machine("slow");
  Miner miner;
  const auto message = [&](const tactus::Run& run, const HardwareProfile* hardware) {
    const Status status = add(miner, run, hardware, "a.json");
    return status ? std::string("nothing") : status.error().message;
  };
  const auto empty = testing::import_json("[]");
  EXPECT_EQ(message(empty, &machine),
            "a.json: holds no kernels; record them with torch.profiler (activities=[CPU, CUDA], "
            "record_shapes=True)");
  const auto shapeless = run_of({{"aten::mm", "", 8}});
  EXPECT_NE(message(shapeless, &machine).find("record_shapes=True"), std::string::npos);
  const auto nameless = run_of({{"aten::mm", kProduct, 8}});
  EXPECT_NE(message(nameless, nullptr).find("--hardware"), std::string::npos);
  auto table = run_of({{"aten::mm", kProduct, 8}});
  table.kernel_summary = KernelTable();
  EXPECT_NE(message(table, &machine).find("give a trace"), std::string::npos);
}

}  // namespace
}  // namespace tactus

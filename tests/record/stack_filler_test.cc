#include "record/session/fill/stack_filler.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>

#include "record/session/fill/engine_step.h"
#include "record/session/fill/operator_filler.h"
#include "support/files.h"
#include "support/paths.h"

namespace tactus::record {
namespace {

struct Shared {
  std::unique_ptr<wire::Data> data = std::make_unique<wire::Data>();
  std::unique_ptr<wire::Control> control = std::make_unique<wire::Control>();
  AgentMemory memory{data.get(), control.get()};

  void name(std::uint32_t id, std::uint32_t offset, const char* text) {
    std::strcpy(data->text + offset, text);
    data->names[id].offset = offset;
    data->names[id].length = static_cast<std::uint32_t>(std::strlen(text));
  }
};

TEST(StackFiller, shares_what_stacks_have_in_common) {
  Shared shared;
  shared.name(1, 0, "model.py");
  shared.name(2, 100, "forward");
  for (std::uint32_t i = 1; i <= 3; ++i) {
    shared.data->stacks.frame[i] = {
        .file = 1, .function = 2, .line = i * 10, .kind = wire::FrameKind::kPython};
  }
  shared.data->stacks.node[1] = {0, 1};
  shared.data->stacks.node[2] = {1, 2};
  shared.data->stacks.node[3] = {1, 3};
  RunBuilder builder;
  StackFiller filler(std::make_shared<Symbols>(), 1);
  const std::optional<StackId> first = filler.find(builder, shared.memory, 2);
  const std::optional<StackId> second = filler.find(builder, shared.memory, 3);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(builder.run().stacks.rows, 3u);
  EXPECT_EQ(builder.run().stacks.parent()[first->value],
            builder.run().stacks.parent()[second->value]);
  const auto text = static_cast<std::uint64_t>(builder.run().stacks.frame()[second->value]);
  EXPECT_EQ(builder.run().strings[StringId(text)], "model.py(30): forward");
}

TEST(StackFiller, does_not_believe_what_an_agent_says) {
  Shared shared;
  std::mt19937 engine(7);
  const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
  for (std::uint32_t i = 0; i < 5000; ++i) {
    shared.data->stacks.node[i] = {random() % 6000, random()};
    shared.data->stacks.frame[i % 100] = {.file = random(),
                                          .function = random(),
                                          .line = random(),
                                          .kind = static_cast<wire::FrameKind>(random() % 6),
                                          .address = random()};
  }
  shared.data->stacks.node[10] = {10, 1};  // calls itself
  RunBuilder builder;
  StackFiller filler(std::make_shared<Symbols>(), 1);
  EXPECT_FALSE(filler.find(builder, shared.memory, 10));
  EXPECT_FALSE(filler.find(builder, shared.memory, wire::kStackNodes));
  EXPECT_FALSE(filler.find(builder, shared.memory, wire::kNoStack));
  for (std::uint32_t i = 0; i < 5000; ++i) filler.find(builder, shared.memory, i);
}

TEST(Symbols, are_those_of_the_file) {
  const std::string file = testing::read_file("/proc/self/exe");
  const ModuleSymbols symbols = ModuleSymbols::read(file);
  EXPECT_GT(symbols.size(), 1000u);
  EXPECT_FALSE(symbols.build_id().empty());
  EXPECT_FALSE(symbols.find(0));
}

TEST(Symbols, of_a_damaged_file_are_none_or_some) {
  std::string file = testing::read_file(TACTUS_STANDIN "/libcuda.so.1");
  ASSERT_GT(ModuleSymbols::read(file).size(), 10u);
  for (std::size_t size = 0; size < file.size(); size += 997)
    ModuleSymbols::read(std::string_view(file).substr(0, size));
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    std::string damaged = file;
    for (int k = 0; k < 50; ++k) damaged[random() % 4096] = static_cast<char>(random());
    for (int k = 0; k < 50; ++k)
      damaged[damaged.size() - 1 - random() % 4096] = static_cast<char>(random());
    const ModuleSymbols symbols = ModuleSymbols::read(damaged);
    for (std::uint64_t at = 0; at < 100000; at += 1009) symbols.find(at);
  }
}

TEST(Symbols, are_not_taken_from_another_build) {
  Symbols symbols;
  EXPECT_EQ(symbols.frame_text("", TACTUS_STANDIN "/libcuda.so.1", "0123", 0x1000),
            "libcuda.so.1+0x1000 [0123]");
  EXPECT_EQ(symbols.frame_text("", "/no/such/lib.so", "", 0x10), "lib.so+0x10");
}

TEST(EngineStep, is_called_what_engines_call_it) {
  wire::EngineStepPart step{.sequences = 5,
                            .tokens = 515,
                            .context_sequences = 2,
                            .context_tokens = 512,
                            .mode = wire::kUnknownCount,
                            .engine = wire::Engine::kVllm};
  EXPECT_EQ(step_name(step), "execute_context_2(512)_generation_3(3)");
  step.context_sequences = wire::kUnknownCount;
  EXPECT_EQ(step_name(step), "step[UNKNOWN bs=5 toks=515]");
  step = {.sequences = wire::kUnknownCount,
          .tokens = wire::kUnknownCount,
          .mode = 2,
          .engine = wire::Engine::kSglang};
  EXPECT_EQ(step_name(step), "step[DECODE]");
  step.mode = 77;
  EXPECT_EQ(step_phase(step), "unknown");
}

TEST(OperatorInputs, are_those_of_rows) {
  wire::Scope scope{};
  scope.m = 1024;
  scope.n = 8;
  scope.k = 4096;
  scope.batch = 1;
  scope.a_type = scope.c_type = 14;
  scope.b_type = 28;
  EXPECT_EQ(operator_inputs(scope).dims, "[[8,4096],[4096,1024],[8,1024]]");
  EXPECT_EQ(operator_inputs(scope).types,
            R"(["c10::Float8_e4m3fn","c10::BFloat16","c10::BFloat16"])");
  scope.by_rows = 1;
  EXPECT_EQ(operator_inputs(scope).dims, "[[1024,4096],[4096,8],[1024,8]]");
}

}  // namespace
}  // namespace tactus::record

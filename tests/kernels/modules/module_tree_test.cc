#include "kernels/modules/module_tree.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/kernel_report.h"
#include "support/run_text.h"

namespace tactus {
namespace {

/// A program on host threads of process 1; every launch runs a kernel of 10 us.
class ModelProgram {
 public:
  ModelProgram& frame(const std::string& name, int begin, int end, int id = 0, int parent = 0,
                      int tid = 1) {
    std::string args = id > 0 ? fmt::format(R"("Python id":{})", id) : "";
    if (parent > 0) args += fmt::format(R"(,"Python parent id":{})", parent);
    return slice("python_function", name, begin, end, tid, args);
  }
  ModelProgram& module(const std::string& name, int begin, int end, int tid = 1) {
    return frame("nn.Module: " + name, begin, end, 0, 0, tid);
  }
  ModelProgram& range(const std::string& name, int begin, int end) {
    return slice("user_annotation", name, begin, end, 1, "");
  }
  ModelProgram& op(const std::string& name, int begin, int end, const std::string& args,
                   int tid = 1) {
    return slice("cpu_op", name, begin, end, tid, args);
  }
  ModelProgram& launch(int at, int tid = 1, int us = 10) {
    ++correlation_;
    slice("cuda_runtime", "cudaLaunchKernel", at, at + 1, tid,
          fmt::format(R"("correlation":{})", correlation_));
    return kernel(us);
  }
  ModelProgram& replay(int at, int kernels) {
    ++correlation_;
    slice("cuda_runtime", "cudaGraphLaunch", at, at + 1, 1,
          fmt::format(R"("correlation":{})", correlation_));
    for (int i = 0; i < kernels; ++i) kernel(10);
    return *this;
  }
  /// Of the last call.
  ModelProgram& kernel(int us) {
    events_ += fmt::format(
        R"({{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{},"dur":{},"args":)"
        R"({{"device":0,"stream":7,"correlation":{}}}}},)",
        device_us_, us, correlation_);
    device_us_ += us;
    return *this;
  }

  tactus::Run run() const {
    return testing::import_json("[" + events_.substr(0, events_.size() - 1) + "]");
  }

  ModelProgram& slice(const std::string& category, const std::string& name, int begin, int end,
                      int tid, const std::string& args) {
    events_ += fmt::format(
        R"({{"ph":"X","cat":"{}","name":"{}","pid":1,"tid":{},"ts":{},"dur":{},"args":{{{}}}}},)",
        category, name, tid, begin, end - begin, args);
    return *this;
  }

 private:
  std::string events_;
  int device_us_ = 100000;
  int correlation_ = 0;
};

using Lines = std::vector<std::string>;

ModuleTree tree_of(const tactus::Run& run, bool unfold = false) {
  return *report_kernels(run, {.by = GroupBy::kModule, .unfold = unfold}).modules;
}

/// "  name total us, calls" per row, indented; the sums must be those of the kernels.
Lines lines(const ModelProgram& program, bool unfold = false) {
  const tactus::Run run = program.run();
  const KernelReport report = report_kernels(run, {.by = GroupBy::kModule, .unfold = unfold});
  Lines found;
  std::int64_t self_ns = 0;
  std::int64_t roots_ns = 0;
  for (const ModuleRow& row : report.modules->rows) {
    self_ns += row.self_ns;
    if (row.depth == 0) roots_ns += row.total_ns;
    found.push_back(std::string(row.depth, ' ') +
                    fmt::format("{} {} us, {}", row.name, row.total_ns / 1000, row.calls));
  }
  EXPECT_EQ(self_ns, report.table.total_ns);
  EXPECT_EQ(roots_ns, report.table.total_ns);
  return found;
}

/// Two passes of a model with three layers of an attention and an MLP with two products.
ModelProgram layered_model() {
  ModelProgram program;
  for (int pass = 0; pass < 2; ++pass) {
    const int at = pass * 1000;
    program.module("Model_0", at, at + 900);
    program.launch(at + 5);
    for (int layer = 0; layer < 3; ++layer) {
      const int begin = at + 100 + layer * 200;
      program.module(fmt::format("Layer_{}", layer), begin, begin + 190);
      program.module(fmt::format("Attention_{}", layer), begin + 10, begin + 50).launch(begin + 20);
      program.module(fmt::format("MLP_{}", layer), begin + 60, begin + 180);
      for (int i = 0; i < 2; ++i) {
        const int product = begin + 70 + i * 50;
        program.module(fmt::format("Linear_{}", layer * 2 + i), product, product + 40);
        program.launch(product + 10, 1, layer == 1 ? 30 : 10);
      }
    }
    program.launch(at + 950);
  }
  return program;
}

TEST(ModuleTree, folds_layers_that_repeat_and_keeps_parts_apart) {
  EXPECT_EQ(lines(layered_model()),
            (Lines{"Model 280 us, 2", " Layer ×3 260 us, 6", "  Attention 60 us, 6",
                   "  MLP 200 us, 6", "   Linear #1 (of 2) 100 us, 6",
                   "   Linear #2 (of 2) 100 us, 6", "outside modules 20 us, 0"}));
  const ModuleTree tree = tree_of(layered_model().run());
  const ModuleRow& layers = tree.rows[1];
  EXPECT_EQ(layers.path, "Model / Layer ×3");
  EXPECT_EQ(layers.layers, 3);
  EXPECT_EQ(layers.min_layer_ns, 60000);
  EXPECT_EQ(layers.max_layer_ns, 140000);
  EXPECT_EQ(layers.max_layer, 1);
  EXPECT_EQ(layers.passes, 2);
  EXPECT_EQ(tree.rows[4].max_layer, 1) << "a part knows the layer that it is in";
}

TEST(ModuleTree, shows_each_layer_if_asked_to) {
  const Lines found = lines(layered_model(), true);
  ASSERT_EQ(found.size(), 17U);
  EXPECT_EQ(found[0], "Model_0 280 us, 2");
  EXPECT_EQ(found[6], " Layer_1 140 us, 2");
  EXPECT_EQ(found[10], "   Linear_3 60 us, 2");
}

TEST(ModuleTree, of_a_trace_without_modules_has_one_row) {
  ModelProgram program;
  program.range("decode", 0, 100).launch(10);
  EXPECT_EQ(lines(program), (Lines{"outside modules 10 us, 0"}));
  EXPECT_EQ(tree_of(program.run()).evidence, ModuleEvidence::kNone);
}

TEST(ModuleTree, joins_paths_of_ranges_and_words_inside_them) {
  ModelProgram program;
  for (int layer = 0; layer < 2; ++layer) {
    const int at = layer * 100;
    program.range(fmt::format("model.layers.{}", layer), at, at + 90);
    program.range(fmt::format("model.layers.{}.mlp", layer), at + 5, at + 40).launch(at + 10);
    program.range("self_attn", at + 50, at + 80).launch(at + 60);
  }
  program.range("model.norm", 300, 320).launch(310);
  program.range("sampler", 400, 420).launch(410);
  EXPECT_EQ(lines(program),
            (Lines{"model 50 us, 0", " layers.* ×2 40 us, 2", "  mlp 20 us, 2",
                   "  self_attn 20 us, 2", " norm 10 us, 1", "outside modules 10 us, 0"}));
  EXPECT_EQ(tree_of(program.run()).rows[2].path, "model.layers.*.mlp");
  EXPECT_EQ(lines(program, true)[1], " layers.0 20 us, 1");
}

TEST(ModuleTree, reads_the_ranges_of_engines) {
  ModelProgram program;
  program.range("{'Module': 'lm_head', 'Inputs': [[1, 4096]]}", 0, 50).launch(10);
  EXPECT_EQ(lines(program), (Lines{"lm_head 10 us, 1"}));
  EXPECT_EQ(tree_of(program.run()).evidence, ModuleEvidence::kRanges);
}

TEST(ModuleTree, reads_the_hierarchy_of_torch_script) {
  ModelProgram program;
  program.op("aten::conv2d", 0, 50,
             R"("Module Hierarchy":"TOP(Net)::forward.layer1(Sequential)::forward.0(B)::forward")");
  program.launch(10);
  EXPECT_EQ(lines(program), (Lines{"Net 10 us, 0", " layer1.* ×1 10 us, 0"}));
}

TEST(ModuleTree, keeps_threads_apart) {
  ModelProgram program;
  program.module("A_0", 0, 100, 1).module("B_0", 10, 90, 2);
  program.launch(50, 1).launch(50, 2).launch(50, 3);
  EXPECT_EQ(lines(program), (Lines{"A 10 us, 1", "B 10 us, 1", "outside modules 10 us, 0"}));
}

TEST(ModuleTree, gives_the_backward_pass_to_the_modules_of_the_forward_pass) {
  ModelProgram program;
  program.module("A_0", 0, 100).op("aten::mm", 10, 40, R"("Sequence number":7)").launch(20);
  program.op("MmBackward0", 500, 600, R"("Sequence number":7,"Fwd thread id":1)", 2);
  program.op("aten::mm", 510, 590, "", 2).launch(520, 2);
  program.op("OtherBackward0", 700, 800, R"("Sequence number":8,"Fwd thread id":1)", 2);
  program.launch(720, 2);
  EXPECT_EQ(lines(program), (Lines{"A 20 us, 1", "outside modules 10 us, 0"}));
  EXPECT_EQ(tree_of(program.run()).backward_ns, 10000);
}

TEST(ModuleTree, does_not_guess_which_of_two_threads_a_backward_pass_belongs_to) {
  ModelProgram program;
  program.module("A_0", 0, 100, 1).op("aten::mm", 10, 40, R"("Sequence number":7)", 1);
  program.module("B_0", 0, 100, 3).op("aten::mm", 10, 40, R"("Sequence number":7)", 3);
  program.launch(20, 1).launch(20, 3);
  program.op("MmBackward0", 500, 600, R"("Sequence number":7,"Fwd thread id":1)", 2);
  program.launch(520, 2);
  EXPECT_EQ(lines(program), (Lines{"A 10 us, 1", "B 10 us, 1", "outside modules 10 us, 0"}));
}

TEST(ModuleTree, goes_by_ids_where_frames_overlap) {
  ModelProgram program;
  program.frame("nn.Module: A_0", 0, 1000, 1);
  program.frame("nn.Module: B_0", 10, 101, 2, 1);
  program.frame("nn.Module: C_0", 100, 190, 3, 1);  // begins before B ends
  program.launch(50).launch(150);
  EXPECT_EQ(lines(program), (Lines{"A 20 us, 1", " B 10 us, 1", " C 10 us, 1"}));
}

TEST(ModuleTree, goes_by_times_where_ids_are_missing_or_wrong) {
  for (const int parent : {0, 3, 99}) {  // none, itself, unknown
    ModelProgram program;
    program.frame("nn.Module: A_0", 0, 1000, 1);
    program.frame("nn.Module: B_0", 10, 101, 2, parent == 0 ? 0 : 1);
    program.frame("nn.Module: C_0", 100, 190, 3, parent);
    program.launch(50).launch(150);
    EXPECT_EQ(lines(program), (Lines{"A 20 us, 1", " B 10 us, 1", " C 10 us, 1"})) << parent;
  }
}

TEST(ModuleTree, takes_a_module_that_calls_itself_as_one) {
  ModelProgram program;
  for (int i = 0; i < 100; ++i) program.module("Tree_0", i, 1000 - i);
  program.launch(500);
  EXPECT_EQ(lines(program), (Lines{"Tree 10 us, 1"}));
}

TEST(ModuleTree, ends_where_frames_nest_too_deep) {
  constexpr int kDepth = 10000;
  ModelProgram program;
  for (int i = 0; i < kDepth; ++i) {
    program.module(fmt::format("Deep_{}", i), i, 4 * kDepth - i);
  }
  program.launch(2 * kDepth);
  const ModuleTree tree = tree_of(program.run());
  EXPECT_EQ(tree.rows.size(), 64U);
  EXPECT_EQ(tree.rows.back().self_ns, 10000);
}

TEST(ModuleTree, counts_the_calls_of_a_graph_at_every_replay) {
  ModelProgram program;
  program.slice("cuda_runtime", "cudaStreamBeginCapture", 10, 11, 1, "");
  program.module("A_0", 20, 80).module("B_0", 30, 70);
  program.slice("cuda_runtime", "cudaLaunchKernel", 40, 41, 1, R"("correlation":500)");
  program.slice("cuda_runtime", "cudaLaunchKernel", 50, 51, 1, R"("correlation":501)");
  program.slice("cuda_runtime", "cudaStreamEndCapture", 90, 91, 1, "");
  for (int replay = 0; replay < 3; ++replay) program.replay(200 + replay * 100, 2);
  EXPECT_EQ(lines(program), (Lines{"A 60 us, 3", " B 60 us, 3"}));
  EXPECT_EQ(tree_of(program.run()).captured_ns, 60000);
}

TEST(ModuleTree, counts_only_what_is_asked_for) {
  const tactus::Run run = layered_model().run();
  const SliceFilter filter{.device = 5};
  const KernelReport report = report_kernels(run, {.filter = filter, .by = GroupBy::kModule});
  EXPECT_TRUE(report.modules->rows.empty());
}

}  // namespace
}  // namespace tactus

#include "names/module_name.h"

#include <gtest/gtest.h>

namespace tactus {
namespace {

using Kind = ModuleRange::Kind;

std::string text_of(const std::vector<ModuleStep>& steps) {
  std::string text;
  for (const ModuleStep& step : steps) {
    text += (text.empty() ? "" : " ") + std::string(step.name);
    if (step.index >= 0) text += "[" + std::to_string(step.index) + "]";
  }
  return text;
}

TEST(ModuleName, of_a_frame_is_a_class_and_the_number_of_the_instance) {
  EXPECT_EQ(read_module_frame("nn.Module: Linear_17"), (ModuleStep{"Linear", 17, '_'}));
  EXPECT_EQ(read_module_frame("nn.Module: My_Block_2d_0"), (ModuleStep{"My_Block_2d", 0, '_'}));
  EXPECT_EQ(read_module_frame("nn.Module: Odd_"), (ModuleStep{"Odd_"}));
  EXPECT_EQ(read_module_frame("nn.Module: _3"), (ModuleStep{"_3"}));
  EXPECT_EQ(read_module_frame("nn.Module: A_99999999999999999999"),
            (ModuleStep{"A_99999999999999999999"}));
  EXPECT_EQ(read_module_frame("nn.Module: "), (ModuleStep{""}));
  EXPECT_EQ(read_module_frame("model.py(3): forward"), std::nullopt);
}

TEST(ModuleName, of_a_range_is_the_path_that_engines_and_hooks_write) {
  const ModuleRange named = read_module_range(
      "{'Module': 'model.layers.3.mlp', 'TrainableParams': {'weight': [4, 4]}, 'Inputs': [[1]]}");
  EXPECT_EQ(named.kind, Kind::kNamed);
  EXPECT_EQ(named.path, "model.layers.3.mlp");
  EXPECT_EQ(read_module_range("transformer.blocks.7 in=[1, 4096]").path, "transformer.blocks.7");
  for (const char* layered : {"model.layers.3.mlp.down_proj", "layer_3", "layer3_fwd", "0.conv1"}) {
    EXPECT_EQ(read_module_range(layered).kind, Kind::kLayered) << layered;
  }
  for (const char* plain : {"self_attn", "model.norm", "forward"}) {
    EXPECT_EQ(read_module_range(plain).kind, Kind::kPlain) << plain;
  }
  for (const char* other :
       {"ProfilerStep#6", "nccl:all_reduce", "execute_32_context_0(sq0)_generation_32", "7", "a..b",
        "## Call CompiledFxGraph f4 ##", "step[EXTEND bs=15]", "", ".", "a.", "{'Module': '",
        "{'Module': 'a b'}"}) {
    EXPECT_EQ(read_module_range(other).kind, Kind::kNone) << other;
  }
}

TEST(ModuleName, has_steps_with_the_numbers_of_layers) {
  EXPECT_EQ(text_of(steps_of_path("model.layers.3.mlp")), "model layers[3] mlp");
  EXPECT_EQ(text_of(steps_of_path("decoder_layer_12.attn")), "decoder_layer[12] attn");
  EXPECT_EQ(text_of(steps_of_path("0.1.conv2")), "[0] [1] conv2");
  EXPECT_EQ(text_of(steps_of_path("")), "");
}

TEST(ModuleName, of_torch_script_has_the_names_of_attributes) {
  EXPECT_EQ(text_of(steps_of_hierarchy(
                "TOP(ResNet)::forward.SELF(ResNet)::_forward_impl.layer1(Sequential)::forward."
                "0(BasicBlock)::forward.conv1(Conv2d)::forward.SELF(Conv2d)::_conv_forward")),
            "ResNet layer1[0] conv1");
  for (const char* odd : {"", "TOP", "TOP(", ")(", "....", "TOP(A)::f."}) {
    EXPECT_LE(steps_of_hierarchy(odd).size(), 1U) << odd;
  }
}

}  // namespace
}  // namespace tactus

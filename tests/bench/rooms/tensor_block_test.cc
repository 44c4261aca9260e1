#include "bench/rooms/tensor_block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace tactus {
namespace {

/// Tensors of odd sizes, so that nothing is aligned by chance.
Problem odd_problem() {
  Problem problem;
  problem.operator_name = "odd";
  problem.inputs = {{"x", NumberType::kBf16, {3, 7}, Draw::kNormal, 0, 1},
                    {"ids", NumberType::kInt32, {5}, Draw::kOperator}};
  problem.outputs = {{"out", NumberType::kFp8E4m3, {13}}, {"y", NumberType::kFp32, {1}}};
  return problem;
}

class Block {
 public:
  explicit Block(const Problem& problem)
      : problem_(problem), layout_(layout_of(problem)), bytes_(layout_.bytes, std::byte{0}) {
    write_guards(problem_, layout_, bytes_.data());
  }
  std::byte* data() { return bytes_.data(); }
  const TensorLayout& layout() const { return layout_; }
  std::string broken() const { return broken_guard(problem_, layout_, bytes_.data()); }

 private:
  const Problem& problem_;
  TensorLayout layout_;
  std::vector<std::byte> bytes_;
};

TEST(TensorBlock, aligns_its_tensors_and_keeps_them_apart) {
  const Problem problem = odd_problem();
  const TensorLayout layout = layout_of(problem);
  ASSERT_EQ(layout.inputs.size(), 2U);
  ASSERT_EQ(layout.outputs.size(), 2U);
  for (const std::size_t offset :
       {layout.inputs[0], layout.inputs[1], layout.outputs[0], layout.outputs[1]}) {
    EXPECT_EQ(offset % 256, 0U);
  }
  EXPECT_GE(layout.inputs[1], layout.inputs[0] + 42 + 2 * 4096);
  EXPECT_GE(layout.bytes, layout.outputs[1] + 4 + 4096);
}

TEST(TensorBlock, sees_one_byte_beside_any_tensor) {
  const Problem problem = odd_problem();
  Block block(problem);
  EXPECT_EQ(block.broken(), "");
  const auto one = [&](std::size_t offset) {
    std::byte& byte = block.data()[offset];
    byte = std::byte{0};
    const std::string found = block.broken();
    byte = std::byte{0xa5};
    return found;
  };
  const TensorLayout& layout = block.layout();
  EXPECT_EQ(one(layout.outputs[0] - 1), "wrote in front of out");
  EXPECT_EQ(one(layout.outputs[0] + 13), "wrote behind out") << "the very next byte";
  EXPECT_EQ(one(layout.outputs[0] + 13 + 4095), "wrote behind out");
  EXPECT_EQ(one(layout.outputs[0] - 4096), "wrote in front of out");
  EXPECT_EQ(one(layout.inputs[1] + 20), "wrote behind ids");
  EXPECT_EQ(one(layout.outputs[1] - 1), "wrote in front of y");
  EXPECT_EQ(block.broken(), "");
}

TEST(TensorBlock, does_not_mind_what_is_written_into_tensors) {
  const Problem problem = odd_problem();
  Block block(problem);
  std::memset(block.data() + block.layout().outputs[0], 0x11, 13);
  std::memset(block.data() + block.layout().inputs[0], 0x11, 42);
  EXPECT_EQ(block.broken(), "");
}

TEST(TensorBlock, names_the_input_that_was_changed) {
  const Problem problem = odd_problem();
  Block before(problem);
  Block after(problem);
  EXPECT_EQ(changed_input(problem, before.layout(), before.data(), after.data()), "");
  after.data()[after.layout().outputs[0]] = std::byte{1};
  EXPECT_EQ(changed_input(problem, before.layout(), before.data(), after.data()), "")
      << "outputs may change";
  after.data()[after.layout().inputs[1] + 19] = std::byte{1};
  EXPECT_EQ(changed_input(problem, before.layout(), before.data(), after.data()), "ids");
}

}  // namespace
}  // namespace tactus

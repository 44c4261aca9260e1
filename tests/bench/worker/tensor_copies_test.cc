// Copies of tensors that are laid elsewhere between rounds.
#include "bench/worker/tensor_copies.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "operators/definition.h"

namespace tactus {
namespace {

class TensorCopiesTest : public ::testing::Test {
 protected:
  void SetUp() override { make(64); }

  void make(std::int64_t tokens) {
    ShapeParameters parameters;
    parameters.values = {{"tokens", tokens}, {"hidden", 256}};
    problem_ = *make_problem(**find_definition("rms_norm"), parameters);
    layout_ = layout_of(problem_);
    copies_ = std::make_unique<TensorCopies>(*device_, problem_, layout_);
    while (copies_->size() < TensorCopies::kMost) ASSERT_TRUE(copies_->add());
    for (std::size_t i = 0; i < copies_->size(); ++i) {
      std::memset((*copies_)[i].block(), static_cast<int>(i + 1), layout_.bytes);
    }
  }

  std::vector<std::byte*> places() {
    std::vector<std::byte*> found;
    for (std::size_t i = 0; i < copies_->size(); ++i) found.push_back((*copies_)[i].block());
    return found;
  }

  bool keeps_content(std::size_t copy) {
    const std::byte* block = (*copies_)[copy].block();
    return std::all_of(block, block + layout_.bytes,
                       [copy](std::byte b) { return b == std::byte(copy + 1); });
  }

  std::unique_ptr<Device> device_ = make_cpu_device(1);
  Problem problem_;
  TensorLayout layout_;
  std::unique_ptr<TensorCopies> copies_;
};

TEST_F(TensorCopiesTest, keep_what_is_in_them_wherever_they_are_moved) {
  ASSERT_TRUE(copies_->make_movable(7));
  for (int move = 0; move < 9; ++move) {
    const std::vector<std::byte*> before = places();
    ASSERT_TRUE(copies_->move_on());
    for (std::size_t i = 0; i < copies_->size(); ++i) {
      EXPECT_NE((*copies_)[i].block(), before[i]);
      EXPECT_TRUE(keeps_content(i)) << move;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>((*copies_)[i].block()) % 256, 0U);
    }
  }
}

TEST_F(TensorCopiesTest, come_back_to_the_same_places) {
  ASSERT_TRUE(copies_->make_movable(7));
  const std::vector<std::byte*> first = places();
  std::set<std::byte*> seen;
  for (std::size_t move = 0; move < TensorCopies::kArrangements; ++move) {
    ASSERT_TRUE(copies_->move_on());
    for (std::byte* place : places()) seen.insert(place);
  }
  EXPECT_EQ(places(), first);
  EXPECT_EQ(seen.size(), TensorCopies::kArrangements * TensorCopies::kMost);
}

TEST_F(TensorCopiesTest, tell_their_calls_where_they_are) {
  ASSERT_TRUE(copies_->make_movable(7));
  ASSERT_TRUE(copies_->move_on());
  BoundCall& copy = (*copies_)[1];
  EXPECT_EQ(tactus_input(&copy.call(), "x")->data, copy.block() + layout_.inputs[0]);
  EXPECT_EQ(tactus_output(&copy.call(), "out")->data, copy.block() + layout_.outputs[0]);
}

TEST_F(TensorCopiesTest, take_turns) {
  std::set<const tactus_call*> seen;
  for (std::size_t i = 0; i < copies_->size(); ++i) seen.insert(&copies_->next());
  EXPECT_EQ(seen.size(), copies_->size());
}

TEST_F(TensorCopiesTest, stay_where_they_are_if_they_are_large) {
  make(1 << 15);  // 32 MB
  EXPECT_FALSE(copies_->make_movable(7));
  EXPECT_FALSE(copies_->movable());
}

}  // namespace
}  // namespace tactus

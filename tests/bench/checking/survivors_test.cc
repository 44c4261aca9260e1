// Finding outputs that a call has not written.
#include "bench/checking/survivors.h"

#include <gtest/gtest.h>

#include <cstring>

#include "operators/definition.h"

namespace tactus {
namespace {

struct Outputs {
  explicit Outputs(std::vector<TensorSpec> specs) {
    problem.inputs = {{"x", NumberType::kBf16, {4}, Draw::kNormal, 0, 1}};
    problem.outputs = std::move(specs);
    layout = layout_of(problem);
    after.assign(layout.bytes, std::byte{0x3f});
    decoy.assign(layout.bytes, std::byte{0});
    Random random(5);
    for (std::byte& byte : decoy) byte = static_cast<std::byte>(random.below(200));
  }
  std::byte* number(std::size_t output, std::int64_t index) {
    const auto width = static_cast<std::size_t>(bytes_of(problem.outputs[output].dtype));
    return &after[layout.outputs[output] + static_cast<std::size_t>(index) * width];
  }
  void poison(std::size_t output, std::int64_t index) {
    const NumberType type = problem.outputs[output].dtype;
    std::memset(number(output, index), poison_byte(type), static_cast<std::size_t>(bytes_of(type)));
  }
  void keep_decoy(std::size_t output, std::int64_t index, std::size_t bytes) {
    std::byte* at = number(output, index);
    std::memcpy(at, &decoy[static_cast<std::size_t>(at - after.data())], bytes);
  }
  std::string poisoned(std::uint32_t may_stay = 0) const {
    return surviving_prefill(problem, layout, after.data(), {}, may_stay, 2);
  }
  std::string decoyed() const {
    return surviving_prefill(problem, layout, after.data(), {.decoy = decoy.data()}, 0, 2);
  }

  Problem problem;
  TensorLayout layout;
  std::vector<std::byte> after;
  std::vector<std::byte> decoy;
};

TEST(Survivors, are_found_wherever_they_are) {
  for (const NumberType type : {NumberType::kBf16, NumberType::kFp32, NumberType::kFp8E4m3,
                                NumberType::kFp8E4m3Fnuz, NumberType::kInt32, NumberType::kInt64}) {
    for (const std::int64_t index : {0, 1, 299999, 599998, 599999}) {
      Outputs outputs({{"out", type, {3, 200000}}});
      EXPECT_EQ(outputs.poisoned(), "");
      outputs.poison(0, index);
      const std::string place =
          "out[" + std::to_string(index / 200000) + ", " + std::to_string(index % 200000) + "]";
      EXPECT_EQ(outputs.poisoned(),
                place + " was not written: it is still nan, or an impossible id");
    }
  }
}

TEST(Survivors, are_the_first_of_all_outputs) {
  Outputs outputs({{"a", NumberType::kBf16, {1000000}}, {"b", NumberType::kFp32, {10}}});
  outputs.poison(1, 3);
  EXPECT_TRUE(outputs.poisoned().starts_with("b[3] ")) << outputs.poisoned();
  outputs.poison(0, 999999);
  outputs.poison(0, 600000);
  EXPECT_TRUE(outputs.poisoned().starts_with("a[600000] ")) << outputs.poisoned();
}

TEST(Survivors, of_half_a_number_are_not_poison) {
  Outputs outputs({{"out", NumberType::kFp32, {10}}});
  std::memset(outputs.number(0, 2), 0xff, 3);
  EXPECT_EQ(outputs.poisoned(), "");
}

TEST(Survivors, are_allowed_where_an_operator_leaves_numbers) {
  Outputs outputs({{"a", NumberType::kInt32, {10}}, {"b", NumberType::kInt32, {10}}});
  outputs.poison(1, 3);
  EXPECT_EQ(outputs.poisoned(0b10), "");
  EXPECT_NE(outputs.poisoned(0b01), "");
}

TEST(Survivors, are_not_looked_for_in_what_changes_in_place) {
  Outputs outputs({{"state", NumberType::kBf16, {10}, Draw::kNormal, 0, 1}});
  outputs.poison(0, 3);
  EXPECT_EQ(outputs.poisoned(), "");
}

TEST(Survivors, of_other_results_are_found_by_many_different_numbers) {
  Outputs outputs({{"out", NumberType::kBf16, {100000}}});
  EXPECT_EQ(outputs.decoyed(), "");
  outputs.keep_decoy(0, 64000, 60);
  EXPECT_EQ(outputs.decoyed(), "") << "some numbers can be the same by chance";
  outputs.keep_decoy(0, 64000, 128);
  EXPECT_EQ(outputs.decoyed(),
            "out[64000] was not written: it is still the result of other inputs that was there "
            "before");
}

TEST(Survivors, of_other_results_are_not_looked_for_where_each_stands_for_many_numbers) {
  Outputs outputs({{"scales", NumberType::kFp32, {1000}}});
  outputs.problem.inputs[0].shape = {8, 1000};
  outputs.keep_decoy(0, 0, 1024);
  EXPECT_EQ(outputs.decoyed(), "") << "the largest of a group is often the same";
  outputs.poison(0, 999);
  EXPECT_NE(outputs.poisoned(), "");
}

TEST(Survivors, of_other_results_can_be_zeros_by_chance) {
  Outputs outputs({{"out", NumberType::kBf16, {1000}}});
  std::fill(outputs.decoy.begin(), outputs.decoy.end(), std::byte{0});
  std::fill(outputs.after.begin(), outputs.after.end(), std::byte{0});
  EXPECT_EQ(outputs.decoyed(), "");
}

}  // namespace
}  // namespace tactus

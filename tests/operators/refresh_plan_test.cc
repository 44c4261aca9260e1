// What a GPU does with a tensor between calls is what the CPU does.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "operators/refresh.h"

namespace tactus {
namespace {

struct Case {
  const char* name;
  Refresh refresh;
  NumberType dtype;
  std::vector<std::int64_t> shape;
};

class RefreshPlans : public ::testing::TestWithParam<Case> {};

TEST_P(RefreshPlans, give_the_same_numbers) {
  const Case& given = GetParam();
  TensorSpec spec;
  spec.name = "x";
  spec.dtype = given.dtype;
  spec.shape = given.shape;
  spec.draw = Draw::kNormal;
  spec.refresh = given.refresh;
  spec.b = 1000;
  const auto bytes = static_cast<std::size_t>(spec.bytes());
  std::vector<std::byte> drawn(bytes + 8);
  std::mt19937 random(7);
  for (std::size_t i = 0; i < bytes; ++i) drawn[i] = static_cast<std::byte>(random());
  if (given.refresh == Refresh::kIds || given.refresh == Refresh::kFreeIds) {
    const auto width = static_cast<std::size_t>(bytes_of(spec.dtype));
    for (std::size_t i = 0; i + width <= bytes; i += width) {
      const auto id = static_cast<std::int64_t>(random() % 1000);
      std::memcpy(drawn.data() + i, &id, width);  // the low bytes come first
    }
  }
  for (const InputKey key : {InputKey{1, 0}, InputKey{0x1234567890abcdef, 0}, InputKey{99, 77}}) {
    std::vector<std::byte> by_cpu(bytes);
    refresh(spec, drawn.data(), key, 0, spec.elements(), by_cpu.data());
    const RefreshPlan plan = plan_refresh(spec, key);
    for (std::uint64_t word = 0; word * 8 < bytes; ++word) {
      const std::uint64_t numbers = refreshed_word(plan, drawn.data(), word);
      const std::size_t now = std::min<std::size_t>(8, bytes - word * 8);
      ASSERT_EQ(std::memcmp(&numbers, by_cpu.data() + word * 8, now), 0)
          << "word " << word << " of key " << key.key;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, RefreshPlans,
    ::testing::Values(Case{"nothing", Refresh::kNothing, NumberType::kInt32, {17}},
                      Case{"numbers", Refresh::kNumbers, NumberType::kFp32, {1001}},
                      Case{"rows", Refresh::kRows, NumberType::kFp32, {7, 33}},
                      Case{"columns", Refresh::kColumns, NumberType::kBf16, {5, 129}},
                      Case{
                          "rows_and_columns", Refresh::kRowsAndColumns, NumberType::kBf16, {5, 64}},
                      Case{"signs_bf16", Refresh::kSigns, NumberType::kBf16, {40, 256}},
                      Case{"signs_odd", Refresh::kSigns, NumberType::kBf16, {9, 77}},
                      Case{"signs_fp8", Refresh::kSigns, NumberType::kFp8E4m3, {12, 128}},
                      Case{"signs_fnuz", Refresh::kSigns, NumberType::kFp8E4m3Fnuz, {12, 100}},
                      Case{"signs_fp32", Refresh::kSigns, NumberType::kFp32, {6, 64}},
                      Case{"signs_of_short_lines", Refresh::kSigns, NumberType::kBf16, {50, 3}},
                      Case{"signs_of_a_list", Refresh::kSigns, NumberType::kBf16, {48}},
                      Case{"ids", Refresh::kIds, NumberType::kInt32, {61}},
                      Case{"wide_ids", Refresh::kIds, NumberType::kInt64, {61}},
                      Case{"free_ids", Refresh::kFreeIds, NumberType::kInt32, {33, 6}}),
    [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace tactus

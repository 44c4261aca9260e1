// What a key makes of drawn tensors: other inputs of the same operator.
#include "operators/refresh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "catalogue/catalogue.h"
#include "operators/definition.h"
#include "operators/number_formats.h"

namespace tactus {
namespace {

using Bytes = std::vector<std::byte>;

TensorSpec normal(NumberType type, std::vector<std::int64_t> shape) {
  return {"x", type, std::move(shape), Draw::kNormal, 0, 1};
}

Bytes drawn(const TensorSpec& spec, std::uint64_t seed = 7) {
  Bytes bytes(static_cast<std::size_t>(spec.bytes()));
  fill({&spec, bytes.data()}, seed, 1);
  return bytes;
}

Bytes refreshed(const TensorSpec& spec, Bytes from, InputKey key) {
  Bytes into(from.size());
  refresh(spec, from.data(), key, 0, spec.elements(), into.data());
  return into;
}

std::vector<double> numbers(const TensorSpec& spec, Bytes bytes) {
  const HostTensor tensor = {&spec, bytes.data()};
  std::vector<double> all;
  for (std::int64_t i = 0; i < spec.elements(); ++i) all.push_back(tensor.get(i));
  return all;
}

std::int64_t different(const TensorSpec& spec, const Bytes& a, const Bytes& b) {
  const auto width = static_cast<std::size_t>(bytes_of(spec.dtype));
  std::int64_t count = 0;
  for (std::size_t at = 0; at < a.size(); at += width) {
    count += std::memcmp(&a[at], &b[at], width) != 0 ? 1 : 0;
  }
  return count;
}

/// The shape of the catalogue with the smallest tensors, and few rows of it.
Problem small_problem(const OperatorDefinition& definition) {
  static const Catalogue catalogue = built_in_catalogue();
  std::optional<Problem> smallest;
  for (const Shape& shape : (*find_operator(catalogue, definition.name))->shapes) {
    ShapeParameters parameters = shape.parameters;
    for (auto& [name, value] : parameters.values) {
      if (name == "experts" || name == "blocks") value = std::min<std::int64_t>(value, 16);
    }
    Result<Problem> problem = make_problem(definition, parameters);
    if (!problem) problem = make_problem(definition, shape.parameters);
    if (!problem) continue;
    if (!smallest || problem->bytes() < smallest->bytes()) smallest = std::move(*problem);
  }
  return *smallest;
}

constexpr std::int64_t kMostBytes = std::int64_t{8} << 20;

/// Calls visit(tensor, as it was drawn) for all drawn tensors of all operators.
template <class Visit>
int each_drawn_tensor(Visit visit) {
  int operators = 0;
  for (const OperatorDefinition* definition : operator_definitions()) {
    const Problem problem = small_problem(*definition);
    if (problem.bytes() > kMostBytes) continue;
    ++operators;
    std::vector<Bytes> memory;
    HostTensors tensors;
    const auto take = [&](const TensorSpec& spec) {
      memory.emplace_back(static_cast<std::size_t>(spec.bytes()));
      return HostTensor{&spec, memory.back().data()};
    };
    for (const TensorSpec& spec : problem.inputs) tensors.inputs.push_back(take(spec));
    for (const TensorSpec& spec : problem.outputs) tensors.outputs.push_back(take(spec));
    draw_tensors(*definition, problem, tensors, 11, 2);
    for (std::size_t i = 0; i < memory.size(); ++i) {
      const bool input = i < problem.inputs.size();
      const TensorSpec& spec =
          input ? problem.inputs[i] : problem.outputs[i - problem.inputs.size()];
      if (spec.draw != Draw::kNone) visit(problem, spec, memory[i]);
    }
  }
  return operators;
}

TEST(Refresh, gives_other_inputs_for_every_key_and_the_same_for_the_same) {
  const TensorSpec spec = normal(NumberType::kBf16, {48, 512});
  const Bytes from = drawn(spec);
  std::set<Bytes> seen = {from};
  for (std::uint64_t key = 1; key <= 50; ++key) {
    const Bytes made = refreshed(spec, from, {.key = key});
    EXPECT_TRUE(seen.insert(made).second) << key;
    EXPECT_GT(different(spec, made, from), spec.elements() / 2) << "nearly all numbers";
    EXPECT_EQ(made, refreshed(spec, from, {.key = key}));
  }
}

TEST(Refresh, makes_pieces_that_fit_together) {
  for (const NumberType type :
       {NumberType::kBf16, NumberType::kFp32, NumberType::kFp8E4m3, NumberType::kFp8E4m3Fnuz}) {
    const TensorSpec spec = normal(type, {6, 192});
    const auto width = static_cast<std::int64_t>(bytes_of(type));
    const Bytes from = drawn(spec);
    for (const std::uint64_t twist : {0U, 8U, 9U, 10U, 11U, 12U, 13U}) {
      const InputKey key = {.key = 5, .twist = twist};
      const Bytes whole = refreshed(spec, from, key);
      Bytes pieces(from.size());
      for (std::int64_t first = 0; first < spec.elements(); first += 256) {
        refresh(spec, from.data(), key, first, std::min<std::int64_t>(256, spec.elements() - first),
                pieces.data() + first * width);
      }
      EXPECT_EQ(pieces, whole);
    }
  }
}

// No NaN, infinity, zero or denormal number can appear where none was drawn, and no size either.
TEST(Refresh, makes_only_numbers_that_were_drawn_or_their_negatives) {
  const int operators =
      each_drawn_tensor([](const Problem& problem, const TensorSpec& spec, const Bytes& from) {
        if (is_integer(spec.dtype)) return;
        std::vector<double> sizes = numbers(spec, from);
        for (double& number : sizes) number = std::fabs(number);
        const auto is_nan = [](double number) { return std::isnan(number); };
        ASSERT_TRUE(std::none_of(sizes.begin(), sizes.end(), is_nan))
            << problem.operator_name << " " << spec.name;
        std::sort(sizes.begin(), sizes.end());
        sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
        for (const std::uint64_t key : {3U, 4U}) {
          for (const std::uint64_t twist : {0U, 21U}) {
            for (const double number :
                 numbers(spec, refreshed(spec, from, {.key = key, .twist = twist}))) {
              ASSERT_TRUE(std::binary_search(sizes.begin(), sizes.end(), std::fabs(number)))
                  << problem.operator_name << " " << spec.name << ": " << number;
            }
          }
        }
      });
  EXPECT_GE(operators, 20);
}

TEST(Refresh, keeps_positive_what_is_drawn_positive) {
  each_drawn_tensor([](const Problem& problem, const TensorSpec& spec, const Bytes& from) {
    const std::vector<double> before = numbers(spec, from);
    if (*std::min_element(before.begin(), before.end()) < 0) return;
    const std::vector<double> after = numbers(spec, refreshed(spec, from, {.key = 3}));
    EXPECT_GE(*std::min_element(after.begin(), after.end()), 0)
        << problem.operator_name << " " << spec.name;
  });
}

TEST(Refresh, keeps_ids_valid_and_as_often_repeated_as_they_were) {
  each_drawn_tensor([](const Problem& problem, const TensorSpec& spec, const Bytes& from) {
    if (!is_integer(spec.dtype)) return;
    const auto times = [](const std::vector<double>& ids) {
      std::map<double, int> by_id;
      for (const double id : ids) ++by_id[id];
      std::vector<int> counts;
      for (const auto& [id, count] : by_id) counts.push_back(count);
      std::sort(counts.begin(), counts.end());
      return counts;
    };
    const std::vector<double> before = numbers(spec, from);
    const auto [least, most] = std::minmax_element(before.begin(), before.end());
    for (const std::uint64_t key : {3U, 4U, 5U}) {
      const std::vector<double> after = numbers(spec, refreshed(spec, from, {.key = key}));
      const bool free = spec.refresh == Refresh::kFreeIds;
      if (!free) {
        EXPECT_EQ(times(after), times(before)) << problem.operator_name << " " << spec.name;
      }
      const bool renamed = free || spec.refresh == Refresh::kIds;
      for (const double id : after) {
        ASSERT_GE(id, renamed ? 0 : *least) << problem.operator_name << " " << spec.name;
        ASSERT_LE(id, renamed ? spec.b - 1 : *most) << problem.operator_name << " " << spec.name;
      }
    }
  });
}

// A kernel that has seen the drawn tensor could take a result from memory if what the result is
// made of stayed: the numbers of a line in another order have the same sum, maximum and softmax.
TEST(Refresh, leaves_no_line_with_the_numbers_that_another_had) {
  for (const auto& [refresh, shape] :
       {std::pair<Refresh, std::vector<std::int64_t>>{Refresh::kSigns, {32, 1000}},
        {Refresh::kSigns, {32, 1024}},
        {Refresh::kRowsAndColumns, {32, 1024}},
        {Refresh::kRowsAndColumns, {32, 77}},
        {Refresh::kColumns, {32, 128}}}) {
    TensorSpec spec = normal(NumberType::kFp32, shape);
    spec.refresh = refresh;
    const auto sums_of_squares = [&](const Bytes& bytes) {
      const std::vector<double> all = numbers(spec, bytes);
      std::set<double> sums;
      for (std::int64_t row = 0; row < shape[0]; ++row) {
        double sum = 0;
        std::vector<double> squares;
        for (std::int64_t i = row * shape[1]; i < (row + 1) * shape[1]; ++i) {
          squares.push_back(all[static_cast<std::size_t>(i)] * all[static_cast<std::size_t>(i)]);
        }
        std::sort(squares.begin(), squares.end());
        for (const double square : squares) sum += square;
        sums.insert(sum);
      }
      return sums;
    };
    const Bytes from = drawn(spec);
    std::set<double> seen = sums_of_squares(from);
    for (std::uint64_t key = 1; key <= 20; ++key) {
      for (const double sum : sums_of_squares(refreshed(spec, from, {.key = key}))) {
        EXPECT_TRUE(seen.insert(sum).second) << shape[1] << " numbers, key " << key;
      }
    }
  }
}

TEST(Refresh, chooses_free_ids_one_by_one) {
  TensorSpec spec = {"ids", NumberType::kInt32, {512, 8}, Draw::kOperator, 0,
                     16384, Refresh::kFreeIds};
  Bytes from(static_cast<std::size_t>(spec.bytes()));
  for (std::int32_t i = 0; i < 4096; ++i)
    std::memcpy(&from[static_cast<std::size_t>(4 * i)], &i, 4);
  const std::vector<double> made = numbers(spec, refreshed(spec, from, {.key = 3}));
  // Of n ids chosen freely, n / e are never chosen; neighbours are no neighbours any more.
  const std::set<double> different_ids(made.begin(), made.end());
  EXPECT_NEAR(static_cast<double>(different_ids.size()), 4096 * (1 - std::exp(-1)), 150);
  int steps_of_one = 0;
  for (std::size_t i = 1; i < made.size(); ++i) steps_of_one += made[i] == made[i - 1] + 1 ? 1 : 0;
  EXPECT_LT(steps_of_one, 20);
}

TEST(Refresh, has_as_many_negative_numbers_as_the_draw) {
  for (const NumberType type : {NumberType::kBf16, NumberType::kFp32, NumberType::kFp8E4m3Fnuz}) {
    const TensorSpec spec = normal(type, {64, 512});
    const Bytes from = drawn(spec);
    for (std::uint64_t key = 1; key <= 10; ++key) {
      const std::vector<double> made = numbers(spec, refreshed(spec, from, {.key = key}));
      const auto negative =
          std::count_if(made.begin(), made.end(), [](double number) { return number < 0; });
      // 32768 fair coins: 6 deviations.
      EXPECT_NEAR(static_cast<double>(negative), 16384, 6 * 90.5);
    }
  }
}

TEST(Twist, changes_at_least_one_number_and_mostly_very_few) {
  Problem problem;
  problem.inputs = {normal(NumberType::kBf16, {400, 512})};
  const TensorSpec& spec = problem.inputs[0];
  const Bytes from = drawn(spec);
  Random random(99);
  const Bytes base = refreshed(spec, from, {.key = 5});
  int one = 0;
  int few = 0;
  constexpr int kTimes = 200;
  for (int i = 0; i < kTimes; ++i) {
    const InputKey key = twisted(problem, {.key = 5}, random);
    const std::int64_t changed = different(spec, refreshed(spec, from, key), base);
    EXPECT_GE(changed, 1);
    EXPECT_LE(changed, spec.elements() / 50);
    one += changed == 1 ? 1 : 0;
    few += changed <= 128 ? 1 : 0;
    const NumberRange range = twisted_range(spec, key);
    EXPECT_GE(range.count, 1);
    EXPECT_LE(range.first + range.count, spec.elements());
  }
  EXPECT_NEAR(one, kTimes / 2, 40);
  EXPECT_GE(few, kTimes * 6 / 10);
}

TEST(Twist, changes_one_tensor_or_all_that_have_signs) {
  Problem problem;
  problem.inputs = {normal(NumberType::kBf16, {8, 64}), normal(NumberType::kBf16, {8, 64})};
  problem.inputs[1].name = "y";
  Random random(3);
  std::set<std::pair<bool, bool>> seen;
  for (int i = 0; i < 100; ++i) {
    const InputKey key = twisted(problem, {.key = 5}, random);
    seen.insert({twisted_range(problem.inputs[0], key).count > 0,
                 twisted_range(problem.inputs[1], key).count > 0});
  }
  EXPECT_EQ(seen, (std::set<std::pair<bool, bool>>{{true, true}, {true, false}, {false, true}}));
}

TEST(Twist, is_another_key_where_nothing_has_signs) {
  Problem problem;
  problem.inputs = {{"ids", NumberType::kInt32, {4}, Draw::kOperator, 0, 8, Refresh::kIds}};
  Random random(3);
  const InputKey key = twisted(problem, {.key = 5}, random);
  EXPECT_NE(key.key, 5U);
  EXPECT_EQ(key.twist, 0U);
}

TEST(Twist, in_place_changes_its_range_only) {
  for (const NumberType type : {NumberType::kBf16, NumberType::kFp32, NumberType::kFp8E4m3Fnuz}) {
    Problem problem;
    problem.inputs = {normal(type, {40, 192})};
    const TensorSpec& spec = problem.inputs[0];
    const auto width = static_cast<std::size_t>(bytes_of(type));
    const Bytes from = drawn(spec);
    Random random(17);
    for (int i = 0; i < 50; ++i) {
      const InputKey key = twisted(problem, {.key = 5}, random);
      const auto [first, count] = twisted_range(spec, key);
      Bytes data = from;
      twist_in_place(spec, key, data.data());
      for (std::int64_t n = 0; n < spec.elements(); ++n) {
        const std::size_t at = static_cast<std::size_t>(n) * width;
        if (n >= first && n < first + count) continue;
        ASSERT_EQ(std::memcmp(&data[at], &from[at], width), 0) << n;
      }
      EXPECT_GE(different(spec, data, from), count == 1 ? 0 : 1) << "zero has no sign in fp8";
    }
  }
}

TEST(Renew, is_refresh_without_turning_rows) {
  const TensorSpec spec = normal(NumberType::kBf16, {40, 512});
  const Bytes from = drawn(spec);
  Bytes data = from;
  renew(spec, 5, 0, spec.elements(), data.data());
  EXPECT_EQ(data, refreshed(spec, from, {.key = 5, .rows_stay = true}));
  EXPECT_NE(data, refreshed(spec, from, {.key = 5}));
}

}  // namespace
}  // namespace tactus

#include "judge/shape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace tactus {
namespace {

/// Logarithms of lengths that vary by a percent around a level.
std::vector<double> steps(std::size_t count, unsigned seed,
                          const std::function<double(std::size_t)>& factor) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, 0.01);
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(std::log(factor(i)) + noise(random));
  return values;
}

ShapeOfChange shape(const std::function<double(std::size_t)>& factor) {
  return shape_of_change(steps(60, 1, [](std::size_t) { return 1; }), steps(60, 2, factor));
}

TEST(ShapeOfChange, every_step_is_longer) {
  EXPECT_EQ(shape([](std::size_t) { return 1.5; }).shape, ChangeShape::kEvery);
  EXPECT_EQ(shape([](std::size_t) { return 0.7; }).shape, ChangeShape::kEvery);
}

TEST(ShapeOfChange, every_third_step_stalls) {
  const ShapeOfChange found = shape([](std::size_t i) { return i % 3 == 1 ? 5.0 : 1.0; });
  EXPECT_EQ(found.shape, ChangeShape::kSome);
  EXPECT_EQ(found.period, 3U);
  EXPECT_NEAR(found.share, 1.0 / 3, 0.01);
  EXPECT_NEAR(found.factor, 5, 0.2);
}

TEST(ShapeOfChange, some_steps_stall_without_a_rule) {
  const ShapeOfChange found = shape([](std::size_t i) {
    return i == 4 || i == 11 || i == 13 || i == 30 || i == 47 || i == 58 ? 8.0 : 1.0;
  });
  EXPECT_EQ(found.shape, ChangeShape::kSome);
  EXPECT_EQ(found.period, 0U);
  EXPECT_NEAR(found.share, 0.1, 0.001);
}

TEST(ShapeOfChange, steps_become_longer_and_longer) {
  EXPECT_EQ(shape([](std::size_t i) { return 1 + 0.02 * static_cast<double>(i); }).shape,
            ChangeShape::kDrift);
}

TEST(ShapeOfChange, steps_are_longer_from_a_moment_on) {
  const ShapeOfChange found = shape([](std::size_t i) { return i < 25 ? 1.0 : 2.0; });
  EXPECT_EQ(found.shape, ChangeShape::kJump);
  EXPECT_EQ(found.at, 25U);
}

TEST(ShapeOfChange, a_few_steps_have_no_shape) {
  const std::vector<double> few = {0, 0, 1, 0, 0};
  EXPECT_EQ(shape_of_change(few, few).shape, ChangeShape::kEvery);
}

}  // namespace
}  // namespace tactus

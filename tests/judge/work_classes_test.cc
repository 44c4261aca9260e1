#include "judge/work_classes.h"

#include <gtest/gtest.h>

namespace tactus {
namespace {

struct Work {
  std::optional<double> tokens;
  std::optional<double> context;
};

/// The classes of the steps of two sides.
std::vector<std::vector<std::size_t>> classes_of(const std::vector<Work>& normal,
                                                 const std::vector<Work>& abnormal) {
  std::vector<MeasuredStep> steps;
  for (const auto* side : {&normal, &abnormal}) {
    for (const Work& work : *side) {
      steps.push_back({.work = {.tokens = work.tokens, .context = work.context}});
    }
  }
  std::vector<std::vector<const MeasuredStep*>> sides(2);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    sides[i < normal.size() ? 0 : 1].push_back(&steps[i]);
  }
  return work_classes(sides).of_step;
}

TEST(WorkClasses, tokens_within_twelve_percent_are_one_class_over_both_runs) {
  const auto classes = classes_of({{100}, {110}, {200}}, {{112}, {130}});
  EXPECT_EQ(classes[0][0], classes[0][1]);
  EXPECT_EQ(classes[0][0], classes[1][0]);
  EXPECT_NE(classes[1][1], classes[0][0]);
  EXPECT_NE(classes[1][1], classes[0][2]);
}

TEST(WorkClasses, contexts_beyond_a_factor_of_two_are_other_work) {
  const auto classes = classes_of({{32, 1000}, {32, 1900}}, {{32, 2100}, {32, 1500}});
  EXPECT_EQ(classes[0][0], classes[0][1]);
  EXPECT_EQ(classes[0][0], classes[1][1]);
  EXPECT_NE(classes[0][0], classes[1][0]);
}

TEST(WorkClasses, a_context_that_is_not_known_of_all_steps_does_not_part_them) {
  const auto classes = classes_of({{32, 1000}}, {{32, 9000}, {32, std::nullopt}});
  EXPECT_EQ(classes[0][0], classes[1][0]);
  EXPECT_EQ(classes[0][0], classes[1][1]);
}

TEST(WorkClasses, steps_are_one_class_if_the_work_of_most_is_unknown_in_a_run) {
  const auto classes = classes_of({{100}, {std::nullopt}}, {{5000}});
  EXPECT_EQ(classes[0], (std::vector<std::size_t>{0, 0}));
  EXPECT_EQ(classes[1], (std::vector<std::size_t>{0}));
}

/// The classes of steps of unknown work, by their launches.
std::vector<std::vector<std::size_t>> classes_by_launches(const std::vector<double>& normal,
                                                          const std::vector<double>& abnormal) {
  std::vector<MeasuredStep> steps;
  for (const auto* side : {&normal, &abnormal}) {
    for (const double launches : *side) steps.push_back({.launches = launches});
  }
  std::vector<std::vector<const MeasuredStep*>> sides(2);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    sides[i < normal.size() ? 0 : 1].push_back(&steps[i]);
  }
  return work_classes(sides).of_step;
}

TEST(WorkClasses, steps_of_unknown_work_go_by_their_number_of_kernels) {
  const auto classes = classes_by_launches({171, 133, 133}, {133, 171, 134});
  EXPECT_NE(classes[0][0], classes[0][1]);
  EXPECT_EQ(classes[0][1], classes[0][2]);
  EXPECT_EQ(classes[0][0], classes[1][1]);
  EXPECT_EQ(classes[0][1], classes[1][0]);
  EXPECT_EQ(classes[0][1], classes[1][2]);
}

TEST(WorkClasses, a_program_that_launches_other_numbers_is_not_parted) {
  const auto classes = classes_by_launches({171, 133, 133}, {50, 50, 171});
  EXPECT_EQ(classes[0], (std::vector<std::size_t>{0, 0, 0}));
  EXPECT_EQ(classes[1], (std::vector<std::size_t>{0, 0, 0}));
}

TEST(WorkClasses, a_few_steps_of_unknown_work_are_apart) {
  const auto classes = classes_of({{100}, {100}, {std::nullopt}}, {{100}});
  EXPECT_EQ(classes[0][0], classes[0][1]);
  EXPECT_EQ(classes[0][0], classes[1][0]);
  EXPECT_NE(classes[0][0], classes[0][2]);
}

}  // namespace
}  // namespace tactus

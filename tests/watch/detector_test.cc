#include "watch/detector.h"

#include <gtest/gtest.h>

#include <cmath>

#include "watch/alert.h"
#include "watch/evaluate/injection.h"

namespace tactus::watch {
namespace {

/// Steps of 40 ms with a spread of 1.3%, times a factor.
class Steps {
 public:
  Alarm add(double factor) {
    noise_ = 0.7 * noise_ + std::sqrt(0.51) * 0.013 * random_.normal();
    const double us = 40'000 * factor * std::exp(noise_);
    const Alarm alarm = detector.add({.start_ns = now_,
                                      .dur_us = us,
                                      .predicted_us = 40'000,
                                      .residual = std::log(us / 40'000)});
    now_ += static_cast<std::int64_t>(us * 1e3);
    return alarm;
  }
  /// Steps up to the first alarm; nothing if there is none.
  std::optional<int> until_alarm(int most, double factor) {
    for (int i = 0; i < most; ++i) {
      if (add(factor) != Alarm::kNone) return i;
    }
    return std::nullopt;
  }

  Detector detector;

 private:
  Random random_{5};
  double noise_ = 0;
  std::int64_t now_ = 1'000'000'000;
};

TEST(Detector, stays_silent_on_noise) {
  Steps steps;
  EXPECT_EQ(steps.until_alarm(100'000, 1), std::nullopt);
}

TEST(Detector, never_alarms_for_a_model_that_is_off_by_less_than_its_slack) {
  Detector detector;
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_EQ(detector.add({.dur_us = 1, .predicted_us = 1, .residual = 0.0399}), Alarm::kNone);
  }
}

TEST(Detector, finds_slowdowns_within_a_few_steps_and_says_how_large_they_are) {
  for (const double factor : {1.1, 1.2, 2.0}) {
    Steps steps;
    for (int i = 0; i < 200; ++i) steps.add(1);
    const std::optional<int> delay = steps.until_alarm(20, factor);
    ASSERT_TRUE(delay) << factor;
    EXPECT_LE(*delay, 6) << factor;
    for (int i = 0; i < 100; ++i) steps.add(factor);
    const Episode episode = *steps.detector.episode();
    EXPECT_EQ(episode.shape, Shape::kStep) << factor;
    EXPECT_NEAR(std::exp(episode.size), factor, 0.02 * factor);
    EXPECT_LT(std::exp(episode.low), factor);
    EXPECT_GT(std::exp(episode.high), factor);
    EXPECT_NEAR(static_cast<double>(episode.first_step), 200, 3);
  }
}

TEST(Detector, ends_an_episode_when_steps_are_normal_again) {
  Steps steps;
  for (int i = 0; i < 50; ++i) steps.add(1.3);
  ASSERT_TRUE(steps.detector.in_episode());
  for (int i = 0; i < 60 && steps.detector.in_episode(); ++i) steps.add(1);
  EXPECT_FALSE(steps.detector.in_episode());
  ASSERT_TRUE(steps.detector.ended());
  // Normal steps behind it do not make it look smaller.
  EXPECT_NEAR(std::exp(steps.detector.ended()->size), 1.3, 0.06);
}

TEST(Detector, tells_shapes_apart) {
  const auto shape_of = [](auto factor_at) {
    Steps steps;
    for (int i = 0; i < 100; ++i) steps.add(1);
    Shape last = Shape::kStep;
    for (int i = 0; i < 120; ++i) {
      steps.add(factor_at(i));
      if (const std::optional<Episode> episode = steps.detector.episode()) last = episode->shape;
      if (steps.detector.ended()) break;
    }
    return last;
  };
  EXPECT_EQ(shape_of([](int) { return 1.2; }), Shape::kStep);
  EXPECT_EQ(shape_of([](int i) { return 1 + 0.005 * i; }), Shape::kRamp);
  EXPECT_EQ(shape_of([](int i) { return i == 3 ? 1.5 : 1; }), Shape::kSpike);
  EXPECT_EQ(shape_of([](int i) { return i % 10 == 0 ? 1.3 : 1; }), Shape::kPeriodic);
  EXPECT_EQ(shape_of([](int i) { return i == 3 ? 100 : 1; }), Shape::kStall);
}

TEST(Detector, multiplies_its_limits_for_a_noisier_stream) {
  Detector detector;
  detector.set_spread(0.039);
  EXPECT_NEAR(detector.scale(), 3, 1e-9);
  EXPECT_EQ(detector.add({.dur_us = 1, .predicted_us = 1, .residual = 0.5}), Alarm::kNone);
  detector = Detector();
  detector.set_spread(0.039);
  EXPECT_EQ(detector.add({.dur_us = 1, .predicted_us = 1, .residual = 0.7}), Alarm::kSpike);
  detector.set_spread(NAN);
  EXPECT_EQ(detector.scale(), 1);
}

TEST(Detector, survives_values_that_are_not_numbers) {
  Detector detector;
  const double infinite = INFINITY;
  for (const double r : {std::nan(""), infinite, -infinite, 1e300, -1e300}) {
    detector.add({.dur_us = r, .predicted_us = 1, .residual = r});
  }
  // An alert is over a second after what it was raised for.
  for (int i = 0; i < 100; ++i) detector.add({.dur_us = 2e4, .predicted_us = 2e4, .residual = 0});
  EXPECT_FALSE(detector.in_episode());
}

TEST(Alert, needs_200_steps_or_10_seconds_or_a_stall) {
  Steps steps;
  int until = 0;
  for (; until < 1000; ++until) {
    steps.add(1.3);
    if (steps.detector.episode() && is_alert(*steps.detector.episode())) break;
  }
  EXPECT_NEAR(until, 192, 4);  // 10 s of steps of 52 ms
  Steps stalled;
  for (int i = 0; i < 10; ++i) stalled.add(1);
  EXPECT_EQ(stalled.add(50), Alarm::kStall);
  EXPECT_TRUE(is_alert(*stalled.detector.episode()));
}

TEST(Alert, is_not_raised_by_one_spike) {
  Steps steps;
  for (int i = 0; i < 10; ++i) steps.add(1);
  EXPECT_EQ(steps.add(3), Alarm::kSpike);
  EXPECT_FALSE(is_alert(*steps.detector.episode()));
}

}  // namespace
}  // namespace tactus::watch

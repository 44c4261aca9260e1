#include "watch/usual_noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "watch/evaluate/injection.h"
#include "watch/streams.h"

namespace tactus::watch {
namespace {

/// Steps of 4 ms of which only the launches are known, as a host with other work on it runs them.
class Host {
 public:
  double spread = 0.01;
  double long_share = 0;   ///< of steps that are long by themselves
  double long_factor = 2;  ///< by how much

  void run(int steps, double factor = 1) {
    for (int i = 0; i < steps; ++i) {
      double us = 4000 * factor * std::exp(spread * random_.normal());
      if (random_.uniform() < long_share) us *= long_factor;
      watch.add({.start_ns = now_, .dur_us = us, .launches = 40}, events);
      now_ += static_cast<std::int64_t>(us * 1e3);
    }
  }
  std::size_t count(EventKind kind) const {
    return static_cast<std::size_t>(std::count_if(
        events.begin(), events.end(), [&](const WatchEvent& event) { return event.kind == kind; }));
  }

  StreamWatch watch{"host", std::nullopt, {}};
  std::vector<WatchEvent> events;

 private:
  Random random_{3};
  std::int64_t now_ = 1'000'000'000;
};

TEST(UsualNoise, a_slowdown_smaller_than_the_noise_of_a_step_is_seen_in_means) {
  Host host;
  host.spread = 0.06;
  host.run(10'000);
  EXPECT_EQ(host.count(EventKind::kAlert), 0U);
  host.run(1000, 1.1);
  EXPECT_EQ(host.count(EventKind::kAlert), 1U);
  EXPECT_NEAR(std::exp(host.events.back().about.episode.size), 1.1, 0.03);
}

TEST(UsualNoise, steps_that_are_very_noisy_are_judged_by_means_only) {
  Host host;
  host.spread = 0.4;
  host.run(6000);
  EXPECT_EQ(host.count(EventKind::kReady), 1U);
  EXPECT_EQ(host.count(EventKind::kTooNoisy), 0U);
  EXPECT_EQ(host.count(EventKind::kAlert), 0U);
  host.run(3000, 1.6);
  EXPECT_EQ(host.count(EventKind::kAlert), 1U);
}

TEST(UsualNoise, long_steps_that_always_come_are_no_news) {
  Host host;
  host.long_share = 0.02;
  host.run(20'000);
  const std::size_t while_learning = host.count(EventKind::kEpisode);
  host.run(50'000);
  EXPECT_LE(host.count(EventKind::kEpisode) - while_learning, 15U);  // 0.3 per 1,000 steps
  EXPECT_EQ(host.count(EventKind::kAlert), 0U);
  // Ten times as many are.
  host.long_share = 0.2;
  host.run(2000);
  EXPECT_GE(host.count(EventKind::kAlert), 1U);
}

TEST(UsualNoise, an_alert_ends_when_the_typical_step_is_back_whatever_a_few_do) {
  Host host;
  host.run(5000);
  host.run(1000, 1.4);
  ASSERT_EQ(host.count(EventKind::kAlert), 1U);
  ASSERT_EQ(host.count(EventKind::kAlertEnded), 0U);
  host.long_share = 0.04;  // far more than it knows from before
  host.run(600);
  EXPECT_GE(host.count(EventKind::kAlertEnded), 1U);
}

TEST(UsualNoise, a_level_that_comes_and_goes_within_a_second_is_one_alert) {
  Host host;
  host.run(5000);
  for (int i = 0; i < 10; ++i) {
    host.run(300, 1.3);
    host.run(60);  // a quarter of a second
  }
  EXPECT_EQ(host.count(EventKind::kAlert), 1U);
  host.run(1000);
  EXPECT_EQ(host.count(EventKind::kAlertEnded), 1U);
}

TEST(UsualNoise, an_alert_about_long_steps_does_not_hide_a_level) {
  Host host;
  host.run(5000);
  host.long_share = 0.08;
  host.run(3000);
  const std::size_t alerts = host.count(EventKind::kAlert);
  ASSERT_GE(alerts, 1U);
  host.run(2000, 1.5);
  ASSERT_EQ(host.count(EventKind::kAlert), alerts + 1);
  const auto last =
      std::find_if(host.events.rbegin(), host.events.rend(),
                   [](const WatchEvent& event) { return event.kind == EventKind::kAlert; });
  EXPECT_EQ(last->about.episode.shape, Shape::kStep);
}

TEST(UsualNoise, what_somebody_was_called_for_is_not_learnt) {
  UsualNoise noise{DetectorRules{}};
  for (int i = 0; i < 2000; ++i) noise.add(0.001 * (i % 7));
  const double before = noise.spike_limit();
  for (int i = 0; i < 500; ++i) noise.add_in_episode(0.5);
  noise.end_episode(true);
  EXPECT_EQ(noise.spike_limit(), before);
  for (int i = 0; i < 500; ++i) noise.add_in_episode(0.5);
  noise.end_episode(false);
  EXPECT_GT(noise.spike_limit(), 0.5);
  EXPECT_GT(noise.high_steps(), 3);
  EXPECT_GT(noise.alarm_sum(), 0.15);
}

}  // namespace
}  // namespace tactus::watch

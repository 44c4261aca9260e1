#include "watch/streams.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "watch/evaluate/synthetic.h"

namespace tactus::watch {
namespace {

std::size_t count(const std::vector<WatchEvent>& events, EventKind kind) {
  return static_cast<std::size_t>(std::count_if(
      events.begin(), events.end(), [&](const WatchEvent& event) { return event.kind == kind; }));
}

TEST(Streams, say_when_they_are_ready_and_stay_silent_on_sound_steps) {
  for (const Deployment& deployment : deployments()) {
    StreamWatch watch("s", 3, {});
    std::vector<WatchEvent> events;
    for (const Step& step : make_steps(deployment, 10'000, 11).steps) watch.add(step, events);
    EXPECT_TRUE(watch.account().is_ready) << deployment.name;
    EXPECT_GE(count(events, EventKind::kReady), 1U) << deployment.name;
    EXPECT_EQ(count(events, EventKind::kAlert), 0U) << deployment.name;
  }
}

TEST(Streams, raise_an_alert_for_a_slowdown_and_say_when_it_is_over) {
  StreamWatch watch("s", 3, {});
  std::vector<WatchEvent> events;
  std::vector<Step> steps = make_steps(deployments()[0], 8000, 12).steps;
  for (std::size_t i = 4000; i < 5000; ++i) steps[i].dur_us *= 1.2;
  for (const Step& step : steps) watch.add(step, events);
  watch.finish(events);
  ASSERT_GE(count(events, EventKind::kAlert), 1U);
  const auto alert = std::find_if(events.begin(), events.end(), [](const WatchEvent& event) {
    return event.kind == EventKind::kAlert;
  });
  EXPECT_EQ(alert->about.rank, 3);
  EXPECT_EQ(alert->about.stream, "s");
  EXPECT_NEAR(std::exp(alert->about.episode.size), 1.2, 0.05);
  EXPECT_LE(alert->about.episode.low, std::log(1.2));
  EXPECT_GE(alert->about.episode.high, std::log(1.2));
  EXPECT_GE(count(events, EventKind::kAlertEnded), 1U);
  // Nothing of it was learnt: the model is as it was.
  StreamWatch sound("s", 3, {});
  std::vector<WatchEvent> none;
  for (std::size_t i = 0; i < 4000; ++i) sound.add(steps[i], none);
  Step probe{.sequences = 20, .context = 9000, .phase = Phase::kDecode};
  EXPECT_NEAR(watch.model(ModelKind::kDecode)->model().predict(probe) /
                  sound.model(ModelKind::kDecode)->model().predict(probe),
              1, 0.02);
}

TEST(Streams, learn_work_that_they_never_saw_before_they_judge_it) {
  StreamWatch watch("s", {}, {});
  std::vector<WatchEvent> events;
  const auto step = [](double b) {
    return Step{.dur_us = 20'000 + 100 * b + (b > 32 ? 9000 : 0),
                .sequences = b,
                .context = 500 * b,
                .phase = Phase::kDecode};
  };
  for (int i = 0; i < 300; ++i) watch.add(step(16), events);
  // A batch of 64 takes 9 ms more than anything foretold: that is work, not a fault.
  for (int i = 0; i < 300; ++i) watch.add(step(64), events);
  EXPECT_EQ(count(events, EventKind::kNewWork), 1U);
  EXPECT_EQ(watch.account().episodes, 0U);
  EXPECT_GT(watch.account().judged, 450U);
}

TEST(Streams, do_not_judge_steps_whose_prompts_are_unknown) {
  StreamWatch watch("s", {}, {});
  std::vector<WatchEvent> events;
  for (int i = 0; i < 300; ++i) {
    watch.add({.dur_us = 1e4 * (1 + i % 7), .sequences = 8, .phase = Phase::kMixed}, events);
  }
  EXPECT_EQ(watch.account().unknown_work, 300U);
  EXPECT_FALSE(watch.account().is_ready);
}

TEST(Streams, refuse_to_judge_what_is_only_noise) {
  StreamWatch watch("s", {}, {});
  std::vector<WatchEvent> events;
  Deployment wild = deployments()[0];
  // Moods of some ten steps: no mean is quiet.
  wild.spread = 1;
  wild.alike = 0.95;
  for (const Step& step : make_steps(wild, 3000, 5).steps) watch.add(step, events);
  EXPECT_EQ(watch.account().judged, 0U);
  EXPECT_GE(count(events, EventKind::kTooNoisy), 1U);
}

TEST(Streams, follow_slow_change_without_an_alarm) {
  StreamWatch watch("s", {}, {});
  std::vector<WatchEvent> events;
  // Four hours, in which steps become 3% slower.
  std::vector<Step> steps = make_steps(deployments()[0], 60'000, 5).steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i].dur_us *= 1 + 0.03 * static_cast<double>(i) / static_cast<double>(steps.size());
    steps[i].start_ns = static_cast<std::int64_t>(i) * 240'000'000;
  }
  for (const Step& step : steps) watch.add(step, events);
  EXPECT_EQ(watch.account().alerts, 0U);
  EXPECT_NEAR(watch.model(ModelKind::kDecode)->drift(), 1.02, 0.02);
}

TEST(Streams, forget_a_server_that_was_still_warming_up) {
  StreamWatch watch("s", {}, {});
  std::vector<WatchEvent> events;
  std::vector<Step> steps = make_steps(deployments()[0], 3000, 14).steps;
  for (std::size_t i = 0; i < 250; ++i) steps[i].dur_us *= 4;        // loading
  for (std::size_t i = 2000; i < 2400; ++i) steps[i].dur_us *= 1.3;  // a fault
  for (std::size_t i = 0; i < 2000; ++i) watch.add(steps[i], events);
  EXPECT_EQ(count(events, EventKind::kAlert), 0U);
  for (std::size_t i = 2000; i < steps.size(); ++i) watch.add(steps[i], events);
  EXPECT_GE(count(events, EventKind::kAlert), 1U) << "it is no slower than the start was";
}

TEST(Streams, are_bounded_in_number) {
  Watcher watcher({});
  for (int i = 0; i < 1100; ++i) watcher.stream("s" + std::to_string(i));
  EXPECT_EQ(watcher.streams().size(), 1024U);
  EXPECT_GT(watcher.left_out(), 0U);
}

TEST(Streams, can_learn_from_a_sound_recording_first) {
  Watcher watcher({});
  std::vector<std::pair<std::optional<std::int64_t>, Step>> sound;
  for (const Step& step : make_steps(deployments()[0], 3000, 1).steps) sound.emplace_back(7, step);
  watcher.set_sound(std::move(sound));
  const std::size_t stream = *watcher.stream("other", 9);
  EXPECT_TRUE(watcher.streams()[stream].account().is_ready);
  Step slow = make_steps(deployments()[0], 3001, 1).steps.back();
  slow.dur_us *= 2;
  EXPECT_NE(watcher.add(stream, slow).alarm, Alarm::kNone);
}

}  // namespace
}  // namespace tactus::watch

#include "record/meters/sample_ring.h"

#include <gtest/gtest.h>

#include <thread>

#include "record/meters/growth.h"

namespace tactus::meters {
namespace {

TEST(SampleRing, what_does_not_fit_is_lost_and_counted) {
  SampleRing ring(4);
  for (int i = 0; i < 7; ++i) ring.push({.value = static_cast<double>(i)});
  EXPECT_EQ(ring.lost(), 3U);
  std::vector<MeterSample> samples;
  EXPECT_EQ(ring.drain(samples), 4U);
  EXPECT_EQ(samples.front().value, 0);
  EXPECT_EQ(samples.back().value, 3);
  ring.push({.value = 9});
  EXPECT_EQ(ring.drain(samples), 1U);
  EXPECT_EQ(samples.back().value, 9);
}

TEST(SampleRing, nothing_is_changed_or_lost_unseen_between_threads) {
  SampleRing ring(64);
  constexpr int kSamples = 200'000;
  std::thread sampler([&] {
    for (int i = 0; i < kSamples; ++i) ring.push({.value = static_cast<double>(i), .counter = 7});
  });
  std::vector<MeterSample> samples;
  while (samples.size() + ring.lost() < kSamples) ring.drain(samples);
  sampler.join();
  double last = -1;
  for (const MeterSample& sample : samples) {
    ASSERT_GT(sample.value, last);
    ASSERT_EQ(sample.counter, 7U);
    last = sample.value;
  }
}

MeterTime at(std::int64_t raw_ns) {
  return {.real_ns = 0, .raw_ns = raw_ns};
}

TEST(Growth, is_per_second_of_the_time_between_readings) {
  Growth growth;
  EXPECT_FALSE(growth.next(100, at(1'000)));
  const auto grown = growth.next(350, at(500'001'000));
  ASSERT_TRUE(grown);
  EXPECT_EQ(grown->by, 250U);
  EXPECT_DOUBLE_EQ(grown->per_second(), 500);
  EXPECT_FALSE(growth.next(400, at(500'001'000)));  // no time passed
}

TEST(Growth, a_reset_is_no_growth_and_a_wrap_is) {
  Growth growth;
  growth.next(1'000'000, at(1));
  EXPECT_FALSE(growth.next(10, at(2)));  // the device came back
  EXPECT_EQ(growth.next(15, at(3))->by, 5U);
  growth.next((std::uint64_t{1} << 32) - 10, at(4));
  EXPECT_EQ(growth.next(20, at(5))->by, 30U);
  growth.next(UINT64_MAX, at(6));
  EXPECT_FALSE(growth.next(0, at(7)));
}

}  // namespace
}  // namespace tactus::meters

#include "measure/step_parts.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace tactus {
namespace {

constexpr Part kGemm = part_of(Family::kGemm);
constexpr Part kNorm = part_of(Family::kNorm);
constexpr Part kCollective = part_of(Family::kCollective);

using Parts = std::array<double, kParts>;

/// Work without a known launch.
DevicePiece piece(std::int64_t start, std::int64_t end, Part part) {
  return {.start_ns = start, .end_ns = end, .part = part};
}

/// Work that thread 0 launched with a call.
DevicePiece launched(std::int64_t start, std::int64_t end, std::int64_t call_start,
                     std::int64_t call_end) {
  return {.start_ns = start,
          .end_ns = end,
          .call_start_ns = call_start,
          .call_end_ns = call_end,
          .thread = 0,
          .part = kGemm};
}

double of(const Parts& parts, Part part) {
  return parts[static_cast<std::size_t>(part)];
}

double sum(const Parts& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

Parts cut(const std::vector<DevicePiece>& pieces, const std::vector<std::vector<HostCall>>& threads,
          std::int64_t start, std::int64_t end) {
  return StepParts(pieces, threads).next(start, end);
}

TEST(StepParts, kernels_on_two_streams_count_once) {
  const Parts parts = cut({piece(0, 100, kGemm), piece(50, 150, kNorm)}, {}, 0, 200);
  EXPECT_EQ(of(parts, kGemm), 100);
  EXPECT_EQ(of(parts, kNorm), 50);
  EXPECT_EQ(of(parts, Part::kUnknownIdle), 50);
}

TEST(StepParts, a_collective_beside_kernels_counts_where_it_is_exposed) {
  const Parts parts =
      cut({piece(0, 300, kCollective), piece(50, 100, kGemm), piece(200, 400, kGemm)}, {}, 0, 400);
  EXPECT_EQ(of(parts, kGemm), 250);
  EXPECT_EQ(of(parts, kCollective), 150);
  EXPECT_EQ(sum(parts), 400);
}

TEST(StepParts, a_copy_counts_where_neither_kernel_nor_collective_runs) {
  const Parts parts =
      cut({piece(0, 100, Part::kCopyToDevice), piece(20, 60, kCollective), piece(40, 80, kGemm)},
          {}, 0, 100);
  EXPECT_EQ(of(parts, kGemm), 40);
  EXPECT_EQ(of(parts, kCollective), 20);
  EXPECT_EQ(of(parts, Part::kCopyToDevice), 40);
}

TEST(StepParts, idle_time_is_what_the_launching_thread_did) {
  const std::vector<std::vector<HostCall>> threads = {
      {{0, 30, Part::kWaitCall}, {50, 60, Part::kDisk}, {70, 90, Part::kLaunching}}};
  const Parts parts = cut({launched(100, 150, 70, 90)}, threads, 0, 150);
  EXPECT_EQ(of(parts, Part::kWaitCall), 30);
  EXPECT_EQ(of(parts, Part::kHostCode), 20 + 10);
  EXPECT_EQ(of(parts, Part::kDisk), 10);
  EXPECT_EQ(of(parts, Part::kLaunching), 20);
  EXPECT_EQ(of(parts, Part::kLaunchDelay), 10);
  EXPECT_EQ(of(parts, kGemm), 50);
  EXPECT_EQ(sum(parts), 150);
}

TEST(StepParts, idle_time_before_work_that_was_launched_long_ago_is_launch_delay) {
  const Parts parts = cut({launched(0, 50, -20, -10), launched(80, 100, -10, -5)},
                          {{{-20, -10, Part::kLaunching}, {-10, -5, Part::kLaunching}}}, 0, 100);
  EXPECT_EQ(of(parts, Part::kLaunchDelay), 30);
}

TEST(StepParts, without_a_launching_thread_idle_time_has_no_cause) {
  const Parts parts = cut({piece(60, 100, kGemm)}, {{{0, 50, Part::kLaunching}}}, 0, 100);
  EXPECT_EQ(of(parts, Part::kUnknownIdle), 60);
  EXPECT_EQ(sum(cut({}, {}, 0, 100)), 100);
}

TEST(StepParts, idle_time_at_the_end_belongs_to_the_work_of_the_next_step) {
  const std::vector<DevicePiece> pieces = {launched(0, 40, 0, 0), launched(120, 150, 90, 110)};
  const std::vector<std::vector<HostCall>> threads = {{{90, 110, Part::kLaunching}}};
  StepParts cutter(pieces, threads);
  const Parts first = cutter.next(0, 100);
  EXPECT_EQ(of(first, Part::kHostCode), 50);
  EXPECT_EQ(of(first, Part::kLaunching), 10);
  const Parts second = cutter.next(100, 150);
  EXPECT_EQ(of(second, Part::kLaunching), 10);
  EXPECT_EQ(of(second, Part::kLaunchDelay), 10);
}

TEST(StepParts, work_that_crosses_into_the_next_step_is_cut) {
  const std::vector<DevicePiece> pieces = {piece(50, 250, kGemm)};
  StepParts cutter(pieces, {});
  EXPECT_EQ(of(cutter.next(0, 100), kGemm), 50);
  EXPECT_EQ(of(cutter.next(100, 200), kGemm), 100);
  EXPECT_EQ(of(cutter.next(200, 300), kGemm), 50);
}

TEST(StepParts, always_add_up_to_the_step) {
  constexpr Part kAny[] = {kGemm, kNorm, kCollective, Part::kCopyToDevice, Part::kFill};
  std::mt19937 random(7);
  const auto below = [&](unsigned limit) { return static_cast<std::int64_t>(random() % limit); };
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<DevicePiece> pieces;
    std::vector<std::vector<HostCall>> threads(2);
    for (std::vector<HostCall>& calls : threads) {
      for (std::int64_t at = 0; at < 3000;) {
        at += 1 + below(40);
        const std::int64_t end = at + 1 + below(40);
        calls.push_back({at, end, random() % 2 == 0 ? Part::kLaunching : Part::kWaitCall});
        at = end;
      }
    }
    for (std::int64_t at = 0; at < 3000; at += below(60)) {
      DevicePiece one = piece(at, at + below(90), kAny[random() % 5]);
      one.call_start_ns = at - 50 + below(60);
      one.call_end_ns = one.call_start_ns + below(20);
      one.thread = below(3) == 0 ? UINT32_MAX : static_cast<std::uint32_t>(below(2));
      pieces.push_back(one);
    }
    StepParts cutter(pieces, threads);
    for (std::int64_t start = 0; start < 3000; start += 250) {
      const Parts parts = cutter.next(start, start + 230);
      EXPECT_EQ(sum(parts), 230) << trial << " " << start;
      for (const double ns : parts) EXPECT_GE(ns, 0);
    }
  }
}

}  // namespace
}  // namespace tactus

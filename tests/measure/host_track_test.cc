// What the host tracer saw is put between the calls of a thread.
#include "run/host_track.h"

#include <gtest/gtest.h>

#include "measure/trace_work.h"
#include "run/builder.h"

namespace tactus {
namespace {

struct Slice {
  std::string_view name;
  std::int64_t start_ns;
  std::int64_t end_ns;
};

std::vector<HostCall> calls_of(const std::vector<Slice>& calls, const std::vector<Slice>& system) {
  RunBuilder builder;
  builder.begin_source("host", "tactus");
  const ProcessId process = builder.process(RunBuilder::ident(1));
  const TrackId own = builder.track(builder.thread(process, RunBuilder::ident(7)), false);
  const TrackId host =
      builder.track(builder.thread(process, builder.ident(host_track_tid(7))), false);
  const ShapeId shape = builder.shape({});
  const auto add = [&](const std::vector<Slice>& slices, TrackId track, std::string_view category) {
    for (const Slice& slice : slices) {
      builder.run().slices.append(slice.start_ns, slice.end_ns - slice.start_ns,
                                  builder.intern(slice.name), track.value,
                                  builder.category(category).value, shape, {});
    }
  };
  add(calls, own, "cuda_driver");
  add(system, host, "os_runtime");
  builder.end_source(0, 0);
  const auto run = builder.finish();
  const HostCalls found = read_host_calls(run);
  return found.threads[found.thread_of_track[own.value]];
}

void expect_calls(const std::vector<HostCall>& found, const std::vector<HostCall>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].start_ns, expected[i].start_ns) << i;
    EXPECT_EQ(found[i].end_ns, expected[i].end_ns) << i;
    EXPECT_EQ(found[i].part, expected[i].part) << i;
  }
}

TEST(HostTrackOfThread, no_core_is_more_exact_than_the_call) {
  expect_calls(
      calls_of({{"cuLaunchKernel", 0, 100}}, {{"runq", 20, 60}}),
      {{0, 20, Part::kLaunching}, {20, 60, Part::kNotOnCore}, {60, 100, Part::kLaunching}});
}

TEST(HostTrackOfThread, a_call_that_waits_keeps_its_locks) {
  expect_calls(calls_of({{"cuStreamSynchronize", 0, 100}}, {{"futex", 10, 90}, {"runq", 90, 95}}),
               {{0, 90, Part::kWaitCall}, {90, 95, Part::kNotOnCore}, {95, 100, Part::kWaitCall}});
}

TEST(HostTrackOfThread, waits_between_calls_are_kept_and_time_on_a_core_says_nothing) {
  expect_calls(
      calls_of({{"cuLaunchKernel", 0, 10}, {"cuLaunchKernel", 100, 110}},
               {{"oncpu", 0, 20}, {"futex", 20, 50}, {"fsync", 50, 70}, {"runq", 95, 105}}),
      {{0, 10, Part::kLaunching},
       {20, 50, Part::kLock},
       {50, 70, Part::kDisk},
       {95, 105, Part::kNotOnCore},
       {105, 110, Part::kLaunching}});
}

TEST(HostTrackOfThread, a_wait_may_outlast_the_call_that_it_began_in) {
  expect_calls(
      calls_of({{"cuStreamSynchronize", 0, 50}, {"cuLaunchKernel", 70, 80}}, {{"futex", 10, 60}}),
      {{0, 50, Part::kWaitCall}, {50, 60, Part::kLock}, {70, 80, Part::kLaunching}});
}

}  // namespace
}  // namespace tactus

#include "run/identity.h"

#include <gtest/gtest.h>

#include "run/builder.h"

namespace tactus {
namespace {

/// One rank: a process with a thread, and a stream of a device.
void add_rank(RunBuilder& builder, std::int64_t pid, std::int64_t device,
              std::optional<std::int64_t> rank, std::string_view host = "",
              std::string_view uuid = "") {
  builder.begin_source("rank" + std::to_string(builder.run().sources.size()), "kineto");
  builder.source().rank = rank;
  builder.source().host_name = builder.intern(host);
  const CategoryId category = builder.category("kernel");
  const TrackId cpu =
      builder.track(builder.thread(builder.process({.value = pid}), {.value = pid}), false);
  const TrackId gpu =
      builder.track(builder.thread(builder.process({.value = device}), {.value = 7}), true);
  builder.run().tracks[gpu.value].device_index = device;
  builder.run().slices.append(0, 1, builder.intern("op"), cpu.value, category.value, ShapeId(0));
  builder.run().slices.append(0, 1, builder.intern("k"), gpu.value, category.value, ShapeId(0));
  for (std::int64_t index = 0; index <= device; ++index) {
    builder.run().described_devices.push_back(
        {.source = builder.source_id(),
         .index = index,
         .name = builder.intern("NVIDIA H200"),
         .uuid = builder.intern(index == device ? uuid : std::string_view())});
  }
  builder.end_source(0, 0);
}

void add_counter(RunBuilder& builder, std::string_view place, SourceId beside) {
  builder.begin_source("counters.csv", "counters");
  builder.source().beside = beside;
  CounterSeries series;
  series.source = builder.source_id();
  series.name = builder.intern("gpu_link_receive");
  series.field = series.category = series.unit = StringId(0);
  series.place = builder.intern(place);
  builder.run().counters.append({0, builder.series(series).value, Decimal::pack(1, 0)});
  builder.end_source(0, 0);
}

std::vector<std::string> labels(const Run& run) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < run.devices.size(); ++i) {
    found.push_back(device_label(run, DeviceId(i)));
  }
  return found;
}

using Labels = std::vector<std::string>;

TEST(Identity, very_many_devices_are_found_by_their_index) {
  constexpr std::int64_t kMany = 50'000;
  RunBuilder builder;
  add_rank(builder, 100'000, kMany - 1, 0);
  for (std::int64_t index = 0; index + 1 < kMany; ++index) {
    const TrackId gpu =
        builder.track(builder.thread(builder.process({.value = index}), {.value = 7}), true);
    builder.run().tracks[gpu.value].device_index = index;
  }
  const auto run = builder.finish();
  ASSERT_EQ(run.devices.size(), static_cast<std::size_t>(kMany));
  for (const Device& device : run.devices) {
    ASSERT_EQ(run.strings[device.name], "NVIDIA H200");
    ASSERT_EQ(device.number, device.index);
  }
}

TEST(Identity, ranks_that_count_their_devices_from_0_have_one_each) {
  RunBuilder builder;
  add_rank(builder, 17, 0, 0);
  add_rank(builder, 17, 0, 1);
  const tactus::Run run = builder.finish();
  EXPECT_EQ(labels(run), (Labels{"GPU 0 of rank 0", "GPU 0 of rank 1"}));
  EXPECT_EQ(run.hosts.size(), 2U);
  EXPECT_EQ(run.processes[0].number, 10'000'017);
  EXPECT_EQ(run.processes[2].number, 20'000'017);
}

TEST(Identity, ranks_of_one_machine_share_its_numbering) {
  RunBuilder builder;
  add_rank(builder, 17, 0, 0);
  add_rank(builder, 18, 1, 1);
  const tactus::Run run = builder.finish();
  EXPECT_EQ(labels(run), (Labels{"GPU 0", "GPU 1"}));
  EXPECT_EQ(run.hosts.size(), 1U);
  EXPECT_EQ(run.processes[0].number, 17);
  EXPECT_EQ(run.devices[1].number, 1);
}

TEST(Identity, device_0_of_two_hosts_is_two_devices) {
  RunBuilder builder;
  add_rank(builder, 17, 0, std::nullopt, "node-a");
  add_rank(builder, 17, 0, std::nullopt, "node-b");
  const tactus::Run run = builder.finish();
  EXPECT_EQ(labels(run), (Labels{"GPU 0 of node-a", "GPU 0 of node-b"}));
  EXPECT_EQ(host_label(run, run.processes[2].host), "node-b");
}

TEST(Identity, a_uuid_makes_two_names_one_device) {
  RunBuilder builder;
  add_rank(builder, 17, 0, 0, "node-a", "GPU-1234");
  add_rank(builder, 18, 3, 1, "node-a", "GPU-1234");
  const tactus::Run run = builder.finish();
  std::size_t used = 0;
  for (const Device& device : run.devices) used += run.strings[device.uuid] == "GPU-1234" ? 1 : 0;
  EXPECT_EQ(used, 1U);
  EXPECT_EQ(run.tracks[1].device, run.tracks[3].device);
}

TEST(Identity, two_processes_without_a_rank_on_one_host_share_its_device) {
  RunBuilder builder;
  add_rank(builder, 17, 0, std::nullopt, "node-a");
  add_rank(builder, 18, 0, std::nullopt, "node-a");
  const tactus::Run run = builder.finish();
  EXPECT_EQ(labels(run), (Labels{"GPU 0"}));
}

TEST(Identity, counters_belong_to_the_rank_that_they_were_recorded_with) {
  RunBuilder builder;
  add_rank(builder, 17, 0, 0);
  add_rank(builder, 17, 0, 1);
  add_counter(builder, "GPU 0", SourceId(1));
  add_counter(builder, "eth0", SourceId(0));
  const tactus::Run run = builder.finish();
  EXPECT_EQ(device_label(run, run.series[0].device), "GPU 0 of rank 1");
  EXPECT_EQ(run.series[0].host, run.sources[1].host);
  EXPECT_FALSE(run.series[1].device.valid());
  EXPECT_EQ(run.series[1].host, run.sources[0].host);
}

TEST(Identity, counters_of_an_unused_device_are_not_those_of_another) {
  RunBuilder builder;
  add_rank(builder, 17, 0, 0);
  add_counter(builder, "GPU 5", SourceId(0));
  const tactus::Run run = builder.finish();
  ASSERT_EQ(run.devices.size(), 2U);
  EXPECT_TRUE(run.devices[1].only_counters);
  EXPECT_EQ(run.series[0].device, DeviceId(1));
}

TEST(Identity, of_many_ranks_is_found_in_one_go) {
  RunBuilder builder;
  constexpr int kRanks = 3000;
  for (int rank = 0; rank < kRanks; ++rank) {
    add_rank(builder, 17, 0, rank, "node-" + std::to_string(rank / 8));
  }
  const tactus::Run run = builder.finish();
  EXPECT_EQ(run.hosts.size(), 375U);
  EXPECT_EQ(run.devices.size(), 3000U);
}

}  // namespace
}  // namespace tactus

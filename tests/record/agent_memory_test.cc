#include "record/session/agent_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <memory>

#include "record/session/clocks.h"
#include "record/session/run_filler.h"
#include "wire/ticks.h"

namespace tactus::record {
namespace {

struct Shared {
  // Far too large for a stack, and mostly untouched.
  std::unique_ptr<wire::Data> data = std::make_unique<wire::Data>();
  std::unique_ptr<wire::Control> control = std::make_unique<wire::Control>();
  AgentMemory memory{data.get(), control.get()};

  Shared() { data->rings[0].use = 1; }
  void publish(std::uint32_t count) {
    const std::uint64_t head = data->rings[0].head;
    for (std::uint32_t i = 0; i < count; ++i) {
      wire::Record& record = data->records[0][(head + i) % wire::kRingRecords];
      record = {};
      record.kind = wire::RecordKind::kLaunch;
      record.sequence = static_cast<std::uint32_t>(head) + i;
    }
    data->rings[0].head = head + count;
  }
};

TEST(AgentMemory, gives_each_record_once) {
  Shared shared;
  std::vector<ThreadRecord> records;
  for (std::uint32_t round = 0; round < 5; ++round) {
    shared.publish(6000);
    shared.memory.drain(records, 1'000'000);
    EXPECT_EQ(shared.control->tails[0], (round + 1) * 6000u);
  }
  ASSERT_EQ(records.size(), 30000u);
  for (std::uint32_t i = 0; i < records.size(); ++i) EXPECT_EQ(records[i].record.sequence, i);
}

TEST(AgentMemory, leaves_what_is_too_much_for_later) {
  Shared shared;
  shared.publish(100);
  std::vector<ThreadRecord> records;
  shared.memory.drain(records, 30);
  EXPECT_EQ(records.size(), 30u);
  shared.memory.drain(records, 1000);
  EXPECT_EQ(records.size(), 100u);
}

TEST(AgentMemory, does_not_believe_indices) {
  Shared shared;
  std::vector<ThreadRecord> records;
  shared.data->rings[0].head = 1'000'000'000'000;
  shared.memory.drain(records, 1000);
  shared.data->rings[0].head = 5;
  shared.memory.drain(records, 1000);
  EXPECT_TRUE(records.empty());
  EXPECT_EQ(shared.memory.counts().damaged, 2u);
}

TEST(AgentMemory, does_not_believe_names_and_streams) {
  Shared shared;
  shared.data->names[3].offset = wire::kTextBytes - 2;
  shared.data->names[3].length = 100;
  shared.data->names[4].offset = 7;
  shared.data->names[4].length = 0xffffffff;
  shared.data->streams[2].is_known = 1;
  shared.data->streams[2].device = 1'000'000;
  EXPECT_EQ(shared.memory.name(3), "");
  EXPECT_EQ(shared.memory.name(4).size(), wire::kLongestName);
  EXPECT_EQ(shared.memory.name(0xffffffff), "");
  EXPECT_FALSE(shared.memory.stream(2));
  EXPECT_FALSE(shared.memory.stream(0xffff));
}

/// A memory file of a size, sealed or not, that begins with a magic number and a version.
File memory_file(std::size_t bytes, std::uint32_t version, bool is_sealed) {
  const int fd = memfd_create("test", MFD_ALLOW_SEALING | MFD_CLOEXEC);
  const std::uint64_t start[2] = {wire::kMagic, version};
  EXPECT_EQ(ftruncate(fd, static_cast<off_t>(bytes)), 0);
  EXPECT_EQ(pwrite(fd, start, sizeof start, 0), static_cast<ssize_t>(sizeof start));
  if (is_sealed) {
    EXPECT_EQ(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
  }
  return File(fd);
}

TEST(AgentMemory, of_another_version_or_size_is_refused) {
  const std::size_t whole = sizeof(wire::Data);
  const File control = memory_file(sizeof(wire::Control), 0, true);
  const auto maps = [&](const File& data) { return bool(AgentMemory::map(data, control)); };
  EXPECT_TRUE(maps(memory_file(whole, wire::kLayoutVersion, true)));
  EXPECT_FALSE(maps(memory_file(whole, wire::kLayoutVersion + 1, true)));
  EXPECT_FALSE(maps(memory_file(whole, wire::kLayoutVersion, false)));
  EXPECT_FALSE(maps(memory_file(whole / 2, wire::kLayoutVersion, true)));
  EXPECT_FALSE(maps(memory_file(8, wire::kLayoutVersion, true)));
  EXPECT_FALSE(
      AgentMemory::map(memory_file(whole, wire::kLayoutVersion, true), memory_file(100, 0, true)));
}

TEST(RunFiller, counts_records_that_make_no_sense) {
  Shared shared;
  const TickClock clock;
  RunBuilder builder;
  RunFiller filler(builder, clock, "host");
  const std::size_t process = filler.add_process(shared.memory, 1, "program");
  ThreadRecord record{};
  std::memset(&record.record, 0xff, sizeof record.record);
  filler.add(process, shared.memory, record);
  record.record.kind = wire::RecordKind::kGpuTime;
  filler.add(process, shared.memory, record);
  record.record.begin_ticks = record.record.gpu.done_ticks = wire::ticks();
  record.record.gpu.begin_ns = INT64_MIN + 77;
  record.record.gpu.end_ns = 16777472;
  filler.add(process, shared.memory, record);
  filler.count_losses();
  EXPECT_EQ(builder.run().slices.size(), 0u);
  EXPECT_EQ(builder.run().dropped["damaged_record"], 3u);
}

TEST(TickClock, maps_ticks_between_its_points) {
  const TickClock clock({{1000, 0}, {2000, 500}, {3000, 2500}});
  EXPECT_EQ(clock.to_ns(1000), 0);
  EXPECT_EQ(clock.to_ns(1500), 250);
  EXPECT_EQ(clock.to_ns(2500), 1500);
  EXPECT_EQ(clock.to_ns(3000), 2500);
  EXPECT_FALSE(clock.to_ns(std::uint64_t{1} << 62));
}

TEST(GpuClock, lies_between_its_bounds) {
  GpuClock clock;
  clock.add(1000, 5000, 9000);
  EXPECT_EQ(clock.to_ns(1000), 7000);
  EXPECT_EQ(clock.residual_ns(), 2000);
  clock.add(2000, 7900, 20000);  // asked for late: the offset is 5900 or more
  EXPECT_GE(clock.to_ns(1000), 6800);
  EXPECT_LE(clock.residual_ns(), 1100);
}

}  // namespace
}  // namespace tactus::record

#include "record/host/host_events.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <cstring>

#include "../bpf/host.h"
#include "run/host_track.h"

namespace tactus::record {
namespace {

host_event event_of(std::uint32_t kind) {
  host_event event{};
  event.kind = kind;
  event.tgid = 10;
  event.tid = 11;
  event.start_ns = 1000;
  event.end_ns = 3000;
  return event;
}

std::optional<HostEvent> read_event(const host_event& event) {
  return read_host_event(std::as_bytes(std::span(&event, 1)));
}

TEST(HostEvents, a_part_is_never_longer_than_the_whole) {
  host_event event = event_of(HOST_ON_CORE);
  event.on.on_ns = 5000;
  event.on.queued_ns = 500;
  const std::optional<HostEvent> read = read_event(event);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->on_ns, 2000);
  EXPECT_EQ(read->queued_ns, 500);
}

TEST(HostEvents, names_always_end) {
  host_event event = event_of(HOST_EXIT);
  std::memset(event.name, 'x', sizeof event.name);
  const std::optional<HostEvent> read = read_event(event);
  ASSERT_TRUE(read);
  EXPECT_EQ(std::strlen(read->name.data()), 15u);
}

TEST(HostEvents, nonsense_is_refused) {
  EXPECT_FALSE(read_event(event_of(0)));
  EXPECT_FALSE(read_event(event_of(99)));
  host_event backwards = event_of(HOST_ON_CORE);
  backwards.end_ns = 1;
  EXPECT_FALSE(read_event(backwards));
  host_event strange = event_of(HOST_OFF_CORE);
  strange.off.reason = 77;
  EXPECT_FALSE(read_event(strange));
  const host_event call = event_of(HOST_CALL);  // a call has more bytes
  EXPECT_FALSE(read_event(call));
  EXPECT_FALSE(read_host_event({}));
}

TEST(HostEvents, waits_have_the_name_of_what_is_waited_for) {
  using Reason = HostEvent::Reason;
  EXPECT_EQ(wait_name(SYS_futex, Reason::kSleeps), "futex");
  EXPECT_EQ(wait_name(SYS_read, Reason::kDisk), "read");
  EXPECT_EQ(wait_name(SYS_read, Reason::kSleeps), "read (pipe or socket)");
  EXPECT_EQ(wait_name(SYS_fsync, Reason::kSleeps), "fsync");
  EXPECT_EQ(wait_name(HOST_NO_CALL, Reason::kDisk), "page fault from disk");
  EXPECT_EQ(wait_name(100'000, Reason::kSleeps), "wait");
}

TEST(HostTrack, names_its_thread) {
  EXPECT_EQ(thread_of_host_track(host_track_tid(4711)), 4711);
  EXPECT_EQ(thread_of_host_track("host of 12x"), std::nullopt);
  EXPECT_EQ(thread_of_host_track("MainThread"), std::nullopt);
  EXPECT_EQ(thread_of_host_track("host of 99999999999999999999999"), std::nullopt);
}

}  // namespace
}  // namespace tactus::record

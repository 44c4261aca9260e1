// When a thread may be used to load the agent, on made-up processes.
#include "record/attach/safe_point.h"

#include <gtest/gtest.h>

#include "record/attach/module_file.h"

namespace tactus::record {
namespace {

constexpr std::uint64_t kProgram = 0x400000, kLibc = 0x7f0000001000, kLibcData = 0x7f0000200000,
                        kLibcBss = 0x7f0000201000, kStack = 0x7ffc00000000, kVdso = 0x7ffd00000000;

Territory made_up() {
  return Territory(
      parse_mappings("00400000-00500000 r-xp 00001000 08:01 11 /usr/bin/program with spaces\n"
                     "7f0000001000-7f0000100000 r-xp 00028000 08:01 12 /usr/lib/libc.so.6\n"
                     "nonsense\n"
                     "7f0000200000-7f0000201000 rw-p 001ff000 08:01 12 /usr/lib/libc.so.6\n"
                     "7f0000201000-7f0000204000 rw-p 00000000 00:00 0 \n"
                     "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0 [stack]\n"
                     "7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0 [vdso]\n"));
}

StoppedThread waiting(std::int64_t call, std::int64_t result, std::uint64_t argument = 0) {
  return {.place = kLibc + 100,
          .result = static_cast<std::uint64_t>(result),
          .call = {.number = call, .first = argument, .second = 128},
          .is_behind_syscall = true};
}

TEST(SafePoint, is_a_wait_that_malloc_and_the_loader_never_make) {
  const Territory territory = made_up();
  EXPECT_FALSE(why_not_safe(waiting(7, -516), {}, territory));
  EXPECT_TRUE(why_not_safe(waiting(232, -4), {}, territory));  // epoll_wait
  EXPECT_TRUE(why_not_safe(waiting(0, -512), {}, territory));  // read
  EXPECT_TRUE(why_not_safe(waiting(9, -512), {}, territory));
  EXPECT_TRUE(why_not_safe(waiting(257, -512), {}, territory));
}

TEST(SafePoint, is_not_a_wait_for_a_lock_of_the_c_library) {
  const Territory territory = made_up();
  EXPECT_FALSE(why_not_safe(waiting(202, -512, kStack + 0x2000), {}, territory));
  EXPECT_TRUE(why_not_safe(waiting(202, -512, kLibcData + 64), {}, territory));
  EXPECT_TRUE(why_not_safe(waiting(202, -512, kLibcBss + 64), {}, territory));
  constexpr std::uint64_t kArena = 0x7f3a04000000;  // a heap of malloc
  EXPECT_TRUE(why_not_safe(waiting(202, -512, kArena + 0x30), {}, territory));
}

TEST(SafePoint, is_code_of_the_program_and_not_of_the_c_library) {
  const Territory territory = made_up();
  StoppedThread running{.place = kProgram + 5};
  EXPECT_FALSE(why_not_safe(running, {}, territory));
  running.place = kLibc + 5;
  EXPECT_TRUE(why_not_safe(running, {}, territory));
  running.place = kVdso + 5;
  EXPECT_TRUE(why_not_safe(running, {}, territory));
  running.place = 12;
  EXPECT_TRUE(why_not_safe(running, {}, territory));
  // A call that has just ended is not a wait.
  EXPECT_TRUE(why_not_safe(waiting(7, 1), {}, territory));
}

TEST(SafePoint, a_call_that_was_broken_off_is_made_again) {
  const Continuation slept = continuation_of(waiting(35, -516));
  EXPECT_EQ(slept.place, kLibc + 98);
  EXPECT_EQ(slept.result, 219u);
  const Continuation polled = continuation_of(waiting(271, -514));
  EXPECT_EQ(polled.place, kLibc + 98);
  EXPECT_EQ(polled.result, 271u);
  const Continuation epolled = continuation_of(waiting(232, -4));
  EXPECT_EQ(epolled.result, 232u);
  const Continuation ended = continuation_of(waiting(0, 17));
  EXPECT_EQ(ended.place, kLibc + 100);
  EXPECT_EQ(ended.result, 17u);
  const Continuation ran = continuation_of({.place = kProgram, .result = 5});
  EXPECT_EQ(ran.place, kProgram);
  EXPECT_EQ(ran.result, 5u);
}

TEST(ProcessText, that_makes_no_sense_gives_nothing) {
  EXPECT_EQ(parse_mappings("").size(), 0u);
  EXPECT_EQ(parse_mappings("7f-\n5-4 r-xp 0 0:0 0\nx").size(), 0u);
  EXPECT_FALSE(parse_call("running\n"));
  EXPECT_EQ(parse_call("-1 0x7ffc 0x7f\n")->number, -1);
  const auto call = parse_call("202 0x10 0x3 0x0 0x0 0x0 0x0 0x7ffc00 0x7f00\n");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->number, 202);
  EXPECT_EQ(call->first, 16u);
  EXPECT_EQ(call->second, 3u);
  EXPECT_FALSE(parse_call("202 0x10"));
  EXPECT_EQ(parse_status("Name:\tx\nState:\tS (sleeping)\nTracerPid:\t12\nUid:\t1 2 3 4\n").user,
            2);
  EXPECT_EQ(parse_status("TracerPid:\t12\n").tracer, 12);
}

TEST(ModuleFiles, have_their_functions) {
  const ModuleFile own = ModuleFile::open("/proc/self/exe", {"main"});
  EXPECT_TRUE(own.names_loader);
  EXPECT_TRUE(std::any_of(own.parts.begin(), own.parts.end(),
                          [](const ModuleFile::Part& part) { return part.is_code; }));
  EXPECT_TRUE(ModuleFile::read("\x7f"
                               "ELF",
                               {})
                  .parts.empty());
  EXPECT_TRUE(ModuleFile::open("/nothing", {}).parts.empty());
}

}  // namespace
}  // namespace tactus::record

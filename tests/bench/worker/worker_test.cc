// The line between the tool and the process that a candidate runs in.
#include "bench/worker/worker.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace tactus {
namespace {

WorkerAnswer an_answer() {
  WorkerAnswer answer;
  answer.skipped = true;
  answer.wrong = true;
  answer.code = -7;
  answer.error = "no such thing: \xff";
  answer.launch_floor_ns = 12.25;
  answer.clock_noise_ns = 0.5;
  answer.touch_floor_ns = 20.5;
  answer.copy_ns = 21.5;
  answer.tail_floor_ns = 3.5;
  answer.rooms = {1, 2, 3};
  answer.staging = 0x1234;
  answer.clocked.device_ns = 7.5;
  answer.clocked.reasons = 0x44;
  answer.caveat = "it waits";
  answer.device_free_bytes = 1 << 20;
  answer.heap_growth = 4096;
  answer.call_page_faults = 17;
  return answer;
}

Frame text_frame(std::string_view text) {
  Frame frame(text.size());
  if (!text.empty()) std::memcpy(frame.data(), text.data(), text.size());
  return frame;
}

std::string text_of(const Frame& frame) {
  return {reinterpret_cast<const char*>(frame.data()), frame.size()};
}

TEST(WorkerFrames, carry_requests) {
  WorkerRequest request;
  request.kind = WorkerRequest::kCall;
  request.offset = 4096;
  request.key = {.key = 0x123456789abcdef, .twist = 3};
  request.hold = OutputsHold::kStay;
  const std::optional<WorkerRequest> back = request_of(frame_of(request));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->kind, WorkerRequest::kCall);
  EXPECT_EQ(back->offset, 4096U);
  EXPECT_EQ(back->key.key, request.key.key);
  EXPECT_EQ(back->key.twist, 3U);
  EXPECT_EQ(back->hold, OutputsHold::kStay);
}

TEST(WorkerFrames, carry_answers) {
  const WorkerAnswer answer = an_answer();
  const std::optional<WorkerAnswer> back = answer_of(frame_of(answer));
  ASSERT_TRUE(back);
  EXPECT_TRUE(back->skipped);
  EXPECT_TRUE(back->wrong);
  EXPECT_EQ(back->code, -7);
  EXPECT_EQ(back->error, answer.error);
  EXPECT_EQ(back->clock_noise_ns, 0.5);
  EXPECT_EQ(back->touch_floor_ns, 20.5);
  EXPECT_EQ(back->copy_ns, 21.5);
  EXPECT_EQ(back->tail_floor_ns, 3.5);
  EXPECT_EQ(back->rooms, answer.rooms);
  EXPECT_EQ(back->staging, 0x1234U);
  EXPECT_EQ(back->clocked.device_ns, 7.5);
  EXPECT_EQ(back->clocked.reasons, 0x44U);
  EXPECT_EQ(back->caveat, "it waits");
  EXPECT_EQ(back->device_free_bytes, 1U << 20);
  EXPECT_EQ(back->launch_floor_ns, 12.25);
  EXPECT_EQ(back->heap_growth, 4096);
  EXPECT_EQ(back->call_page_faults, 17);
}

TEST(WorkerFrames, that_are_cut_or_too_long_are_none) {
  Frame frame = frame_of(an_answer());
  for (std::size_t length = 0; length < frame.size(); ++length) {
    const Frame cut(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_FALSE(answer_of(cut)) << length;
  }
  frame.push_back(std::byte{0});
  EXPECT_FALSE(answer_of(frame));
  EXPECT_FALSE(request_of({}));
  EXPECT_FALSE(request_of(frame));
}

TEST(WorkerFrames, with_absurd_counts_are_none) {
  const Frame frame = frame_of(an_answer());
  for (std::size_t at = 0; at + 8 <= frame.size(); ++at) {
    Frame odd = frame;
    std::memset(odd.data() + at, 0xff, 8);
    const std::optional<WorkerAnswer> answer = answer_of(odd);  // no crash, no huge allocation
    if (answer) {
      EXPECT_LE(answer->rooms.size(), 3U);
    }
  }
}

/// Answers every frame with the same.
void echo(const Channel& channel) {
  while (const std::optional<Frame> frame = channel.receive(-1).frame) channel.send(*frame);
}

TEST(WorkerProcess, answers_again_and_again_also_with_much) {
  Result<WorkerProcess> worker = WorkerProcess::start(echo);
  ASSERT_TRUE(worker);
  for (const std::size_t size : {0U, 1U, 100000U, 10000000U}) {
    const std::string text(size, 'x');
    const Result<Frame> answer = worker->ask(text_frame(text), 30);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_TRUE(text_of(*answer) == text) << size;
  }
}

TEST(WorkerProcess, that_has_ended_says_so_on_every_question) {
  Result<WorkerProcess> worker = WorkerProcess::start([](const Channel& channel) {
    channel.receive(-1);
    ::_exit(5);
  });
  ASSERT_TRUE(worker);
  Result<Frame> answer = worker->ask(text_frame("?"), 30);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "ended the process by itself (exit 5)");
  answer = worker->ask(text_frame("?"), 30);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "its process has ended");
}

TEST(WorkerProcess, that_stays_silent_is_not_waited_for_for_ever) {
  Result<WorkerProcess> worker = WorkerProcess::start([](const Channel&) { ::pause(); });
  ASSERT_TRUE(worker);
  const Result<Frame> answer = worker->ask(text_frame("?"), 0.2);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "no answer within 0.2 s");
}

TEST(WorkerProcess, keeps_the_first_that_is_printed_and_loses_the_rest) {
  Result<WorkerProcess> worker = WorkerProcess::start([](const Channel& channel) {
    while (const std::optional<Frame> frame = channel.receive(-1).frame) {
      const std::string line = "first\n" + std::string(100, '.') + "\n";
      for (int i = 0; i < 5000; ++i) {
        if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) break;
      }
      channel.send(*frame);
    }
  });
  ASSERT_TRUE(worker);
  EXPECT_EQ(worker->printed(), "");
  ASSERT_TRUE(worker->ask(text_frame("?"), 30));
  ASSERT_TRUE(worker->ask(text_frame("?"), 30));
  EXPECT_TRUE(worker->printed().starts_with("first\n"));
  EXPECT_LE(worker->printed().size(), 65536U);
}

}  // namespace
}  // namespace tactus

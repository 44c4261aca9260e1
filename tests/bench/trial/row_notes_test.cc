// What a worker says, as a row shows it.
#include "bench/trial/row_notes.h"

#include <gtest/gtest.h>

namespace tactus {
namespace {

/// The reason of a row whose worker answers with this error.
std::string reason_of(const std::string& error) {
  Result<WorkerProcess> worker = WorkerProcess::start([&](const Channel& channel) {
    while (channel.receive(-1).frame) {
      WorkerAnswer answer;
      answer.error = error;
      if (!channel.send(frame_of(answer))) return;
    }
  });
  if (!worker) return worker.error().message;
  BenchRow row;
  EXPECT_FALSE(ask_worker(row, *worker, {}, 10));
  return row.reason;
}

TEST(Answers, cannot_give_orders_to_a_terminal) {
  EXPECT_EQ(reason_of("no memory"), "no memory");
  EXPECT_EQ(reason_of("first\nsecond"), "first\nsecond");
  EXPECT_EQ(reason_of("\x1b[2J\rok\x7f"), "?[2J?ok?");
}

TEST(Answers, are_cut_if_they_are_endless) {
  EXPECT_LT(reason_of(std::string(1 << 20, 'x')).size(), 10000U);
}

TEST(TurnsOfOthers, show_in_the_time_of_an_empty_kernel) {
  BenchRow row;
  note_turns_of_others(row);
  row.launch_floor_ns = 12000;
  note_turns_of_others(row);
  EXPECT_EQ(row.note, "");
  row.launch_floor_ns = 612000;
  note_turns_of_others(row);
  EXPECT_EQ(row.note,
            "an empty kernel takes 612 us by that clock: other processes use this GPU, and the "
            "time contains their turns");
}

}  // namespace
}  // namespace tactus

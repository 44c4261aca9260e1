#include <gtest/gtest.h>

#include "edit_run/edits.h"
#include "edit_run/effects.h"
#include "edit_run/new_times.h"
#include "edit_run/replay.h"
#include "edit_run/rewrite.h"
#include "run/builder.h"

namespace tactus::edit_run {
namespace {

/// A recording of one thread and two streams, written by hand. Times in ns.
class Tape {
 public:
  Tape() {
    builder_.begin_source("tape", "kineto");
    const ThreadId host = builder_.thread(builder_.process({.value = 17}), {.value = 17});
    host_ = builder_.track(host, false);
    for (std::size_t i = 0; i < 2; ++i) {
      const auto number = static_cast<std::int64_t>(7 + i);
      const ThreadId thread = builder_.thread(builder_.process({.value = 0}), {.value = number});
      streams_[i] = builder_.track(thread, true);
      builder_.run().tracks[streams_[i].value].device_index = 0;
      builder_.run().tracks[streams_[i].value].stream = number;
    }
    shape_ = builder_.shape({{builder_.intern("correlation"), ValueType::kInt}});
  }

  std::size_t op(std::int64_t start, std::int64_t end) {
    return add("aten::op", "cpu_op", host_, start, end, 0);
  }
  std::size_t call(std::string_view name, std::int64_t start, std::int64_t end,
                   std::int64_t id = 0) {
    return add(name, "cuda_runtime", host_, start, end, id);
  }
  std::size_t launch(std::int64_t start, std::int64_t end, std::int64_t id) {
    return call("cudaLaunchKernel", start, end, id);
  }
  std::size_t kernel(std::int64_t start, std::int64_t end, std::int64_t id,
                     std::size_t stream = 0) {
    return add("gemm", "kernel", streams_[stream], start, end, id);
  }
  std::size_t copy(std::string_view name, std::int64_t start, std::int64_t end, std::int64_t id) {
    return add(name, "gpu_memcpy", streams_[0], start, end, id);
  }

  Run finish() {
    builder_.end_source(0, 0);
    return builder_.finish();
  }

 private:
  std::size_t add(std::string_view name, std::string_view category, TrackId track,
                  std::int64_t start, std::int64_t end, std::int64_t id) {
    EventTable& slices = builder_.run().slices;
    slices.append(start, end - start, builder_.intern(name), track.value,
                  builder_.category(category).value, shape_, std::array{id});
    return slices.size() - 1;
  }

  RunBuilder builder_;
  TrackId host_;
  std::array<TrackId, 2> streams_;
  ShapeId shape_;
};

Edits edits_of(std::initializer_list<std::string_view> words) {
  Edits edits;
  for (const std::string_view word : words) EXPECT_TRUE(add_edit(word, edits)) << word;
  return edits;
}

Steps no_steps(const Run& run) {
  Steps steps;
  steps.cycles.cycle_of_slice.assign(run.slices.size(), -1);
  return steps;
}

/// All slices of the run are one step.
Steps one_step(const Run& run) {
  Steps steps;
  steps.cycles.cycles.push_back({});
  steps.cycles.cycle_of_slice.assign(run.slices.size(), 0);
  steps.steps.push_back({});
  return steps;
}

NewTimes edited(const Run& run, const Steps& steps, std::initializer_list<std::string_view> words) {
  const Result<Effects> effects = effects_of(run, steps, edits_of(words));
  EXPECT_TRUE(effects);
  const Recording recording = read_recording(run);
  return {run, recording, replay(run, recording, steps, *effects)};
}
NewTimes edited(const Run& run, std::initializer_list<std::string_view> words) {
  return edited(run, no_steps(run), words);
}

using Times = std::pair<std::int64_t, std::int64_t>;
Times times_of(const NewTimes& times, std::size_t row) {
  return {times.start_ns(row), times.end_ns(row)};
}

/// Two kernels in a queue, and a host that waits for them.
struct QueueTape : Tape {
  std::size_t outer = op(0, 100'000);
  std::size_t first_launch = launch(1'000, 3'000, 1);
  std::size_t second_launch = launch(4'000, 6'000, 2);
  std::size_t wait = call("cudaStreamSynchronize", 8'000, 95'000);
  std::size_t next = op(110'000, 120'000);
  std::size_t first = kernel(5'000, 45'000, 1);
  std::size_t second = kernel(46'000, 90'000, 2);
};

TEST(EditRun, without_an_edit_all_times_stay) {
  QueueTape tape;
  const tactus::Run run = tape.finish();
  const NewTimes times = edited(run, {});
  for (std::size_t row = 0; row < run.slices.size(); ++row) {
    EXPECT_EQ(times.start_ns(row), run.slices.start()[row]) << row;
    EXPECT_EQ(times.end_ns(row) - times.start_ns(row), run.slices.dur()[row]) << row;
  }
}

TEST(EditRun, longer_kernels_delay_the_next_ones_and_the_host_that_waits) {
  QueueTape tape;
  const tactus::Run run = tape.finish();
  const NewTimes times = edited(run, {"kernels=2"});
  EXPECT_EQ(times_of(times, tape.first), Times(5'000, 85'000));
  EXPECT_EQ(times_of(times, tape.second), Times(86'000, 174'000));
  EXPECT_EQ(times_of(times, tape.second_launch), Times(4'000, 6'000));
  EXPECT_EQ(times_of(times, tape.wait), Times(8'000, 179'000));
  EXPECT_EQ(times_of(times, tape.outer), Times(0, 184'000));
  EXPECT_EQ(times_of(times, tape.next), Times(194'000, 204'000));
}

TEST(EditRun, a_host_that_waits_returns_earlier_from_shorter_kernels) {
  QueueTape tape;
  const tactus::Run run = tape.finish();
  const NewTimes times = edited(run, {"kernels=0.5"});
  EXPECT_EQ(times_of(times, tape.second), Times(26'000, 48'000));
  EXPECT_EQ(times_of(times, tape.wait), Times(8'000, 53'000));
  EXPECT_EQ(times_of(times, tape.next), Times(68'000, 78'000));
}

TEST(EditRun, slow_host_code_delays_launches_and_a_queue_hides_it) {
  QueueTape tape;
  const tactus::Run run = tape.finish();
  const NewTimes times = edited(run, {"gaps=2"});
  EXPECT_EQ(times_of(times, tape.first_launch), Times(2'000, 4'000));
  EXPECT_EQ(times_of(times, tape.second_launch), Times(6'000, 8'000));
  EXPECT_EQ(times_of(times, tape.first), Times(6'000, 46'000));
  EXPECT_EQ(times_of(times, tape.second), Times(47'000, 91'000));
  EXPECT_EQ(times_of(times, tape.wait), Times(12'000, 96'000));
  EXPECT_EQ(times_of(times, tape.outer), Times(0, 106'000));
}

TEST(EditRun, an_idle_device_has_room_for_longer_kernels) {
  Tape tape;
  tape.launch(0, 2'000, 1);
  const std::size_t second_launch = tape.launch(50'000, 52'000, 2);
  const std::size_t first = tape.kernel(4'000, 14'000, 1);
  const std::size_t second = tape.kernel(54'000, 64'000, 2);
  const tactus::Run run = tape.finish();
  const NewTimes times = edited(run, {"kernels=2"});
  EXPECT_EQ(times_of(times, first), Times(4'000, 24'000));
  EXPECT_EQ(times_of(times, second_launch), Times(50'000, 52'000));
  EXPECT_EQ(times_of(times, second), Times(54'000, 74'000));
}

TEST(EditRun, launch_calls_can_take_longer) {
  Tape tape;
  tape.launch(0, 2'000, 1);
  const std::size_t query = tape.call("cudaEventQuery", 3'000, 4'000);
  const std::size_t kernel = tape.kernel(5'000, 9'000, 1);
  const tactus::Run run = tape.finish();
  const NewTimes times = edited(run, {"launches=3"});
  EXPECT_EQ(times_of(times, query), Times(7'000, 8'000));
  EXPECT_EQ(times_of(times, kernel), Times(9'000, 13'000));
}

TEST(EditRun, a_copy_to_pageable_memory_waits_and_one_to_pinned_memory_does_not) {
  for (const bool is_pinned : {false, true}) {
    Tape tape;
    tape.launch(0, 2'000, 1);
    const std::size_t call = tape.call("cudaMemcpyAsync", 3'000, 60'000, 2);
    tape.kernel(4'000, 50'000, 1);
    const std::size_t copy =
        tape.copy(is_pinned ? "Memcpy DtoH (Device -> Pinned)" : "Memcpy DtoH (Device -> Pageable)",
                  51'000, 55'000, 2);
    const tactus::Run run = tape.finish();
    const NewTimes times = edited(run, {"kernels=2"});
    EXPECT_EQ(times_of(times, copy), Times(97'000, 101'000));
    EXPECT_EQ(times_of(times, call), Times(3'000, is_pinned ? 60'000 : 106'000));
  }
}

TEST(EditRun, work_that_waited_for_another_stream_still_does) {
  Tape tape;
  tape.launch(0, 1'000, 1);
  tape.launch(2'000, 3'000, 2);
  tape.kernel(4'000, 104'000, 1, 0);
  const std::size_t waiting = tape.kernel(106'000, 116'000, 2, 1);
  const tactus::Run run = tape.finish();
  EXPECT_EQ(times_of(edited(run, {"kernels=2"}), waiting), Times(206'000, 226'000));
}

TEST(EditRun, a_stall_comes_before_the_op_that_launches) {
  Tape tape;
  const std::size_t op = tape.op(0, 8'000);
  tape.launch(2'000, 4'000, 1);
  const std::size_t kernel = tape.kernel(6'000, 7'000, 1);
  const tactus::Run run = tape.finish();
  const NewTimes times = edited(run, one_step(run), {"stall=1:50"});
  EXPECT_EQ(times_of(times, op), Times(50'000, 58'000));
  EXPECT_EQ(times_of(times, kernel), Times(56'000, 57'000));
}

TEST(EditRun, rows_of_the_host_can_be_dropped) {
  QueueTape tape;
  tactus::Run run = tape.finish();
  const Steps steps = no_steps(run);
  const NewTimes times = edited(run, {});
  const Recording recording = read_recording(run);
  ASSERT_EQ(run.links.rows, 2U);
  ASSERT_TRUE(rewrite(recording, steps, times, edits_of({"no_host"}), run));
  EXPECT_EQ(run.slices.size(), 2U);
  EXPECT_EQ(run.links.rows, 0U);
  EXPECT_EQ(run.slices.start()[0], 5'000);
}

TEST(EditRun, ids_change_and_links_stay) {
  QueueTape tape;
  tactus::Run run = tape.finish();
  const NewTimes times = edited(run, {});
  const Recording recording = read_recording(run);
  const Edits edits = edits_of({"ids", "rename_kernel=ge:x::y"});
  ASSERT_TRUE(rewrite(recording, no_steps(run), times, edits, run));
  EXPECT_EQ(run.links.rows, 2U);
  EXPECT_NE(run.processes[0].pid.value, 17);
  EXPECT_EQ(run.tracks[1].stream, 107);
  EXPECT_NE(run.arg(run.slices, tape.first, "correlation")->raw, 1);
  EXPECT_EQ(run.strings[StringId(static_cast<std::uint64_t>(run.slices.name()[tape.first]))],
            "x::ymm");
}

TEST(EditRun, texts_are_renamed_everywhere_and_stay_apart) {
  QueueTape tape;
  tactus::Run run = tape.finish();
  const NewTimes times = edited(run, {});
  const Recording recording = read_recording(run);
  run.processes[0].name = run.strings.intern("python3 /home/me/serve.py");
  const std::size_t before = run.strings.size();
  ASSERT_TRUE(rewrite(recording, no_steps(run), times,
                      edits_of({"rename_text=/home/me:/srv", "rename_text=serve:run"}), run));
  EXPECT_EQ(run.strings[run.processes[0].name], "python3 /srv/run.py");
  EXPECT_EQ(run.strings.size(), before);
  EXPECT_FALSE(rewrite(recording, no_steps(run), times, edits_of({"rename_text=nowhere:x"}), run));
  EXPECT_FALSE(rewrite(recording, no_steps(run), times,
                       edits_of({"rename_text=python3 /srv/run.py:gemm"}), run));
}

TEST(EditRun, an_edit_that_is_not_known_or_changes_nothing_is_refused) {
  Edits edits;
  for (const std::string_view word :
       {"kernels", "kernels=0", "kernels=x", "family=gemm", "family=none:2", "phase=night:2",
        "stall=0:5", "stall=5", "jump=a:2", "rank=x:2", "offset=1.5", "faster=2", ""}) {
    EXPECT_FALSE(add_edit(word, edits)) << word;
  }
  QueueTape tape;
  const tactus::Run run = tape.finish();
  EXPECT_FALSE(effects_of(run, no_steps(run), edits_of({"copies=2"})));
  EXPECT_FALSE(effects_of(run, no_steps(run), edits_of({"phase=decode:2"})));
}

TEST(EditRun, a_block_of_steps_may_be_open) {
  EXPECT_EQ(parse_block("3:")->from, 3);
  EXPECT_EQ(parse_block(":5")->to, 5);
  for (const std::string_view text : {"3", "5:3", "3:3", "-1:2", "a:b"}) {
    EXPECT_FALSE(parse_block(text)) << text;
  }
}

}  // namespace
}  // namespace tactus::edit_run

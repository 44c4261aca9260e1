// Whatever a candidate does, the tool goes on, says what happened, and nothing is left behind.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "bench/measured.h"
#include "bench/worker/child_processes.h"
#include "support/paths.h"

namespace tactus::testing {
namespace {

namespace fs = std::filesystem;

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

/// Pages of address space that this process has.
std::int64_t pages() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t count = 0;
  statm >> count;
  return count;
}

/// So many that some of each kind are audited.
MeasureOptions many_calls() {
  MeasureOptions options = test_options();
  options.stop = {.at_least = 60, .at_most = 120, .rounds = 12, .tight = 0.01, .seconds = 0.5};
  return options;
}

class HostileCandidate : public ::testing::Test {
 protected:
  void SetUp() override {
    descriptors_ = open_descriptors();
    children_ = child_processes();
  }
  void TearDown() override {
    EXPECT_EQ(open_descriptors(), descriptors_);
    EXPECT_EQ(child_processes(), children_) << "a process was left behind";
  }

  static BenchRow row_of(const std::string& name, const MeasureOptions& options = test_options()) {
    return measured(test_candidate(name), "rms_norm", {{"tokens", 64}, {"hidden", 256}}, options);
  }

  static void expect(const BenchRow& row, BenchStatus status, const std::string& reason) {
    EXPECT_EQ(bench_status_name(row.status), bench_status_name(status)) << row.reason;
    EXPECT_NE(row.reason.find(reason), std::string::npos) << row.reason;
    if (status != BenchStatus::kOk) {
      EXPECT_FALSE(row.t_ns) << "what failed has no time";
    }
  }

 private:
  std::size_t descriptors_ = 0;
  std::vector<pid_t> children_;
};

TEST_F(HostileCandidate, one_that_is_right_is_checked_and_timed) {
  const BenchRow row = row_of("right");
  expect(row, BenchStatus::kOk, "");
  EXPECT_EQ(row.note, "");
  EXPECT_GE(row.checked, 7 * 64 * 256) << "two draws, a call of each round, and the last";
  EXPECT_EQ(row.mismatch, 0);
  ASSERT_TRUE(row.t_ns);
  EXPECT_GT(*row.t_ns, 0);
  EXPECT_LE(*row.t_low_ns, *row.t_ns);
  EXPECT_GE(*row.t_high_ns, *row.t_ns);
  EXPECT_GE(row.samples_ns.size(), 3U);
  EXPECT_EQ(std::accumulate(row.rounds.begin(), row.rounds.end(), std::int64_t{0}),
            static_cast<std::int64_t>(row.samples_ns.size()));
  EXPECT_TRUE(row.clock_noise_ns);
  EXPECT_FALSE(row.sm_clock_mhz) << "nobody asks a CPU";
  EXPECT_FALSE(row.touch_floor_ns);
  EXPECT_EQ(row.throttled, 0);
}

TEST_F(HostileCandidate, one_with_few_samples_claims_no_interval) {
  MeasureOptions options = test_options();
  options.stop.at_most = 4;
  const BenchRow row = row_of("right", options);
  expect(row, BenchStatus::kOk, "");
  ASSERT_TRUE(row.t_ns);
  EXPECT_FALSE(row.interval_known);
  EXPECT_EQ(*row.t_low_ns, *std::min_element(row.samples_ns.begin(), row.samples_ns.end()));
}

TEST_F(HostileCandidate, check_only_does_not_time) {
  const BenchRow row = row_of("right", only_checked());
  expect(row, BenchStatus::kOk, "");
  EXPECT_FALSE(row.t_ns);
  EXPECT_EQ(row.checked, 2 * 64 * 256);
}

TEST_F(HostileCandidate, writing_behind_an_output_is_wrong) {
  expect(row_of("writes_behind"), BenchStatus::kWrong, "wrote behind out");
}

TEST_F(HostileCandidate, writing_in_front_of_an_output_is_wrong) {
  expect(row_of("writes_in_front"), BenchStatus::kWrong, "wrote in front of out");
}

TEST_F(HostileCandidate, writing_behind_the_workspace_is_wrong) {
  expect(row_of("writes_behind_workspace"), BenchStatus::kWrong,
         "wrote behind its workspace of 1000 bytes");
}

TEST_F(HostileCandidate, changing_an_input_is_wrong) {
  expect(row_of("changes_input"), BenchStatus::kWrong, "changed its input x");
}

TEST_F(HostileCandidate, writing_nothing_is_wrong) {
  const BenchRow row = row_of("writes_nothing");
  expect(row, BenchStatus::kWrong, "out[0, 0] is nan, should be ");
  EXPECT_EQ(row.mismatch, 64 * 256);
}

TEST_F(HostileCandidate, a_crash_is_an_error) {
  expect(row_of("crashes"), BenchStatus::kError, TACTUS_SANITIZED ? "" : "crashed: Segmentation");
  expect(row_of("crashes_on_load"), BenchStatus::kError, TACTUS_SANITIZED ? "" : "crashed: Abort");
}

TEST_F(HostileCandidate, an_exception_is_an_error_and_its_text_is_shown) {
  const BenchRow row = row_of("throws");
  expect(row, BenchStatus::kError, "threw an exception");
  EXPECT_EQ(row.note, "it printed: no idea how");
}

TEST_F(HostileCandidate, an_exception_in_one_of_its_threads_is_the_same) {
  MeasureOptions options = test_options();
  options.threads = 2;
  const BenchRow row = row_of("throws_in_a_thread", options);
  expect(row, BenchStatus::kError, "threw an exception");
  EXPECT_EQ(row.note, "it printed: not this one");
}

TEST_F(HostileCandidate, a_hang_is_an_error_after_the_patience_is_over) {
  MeasureOptions options = test_options();
  options.patience_s = 1;
  expect(row_of("hangs", options), BenchStatus::kError, "no answer within 1 s");
}

TEST_F(HostileCandidate, exiting_is_an_error) {
  expect(row_of("exits"), BenchStatus::kError,
         TACTUS_SANITIZED ? "" : "ended the process by itself (exit 0)");
}

TEST_F(HostileCandidate, being_killed_may_be_a_lack_of_memory) {
  expect(row_of("kills_itself"), BenchStatus::kError, "was killed");
}

TEST_F(HostileCandidate, a_code_of_its_own_is_an_error_that_names_it) {
  expect(row_of("returns_error"), BenchStatus::kError, "the kernel returned 42");
}

TEST_F(HostileCandidate, a_shape_that_it_does_not_take_is_skipped) {
  expect(row_of("takes_no_shape"), BenchStatus::kSkipped, "it does not support this shape");
}

TEST_F(HostileCandidate, an_operator_that_it_does_not_have_is_skipped) {
  expect(row_of("other_operator"), BenchStatus::kSkipped, "other_operator.so has no rms_norm");
}

TEST_F(HostileCandidate, what_it_prints_is_noted_and_does_no_harm) {
  const BenchRow row = row_of("prints", only_checked());
  expect(row, BenchStatus::kOk, "");
  EXPECT_EQ(row.note, "it printed: h?[2Jello");
}

TEST_F(HostileCandidate, memory_that_it_keeps_is_noted) {
  if (TACTUS_SANITIZED) GTEST_SKIP() << "a sanitizer has a heap of its own";
  const BenchRow row = row_of("leaks");
  expect(row, BenchStatus::kOk, "");
  EXPECT_NE(row.note.find("it keeps memory: 100"), std::string::npos) << row.note;
}

TEST_F(HostileCandidate, memory_that_it_takes_in_each_call_is_counted) {
  const BenchRow row = row_of("allocates");
  expect(row, BenchStatus::kOk, "");
  EXPECT_NE(row.note.find("it allocates in each call: 2 times"), std::string::npos) << row.note;
}

TEST_F(HostileCandidate, memory_of_the_system_is_noted_if_it_shows) {
  const BenchRow row = row_of("maps_memory");
  expect(row, BenchStatus::kOk, "");
  EXPECT_NE(row.note.find("it seems to allocate in each call"), std::string::npos) << row.note;
}

TEST_F(HostileCandidate, another_version_of_the_interface_is_an_error_that_says_what_to_do) {
  expect(row_of("other_version"), BenchStatus::kError,
         "was built for version 99 of the interface, this is 1");
}

TEST_F(HostileCandidate, a_library_without_the_function_is_an_error) {
  expect(row_of("no_symbol"), BenchStatus::kError, "exports no tactus_library()");
}

TEST_F(HostileCandidate, a_library_without_entries_is_an_error) {
  expect(row_of("null_entries"), BenchStatus::kError, "has no operators in it");
  expect(row_of("null_library"), BenchStatus::kError, "is null");
}

TEST_F(HostileCandidate, a_file_that_is_no_library_is_an_error) {
  Candidate text = test_candidate("right");
  text.path = TACTUS_ROOT "/README.md";
  const Sizes sizes = {{"tokens", 4}, {"hidden", 8}};
  expect(measured(text, "rms_norm", sizes), BenchStatus::kError, "cannot load");
  text.path = TACTUS_ROOT "/no-such-file.so";
  expect(measured(text, "rms_norm", sizes), BenchStatus::kError, "cannot load");
}

TEST_F(HostileCandidate, a_workspace_that_nobody_has_is_an_error) {
  expect(row_of("wants_too_much"), BenchStatus::kError, "GB of workspace");
}

TEST_F(HostileCandidate, being_right_only_in_the_first_calls_is_seen_in_the_timed_loop) {
  expect(row_of("right_when_checked"), BenchStatus::kWrong, "in a call inside the timed loop");
}

TEST_F(HostileCandidate, skipping_work_by_where_the_memory_lies_is_seen) {
  expect(row_of("knows_the_first_copy"), BenchStatus::kWrong, "is nan");
  expect(row_of("caches_by_pointer", many_calls()), BenchStatus::kWrong,
         "in a call inside the timed loop");
}

TEST_F(HostileCandidate, skipping_work_for_inputs_that_look_known_is_seen) {
  expect(row_of("skips_known_inputs", many_calls()), BenchStatus::kWrong,
         "in a call inside the timed loop");
}

TEST_F(HostileCandidate, remembering_results_is_seen) {
  expect(row_of("remembers_results", many_calls()), BenchStatus::kWrong,
         "in a call inside the timed loop");
}

TEST_F(HostileCandidate, finishing_after_it_returned_is_seen) {
  expect(row_of("finishes_later"), BenchStatus::kWrong, "in a call inside the timed loop");
}

TEST_F(HostileCandidate, a_thread_that_is_always_behind_does_not_answer_for_an_audited_call) {
  // Its results are late in a call that is judged, or its thread is seen at work after the calls.
  const BenchRow row = row_of("finishes_in_turn");
  EXPECT_TRUE(row.status == BenchStatus::kWrong || row.status == BenchStatus::kError);
  EXPECT_NE(row.reason, "");
}

TEST_F(HostileCandidate, what_times_show_once_is_no_accusation) {
  // So few calls that the thread rests in the second look, which is beside a second worker.
  MeasureOptions options = test_options();
  options.threads = 2;
  options.stop = {.at_least = 60, .at_most = 60, .rounds = 6, .tight = 1, .seconds = 60};
  const BenchRow row = measured(test_candidate("settles_down"), "rms_norm",
                                {{"tokens", 4096}, {"hidden", 512}}, options);
  expect(row, BenchStatus::kOk, "");
  EXPECT_GE(row.samples_ns.size(), 6U);
}

TEST_F(HostileCandidate, closing_the_line_is_an_error) {
  expect(row_of("closes_descriptors"), BenchStatus::kError,
         "closed a file descriptor that is not its own");
}

TEST_F(HostileCandidate, writing_into_the_line_is_an_error) {
  expect(row_of("garbles_the_line"), BenchStatus::kError, "sent something that is not an answer");
}

TEST_F(HostileCandidate, processes_that_it_starts_end_with_it) {
  expect(row_of("starts_processes", only_checked()), BenchStatus::kOk, "");
}

TEST_F(HostileCandidate, a_crash_is_seen_although_its_child_holds_the_line) {
  expect(row_of("starts_one_and_crashes"), BenchStatus::kError,
         TACTUS_SANITIZED ? "" : "crashed: Abort");
}

TEST_F(HostileCandidate, many_measurements_take_no_more_memory_than_one) {
  const Sizes sizes = {{"tokens", 2048}, {"hidden", 2048}};  // 16 MB of tensors
  MeasureOptions options = only_checked();
  options.check_work = 1e5;
  measured(test_candidate("right"), "rms_norm", sizes, options);
  measured(test_candidate("crashes"), "rms_norm", sizes, options);
  const std::int64_t before = pages();
  for (int i = 0; i < 3; ++i) {
    measured(test_candidate("right"), "rms_norm", sizes, options);
    measured(test_candidate("crashes"), "rms_norm", sizes, options);
  }
  const std::int64_t grown_bytes = (pages() - before) * ::sysconf(_SC_PAGESIZE);
  EXPECT_LT(grown_bytes, 8 << 20);
}

TEST_F(HostileCandidate, a_shape_that_does_not_fit_is_skipped_with_the_reason) {
  // 2 TB of tensors.
  const BenchRow row =
      measured(test_candidate("right"), "rms_norm", {{"tokens", 1 << 24}, {"hidden", 1 << 15}});
  expect(row, BenchStatus::kSkipped, "GB of memory");
  EXPECT_NE(row.reason.find("GB are free"), std::string::npos) << row.reason;
}

TEST_F(HostileCandidate, a_shape_with_too_much_work_is_skipped_with_the_reason) {
  MeasureOptions options = test_options();
  options.largest_flops = 1000;
  expect(row_of("right", options), BenchStatus::kSkipped, "FLOP are more than 1e+03");
}

TEST_F(HostileCandidate, a_shape_that_makes_no_sense_is_skipped_with_the_reason) {
  const BenchRow row = measured(test_candidate("right"), "rms_norm", {{"tokens", 4}});
  EXPECT_EQ(row.status, BenchStatus::kSkipped);
  EXPECT_NE(row.reason.find("hidden"), std::string::npos) << row.reason;
}

}  // namespace
}  // namespace tactus::testing

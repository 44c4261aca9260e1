#include "bench/trial/row_notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "bench/device/gpu_clocks.h"

namespace tactus {
namespace {

/// What comes from the worker may be anything; a terminal must not obey it.
std::string harmless(std::string_view text, std::size_t longest) {
  bool repaired = false;
  std::string shown = to_valid_utf8(std::string(text.substr(0, longest)), repaired);
  for (char& c : shown) {
    if ((static_cast<unsigned char>(c) < ' ' && c != '\n') || c == 0x7f) c = '?';
  }
  return shown;
}

}  // namespace

void fail_row(BenchRow& row, BenchStatus status, std::string why) {
  row.status = status;
  row.reason = std::move(why);
}

void note_row(BenchRow& row, std::string_view text) {
  row.note += fmt::format("{}{}", row.note.empty() ? "" : "; ", text);
}

void report_calls(const TimedCalls& calls, const WorkerAnswer& floors, BenchRow& row) {
  const Sieved sieved = without_slowed(calls.sampled, calls.slowed);
  const MedianInterval interval = interval_of_rounds(sieved.kept);
  row.samples_ns = sieved.kept.samples_ns;
  row.rounds = sieved.kept.rounds;
  row.t_ns = interval.median;
  row.t_low_ns = interval.low;
  row.t_high_ns = interval.high;
  row.interval_known = interval.known;
  row.launch_floor_ns = floors.launch_floor_ns;
  row.clock_noise_ns = floors.clock_noise_ns;
  if (floors.touch_floor_ns > 0) row.touch_floor_ns = floors.touch_floor_ns;
  if (floors.copy_ns > 0) row.copy_ns = floors.copy_ns;
  if (!calls.sm_clocks_mhz.empty()) {
    row.sm_clock_mhz = median_interval(calls.sm_clocks_mhz).median;
  }
  const auto slowed = std::count(calls.slowed.begin(), calls.slowed.end(), true);
  if (slowed == 0) return;
  const std::string why = lowered_words(calls.reasons);
  if (sieved.dropped == 0) {
    return note_row(row, fmt::format("clocks were lowered ({}) during {} of {} samples; too few "
                                     "others remain, so they are kept",
                                     why, slowed, calls.slowed.size()));
  }
  row.throttled = sieved.dropped;
  note_row(row,
           fmt::format("{} samples thrown away: clocks were lowered ({})", sieved.dropped, why));
}

void note_turns_of_others(BenchRow& row) {
  constexpr double kLaunchAndWait = 100000;  // [ns]; alone it takes 10 to 20 us
  if (row.launch_floor_ns.value_or(0) <= kLaunchAndWait) return;
  note_row(row, fmt::format("an empty kernel takes {:.3g} us by that clock: other processes use "
                            "this GPU, and the time contains their turns",
                            *row.launch_floor_ns / 1e3));
}

void note_memory(BenchRow& row, const MemoryOfCalls& memory) {
  if (memory.leaked_bytes > 0) {
    note_row(row,
             fmt::format("it keeps memory: {} bytes more after each call", memory.leaked_bytes));
  }
  constexpr double kFaultsOfAllocation = 16;
  if (memory.allocations >= 1) {
    note_row(row, fmt::format("it allocates in each call: {:.0f} times", memory.allocations));
  } else if (memory.page_faults >= kFaultsOfAllocation) {
    note_row(row,
             fmt::format("it seems to allocate in each call: {:.0f} pages", memory.page_faults));
  }
  constexpr std::int64_t kBytesOfLeak = 32 << 20;  // smaller changes may come from the driver
  if (memory.device_bytes > kBytesOfLeak) {
    note_row(row,
             fmt::format("the GPU has {} MB less after the timed calls: it, or another process, "
                         "keeps memory",
                         memory.device_bytes >> 20));
  }
}

void note_prints(BenchRow& row, const WorkerProcess& worker) {
  const std::string printed = worker.printed();
  if (printed.empty()) return;
  constexpr std::size_t kLongest = 200;
  const std::string line = printed.substr(0, printed.find('\n'));
  note_row(row, fmt::format("it printed: {}", harmless(line, kLongest)));
}

std::optional<WorkerAnswer> ask_worker(BenchRow& row, WorkerProcess& worker,
                                       const WorkerRequest& request, double patience_s) {
  const Result<Frame> frame = worker.ask(frame_of(request), patience_s);
  if (!frame) {
    fail_row(row, BenchStatus::kError, frame.error().message);
    return std::nullopt;
  }
  std::optional<WorkerAnswer> answer = answer_of(*frame);
  if (answer) {
    constexpr std::size_t kLongest = 4000;
    answer->error = harmless(answer->error, kLongest);
    answer->caveat = harmless(answer->caveat, kLongest);
  }
  if (!answer) {
    fail_row(row, BenchStatus::kError, "its process sent something that is not an answer");
  } else if (!answer->error.empty()) {
    fail_row(row,
             answer->skipped ? BenchStatus::kSkipped
             : answer->wrong ? BenchStatus::kWrong
                             : BenchStatus::kError,
             answer->error);
    row.lacks_operator = answer->lacks_operator;
    answer.reset();
  }
  return answer;
}

}  // namespace tactus

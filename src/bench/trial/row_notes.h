#pragma once

#include <string_view>

#include "bench/results/bench_row.h"
#include "bench/timing/timed_calls.h"
#include "bench/worker/worker.h"
#include "bench/worker/worker_process.h"

namespace tactus {

void fail_row(BenchRow& row, BenchStatus status, std::string why);
void note_row(BenchRow& row, std::string_view text);

/// Times of calls, and the floors that they are compared with.
void report_calls(const TimedCalls& calls, const WorkerAnswer& floors, BenchRow& row);

/// Of a row with times of the host's clock: whether other processes use the GPU. They take turns
/// there, and such a time contains theirs; an empty kernel shows it.
void note_turns_of_others(BenchRow& row);

/// What calls did to memory.
struct MemoryOfCalls {
  std::int64_t leaked_bytes = 0;  ///< that a call does not free
  double allocations = 0;         ///< per call, by the candidate's own code
  double page_faults = 0;         ///< per call: memory that it got from the system
  std::int64_t device_bytes = 0;  ///< how much less memory the GPU has after them
};
void note_memory(BenchRow& row, const MemoryOfCalls& memory);

/// The first line that the worker printed, without control characters for a terminal.
void note_prints(BenchRow& row, const WorkerProcess& worker);

/// Nothing if the worker has ended or failed; the row then says why.
std::optional<WorkerAnswer> ask_worker(BenchRow& row, WorkerProcess& worker,
                                       const WorkerRequest& request, double patience_s);

}  // namespace tactus

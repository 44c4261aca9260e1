#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/candidate/candidate.h"
#include "bench/timing/timing.h"
#include "bench/worker/tensor_block.h"
#include "bench/worker/worker_process.h"
#include "operators/definition.h"

namespace tactus {

/// The task of a worker: one candidate on one problem. Tensors go to and from it through a block of
/// shared memory.
struct WorkerTask {
  const OperatorDefinition* definition = nullptr;
  const Problem* problem = nullptr;
  const TensorLayout* layout = nullptr;
  std::byte* block = nullptr;  ///< shared; layout->bytes
  Candidate candidate;
  unsigned threads = 1;
};

/// A request to the worker.
struct WorkerRequest {
  enum Kind : std::uint32_t {
    kOpen,  ///< only load it: can it be called at all?
    kRun,   ///< one call on the block, results back into it
    kFill,  ///< copies of the block for timing
    kTime,  ///< calls on the copies; one of them, when and which `secret` decides, gets the block
            ///< first and is copied back into it right after
  };
  Kind kind = kOpen;
  StopRule stop;
  std::uint64_t secret = 0;
  std::uint64_t copied_bytes =
      0;  ///< how long does a plain copy take that moves these? 0: not asked
};

struct WorkerAnswer {
  bool skipped = false;  ///< not the candidate's fault: no such operator, no memory
  bool wrong = false;    ///< it wrote where it must not; `error` says where
  int code = 0;          ///< of the call
  std::string error;     ///< of the device or of loading; empty if all went well
  SampledRounds sampled;
  double launch_floor_ns = 0;
  double clock_noise_ns = 0;
  double touch_floor_ns = 0;      ///< 0: not measured
  double copy_ns = 0;             ///< of the bytes that were asked for; 0: not measured
  double sm_clock_mhz = 0;        ///< during timing; 0: unknown
  std::int64_t throttled = 0;     ///< samples taken while clocks were lowered
  bool throttled_kept = false;    ///< they are among the samples, because too few others were left
  std::uint64_t lowered = 0;      ///< why clocks were lowered
  std::string caveat;             ///< what else the times contain
  std::int64_t leaked_bytes = 0;  ///< that a call does not free
  double allocations = 0;         ///< per timed call, by the candidate's own code
  double page_faults = 0;         ///< per timed call: memory that it got from the system
  std::int64_t device_bytes = 0;  ///< how much less memory the device has after the timed calls
};

/// Serves requests until the connection is closed; runs in the worker's process.
void serve_worker(const WorkerTask& task, const Channel& channel);

Frame frame_of(const WorkerRequest& request);
Frame frame_of(const WorkerAnswer& answer);
std::optional<WorkerRequest> request_of(const Frame& frame);
std::optional<WorkerAnswer> answer_of(const Frame& frame);

}  // namespace tactus

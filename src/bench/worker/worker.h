#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/candidate/candidate.h"
#include "bench/rooms/gpu_stage.h"
#include "bench/rooms/tensor_block.h"
#include "bench/timing/clocked_call.h"
#include "bench/worker/worker_process.h"
#include "operators/definition.h"

namespace tactus {

/// The task of a worker: one candidate on one problem.
struct WorkerTask {
  const OperatorDefinition* definition = nullptr;
  const Problem* problem = nullptr;
  const TensorLayout* layout = nullptr;
  Candidate candidate;
  unsigned threads = 1;
};

/// A request to the worker.
struct WorkerRequest {
  enum Kind : std::uint32_t {
    kOpen,     ///< load it: can it be called at all? Before this no code of it runs
    kRooms,    ///< memory for `count` blocks of `bytes`: where is it?
    kCall,     ///< one call on the block at `address`, timed with cold caches
    kNothing,  ///< the same without the call; on the CPU also before kOpen
    kFloors,   ///< how long do an empty kernel and a plain copy take? On the CPU before kOpen
    // On a GPU, whose memory the judge cannot reach:
    kPut,     ///< from the buffer to `offset` of the tensors as drawn
    kSpread,  ///< all of them are there: make the rooms ready
    kKeep,    ///< the results of the last call are the decoy
    kGet,     ///< from `offset` of the block at `address` into the buffer
    // On the CPU:
    kSeries,  ///< `count` calls in a row, on blocks `bytes` apart; before kOpen nothing is called
    kHide,    ///< no other process may look into this one from now on
  };
  Kind kind = kOpen;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;
  std::uint64_t offset = 0;
  InputKey key;                             ///< kCall on a GPU: which inputs it finds
  OutputsHold hold = OutputsHold::kPoison;  ///< and outputs
  std::uint64_t copied_bytes = 0;  ///< how long does a plain copy of these take? 0: not asked
};

struct WorkerAnswer {
  bool skipped = false;         ///< not the candidate's fault: no such operator, no memory
  bool lacks_operator = false;  ///< .. and why: it is not in the candidate
  bool wrong = false;           ///< it wrote where it must not; `error` says where
  int code = 0;                 ///< of the call
  std::string error;            ///< of the device or of loading; empty if all went well
  double launch_floor_ns = 0;
  double clock_noise_ns = 0;
  double tail_floor_ns = 0;             ///< of an empty kernel, as in ClockedCall
  double touch_floor_ns = 0;            ///< 0: not measured
  double copy_ns = 0;                   ///< of the bytes that were asked for; 0: not measured
  std::string caveat;                   ///< what else the times contain
  std::vector<std::uint64_t> rooms;     ///< addresses in the worker
  int file = -1;                        ///< that they are in, if the judge can share them
  std::uint64_t staging = 0;            ///< address of the buffer, with a GPU
  ClockedCall clocked;                  ///< the call
  std::int64_t heap_growth = 0;         ///< in the call [bytes]
  std::int64_t call_allocations = 0;    ///< in the call, by the candidate's own code
  std::int64_t call_page_faults = 0;    ///< in the call
  std::uint64_t device_free_bytes = 0;  ///< kFloors, on a GPU
};

/// A task as a worker of its own receives it. Nothing if it makes no sense.
struct SentTask {
  std::string operator_name;
  ShapeParameters shape;
  Candidate candidate;
  unsigned threads = 1;
};
Frame frame_of(const SentTask& task);
std::optional<SentTask> task_of(const Frame& frame);

/// Serves requests until the connection is closed; runs in the worker's process.
void serve_worker(const WorkerTask& task, const Channel& channel);

Frame frame_of(const WorkerRequest& request);
Frame frame_of(const WorkerAnswer& answer);
std::optional<WorkerRequest> request_of(const Frame& frame);
std::optional<WorkerAnswer> answer_of(const Frame& frame);

}  // namespace tactus

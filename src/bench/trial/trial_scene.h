#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "bench/rooms/tensor_block.h"
#include "bench/trial/call_settings.h"
#include "bench/trial/trial.h"
#include "bench/worker/worker_process.h"

namespace tactus {

/// What all parts of a trial need to know, and the row that they write.
struct TrialScene {
  TrialScene(const TrialTask& task_in, const Candidate& candidate_in, BenchRow& row_in);

  const MeasureOptions& options() const { return task.options; }
  const Problem& problem() const { return task.problem; }
  /// The candidate failed; false, for the caller to return.
  bool broke(std::string why) const;
  bool wrong(std::string why) const;

  const TrialTask& task;
  const Candidate& candidate;
  BenchRow& row;
  const bool on_gpu;
  const TensorLayout layout;
  const bool large;
  const bool in_place;  ///< there is one room, and what was drawn changes with it
};

/// The judge's memory: blocks with the layout of the problem.
struct TrialBlocks {
  std::byte* drawn = nullptr;    ///< what inputs are made of
  std::byte* audited = nullptr;  ///< inputs of a judged call; the same as `drawn` if that changes
  std::byte* latest = nullptr;   ///< outputs of the call before
  std::array<std::byte*, kSettings.size()> chosen = {};  ///< of the calls that will be judged
  std::byte* decoy = nullptr;                            ///< right results of other inputs
};

/// Takes them from `memory`. False, with the reason in the row, if they do not fit.
bool take_blocks(const TrialScene& scene, MeasureMemory& memory, TrialBlocks& blocks);

/// Changes those that a second worker beside the first one cannot share. False if there is no
/// memory for it.
bool take_control_blocks(const TrialScene& scene, MeasureMemory& memory, TrialBlocks& blocks);

/// A worker that knows its task and has not loaded the candidate.
Result<WorkerProcess> start_trial_worker(const TrialScene& scene);

}  // namespace tactus

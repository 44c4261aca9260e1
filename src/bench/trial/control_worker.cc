#include "bench/trial/control_worker.h"

#include <utility>

namespace tactus {

ControlWorker::ControlWorker(const TrialScene& scene, const TrialBlocks& blocks,
                             WorkerProcess worker, Random& random)
    : scene_(scene.task, scene.candidate, row_),
      blocks_(blocks),
      worker_(std::move(worker)),
      maker_(scene_, blocks_, worker_, random),
      judge_(scene_, blocks_, maker_, random),
      series_(scene_, blocks_, maker_, judge_, random) {}

std::unique_ptr<ControlWorker> ControlWorker::start(const TrialScene& scene,
                                                    const TrialBlocks& blocks,
                                                    MeasureMemory& memory, WorkerProcess& watched,
                                                    Random& random) {
  TrialBlocks own = blocks;
  if (!take_control_blocks(scene, memory, own)) return nullptr;
  Result<WorkerProcess> worker = start_trial_worker(scene);
  if (!worker) return nullptr;
  watched.leave_alone(worker->pid());
  std::unique_ptr<ControlWorker> control(new ControlWorker(scene, own, std::move(*worker), random));
  return control->open() ? std::move(control) : nullptr;
}

bool ControlWorker::open() {
  // What the judge reaches is opened before; the candidate is stopped until it is hidden.
  WorkerRequest hide;
  hide.kind = WorkerRequest::kHide;
  return worker_.open_memory() && maker_.open_rooms() && maker_.make_empty_requests() &&
         series_.open() && maker_.ask(hide);
}

bool ControlWorker::ask_beside(CallSetting setting, TimedCalls::Beside& beside) {
  MadeCall made;
  if (!maker_.make(setting, made, WorkerRequest::kNothing)) return false;
  beside.outside_ns.push_back(made.outside_ns);
  beside.others_before_ns.push_back(made.answer.clocked.others_before_s * 1e9);
  beside.others_after_ns.push_back(made.answer.clocked.others_after_s * 1e9);
  return true;
}

}  // namespace tactus

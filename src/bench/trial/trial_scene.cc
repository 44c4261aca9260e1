#include "bench/trial/trial_scene.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "bench/rooms/rooms.h"
#include "bench/trial/row_notes.h"
#include "bench/worker/worker.h"
#include "hardware/host_machine.h"

namespace tactus {

TrialScene::TrialScene(const TrialTask& task_in, const Candidate& candidate_in, BenchRow& row_in)
    : task(task_in),
      candidate(candidate_in),
      row(row_in),
      on_gpu(candidate.device == TACTUS_CUDA),
      layout(layout_of(task.problem)),
      large(is_large(layout)),
      in_place(large && !on_gpu) {}

bool TrialScene::broke(std::string why) const {
  fail_row(row, BenchStatus::kError, std::move(why));
  return false;
}

bool TrialScene::wrong(std::string why) const {
  fail_row(row, BenchStatus::kWrong, std::move(why));
  return false;
}

namespace {

constexpr double kShareOfFree = 0.9;  // of memory; the rest is for others

double bytes_of_rooms(const TrialScene& scene) {
  return static_cast<double>(scene.layout.bytes) *
         static_cast<double>(plan_rooms(scene.layout, scene.candidate.device).count);
}

bool fits(const TrialScene& scene, const MeasureMemory& memory) {
  double outputs = 0;
  for (const TensorSpec& output : scene.problem().outputs) {
    outputs += static_cast<double>(output.bytes());
  }
  // Drawn and audited inputs here, the rooms there, and outputs: the latest, the chosen, a decoy.
  const double rooms = scene.on_gpu ? 0 : bytes_of_rooms(scene);
  const double wanted =
      rooms + static_cast<double>(scene.layout.bytes) * (scene.in_place ? 1 : 2) + 3 * outputs;
  const std::size_t kept = memory.drawn.bytes() + memory.audited.bytes();
  const double there =
      kShareOfFree * static_cast<double>(read_host_machine().free_memory_bytes + kept);
  if (wanted <= there) return true;
  fail_row(scene.row, BenchStatus::kSkipped,
           fmt::format("needs {:.1f} GB of memory, {:.1f} GB are free", wanted / 1e9, there / 1e9));
  return false;
}

}  // namespace

bool take_blocks(const TrialScene& scene, MeasureMemory& memory, TrialBlocks& blocks) {
  if (!fits(scene, memory)) return false;
  using Needed = std::pair<KeptBlock*, std::byte**>;
  std::vector<Needed> needed = {{&memory.drawn, &blocks.drawn},
                                {&memory.latest, &blocks.latest},
                                {&memory.decoy, &blocks.decoy}};
  if (!scene.in_place) {
    needed.emplace_back(&memory.audited, &blocks.audited);
    for (std::size_t i = 0; i < blocks.chosen.size(); ++i) {
      needed.emplace_back(&memory.chosen[i], &blocks.chosen[i]);
    }
  }
  for (const auto& [block, into] : needed) {
    const Result<std::byte*> taken = block->of(scene.layout.bytes);
    if (!taken) {
      fail_row(scene.row, BenchStatus::kSkipped, taken.error().message);
      return false;
    }
    *into = *taken;
  }
  if (scene.in_place) blocks.audited = blocks.drawn;
  return true;
}

bool take_control_blocks(const TrialScene& scene, MeasureMemory& memory, TrialBlocks& blocks) {
  const double own = scene.in_place ? static_cast<double>(scene.layout.bytes) : 0;
  const double there = kShareOfFree * static_cast<double>(read_host_machine().free_memory_bytes +
                                                          memory.control.bytes());
  if (bytes_of_rooms(scene) + own > there) return false;
  if (!scene.in_place) return true;
  // What is drawn changes with the room that it is in.
  const Result<std::byte*> drawn = memory.control.of(scene.layout.bytes);
  if (!drawn) return false;
  blocks.drawn = *drawn;
  blocks.audited = *drawn;
  return true;
}

Result<WorkerProcess> start_trial_worker(const TrialScene& scene) {
  Result<WorkerProcess> worker = WorkerProcess::start_anew();
  if (!worker) return worker;
  const Result<Frame> ready =
      worker->ask(frame_of(SentTask{.operator_name = std::string(scene.task.definition.name),
                                    .shape = scene.problem().shape,
                                    .candidate = scene.candidate,
                                    .threads = scene.options().threads}),
                  scene.options().patience_s);
  if (!ready) return ready.error();
  return worker;
}

}  // namespace tactus

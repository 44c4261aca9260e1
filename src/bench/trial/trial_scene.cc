#include "bench/trial/trial_scene.h"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "bench/device/device.h"
#include "bench/rooms/rooms.h"
#include "bench/trial/row_notes.h"

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

bool fits(const TrialScene& scene, const MeasureMemory& memory) {
  double outputs = 0;
  for (const TensorSpec& output : scene.problem().outputs) {
    outputs += static_cast<double>(output.bytes());
  }
  // Drawn and audited inputs here, the rooms there, and outputs: the latest, the chosen, a decoy.
  const double rooms =
      scene.on_gpu ? 0
                   : static_cast<double>(plan_rooms(scene.layout, scene.candidate.device).count);
  const double wanted =
      static_cast<double>(scene.layout.bytes) * (rooms + (scene.in_place ? 1 : 2)) + 3 * outputs;
  const std::unique_ptr<TimedDevice> host = make_cpu_device(1);
  const std::size_t kept = memory.drawn.bytes() + memory.audited.bytes();
  const double there = 0.9 * static_cast<double>(host->free_bytes() + kept);
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

}  // namespace tactus

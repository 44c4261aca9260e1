#include "support/kernel_run.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <vector>

#include "bench/checking/judge.h"
#include "bench/device/device.h"
#include "bench/rooms/bound_call.h"
#include "bench/rooms/tensor_block.h"

namespace tactus::testing {
namespace {

constexpr std::size_t kAlignment = 256;
constexpr double kWork = 2e7;  // of the oracle: all units of small shapes

/// Aligned memory, all bytes the same.
class Block {
 public:
  Block(std::size_t bytes, std::byte fill) : memory_(bytes + kAlignment, fill) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    data_ = memory_.data() + (kAlignment - address % kAlignment) % kAlignment;
  }
  std::byte* data() const { return data_; }

 private:
  std::vector<std::byte> memory_;
  std::byte* data_ = nullptr;
};

}  // namespace

std::string wrong_with_entry(const tactus_entry& entry, const OperatorDefinition& definition,
                             const ShapeParameters& shape, std::uint64_t seed, unsigned threads) {
  const Result<Problem> made = make_problem(definition, shape);
  if (!made) return made.error().message;
  const Problem& problem = *made;
  const TensorLayout layout = layout_of(problem);
  const Block before(layout.bytes, std::byte{0});
  const Block after(layout.bytes, std::byte{0});
  write_guards(problem, layout, before.data());
  const HostTensors before_tensors = tensors_at(problem, layout, before.data());
  draw_tensors(definition, problem, before_tensors, seed, 1);
  std::memcpy(after.data(), before.data(), layout.bytes);

  const std::unique_ptr<TimedDevice> device = make_cpu_device(threads);
  BoundCall call(problem, layout, after.data());
  device->prepare(call.call());
  // Workspace is what earlier calls left there: here nothing but NaN.
  constexpr std::byte kLeftOver{0xff};
  BoundCall shape_only(problem, layout, nullptr);
  device->prepare(shape_only.call());
  const std::size_t bytes =
      entry.workspace_bytes == nullptr ? 0 : entry.workspace_bytes(&shape_only.call());
  const Block workspace(bytes + kAlignment, kLeftOver);
  call.call().workspace = workspace.data();
  call.call().workspace_bytes = bytes;
  const int code = device->run(entry, call.call()).code;
  if (code != 0) return fmt::format("it returned {}", code);

  for (std::size_t i = bytes; i < bytes + kAlignment; ++i) {
    if (workspace.data()[i] != kLeftOver) return "it wrote behind its workspace";
  }
  if (std::string guard = broken_guard(problem, layout, after.data()); !guard.empty()) {
    return guard;
  }
  if (std::string changed = changed_input(problem, layout, before.data(), after.data());
      !changed.empty()) {
    return "changed " + changed;
  }
  const HostTensors after_tensors = tensors_at(problem, layout, after.data());
  const CheckedOutputs judgement =
      judge(definition, problem, before_tensors, after_tensors, kWork, seed, 1);
  if (judgement.right) return "";
  return fmt::format("{} of {} wrong: {}", judgement.wrong, judgement.checked, judgement.first);
}

}  // namespace tactus::testing

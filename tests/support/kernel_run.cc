#include "support/kernel_run.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <vector>

#include "bench/device.h"
#include "bench/judge.h"
#include "bench/tensor_block.h"

namespace tactus::testing {
namespace {

constexpr std::size_t kAlignment = 256;
constexpr double kWork = 2e7;  // of the oracle: all units of small shapes

std::int32_t abi_type(NumberType type) {
  switch (type) {
    case NumberType::kFp32: return TACTUS_FP32;
    case NumberType::kBf16: return TACTUS_BF16;
    case NumberType::kFp16: return TACTUS_FP16;
    case NumberType::kFp8E4m3: return TACTUS_FP8_E4M3;
    case NumberType::kFp8E4m3Fnuz: return TACTUS_FP8_E4M3_FNUZ;
    case NumberType::kInt64: return TACTUS_INT64;
    case NumberType::kInt32: return TACTUS_INT32;
    default: return 0;
  }
}

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

/// A call on a block of tensors, or with no memory.
struct Call {
  std::vector<tactus_tensor> inputs;
  std::vector<tactus_tensor> outputs;
  std::vector<tactus_parameter> parameters;
  tactus_call call = {};

  Call(const Problem& problem, const TensorLayout& layout, std::byte* block, Device& device) {
    const auto add = [&](const std::vector<TensorSpec>& specs,
                         const std::vector<std::size_t>& places,
                         std::vector<tactus_tensor>& tensors) {
      for (std::size_t i = 0; i < specs.size(); ++i) {
        tensors.push_back({specs[i].name.c_str(), block == nullptr ? nullptr : block + places[i],
                           abi_type(specs[i].dtype),
                           static_cast<std::int32_t>(specs[i].shape.size()), specs[i].shape.data(),
                           nullptr});
      }
    };
    add(problem.inputs, layout.inputs, inputs);
    add(problem.outputs, layout.outputs, outputs);
    for (const auto& [name, value] : problem.parameters) {
      parameters.push_back({name.c_str(), value});
    }
    call.abi_version = TACTUS_ABI_VERSION;
    call.size = sizeof(tactus_call);
    call.operator_name = problem.operator_name.c_str();
    call.inputs = inputs.data();
    call.input_count = static_cast<std::int32_t>(inputs.size());
    call.outputs = outputs.data();
    call.output_count = static_cast<std::int32_t>(outputs.size());
    call.parameters = parameters.data();
    call.parameter_count = static_cast<std::int32_t>(parameters.size());
    device.prepare(call);
  }
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

  const std::unique_ptr<Device> device = make_cpu_device(threads);
  Call call(problem, layout, after.data(), *device);
  // Workspace is what earlier calls left there: here nothing but NaN.
  constexpr std::byte kLeftOver{0xff};
  const Call shape_only(problem, layout, nullptr, *device);
  const std::size_t bytes =
      entry.workspace_bytes == nullptr ? 0 : entry.workspace_bytes(&shape_only.call);
  const Block workspace(bytes + kAlignment, kLeftOver);
  call.call.workspace = workspace.data();
  call.call.workspace_bytes = bytes;
  const int code = entry.run(&call.call);
  if (code != 0) return fmt::format("it returned {}", code);

  for (std::size_t i = bytes; i < bytes + kAlignment; ++i) {
    if (workspace.data()[i] != kLeftOver) return "it wrote behind its workspace";
  }
  if (std::string guard = broken_guard(problem, layout, after.data()); !guard.empty()) {
    return "written beside " + guard;
  }
  if (std::string changed = changed_input(problem, layout, before.data(), after.data());
      !changed.empty()) {
    return "changed " + changed;
  }
  const HostTensors after_tensors = tensors_at(problem, layout, after.data());
  const Judgement judgement =
      judge(definition, problem, before_tensors, after_tensors, kWork, seed, 1);
  if (judgement.right) return "";
  return fmt::format("{} of {} wrong: {}", judgement.wrong, judgement.checked, judgement.first);
}

}  // namespace tactus::testing

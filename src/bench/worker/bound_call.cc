#include "bench/worker/bound_call.h"

#include "base/check.h"

namespace tactus {
namespace {

std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

std::int32_t abi_type(NumberType type) {
  switch (type) {
    case NumberType::kFp64: return TACTUS_FP64;
    case NumberType::kFp32: return TACTUS_FP32;
    case NumberType::kBf16: return TACTUS_BF16;
    case NumberType::kFp16: return TACTUS_FP16;
    case NumberType::kFp8E4m3: return TACTUS_FP8_E4M3;
    case NumberType::kFp8E4m3Fnuz: return TACTUS_FP8_E4M3_FNUZ;
    case NumberType::kInt64: return TACTUS_INT64;
    case NumberType::kInt32: return TACTUS_INT32;
    default: break;
  }
  CHECK(false);
  return 0;
}

}  // namespace

BoundCall::BoundCall(const Problem& problem, const TensorLayout& layout, std::byte* block)
    : block_(block) {
  for (const auto& [name, value] : problem.parameters) {
    parameters_.push_back({name.c_str(), value});
  }
  add(problem.inputs, layout.inputs, inputs_);
  add(problem.outputs, layout.outputs, outputs_);
  call_.abi_version = TACTUS_ABI_VERSION;
  call_.size = sizeof(tactus_call);
  call_.operator_name = problem.operator_name.c_str();
  call_.inputs = inputs_.data();
  call_.input_count = static_cast<std::int32_t>(inputs_.size());
  call_.outputs = outputs_.data();
  call_.output_count = static_cast<std::int32_t>(outputs_.size());
  call_.parameters = parameters_.data();
  call_.parameter_count = static_cast<std::int32_t>(parameters_.size());
}

void BoundCall::move_to(std::byte* block, const TensorLayout& layout) {
  block_ = block;
  for (std::size_t i = 0; i < inputs_.size(); ++i) inputs_[i].data = block + layout.inputs[i];
  for (std::size_t i = 0; i < outputs_.size(); ++i) outputs_[i].data = block + layout.outputs[i];
}

void BoundCall::add(const std::vector<TensorSpec>& specs, const std::vector<std::size_t>& offsets,
                    std::vector<tactus_tensor>& tensors) {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const TensorSpec& spec = specs[i];
    strides_.push_back(dense_strides(spec.shape));
    tensors.push_back({spec.name.c_str(), block_ == nullptr ? nullptr : block_ + offsets[i],
                       abi_type(spec.dtype), static_cast<std::int32_t>(spec.shape.size()),
                       spec.shape.data(), strides_.back().data()});
  }
}

}  // namespace tactus

#include "bench/rooms/bound_call.h"

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

const tactus_call& BoundCall::move_to(std::byte* block, const TensorLayout& layout) {
  block_ = block;
  for (std::size_t i = 0; i < inputs_.size(); ++i) inputs_[i].data = block + layout.inputs[i];
  for (std::size_t i = 0; i < outputs_.size(); ++i) outputs_[i].data = block + layout.outputs[i];
  given_sizes_ = sizes_;
  given_inputs_ = inputs_;
  given_outputs_ = outputs_;
  given_parameters_ = parameters_;
  std::size_t sizes = 0;  // of each tensor: shape and strides
  for (std::vector<tactus_tensor>* tensors : {&given_inputs_, &given_outputs_}) {
    for (tactus_tensor& tensor : *tensors) {
      tensor.shape = given_sizes_[sizes].data();
      tensor.strides = given_sizes_[sizes + 1].data();
      sizes += 2;
    }
  }
  given_ = call_;
  given_.inputs = given_inputs_.data();
  given_.outputs = given_outputs_.data();
  given_.parameters = given_parameters_.data();
  return given_;
}

void BoundCall::add(const std::vector<TensorSpec>& specs, const std::vector<std::size_t>& offsets,
                    std::vector<tactus_tensor>& tensors) {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const TensorSpec& spec = specs[i];
    sizes_.push_back(spec.shape);
    sizes_.push_back(dense_strides(spec.shape));
    tensors.push_back({spec.name.c_str(), block_ == nullptr ? nullptr : block_ + offsets[i],
                       abi_type(spec.dtype), static_cast<std::int32_t>(spec.shape.size()),
                       sizes_.end()[-2].data(), sizes_.back().data()});
  }
}

}  // namespace tactus

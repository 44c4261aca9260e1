#include "operators/problem.h"

#include <cmath>

#include "base/check.h"
#include "operators/number_formats.h"

namespace tactus {
namespace {

const HostTensor& named(const std::vector<HostTensor>& tensors, std::string_view name) {
  for (const HostTensor& tensor : tensors) {
    if (tensor.spec->name == name) return tensor;
  }
  CHECK(false);
  return tensors.front();
}

}  // namespace

std::int64_t TensorSpec::elements() const {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

std::int64_t TensorSpec::bytes() const {
  return static_cast<std::int64_t>(static_cast<double>(elements()) * bytes_of(dtype));
}

std::int64_t Problem::at(std::string_view name) const {
  const std::optional<std::int64_t> found = shape.find(name);
  CHECK(found);
  return *found;
}

double Problem::value(std::string_view name) const {
  for (const auto& [key, value] : parameters) {
    if (key == name) return value;
  }
  CHECK(false);
  return 0;
}

std::int64_t Problem::bytes() const {
  std::int64_t sum = 0;
  for (const TensorSpec& tensor : inputs) sum += tensor.bytes();
  for (const TensorSpec& tensor : outputs) sum += tensor.bytes();
  return sum;
}

double HostTensor::get(std::int64_t index) const {
  switch (spec->dtype) {
    case NumberType::kBf16: return bf16_to_float(as<std::uint16_t>()[index]);
    case NumberType::kFp32: return as<float>()[index];
    case NumberType::kInt32: return as<std::int32_t>()[index];
    case NumberType::kInt64: return static_cast<double>(as<std::int64_t>()[index]);
    case NumberType::kFp64: return as<double>()[index];
    case NumberType::kFp16: return from_bits(spec->dtype, as<std::uint16_t>()[index]);
    default: return from_bits(spec->dtype, as<std::uint8_t>()[index]);
  }
}

void HostTensor::set(std::int64_t index, double value) const {
  const std::uint64_t bits = to_bits(spec->dtype, value);
  switch (static_cast<int>(bytes_of(spec->dtype))) {
    case 1: as<std::uint8_t>()[index] = static_cast<std::uint8_t>(bits); break;
    case 2: as<std::uint16_t>()[index] = static_cast<std::uint16_t>(bits); break;
    case 4: as<std::uint32_t>()[index] = static_cast<std::uint32_t>(bits); break;
    default: as<std::uint64_t>()[index] = bits; break;
  }
}

const HostTensor& HostTensors::input(std::string_view name) const {
  return named(inputs, name);
}

const HostTensor& HostTensors::output(std::string_view name) const {
  return named(outputs, name);
}

}  // namespace tactus

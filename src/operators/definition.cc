#include "operators/definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/parallel.h"

namespace tactus {
namespace {

constexpr std::int64_t kLargestParameter = 0x7fffffff;
constexpr double kMostElements = 0x1p47;  // far above the size of any memory

void spoil(const HostTensor& tensor, unsigned threads) {
  constexpr std::size_t kPiece = std::size_t{16} << 20;
  const auto bytes = static_cast<std::size_t>(tensor.spec->bytes());
  parallel_for(threads, (bytes + kPiece - 1) / kPiece, [&](std::size_t piece, unsigned) {
    const std::size_t first = piece * kPiece;
    std::memset(tensor.data + first, poison_byte(tensor.spec->dtype),
                std::min(kPiece, bytes - first));
  });
}

}  // namespace

int poison_byte(NumberType type) {
  return type == NumberType::kFp8E4m3Fnuz ? 0x80 : 0xff;
}

Result<Problem> make_problem(const OperatorDefinition& definition, const ShapeParameters& shape) {
  for (const std::string_view wanted : definition.shape_parameters) {
    const std::optional<std::int64_t> value = shape.find(wanted);
    if (!value || *value < 1) {
      return input_error(fmt::format("{} needs {} of at least 1", definition.name, wanted));
    }
    // The product of two of them still fits 64 bits.
    if (*value > kLargestParameter) {
      return input_error(fmt::format("{}: {} of {} is too large", definition.name, wanted, *value));
    }
  }
  if (definition.objection != nullptr) {
    const std::string objection = definition.objection(shape);
    if (!objection.empty()) {
      return input_error(fmt::format("{}: {}", definition.name, objection));
    }
  }
  Problem problem = definition.problem(shape);
  problem.operator_name = definition.name;
  problem.shape = shape;
  for (const std::vector<TensorSpec>* tensors : {&problem.inputs, &problem.outputs}) {
    for (const TensorSpec& tensor : *tensors) {
      double elements = 1;
      for (const std::int64_t extent : tensor.shape) elements *= static_cast<double>(extent);
      if (elements <= kMostElements) continue;
      return input_error(
          fmt::format("{}: {} would have {:.0f} numbers", definition.name, tensor.name, elements));
    }
  }
  return problem;
}

void draw_tensors(const OperatorDefinition& definition, const Problem& problem,
                  const HostTensors& tensors, std::uint64_t seed, unsigned threads) {
  const auto draw = [&](const HostTensor& tensor) {
    ++seed;
    if (tensor.spec->draw == Draw::kNone || tensor.spec->draw == Draw::kOperator) {
      spoil(tensor, threads);
    } else {
      fill(tensor, seed * 0x9e3779b97f4a7c15ull, threads);
    }
  };
  for (const HostTensor& tensor : tensors.inputs) draw(tensor);
  for (const HostTensor& tensor : tensors.outputs) draw(tensor);
  Random random(seed + 1);
  if (definition.draw != nullptr) definition.draw(problem, tensors, random);
}

}  // namespace tactus

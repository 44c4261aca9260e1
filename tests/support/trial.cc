#include "support/trial.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "bench/checking/judge.h"

namespace tactus::testing {
namespace {

constexpr std::size_t kAlignment = 256;

Problem problem_of(const OperatorDefinition& definition,
                   std::vector<std::pair<std::string, std::int64_t>> shape, NumberType dtype) {
  ShapeParameters parameters;
  parameters.values = std::move(shape);
  parameters.dtype = dtype;
  Result<Problem> problem = make_problem(definition, parameters);
  if (!problem) {
    ADD_FAILURE() << problem.error().message;
    std::abort();
  }
  return std::move(*problem);
}

}  // namespace

TensorMemory::TensorMemory(const Problem& problem) : problem_(problem) {
  std::size_t bytes = kAlignment;
  const auto add = [&](const TensorSpec& spec) {
    bytes += (static_cast<std::size_t>(spec.bytes()) + kAlignment - 1) / kAlignment * kAlignment;
  };
  for (const TensorSpec& spec : problem.inputs) add(spec);
  for (const TensorSpec& spec : problem.outputs) add(spec);
  bytes_.resize(bytes);
  std::byte* next = bytes_.data();
  next += (kAlignment - reinterpret_cast<std::uintptr_t>(next) % kAlignment) % kAlignment;
  const auto place = [&](const TensorSpec& spec) {
    HostTensor tensor{&spec, next};
    next += (static_cast<std::size_t>(spec.bytes()) + kAlignment - 1) / kAlignment * kAlignment;
    return tensor;
  };
  for (const TensorSpec& spec : problem.inputs) tensors_.inputs.push_back(place(spec));
  for (const TensorSpec& spec : problem.outputs) tensors_.outputs.push_back(place(spec));
}

TensorMemory::TensorMemory(const TensorMemory& other) : TensorMemory(other.problem_) {
  const auto copy = [](const std::vector<HostTensor>& from, const std::vector<HostTensor>& to) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      std::memcpy(to[i].data, from[i].data, static_cast<std::size_t>(from[i].spec->bytes()));
    }
  };
  copy(other.tensors_.inputs, tensors_.inputs);
  copy(other.tensors_.outputs, tensors_.outputs);
}

std::string wrong(const OperatorDefinition& definition, const Problem& problem,
                  const HostTensors& before, const HostTensors& after) {
  for (std::int64_t unit = 0; unit < definition.units(problem); ++unit) {
    const CheckedOutputs judgement = judge_unit(definition, problem, before, after, unit);
    if (!judgement.right) return fmt::format("unit {}: {}", unit, judgement.first);
  }
  return "";
}

const OperatorDefinition& definition_in(std::span<const OperatorDefinition> group,
                                        std::string_view name) {
  for (const OperatorDefinition& definition : group) {
    if (definition.name == name) return definition;
  }
  ADD_FAILURE() << name << " is not in its group";
  std::abort();
}

Trial::Trial(const OperatorDefinition& definition,
             std::vector<std::pair<std::string, std::int64_t>> shape, std::uint64_t seed,
             NumberType dtype)
    : definition_(definition),
      problem_(problem_of(definition, std::move(shape), dtype)),
      before_(problem_) {
  draw_tensors(definition, problem_, before_.tensors(), seed, 1);
}

std::string Trial::wrong(const Kernel& kernel) const {
  const TensorMemory after(before_);
  kernel(problem_, after.tensors());
  return testing::wrong(definition_, problem_, before_.tensors(), after.tensors());
}

std::string Trial::wrong_if_as_expected() const {
  return wrong([this](const Problem& problem, const HostTensors& tensors) {
    for (std::int64_t unit = 0; unit < definition_.units(problem); ++unit) {
      Expected expected;
      definition_.expect(problem, before(), unit, expected);
      for (const ExpectedRun& run : expected) {
        for (std::size_t i = 0; i < run.values.size(); ++i) {
          tensors.outputs.at(run.output)
              .set(run.first + static_cast<std::int64_t>(i), run.values[i]);
        }
      }
    }
  });
}

}  // namespace tactus::testing

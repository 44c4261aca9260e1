#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "operators/definition.h"

namespace tactus::testing {

/// The tensors of a problem in memory of their own. The problem must outlive them.
class TensorMemory {
 public:
  explicit TensorMemory(const Problem& problem);
  TensorMemory(const TensorMemory& other);
  TensorMemory& operator=(const TensorMemory&) = delete;

  const HostTensors& tensors() const { return tensors_; }
  const HostTensor& input(std::string_view name) const { return tensors_.input(name); }
  const HostTensor& output(std::string_view name) const { return tensors_.output(name); }

 private:
  const Problem& problem_;
  std::vector<std::byte> bytes_;
  HostTensors tensors_;
};

/// What the judge finds wrong with what a candidate made of `before`, or nothing. All units are
/// looked at.
std::string wrong(const OperatorDefinition& definition, const Problem& problem,
                  const HostTensors& before, const HostTensors& after);

/// The definition of that name in its group; the test fails if there is none.
const OperatorDefinition& definition_in(std::span<const OperatorDefinition> group,
                                        std::string_view name);

/// One operator in one shape, drawn from a seed, with a copy of its tensors for a candidate to
/// work on.
class Trial {
 public:
  Trial(const OperatorDefinition& definition,
        std::vector<std::pair<std::string, std::int64_t>> shape, std::uint64_t seed = 1,
        NumberType dtype = NumberType::kBf16);
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  const OperatorDefinition& definition() const { return definition_; }
  const Problem& problem() const { return problem_; }
  /// As they are at the call; tests may set other inputs, before they run a kernel.
  const HostTensors& before() const { return before_.tensors(); }

  using Kernel = std::function<void(const Problem&, const HostTensors&)>;
  /// What is wrong with what the kernel makes of a fresh copy, or nothing.
  std::string wrong(const Kernel& kernel) const;
  bool right(const Kernel& kernel) const { return wrong(kernel).empty(); }
  /// How the kernel of the definition itself does: what it expects, rounded.
  std::string wrong_if_as_expected() const;

 private:
  const OperatorDefinition& definition_;
  Problem problem_;
  TensorMemory before_;
};

}  // namespace tactus::testing

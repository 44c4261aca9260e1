#pragma once

#include <cstddef>
#include <cstdint>

#include "operators/problem.h"
#include "operators/random.h"
#include "operators/refresh_plan.h"

namespace tactus {

/// Which inputs of all that can be made of one draw.
struct InputKey {
  std::uint64_t key = 0;
  /// Not 0: like the inputs of `key`, but with other signs in a few places. A kernel that takes
  /// them for the same gives a wrong result.
  std::uint64_t twist = 0;
  std::uint64_t only = 0;  ///< not 0: names the only tensor that the twist changes
  bool rows_stay = false;  ///< for tensors that go with some that are renewed in place
};

/// Part of a tensor (numbers `first` to `first + count`) as a key changes it; `from` is the whole
/// tensor as it was drawn. Each number is as likely as in the draw itself, so inputs of every key
/// are inputs of the operator: docs/operators.md says for each kind of tensor why. About as fast as
/// copying. `first` must be a multiple of 64.
void refresh(const TensorSpec& spec, const std::byte* from, InputKey key, std::int64_t first,
             std::int64_t count, std::byte* into);

/// The same change in numbers, for devices that carry it out themselves.
RefreshPlan plan_refresh(const TensorSpec& spec, InputKey key);

/// True if its numbers change by themselves: then parts of it can change, in place.
bool changes_in_place(const TensorSpec& spec);

/// The same as refresh() with `rows_stay`, in place: `data` are numbers `first` to `first + count`.
void renew(const TensorSpec& spec, std::uint64_t key, std::int64_t first, std::int64_t count,
           std::byte* data);

/// A part of a tensor.
struct NumberRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// One place that the twist of a key changes; nothing if it does not change this tensor.
NumberRange twisted_range(const TensorSpec& spec, InputKey key);
/// Twists a whole tensor in place, in that range only.
void twist_in_place(const TensorSpec& spec, InputKey key, std::byte* data);

/// Nearly the inputs of a key; those of another key if no tensor has signs to change.
InputKey twisted(const Problem& problem, InputKey key, Random& random);

}  // namespace tactus

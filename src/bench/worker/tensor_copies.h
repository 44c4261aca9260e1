#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bench/device/device.h"
#include "bench/worker/bound_call.h"

namespace tactus {

/// Copies of a block of tensors on a device; calls use them in turn. They can move, because the
/// place in memory affects the time of a kernel.
class TensorCopies {
 public:
  static constexpr std::size_t kMost = 3;
  /// After this many moves every copy is back at its first place.
  static constexpr std::size_t kArrangements = 4;

  TensorCopies(Device& device, const Problem& problem, const TensorLayout& layout)
      : device_(device), problem_(problem), layout_(layout) {}

  /// How many copies are useful: large ones push each other out of the cache.
  std::size_t wanted() const;
  /// For all calls, also for those that are added later.
  void set_workspace(void* memory, std::size_t bytes);
  Status add();

  std::size_t size() const { return calls_.size(); }
  BoundCall& operator[](std::size_t i) { return *calls_[i]; }
  const tactus_call& next();

  /// Makes room for moves, if tensors are small enough that copying them costs little. `secret`
  /// decides the places.
  bool make_movable(std::uint64_t secret);
  bool movable() const { return !shifts_.empty(); }
  Status move_on();

 private:
  bool small() const;
  Result<std::byte*> new_room();

  Device& device_;
  const Problem& problem_;
  const TensorLayout& layout_;
  void* workspace_ = nullptr;
  std::size_t workspace_bytes_ = 0;
  std::vector<std::unique_ptr<BoundCall>> calls_;
  std::vector<std::byte*> rooms_;    ///< one more than calls if they can move
  std::vector<std::size_t> shifts_;  ///< inside a room, by arrangement and copy [bytes]
  std::size_t arrangement_ = 0;
  std::size_t turn_ = 0;
};

}  // namespace tactus

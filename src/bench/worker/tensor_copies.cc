#include "bench/worker/tensor_copies.h"

#include "operators/random.h"

namespace tactus {
namespace {

constexpr std::size_t kCopyAlignment = 256;
constexpr std::size_t kPlayBytes = std::size_t{1} << 20;  ///< by which a copy can be shifted
/// For larger tensors, moving would take a large part of the time of a round.
constexpr std::size_t kSmallOnCuda = std::size_t{256} << 20;
constexpr std::size_t kSmallOnCpu = std::size_t{8} << 20;

}  // namespace

std::size_t TensorCopies::wanted() const {
  constexpr std::size_t kLarge = std::size_t{256} << 20;
  return layout_.bytes > kLarge ? kMost - 1 : kMost;
}

bool TensorCopies::small() const {
  return layout_.bytes <= (device_.kind() == TACTUS_CUDA ? kSmallOnCuda : kSmallOnCpu);
}

Result<std::byte*> TensorCopies::new_room() {
  const Result<void*> memory = device_.allocate(layout_.bytes + (small() ? kPlayBytes : 0));
  if (!memory) return memory.error();
  return static_cast<std::byte*>(*memory);
}

void TensorCopies::set_workspace(void* memory, std::size_t bytes) {
  workspace_ = memory;
  workspace_bytes_ = bytes;
}

Status TensorCopies::add() {
  const Result<std::byte*> room = new_room();
  if (!room) return room.error();
  rooms_.push_back(*room);
  calls_.push_back(std::make_unique<BoundCall>(problem_, layout_, *room));
  tactus_call& call = calls_.back()->call();
  device_.prepare(call);
  call.workspace = workspace_;
  call.workspace_bytes = workspace_bytes_;
  return {};
}

const tactus_call& TensorCopies::next() {
  turn_ = (turn_ + 1) % calls_.size();
  return calls_[turn_]->call();
}

bool TensorCopies::make_movable(std::uint64_t secret) {
  if (movable()) return true;
  if (!small() || calls_.size() != kMost) return false;
  const Result<std::byte*> room = new_room();
  if (!room) return false;
  rooms_.push_back(*room);
  Random random(secret);
  shifts_.assign(kArrangements * kMost, 0);  // in the first arrangement nothing moves
  for (std::size_t i = kMost; i < shifts_.size(); ++i) {
    shifts_[i] =
        static_cast<std::size_t>(random.below(kPlayBytes / kCopyAlignment + 1)) * kCopyAlignment;
  }
  return true;
}

/// Every copy goes to the next room, the last one first: its next room is the empty one.
Status TensorCopies::move_on() {
  static_assert(kArrangements == kMost + 1, "after as many moves as rooms all are back");
  ++arrangement_;
  for (std::size_t i = calls_.size(); i-- > 0;) {
    std::byte* room = rooms_[(i + arrangement_) % rooms_.size()];
    std::byte* to = room + shifts_[arrangement_ % kArrangements * kMost + i];
    if (Status copied = device_.copy_within(to, calls_[i]->block(), layout_.bytes); !copied) {
      return copied;
    }
    calls_[i]->move_to(to, layout_);
  }
  return {};
}

}  // namespace tactus

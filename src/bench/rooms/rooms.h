#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/rooms/gpu_stage.h"
#include "bench/rooms/tensor_block.h"
#include "bench/worker/worker.h"
#include "operators/random.h"
#include "operators/refresh.h"

namespace tactus {

/// The memory of a worker that calls are made on, as the judge sees it: where the next call is,
/// what it finds there and what it leaves. The candidate decides nothing of that.
class Rooms {
 public:
  virtual ~Rooms() = default;

  /// A place for a block, and what was last called on there.
  struct Place {
    std::uint64_t address = 0;
    InputKey key;
  };

  /// What outputs hold before a call.
  struct Outputs {
    OutputsHold hold = OutputsHold::kPoison;
    const std::byte* decoy = nullptr;
  };

  /// Chooses a room that the last calls did not use, and a place in it.
  Place new_place(Random& random);
  /// The beginning of a room, for nearly the inputs that `key` makes.
  Place place_in(std::size_t room, InputKey key, Random& random);
  /// Where one of the last calls was, for other inputs, or for nearly the same; nothing if there
  /// was none.
  std::optional<Place> used_place(Random& random, bool nearly_the_same);

  /// Inputs are made of this block from now on.
  virtual bool bring(std::byte* drawn) = 0;
  /// Makes a place ready for a call: inputs that its key makes, and outputs. What the worker itself
  /// has to do is put into the request.
  virtual bool prepare(const Place& place, Outputs outputs, WorkerRequest& request) = 0;
  /// Reads the outputs and all guards.
  virtual bool collect(std::uint64_t place, std::byte* into) = 0;
  /// The outputs that were collected last are the decoy.
  virtual bool keep_decoy() = 0;
  /// The first input that is not as in `expected`; empty if there is none. An error if it cannot be
  /// read.
  virtual Result<std::string> changed_input(std::uint64_t place, const std::byte* expected) = 0;

  /// The same inputs, as a call finds them, in our memory.
  void rebuild(const std::byte* drawn, InputKey key, std::byte* into) const;

 protected:
  /// A block can move by `play` bytes inside a room.
  Rooms(const Problem& problem, const TensorLayout& layout, std::vector<std::uint64_t> rooms,
        std::uint64_t play, unsigned threads);

  /// Calls visit(tensor, offset of its data), in the order of the block.
  template <class Visit>
  void each_tensor(Visit visit) const {
    for (std::size_t i = 0; i < problem_.inputs.size(); ++i) {
      visit(problem_.inputs[i], layout_.inputs[i]);
    }
    for (std::size_t i = 0; i < problem_.outputs.size(); ++i) {
      visit(problem_.outputs[i], layout_.outputs[i]);
    }
  }
  /// A whole tensor as a key makes it of the drawn one.
  void refresh_pieces(const TensorSpec& spec, const std::byte* drawn, InputKey key,
                      std::byte* into) const;
  /// The parts of a block without its inputs: from, to.
  std::vector<std::pair<std::size_t, std::size_t>> outputs_and_guards() const;
  void remember(const Place& place) { used_[last_] = place; }

  const Problem& problem_;
  const TensorLayout& layout_;
  const unsigned threads_;

 private:
  std::size_t next_room(Random& random);

  std::vector<std::uint64_t> rooms_;
  std::uint64_t play_;
  std::vector<Place> used_;  ///< by room; address 0: not yet
  std::size_t last_;
  std::size_t before_last_;
};

/// How many rooms are useful, and the size of one.
struct RoomPlan {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;  ///< a block can be at different places in it
};
RoomPlan plan_rooms(const TensorLayout& layout, tactus_device device);

/// From the beginning of a room on the CPU to that of the next.
std::uint64_t in_whole_pages(std::uint64_t bytes);

/// Blocks so large that audits are rare; on the CPU there is one room then, and it changes in
/// place.
bool is_large(const TensorLayout& layout);

/// Blocks so small that calls may be short. On the CPU the judge removes them from the caches, if
/// the processor can do that (shared_memory.h).
bool is_small(const TensorLayout& layout);

/// On a GPU. The worker fills them as the judge says, with keys that are sent when they are used;
/// what comes back passes through a buffer at `staging`, read while the worker is stopped.
std::unique_ptr<Rooms> make_gpu_rooms(const Problem& problem, const TensorLayout& layout,
                                      WorkerProcess& worker, std::vector<std::uint64_t> rooms,
                                      std::uint64_t staging, double patience_s, unsigned threads);

}  // namespace tactus

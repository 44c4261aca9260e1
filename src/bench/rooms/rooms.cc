#include "bench/rooms/rooms.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"

namespace tactus {
namespace {

constexpr std::uint64_t kPlaceAlignment = 256;
constexpr std::uint64_t kPlayOfRoom = std::uint64_t{1} << 20;
constexpr std::size_t kSmallBlock = std::size_t{8} << 20;
constexpr std::size_t kLargeBlock = std::size_t{32} << 20;
constexpr std::size_t kVeryLargeBlock = std::size_t{256} << 20;
constexpr std::size_t kRebuiltPiece = std::size_t{256} << 10;  // fits a second-level cache

}  // namespace

bool is_large(const TensorLayout& layout) {
  return layout.bytes > kLargeBlock;
}

bool is_small(const TensorLayout& layout) {
  return layout.bytes <= kSmallBlock;
}

RoomPlan plan_rooms(const TensorLayout& layout, tactus_device device) {
  const bool small = is_small(layout);
  if (device == TACTUS_CPU) {
    const std::uint64_t count = is_large(layout) ? 1 : small ? 4 : 3;
    return {count, layout.bytes + (small ? kPlayOfRoom : 0)};
  }
  // Each place has a graph of its own: more rooms instead of places in a room.
  const std::uint64_t count = layout.bytes > kVeryLargeBlock ? 2 : small ? 8 : 3;
  return {count, layout.bytes};
}

std::uint64_t in_whole_pages(std::uint64_t bytes) {
  constexpr std::uint64_t kPage = 4096;
  return (bytes + kPage - 1) / kPage * kPage;
}

Rooms::Rooms(const Problem& problem, const TensorLayout& layout, std::vector<std::uint64_t> rooms,
             std::uint64_t play, unsigned threads)
    : problem_(problem),
      layout_(layout),
      threads_(threads),
      rooms_(std::move(rooms)),
      play_(play),
      used_(rooms_.size()),
      last_(rooms_.size()),
      before_last_(rooms_.size()) {}

std::size_t Rooms::next_room(Random& random) {
  const auto count = static_cast<std::int64_t>(rooms_.size());
  std::size_t room = 0;
  do {
    room = static_cast<std::size_t>(random.below(count));
  } while (count > 1 && (room == last_ || (count > 2 && room == before_last_)));
  before_last_ = std::exchange(last_, room);
  return room;
}

Rooms::Place Rooms::new_place(Random& random) {
  const std::size_t room = next_room(random);
  const auto steps = static_cast<std::int64_t>(play_ / kPlaceAlignment) + 1;
  return {rooms_[room] + static_cast<std::uint64_t>(random.below(steps)) * kPlaceAlignment,
          {.key = random.next()}};
}

Rooms::Place Rooms::place_in(std::size_t room, InputKey key, Random& random) {
  before_last_ = std::exchange(last_, room);
  return {rooms_[room], twisted(problem_, key, random)};
}

std::optional<Rooms::Place> Rooms::used_place(Random& random, bool nearly_the_same) {
  Place place = used_[next_room(random)];
  if (place.address == 0) return std::nullopt;
  place.key =
      nearly_the_same ? twisted(problem_, place.key, random) : InputKey{.key = random.next()};
  return place;
}

std::vector<std::pair<std::size_t, std::size_t>> Rooms::outputs_and_guards() const {
  std::vector<std::pair<std::size_t, std::size_t>> parts;
  std::size_t end = 0;
  for (std::size_t i = 0; i < problem_.inputs.size(); ++i) {
    parts.emplace_back(end, layout_.inputs[i]);
    end = layout_.inputs[i] + static_cast<std::size_t>(problem_.inputs[i].bytes());
  }
  parts.emplace_back(end, layout_.bytes);
  return parts;
}

void Rooms::refresh_pieces(const TensorSpec& spec, const std::byte* drawn, InputKey key,
                           std::byte* into) const {
  const auto width = static_cast<std::int64_t>(bytes_of(spec.dtype));
  const std::int64_t piece = static_cast<std::int64_t>(kRebuiltPiece) / width;
  const std::int64_t elements = spec.elements();
  parallel_for(threads_, static_cast<std::size_t>((elements + piece - 1) / piece),
               [&](std::size_t i, unsigned) {
                 const std::int64_t first = static_cast<std::int64_t>(i) * piece;
                 refresh(spec, drawn, key, first, std::min(piece, elements - first),
                         into + first * width);
               });
}

void Rooms::rebuild(const std::byte* drawn, InputKey key, std::byte* into) const {
  each_tensor([&](const TensorSpec& spec, std::size_t offset) {
    if (spec.draw != Draw::kNone) refresh_pieces(spec, drawn + offset, key, into + offset);
  });
}

}  // namespace tactus

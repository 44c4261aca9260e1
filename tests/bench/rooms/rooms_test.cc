// Writing tensors into the memory of a worker: here that of this process.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <set>

#include "bench/rooms/host_rooms.h"
#include "operators/definition.h"

namespace tactus {
namespace {

using Hold = OutputsHold;

/// An input of every kind, an output, and one that changes in place.
Problem mixed_problem(std::int64_t rows) {
  Problem problem;
  problem.inputs = {{"x", NumberType::kBf16, {rows, 512}, Draw::kNormal, 0, 1},
                    {"weight", NumberType::kBf16, {512}, Draw::kNormal, 1, 0.25},
                    {"ids", NumberType::kInt32, {33}, Draw::kOperator, 0, 100, Refresh::kIds},
                    {"starts", NumberType::kInt32, {3}, Draw::kOperator, 0, 1, Refresh::kNothing}};
  problem.outputs = {{"out", NumberType::kBf16, {rows, 512}},
                     {"state", NumberType::kFp32, {7, 64}, Draw::kNormal, 0, 1}};
  return problem;
}

class Furnished {
 public:
  explicit Furnished(std::int64_t rows)
      : problem_(mixed_problem(rows)),
        layout_(layout_of(problem_)),
        drawn_(layout_.bytes),
        decoy_(layout_.bytes, std::byte{0x11}) {
    constexpr std::size_t kRooms = 4;
    for (std::size_t i = 0; i < kRooms; ++i) {
      memory_.emplace_back(plan_rooms(layout_, TACTUS_CPU).bytes);
      addresses_.push_back(reinterpret_cast<std::uint64_t>(memory_.back().data()));
    }
    write_guards(problem_, layout_, drawn_.data());
    const HostTensors tensors = tensors_at(problem_, layout_, drawn_.data());
    for (const HostTensor& tensor : tensors.inputs) {
      if (tensor.spec->draw == Draw::kNormal) fill(tensor, 5, 1);
    }
    fill(tensors.outputs[1], 6, 1);
    std::memset(tensors.outputs[0].data, 0xff,
                static_cast<std::size_t>(problem_.outputs[0].bytes()));
    for (std::int64_t i = 0; i < 33; ++i) tensors.inputs[2].set(i, static_cast<double>(i));
    for (std::int64_t i = 0; i < 3; ++i) tensors.inputs[3].set(i, static_cast<double>(10 * i));
  }

  HostRooms rooms(std::size_t count) const {
    return {problem_,
            layout_,
            RemoteMemory(getpid()),
            {addresses_.begin(), addresses_.begin() + static_cast<std::ptrdiff_t>(count)},
            2};
  }
  Rooms::Outputs outputs(Hold hold) const { return {.hold = hold, .decoy = decoy_.data()}; }

  /// Inputs, and outputs that change in place, of two blocks.
  std::string first_difference(const std::byte* a, const std::byte* b) const {
    for (std::size_t i = 0; i < problem_.inputs.size(); ++i) {
      if (!same(a, b, layout_.inputs[i], problem_.inputs[i])) return problem_.inputs[i].name;
    }
    return same(a, b, layout_.outputs[1], problem_.outputs[1]) ? "" : "state";
  }
  bool same(const std::byte* a, const std::byte* b, std::size_t offset,
            const TensorSpec& spec) const {
    return std::memcmp(a + offset, b + offset, static_cast<std::size_t>(spec.bytes())) == 0;
  }
  std::byte out_of(const std::byte* block) const { return block[layout_.outputs[0] + 100]; }

  Problem problem_;
  TensorLayout layout_;
  std::vector<std::byte> drawn_;
  std::vector<std::byte> decoy_;
  std::vector<std::vector<std::byte>> memory_;
  std::vector<std::uint64_t> addresses_;
};

std::byte* at(const Rooms::Place& place) {
  return reinterpret_cast<std::byte*>(place.address);
}

TEST(Rooms, have_a_place_for_nearly_the_same_inputs) {
  const Furnished f(40);
  HostRooms rooms = f.rooms(4);
  Random random(3);
  constexpr InputKey kKey = {.key = 77};
  std::vector<std::byte> as_before(f.layout_.bytes);
  rooms.rebuild(f.drawn_.data(), kKey, as_before.data());
  for (std::size_t room : {0U, 2U, 3U}) {
    const Rooms::Place place = rooms.place_in(room, kKey, random);
    EXPECT_EQ(place.address, f.addresses_[room]);
    EXPECT_EQ(place.key.key, kKey.key);
    ASSERT_TRUE(rooms.furnish(place, f.drawn_.data(), f.outputs(Hold::kPoison)));
    EXPECT_NE(f.first_difference(at(place), as_before.data()), "") << "known results are wrong";
  }
}

TEST(Rooms, hold_what_rebuilding_gives) {
  const Furnished f(40);
  HostRooms rooms = f.rooms(4);
  Random random(1);
  std::vector<std::byte> rebuilt(f.layout_.bytes);
  for (int i = 0; i < 20; ++i) {
    std::optional<Rooms::Place> place;
    if (i > 4) place = rooms.used_place(random, i % 2 == 0);
    if (!place) place = rooms.new_place(random);
    ASSERT_TRUE(rooms.furnish(*place, f.drawn_.data(), f.outputs(Hold::kPoison)));
    rooms.rebuild(f.drawn_.data(), place->key, rebuilt.data());
    EXPECT_EQ(f.first_difference(at(*place), rebuilt.data()), "");
    EXPECT_NE(f.first_difference(at(*place), f.drawn_.data()), "") << "nothing is as it was drawn";
    EXPECT_EQ(broken_guard(f.problem_, f.layout_, at(*place)), "");
    EXPECT_EQ(*rooms.changed_input(place->address, rebuilt.data()), "");
  }
}

TEST(Rooms, are_not_used_twice_in_a_row) {
  const Furnished f(4);
  HostRooms rooms = f.rooms(4);
  Random random(1);
  const auto room_of = [&](std::uint64_t address) {
    std::size_t room = 0;
    while (address < f.addresses_[room] || address >= f.addresses_[room] + f.memory_[room].size()) {
      ++room;
    }
    return room;
  };
  std::vector<std::size_t> used;
  std::set<std::uint64_t> addresses;
  std::set<std::uint64_t> keys;
  for (int i = 0; i < 200; ++i) {
    const Rooms::Place place = rooms.new_place(random);
    EXPECT_LE(place.address + f.layout_.bytes,
              f.addresses_[room_of(place.address)] + f.memory_[0].size());
    used.push_back(room_of(place.address));
    addresses.insert(place.address);
    keys.insert(place.key.key);
    const std::size_t n = used.size();
    if (n < 3) continue;
    EXPECT_TRUE(used[n - 1] != used[n - 2] && used[n - 1] != used[n - 3]);
  }
  EXPECT_EQ(keys.size(), 200U);
  EXPECT_GT(addresses.size(), 150U) << "another place in the room each time";
}

TEST(Rooms, have_poison_other_results_or_what_was_there_in_their_outputs) {
  const Furnished f(40);
  HostRooms rooms = f.rooms(1);
  Random random(1);
  const Rooms::Place place = rooms.new_place(random);
  ASSERT_TRUE(rooms.furnish(place, f.drawn_.data(), f.outputs(Hold::kPoison)));
  EXPECT_EQ(f.out_of(at(place)), std::byte{0xff});
  ASSERT_TRUE(rooms.furnish(place, f.drawn_.data(), f.outputs(Hold::kDecoy)));
  EXPECT_EQ(f.out_of(at(place)), std::byte{0x11});
  at(place)[f.layout_.outputs[0] + 100] = std::byte{0x77};
  ASSERT_TRUE(rooms.furnish(place, f.drawn_.data(), f.outputs(Hold::kStay)));
  EXPECT_EQ(f.out_of(at(place)), std::byte{0x77});
}

TEST(Rooms, read_outputs_and_guards_and_see_one_changed_input) {
  const Furnished f(40);
  HostRooms rooms = f.rooms(1);
  Random random(1);
  const Rooms::Place place = rooms.new_place(random);
  ASSERT_TRUE(rooms.furnish(place, f.drawn_.data(), f.outputs(Hold::kPoison)));
  std::vector<std::byte> expected(f.layout_.bytes);
  rooms.rebuild(f.drawn_.data(), place.key, expected.data());
  at(place)[f.layout_.outputs[0] + 100] = std::byte{0x42};
  std::vector<std::byte> read(f.layout_.bytes);
  ASSERT_TRUE(rooms.collect(place.address, read.data()));
  EXPECT_EQ(f.out_of(read.data()), std::byte{0x42});
  EXPECT_EQ(broken_guard(f.problem_, f.layout_, read.data()), "");
  EXPECT_EQ(*rooms.changed_input(place.address, expected.data()), "");
  at(place)[f.layout_.inputs[1] + 1023] ^= std::byte{1};
  EXPECT_EQ(*rooms.changed_input(place.address, expected.data()), "weight");
  at(place)[f.layout_.inputs[1] - 1] = std::byte{0};
  ASSERT_TRUE(rooms.collect(place.address, read.data()));
  EXPECT_EQ(broken_guard(f.problem_, f.layout_, read.data()), "wrote in front of weight");
}

TEST(Rooms, that_cannot_be_written_say_so) {
  const Furnished f(4);
  HostRooms rooms(f.problem_, f.layout_, RemoteMemory(getpid()), {4096}, 2);
  Random random(1);
  const Rooms::Place place = rooms.new_place(random);
  EXPECT_FALSE(rooms.furnish(place, f.drawn_.data(), f.outputs(Hold::kPoison)));
  EXPECT_FALSE(rooms.changed_input(place.address, f.drawn_.data()));
}

// x has 10 MiB, so it changes in pieces.
TEST(RoomOfALargeBlock, and_what_we_know_of_it_change_together) {
  Furnished f(10240);
  HostRooms rooms = f.rooms(1);
  Random random(1);
  std::vector<std::byte> before = f.drawn_;
  Rooms::Place place;
  for (int i = 0; i < 12; ++i) {
    const bool twist = i % 3 == 2;
    place = twist ? *rooms.used_place(random, true) : rooms.new_place(random);
    const Hold hold = twist ? Hold::kStay : i % 2 == 0 ? Hold::kPoison : Hold::kDecoy;
    ASSERT_TRUE(rooms.refurnish(place, f.drawn_.data(), f.outputs(hold)));
    EXPECT_EQ(f.first_difference(at(place), f.drawn_.data()), "");
    EXPECT_EQ(*rooms.changed_input(place.address, f.drawn_.data()), "");
    if (i > 0) {
      EXPECT_NE(f.first_difference(before.data(), f.drawn_.data()), "") << "call " << i;
      EXPECT_EQ(broken_guard(f.problem_, f.layout_, at(place)), "");
    }
    before = f.drawn_;
    // A call changes its state.
    std::memset(at(place) + f.layout_.outputs[1], 0,
                static_cast<std::size_t>(f.problem_.outputs[1].bytes()));
  }
}

TEST(RoomOfALargeBlock, is_one) {
  TensorLayout layout;
  layout.bytes = std::size_t{33} << 20;
  EXPECT_TRUE(is_large(layout));
  EXPECT_EQ(plan_rooms(layout, TACTUS_CPU).count, 1U);
  layout.bytes = std::size_t{31} << 20;
  EXPECT_FALSE(is_large(layout));
  EXPECT_GE(plan_rooms(layout, TACTUS_CPU).count, 3U);
}

}  // namespace
}  // namespace tactus

#include "cycles/repeats/repeats.h"

#include <gtest/gtest.h>

#include <bit>
#include <numeric>
#include <string_view>

#include "cycles/repeats/model_sequence.h"

namespace tactus {
namespace {

using testing::distinct_symbols;
using testing::ModelSequence;
using testing::random_symbols;

using Sequence = std::vector<std::uint32_t>;

Sequence letters(std::string_view text) {
  Sequence symbols;
  for (const char c : text) symbols.push_back(static_cast<std::uint32_t>(c));
  return symbols;
}

/// What every answer must be, whatever the input.
void expect_sound(const Sequence& symbols, const std::vector<Repeat>& repeats) {
  std::size_t free_from = 0;
  for (const Repeat& repeat : repeats) {
    EXPECT_GE(repeat.first, free_from);
    EXPECT_GE(repeat.times, 2U);
    EXPECT_GE(repeat.period, 1U);
    ASSERT_LE(repeat.end(), symbols.size());
    free_from = repeat.end();
    std::size_t differing = 0;
    for (std::size_t i = repeat.first; i + repeat.period < repeat.end(); ++i) {
      differing += symbols[i] != symbols[i + repeat.period] ? 1 : 0;
    }
    EXPECT_LE(5 * differing, repeat.end() - repeat.first);
  }
}

std::vector<Repeat> repeats_of(const Sequence& symbols) {
  std::vector<Repeat> repeats = find_repeats(symbols);
  expect_sound(symbols, repeats);
  return repeats;
}

std::size_t explained(const std::vector<Repeat>& repeats) {
  std::size_t count = 0;
  for (const Repeat& repeat : repeats) count += repeat.end() - repeat.first;
  return count;
}

TEST(Repeats, nothing_repeats_in_nothing) {
  EXPECT_TRUE(find_repeats({}).empty());
  EXPECT_TRUE(repeats_of({1}).empty());
  EXPECT_TRUE(repeats_of({1, 2}).empty());
  EXPECT_TRUE(repeats_of(distinct_symbols(0, 20'000)).empty());
}

TEST(Repeats, a_repeat_is_found_with_its_shortest_period) {
  EXPECT_EQ(repeats_of(letters("abcabc")), (std::vector<Repeat>{{0, 3, 2}}));
  EXPECT_EQ(repeats_of(letters("xyababababzw")), (std::vector<Repeat>{{2, 2, 4}}));
  EXPECT_EQ(repeats_of(letters("aaaaaaaaaaaa")), (std::vector<Repeat>{{0, 1, 12}}));
  EXPECT_EQ(repeats_of(letters("aabaabaabaab")), (std::vector<Repeat>{{0, 3, 4}}));
}

TEST(Repeats, layers_are_found_and_not_the_steps_around_them) {
  ModelSequence model;
  for (int step = 0; step < 100; ++step) {
    model.add_pass(distinct_symbols(100, 7), distinct_symbols(0, 12), 32, distinct_symbols(200, 9));
  }
  const std::vector<Repeat> repeats = repeats_of(model.symbols);
  ASSERT_EQ(repeats.size(), 100U);
  for (std::size_t i = 0; i < repeats.size(); ++i) {
    EXPECT_EQ(repeats[i], (Repeat{model.layers_first[i], 12, 32}));
  }
}

TEST(Repeats, prefill_and_decode_have_each_their_own_layers) {
  ModelSequence model;
  model.add_pass(distinct_symbols(100, 7), distinct_symbols(20, 14), 32, distinct_symbols(200, 9));
  for (int step = 0; step < 200; ++step) {
    model.add_pass(distinct_symbols(100, 6), distinct_symbols(0, 17), 32, distinct_symbols(200, 9));
  }
  const std::vector<Repeat> repeats = repeats_of(model.symbols);
  ASSERT_EQ(repeats.size(), 201U);
  EXPECT_EQ(repeats[0], (Repeat{model.layers_first[0], 14, 32}));
  for (std::size_t i = 1; i < repeats.size(); ++i) {
    EXPECT_EQ(repeats[i], (Repeat{model.layers_first[i], 17, 32}));
  }
}

TEST(Repeats, a_rare_prefill_is_found_in_a_long_recording) {
  ModelSequence model;
  std::vector<std::size_t> prefills;
  for (int step = 0; step < 3'000; ++step) {
    if (step % 1'000 == 500) {
      prefills.push_back(model.symbols.size() + 3);
      model.add_pass({90, 91, 92}, distinct_symbols(20, 14), 16, {93, 94});
    }
    model.add_pass({90, 91}, distinct_symbols(0, 17), 16, {93, 94});
  }
  std::vector<std::size_t> found;
  for (const Repeat& repeat : repeats_of(model.symbols)) {
    if (repeat.period == 14 && repeat.times == 16) found.push_back(repeat.first);
  }
  EXPECT_EQ(found, prefills);
}

TEST(Repeats, details_of_a_layer_do_not_hide_it) {
  const Sequence layer = letters("aaaaabcdefgefgefghiiii");
  ModelSequence model;
  for (int step = 0; step < 20; ++step) model.add_pass({1, 2, 3}, layer, 24, {4, 5});
  const std::vector<Repeat> repeats = repeats_of(model.symbols);
  ASSERT_EQ(repeats.size(), 20U);
  for (const Repeat& repeat : repeats) {
    EXPECT_EQ(repeat.period, layer.size());
    EXPECT_EQ(repeat.times, 24U);
  }
}

TEST(Repeats, a_long_constant_stretch_is_one_and_hides_no_layers) {
  ModelSequence model;
  model.add({7}, 500);
  model.add_pass({50, 51}, distinct_symbols(10, 11), 32, {60});
  model.add({7}, 500);
  model.add_pass({50, 51}, distinct_symbols(10, 11), 32, {60});
  EXPECT_EQ(repeats_of(model.symbols),
            (std::vector<Repeat>{{0, 1, 500}, {502, 11, 32}, {855, 1, 500}, {1357, 11, 32}}));
}

TEST(Repeats, a_first_layer_that_differs_is_left_out) {
  ModelSequence model;
  const Sequence layer = distinct_symbols(10, 10);
  Sequence first = layer;
  first.insert(first.begin() + 5, {70, 71, 72});
  for (int step = 0; step < 10; ++step) {
    model.add({1, 2});
    model.add(first);
    model.add(layer, 31);
    model.add({3, 4, 5});
  }
  for (const Repeat& repeat : repeats_of(model.symbols)) {
    EXPECT_EQ(repeat.period, 10U);
    EXPECT_EQ(repeat.times, 31U);
  }
}

TEST(Repeats, edges_may_be_cut_off_anywhere) {
  ModelSequence model;
  for (int step = 0; step < 6; ++step) {
    model.add_pass(distinct_symbols(100, 7), distinct_symbols(0, 12), 32, distinct_symbols(200, 9));
  }
  for (std::size_t cut = 0; cut < 400; cut += 13) {
    const Sequence part(model.symbols.begin() + static_cast<std::ptrdiff_t>(cut),
                        model.symbols.end() - static_cast<std::ptrdiff_t>(400 - cut));
    std::size_t whole = 0;
    for (const Repeat& repeat : repeats_of(part)) {
      EXPECT_EQ(repeat.period, 12U);
      whole += repeat.times == 32 ? 1 : 0;
    }
    EXPECT_GE(whole, 4U);
  }
}

TEST(Repeats, a_kernel_that_differs_now_and_then_does_not_break_a_repeat) {
  std::mt19937 random(5);
  ModelSequence model;
  for (int step = 0; step < 50; ++step) {
    model.add_pass({100, 101}, distinct_symbols(0, 20), 32, {102, 103});
    const std::size_t layer = random() % 32;
    model.symbols[model.layers_first.back() + layer * 20 + 7] = 99;
  }
  const std::vector<Repeat> repeats = repeats_of(model.symbols);
  ASSERT_EQ(repeats.size(), 50U);
  for (std::size_t i = 0; i < repeats.size(); ++i) {
    EXPECT_EQ(repeats[i], (Repeat{model.layers_first[i], 20, 32}));
  }
}

TEST(Repeats, a_layer_that_lacks_its_mark_does_not_make_the_others_shorter) {
  ModelSequence model;
  model.add({1, 1, 1, 1, 1, 1, 1, 1});
  model.add({1, 1, 1, 9, 1, 1, 1, 1}, 20);
  const std::vector<Repeat> repeats = repeats_of(model.symbols);
  ASSERT_FALSE(repeats.empty());
  EXPECT_EQ(repeats.back().period, 8U);
  EXPECT_GE(repeats.back().times, 20U);
}

TEST(Repeats, a_kernel_put_in_splits_a_repeat_in_two_of_the_same_period) {
  ModelSequence model;
  model.add({100, 101});
  model.add(distinct_symbols(0, 20), 12);
  model.add({99});
  model.add(distinct_symbols(0, 20), 20);
  EXPECT_EQ(repeats_of(model.symbols), (std::vector<Repeat>{{2, 20, 12}, {243, 20, 20}}));
}

TEST(Repeats, layers_of_thousands_of_kernels_are_found) {
  ModelSequence model;
  std::mt19937 random(3);
  for (int step = 0; step < 3; ++step) {
    model.add_pass({1, 2}, distinct_symbols(100, 9'000), 5, {3});
  }
  const std::vector<Repeat> repeats = repeats_of(model.symbols);
  ASSERT_EQ(repeats.size(), 3U);
  for (std::size_t i = 0; i < repeats.size(); ++i) {
    EXPECT_EQ(repeats[i], (Repeat{model.layers_first[i], 9'000, 5}));
  }
}

TEST(Repeats, hostile_sequences_get_sound_answers) {
  constexpr std::size_t kLength = 200'000;
  std::mt19937 random(11);
  for (const std::uint32_t alphabet : {2U, 3U, 10U, 1'000U, 4'000'000'000U}) {
    repeats_of(random_symbols(random, kLength, 0, alphabet - 1));
  }
  Sequence thue_morse(kLength), growing, fibonacci = {0}, before = {1};
  for (std::size_t i = 0; i < kLength; ++i)
    thue_morse[i] = static_cast<std::uint32_t>(std::popcount(i) % 2);
  for (std::uint32_t length = 1; growing.size() < kLength; ++length) {
    for (std::uint32_t i = 0; i < length; ++i) growing.push_back(i);
  }
  while (fibonacci.size() < kLength) {
    Sequence longer = fibonacci;
    longer.insert(longer.end(), before.begin(), before.end());
    before = std::exchange(fibonacci, std::move(longer));
  }
  repeats_of(thue_morse);
  repeats_of(growing);
  repeats_of(fibonacci);
  EXPECT_EQ(repeats_of(Sequence(kLength, 5)), (std::vector<Repeat>{{0, 1, kLength}}));
  ModelSequence sawtooth;
  sawtooth.add(distinct_symbols(0, 1'000), 200);
  EXPECT_EQ(repeats_of(sawtooth.symbols), (std::vector<Repeat>{{0, 1'000, 200}}));
}

TEST(Repeats, noise_between_models_changes_nothing) {
  std::mt19937 random(17);
  ModelSequence model;
  for (int part = 0; part < 30; ++part) {
    model.add(random_symbols(random, random() % 700, 1'000, 5'000));
    model.add_pass({1, 2, 3}, distinct_symbols(50, 15), 28, {4, 5});
  }
  std::vector<std::size_t> found;
  for (const Repeat& repeat : repeats_of(model.symbols)) {
    if (repeat.period == 15 && repeat.times == 28) found.push_back(repeat.first);
  }
  EXPECT_EQ(found, model.layers_first);
}

TEST(Repeats, the_layers_of_any_model_are_found) {
  std::mt19937 random(23);
  for (int trial = 0; trial < 200; ++trial) {
    // Kernels of a layer come several times in it, and outside of it too.
    const std::size_t period = 5 + random() % 90;
    const std::size_t layers = 4 + random() % 60;
    if (period * layers < 50) continue;  // less than half of a step: the step is the answer then
    const auto kinds = static_cast<std::uint32_t>(4 + random() % 40);
    Sequence layer = random_symbols(random, period, 1, kinds);
    layer[random() % period] = 500;  // attention
    Sequence prologue = random_symbols(random, 1 + random() % 20, 1, kinds);
    Sequence epilogue = random_symbols(random, 1 + random() % 20, 1, kinds);
    prologue.push_back(600);
    epilogue.insert(epilogue.begin(), 601);
    ModelSequence model;
    const std::size_t passes = 1 + random() % 30;
    for (std::size_t i = 0; i < passes; ++i) model.add_pass(prologue, layer, layers, epilogue);
    std::vector<std::size_t> found;
    for (const Repeat& repeat : repeats_of(model.symbols)) {
      if (repeat.period == period && repeat.times == layers) found.push_back(repeat.first);
    }
    EXPECT_EQ(found, model.layers_first) << "trial " << trial << ": period " << period << ", "
                                         << layers << " layers, " << passes << " passes";
  }
}

TEST(Repeats, most_of_a_recording_is_explained) {
  ModelSequence model;
  for (int step = 0; step < 500; ++step) {
    model.add_pass(distinct_symbols(100, 7), distinct_symbols(0, 12), 32, distinct_symbols(200, 9));
  }
  EXPECT_GT(explained(repeats_of(model.symbols)) * 100, model.symbols.size() * 95);
}

}  // namespace
}  // namespace tactus

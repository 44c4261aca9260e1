#include "operators/refresh.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/check.h"
#include "operators/random.h"

namespace tactus {
namespace {

std::uint64_t hashed(std::uint64_t key, std::uint64_t salt) {
  Random random(key ^ (salt * 0x9e3779b97f4a7c15ull));
  return random.next();
}

std::int64_t hashed_below(std::uint64_t key, std::uint64_t salt, std::int64_t limit) {
  return static_cast<std::int64_t>(hashed(key, salt) % static_cast<std::uint64_t>(limit));
}

std::uint64_t salt_of(const std::string& name) {
  std::uint64_t salt = 0xcbf29ce484222325ull;
  for (const char c : name) salt = (salt ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return salt;
}

constexpr auto kWordsOfStretch = static_cast<std::int64_t>(kRefreshStretchOfWords);

Refresh refresh_of(const TensorSpec& spec) {
  if (spec.refresh != Refresh::kByDraw) return spec.refresh;
  switch (spec.draw) {
    case Draw::kNormal:
      if (spec.a == 0) return Refresh::kSigns;
      return spec.shape.size() > 1 ? Refresh::kRowsAndColumns : Refresh::kNumbers;
    case Draw::kUniform: return spec.a == -spec.b ? Refresh::kSigns : Refresh::kNumbers;
    case Draw::kLogUniform: return Refresh::kNumbers;
    case Draw::kNone:
    case Draw::kOperator: break;
  }
  return Refresh::kNothing;
}

/// A ring of `size` numbers of `width` bytes, turned by `shift`: numbers `first` to `first + count`
/// of the result.
void copy_turned(const std::byte* ring, std::int64_t size, std::int64_t shift, std::int64_t first,
                 std::int64_t count, std::int64_t width, std::byte* into) {
  while (count > 0) {
    const std::int64_t from = (first + size - shift) % size;
    const std::int64_t now = std::min(count, size - from);
    std::memcpy(into, ring + from * width, static_cast<std::size_t>(now * width));
    into += now * width;
    first += now;
    count -= now;
  }
}

template <class Number>
void gather_numbers(const RefreshPlan& plan, const std::byte* from, std::int64_t first,
                    std::int64_t count, std::byte* into) {
  const std::uint64_t key = plan.uneven != 0 ? plan.window_key : plan.pick_key;
  auto i = static_cast<std::uint64_t>(first);
  const std::uint64_t end = i + static_cast<std::uint64_t>(count);
  while (i < end) {
    const RefreshRing ring = refresh_ring(plan, i);
    const std::uint64_t begin = (ring.begin + plan.elements - plan.shift) % plan.elements;
    const std::uint64_t ring_end = std::min(end, ring.begin + ring.size);
    std::uint64_t random = refresh_hash(key, i / 2);
    for (; i < ring_end; ++i, into += sizeof(Number)) {
      if (i % 2 == 0) random = refresh_hash(key, i / 2);
      std::uint64_t place = begin + refresh_pick(random, i, ring.size);
      if (place >= plan.elements) place -= plan.elements;  // a list turns inside its only line
      std::memcpy(into, from + place * sizeof(Number), sizeof(Number));
    }
  }
}

/// Numbers whose places are chosen one by one.
void gather(const RefreshPlan& plan, const std::byte* from, std::int64_t first, std::int64_t count,
            std::byte* into) {
  switch (plan.width) {
    case 1: return gather_numbers<std::uint8_t>(plan, from, first, count, into);
    case 2: return gather_numbers<std::uint16_t>(plan, from, first, count, into);
    case 4: return gather_numbers<std::uint32_t>(plan, from, first, count, into);
    default: return gather_numbers<std::uint64_t>(plan, from, first, count, into);
  }
}

std::uint64_t sign_bits(NumberType type) {
  switch (static_cast<int>(bytes_of(type))) {
    case 1: return 0x8080808080808080ull;
    case 2: return 0x8000800080008000ull;
    case 4: return 0x8000000080000000ull;
    default: return 0x8000000000000000ull;
  }
}

constexpr std::int64_t kNoNumber = -1;

/// What a twist changes: one number, one stretch, or one stretch at least and one in 128 to one in
/// 4096. The fewer, the less likely it is that a kernel which looks at samples sees it; the more,
/// the more likely it is that results differ by more than their tolerance.
class Twist {
 public:
  /// `secret` 0: nothing changes.
  Twist(std::uint64_t secret, std::int64_t elements, std::int64_t stretches) : secret_(secret) {
    if (secret == 0) return;
    const std::uint64_t kind = hashed(secret, 1);
    if (kind % 2 == 0) {
      number_ = hashed_below(secret, 2, elements);
      secret_ = 0;
      return;
    }
    stretch_ = hashed_below(secret, 2, std::max<std::int64_t>(1, stretches));
    if (kind % 4 == 1) one_in_ = std::uint64_t{128} << (kind >> 32) % 6;
  }

  /// Changes the signs of a stretch; 0 if it stays as it is.
  std::uint64_t of(std::int64_t stretch) const {
    if (secret_ == 0) return 0;
    const std::uint64_t twist = hashed(secret_, static_cast<std::uint64_t>(stretch) + 3);
    const bool changed = stretch == stretch_ || (one_in_ != 0 && twist % one_in_ == 0);
    return changed ? twist | 1 : 0;
  }
  std::int64_t number() const { return number_; }
  bool any() const { return secret_ != 0; }  ///< stretches
  std::int64_t stretch() const { return stretch_; }
  std::uint64_t secret() const { return secret_; }
  std::uint64_t one_in() const { return one_in_; }

 private:
  std::uint64_t secret_;
  std::uint64_t one_in_ = 0;  ///< 0: none but that one
  std::int64_t stretch_ = 0;
  std::int64_t number_ = kNoNumber;
};

/// Which signs of a word change.
std::uint64_t flips_of(std::uint64_t seed, std::int64_t word_of_stretch) {
  const std::uint64_t step = seed + static_cast<std::uint64_t>(word_of_stretch) * 2;
  std::uint64_t flips = (step * 0x9e3779b97f4a7c15ull) ^ (seed >> 7);
  flips = (flips ^ (flips >> 29)) * 0xbf58476d1ce4e5b9ull;
  return flips ^ (flips >> 31);
}

void flip_word(std::byte* data, std::size_t bytes, std::uint64_t flips, bool no_negative_zero) {
  std::uint64_t numbers = 0;
  std::memcpy(&numbers, data, bytes);
  if (no_negative_zero) {  // there the code of -0 is NaN
    flips &= (numbers & 0x7f7f7f7f7f7f7f7full) + 0x7f7f7f7f7f7f7f7full;
  }
  numbers ^= flips;
  std::memcpy(data, &numbers, bytes);
}

/// Changes sign bits, each with probability 1/2. `data` begins at a word of the tensor; the seed is
/// that of a stretch of 32 words.
void flip_signs(NumberType type, std::uint64_t key, const Twist& twist, std::int64_t word,
                std::int64_t bytes, std::byte* data) {
  const std::uint64_t bits = sign_bits(type);
  const bool no_negative_zero = type == NumberType::kFp8E4m3Fnuz;
  while (bytes > 0) {
    const std::int64_t stretch = word / kWordsOfStretch;
    const std::int64_t begin = word % kWordsOfStretch;
    const std::int64_t end = std::min(kWordsOfStretch, begin + bytes / 8);
    const std::uint64_t seed = hashed(key, static_cast<std::uint64_t>(stretch)) ^ twist.of(stretch);
    for (std::int64_t i = begin; i < end; ++i, data += 8) {
      flip_word(data, 8, flips_of(seed, i) & bits, no_negative_zero);
    }
    bytes -= 8 * (end - begin);
    word += end - begin;
    if (bytes >= 8 || end == kWordsOfStretch) continue;
    return flip_word(data, static_cast<std::size_t>(bytes), flips_of(seed, end) & bits,
                     no_negative_zero);
  }
}

/// Numbers are little-endian: the last byte has the sign.
void flip_sign(NumberType type, std::byte* number) {
  const bool zero = number[0] == std::byte{0};
  if (type == NumberType::kFp8E4m3Fnuz && zero) return;
  number[static_cast<std::int64_t>(bytes_of(type)) - 1] ^= std::byte{0x80};
}

std::int64_t stretches_of(const TensorSpec& spec) {
  return spec.bytes() / (8 * kWordsOfStretch);
}

Twist twist_of(const TensorSpec& spec, InputKey key) {
  const std::uint64_t salt = salt_of(spec.name);
  const bool is_twisted = key.twist != 0 && (key.only == 0 || key.only == salt);
  return {is_twisted ? hashed(key.twist, salt) | 1 : 0, spec.elements(), stretches_of(spec)};
}

constexpr auto kWindow = static_cast<std::int64_t>(kRefreshWindow);

template <std::size_t kWidth>
void shuffle_windows_of(std::uint64_t key, std::int64_t first, std::int64_t count,
                        std::byte* data) {
  constexpr std::size_t kBytes = kWindow * kWidth;
  std::byte twice[2 * kBytes];  // so that a turned half is in one piece
  for (std::int64_t at = 0; at + kWindow <= count; at += kWindow, data += kBytes) {
    std::memcpy(twice, data, kBytes);
    std::memcpy(twice + kBytes, data, kBytes);
    const std::uint64_t random = hashed(key, static_cast<std::uint64_t>((first + at) / kWindow));
    const std::size_t left = random % kWindow;
    const std::size_t right = (random >> 32) % kWindow;
    std::memcpy(data, twice + left * kWidth, kBytes / 2);
    std::memcpy(data + kBytes / 2, twice + right * kWidth, kBytes / 2);
  }
}

/// Numbers of a window take the places of others in it, some twice and some never: sizes of rows
/// change too. Windows are so small that all numbers of one were drawn in the same way.
void shuffle_windows(std::int64_t line, std::uint64_t key, std::int64_t first, std::int64_t count,
                     std::int64_t width, std::byte* data) {
  if (line % kWindow != 0) return;
  switch (width) {
    case 1: return shuffle_windows_of<1>(key, first, count, data);
    case 2: return shuffle_windows_of<2>(key, first, count, data);
    case 4: return shuffle_windows_of<4>(key, first, count, data);
    default: return shuffle_windows_of<8>(key, first, count, data);
  }
}

template <class Id>
void rename_ids_of(std::int64_t by, std::int64_t ids, std::int64_t count, std::byte* data) {
  for (std::int64_t i = 0; i < count; ++i) {
    Id id = 0;
    std::memcpy(&id, data + i * static_cast<std::int64_t>(sizeof id), sizeof id);
    id = static_cast<Id>((id + by) % ids);
    std::memcpy(data + i * static_cast<std::int64_t>(sizeof id), &id, sizeof id);
  }
}

void rename_ids(const TensorSpec& spec, std::uint64_t key, std::int64_t count, std::byte* data) {
  const auto ids = static_cast<std::int64_t>(spec.b);
  const std::int64_t by = hashed_below(key, salt_of(spec.name), ids);
  if (spec.dtype == NumberType::kInt64) return rename_ids_of<std::int64_t>(by, ids, count, data);
  CHECK(spec.dtype == NumberType::kInt32);
  rename_ids_of<std::int32_t>(by, ids, count, data);
}

}  // namespace

RefreshPlan plan_refresh(const TensorSpec& spec, InputKey input) {
  const auto width = static_cast<std::int64_t>(bytes_of(spec.dtype));
  const std::int64_t elements = spec.elements();
  const std::int64_t rows = spec.shape.empty() ? 1 : spec.shape.front();
  const Refresh how = refresh_of(spec);
  const std::uint64_t salt = salt_of(spec.name);
  RefreshPlan plan;
  plan.elements = static_cast<std::uint64_t>(elements);
  plan.width = static_cast<std::uint64_t>(width);
  plan.line = spec.shape.empty() ? 1 : static_cast<std::uint64_t>(spec.shape.back());
  if (how == Refresh::kNumbers) {
    plan.shift = static_cast<std::uint64_t>(hashed_below(input.key, salt, elements));
  } else if (how != Refresh::kNothing && how != Refresh::kColumns && how != Refresh::kFreeIds &&
             !input.rows_stay) {
    plan.shift = static_cast<std::uint64_t>(
        hashed_below(input.key, static_cast<std::uint64_t>(rows), rows) * (elements / rows));
  }
  if (how == Refresh::kColumns || how == Refresh::kRowsAndColumns) {
    plan.picks = plan.line;
  } else if (how == Refresh::kFreeIds) {
    plan.picks = plan.elements;
  }
  plan.pick_key = hashed(input.key, salt) ^ salt;
  if (how == Refresh::kSigns) {
    plan.sign_bits = sign_bits(spec.dtype);
    plan.sign_key = hashed(input.key, salt);
    plan.windows = plan.line % kRefreshWindow == 0 ? 1 : 0;
    // In place, a part of a tensor does not begin with a line.
    plan.uneven = plan.windows == 0 && !input.rows_stay ? 1 : 0;
    plan.window_key = plan.sign_key ^ salt;
    const Twist twist = twist_of(spec, input);
    plan.twist = twist.secret();
    plan.twist_one_in = twist.one_in();
    plan.twist_stretch = static_cast<std::uint64_t>(twist.stretch());
    plan.twist_number = static_cast<std::uint64_t>(twist.number());
    plan.no_negative_zero = spec.dtype == NumberType::kFp8E4m3Fnuz ? 1 : 0;
  }
  if (how == Refresh::kIds || how == Refresh::kFreeIds) {
    plan.ids = static_cast<std::uint64_t>(spec.b);
    plan.rename_by = static_cast<std::uint64_t>(
        hashed_below(input.key, salt, static_cast<std::int64_t>(spec.b)));
  }
  return plan;
}

bool changes_in_place(const TensorSpec& spec) {
  return refresh_of(spec) == Refresh::kSigns;
}

void renew(const TensorSpec& spec, std::uint64_t key, std::int64_t first, std::int64_t count,
           std::byte* data) {
  const auto width = static_cast<std::int64_t>(bytes_of(spec.dtype));
  const std::uint64_t salt = salt_of(spec.name);
  const std::uint64_t own_key = hashed(key, salt);
  shuffle_windows(spec.shape.back(), own_key ^ salt, first, count, width, data);
  flip_signs(spec.dtype, own_key, Twist(0, 1, 1), first * width / 8, count * width, data);
}

NumberRange twisted_range(const TensorSpec& spec, InputKey key) {
  if (!changes_in_place(spec)) return {};
  const Twist twist = twist_of(spec, key);
  if (twist.number() != kNoNumber) return {twist.number(), 1};
  if (!twist.any()) return {};
  const std::int64_t in_stretch =
      8 * kWordsOfStretch / static_cast<std::int64_t>(bytes_of(spec.dtype));
  const std::int64_t first = twist.stretch() * in_stretch;
  return {first, std::min(in_stretch, spec.elements() - first)};
}

void twist_in_place(const TensorSpec& spec, InputKey key, std::byte* data) {
  const auto [first, count] = twisted_range(spec, key);
  const auto width = static_cast<std::int64_t>(bytes_of(spec.dtype));
  const Twist twist = twist_of(spec, key);
  if (count == 0) return;
  if (twist.number() != kNoNumber) return flip_sign(spec.dtype, data + first * width);
  flip_signs(spec.dtype, twist.of(twist.stretch()), Twist(0, 1, 1), first * width / 8,
             count * width, data + first * width);
}

InputKey twisted(const Problem& problem, InputKey key, Random& random) {
  std::vector<const TensorSpec*> able;
  for (const std::vector<TensorSpec>* tensors : {&problem.inputs, &problem.outputs}) {
    for (const TensorSpec& spec : *tensors) {
      if (changes_in_place(spec)) able.push_back(&spec);
    }
  }
  if (able.empty()) return {.key = random.next()};
  key.twist = random.next() | 1;
  // A kernel may look at all of one tensor, and at samples of another.
  const std::int64_t chosen = random.below(2 * static_cast<std::int64_t>(able.size()));
  key.only = 0;
  if (chosen < static_cast<std::int64_t>(able.size())) {
    key.only = salt_of(able[static_cast<std::size_t>(chosen)]->name);
  }
  return key;
}

void refresh(const TensorSpec& spec, const std::byte* from, InputKey input, std::int64_t first,
             std::int64_t count, std::byte* into) {
  const std::uint64_t key = input.key;
  const auto width = static_cast<std::int64_t>(bytes_of(spec.dtype));
  const std::int64_t elements = spec.elements();
  const std::int64_t rows = spec.shape.empty() ? 1 : spec.shape.front();
  // Tensors with as many rows move together: what is small in one is small in the other.
  const std::int64_t by_rows =
      input.rows_stay
          ? 0
          : hashed_below(key, static_cast<std::uint64_t>(rows), rows) * (elements / rows);
  const Refresh how = refresh_of(spec);
  switch (how) {
    case Refresh::kByDraw:
    case Refresh::kNothing: copy_turned(from, elements, 0, first, count, width, into); break;
    case Refresh::kNumbers: {
      const std::int64_t shift = hashed_below(key, salt_of(spec.name), elements);
      copy_turned(from, elements, shift, first, count, width, into);
      break;
    }
    case Refresh::kRows: copy_turned(from, elements, by_rows, first, count, width, into); break;
    case Refresh::kColumns:
    case Refresh::kRowsAndColumns:
      gather(plan_refresh(spec, input), from, first, count, into);
      break;
    case Refresh::kSigns: {
      const bool uneven = spec.shape.back() % kWindow != 0 && !input.rows_stay;
      if (uneven) {
        gather(plan_refresh(spec, input), from, first, count, into);
      } else {
        copy_turned(from, elements, by_rows, first, count, width, into);
      }
      const std::uint64_t salt = salt_of(spec.name);
      const Twist twist = twist_of(spec, input);
      const std::uint64_t own_key = hashed(key, salt);
      shuffle_windows(spec.shape.back(), own_key ^ salt, first, count, width, into);
      flip_signs(spec.dtype, own_key, twist, first * width / 8, count * width, into);
      if (twist.number() >= first && twist.number() < first + count) {
        flip_sign(spec.dtype, into + (twist.number() - first) * width);
      }
      break;
    }
    case Refresh::kIds:
      copy_turned(from, elements, by_rows, first, count, width, into);
      rename_ids(spec, key, count, into);
      break;
    case Refresh::kFreeIds:
      gather(plan_refresh(spec, input), from, first, count, into);
      rename_ids(spec, key, count, into);
      break;
  }
}

}  // namespace tactus

#include "bench/checking/survivors.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/parallel.h"
#include "bench/checking/judge.h"
#include "operators/definition.h"

namespace tactus {
namespace {

constexpr std::int64_t kNothing = -1;
constexpr std::int64_t kPiece = 1 << 18;  // numbers
constexpr std::int64_t kTogether = 64;    // bytes of a decoy that must have survived together

/// The first poisoned number in a range. Numbers of a type are poisoned byte by byte.
std::int64_t first_poisoned(const std::byte* data, std::int64_t first, std::int64_t end,
                            std::int64_t width, std::byte poison) {
  for (std::int64_t i = first; i < end; ++i) {
    const std::byte* number = data + i * width;
    if (number[0] != poison) continue;  // nearly always
    if (std::all_of(number + 1, number + width, [&](std::byte b) { return b == poison; })) return i;
  }
  return kNothing;
}

/// Equal numbers in the same place happen by chance (zeros, -infinity), but not many different
/// ones.
bool varied(const std::byte* data, std::int64_t width) {
  constexpr int kDifferent = 8;
  const std::int64_t numbers = kTogether / width;
  int different = 0;
  for (std::int64_t i = 0; i < numbers; ++i) {
    bool seen = false;
    for (std::int64_t j = 0; j < i && !seen; ++j) {
      seen = std::memcmp(data + i * width, data + j * width, static_cast<std::size_t>(width)) == 0;
    }
    if (!seen && ++different >= kDifferent) return true;
  }
  return false;
}

std::int64_t first_decoy(const std::byte* data, const std::byte* decoy, std::int64_t first,
                         std::int64_t end, std::int64_t width) {
  const std::int64_t step = kTogether / width;
  for (std::int64_t i = first; i + step <= end; i += step) {
    const std::byte* at = data + i * width;
    if (std::memcmp(at, decoy + i * width, kTogether) == 0 && varied(at, width)) return i;
  }
  return kNothing;
}

std::int64_t first_survivor(const TensorSpec& spec, const std::byte* data, const std::byte* decoy,
                            unsigned threads) {
  const std::int64_t elements = spec.elements();
  const auto width = static_cast<std::int64_t>(bytes_of(spec.dtype));
  if (decoy != nullptr && is_integer(spec.dtype)) return kNothing;  // sorted ids are often equal
  const auto poison = static_cast<std::byte>(poison_byte(spec.dtype));
  std::atomic<std::int64_t> found = elements;
  const auto pieces = static_cast<std::size_t>((elements + kPiece - 1) / kPiece);
  parallel_for(threads, pieces, [&](std::size_t piece, unsigned) {
    const std::int64_t first = static_cast<std::int64_t>(piece) * kPiece;
    const std::int64_t end = std::min(elements, first + kPiece);
    if (found.load() < first) return;
    const std::int64_t at = decoy == nullptr ? first_poisoned(data, first, end, width, poison)
                                             : first_decoy(data, decoy, first, end, width);
    if (at == kNothing) return;
    std::int64_t best = found.load();
    while (at < best && !found.compare_exchange_weak(best, at)) {
    }
  });
  return found.load() == elements ? kNothing : found.load();
}

/// Results that stand for many numbers each are often the same for other inputs: the scale of a
/// group depends on its largest number only.
bool sums_up(const Problem& problem, const TensorSpec& output) {
  constexpr std::int64_t kMany = 8;
  return std::any_of(problem.inputs.begin(), problem.inputs.end(), [&](const TensorSpec& input) {
    return input.elements() >= kMany * output.elements();
  });
}

}  // namespace

std::string surviving_prefill(const Problem& problem, const TensorLayout& layout,
                              const std::byte* after, Prefill prefill, std::uint32_t may_stay,
                              unsigned threads) {
  for (std::size_t i = 0; i < problem.outputs.size(); ++i) {
    const TensorSpec& spec = problem.outputs[i];
    if (spec.draw != Draw::kNone || (may_stay >> i & 1) != 0) continue;
    if (prefill.decoy != nullptr && sums_up(problem, spec)) continue;
    const std::size_t offset = layout.outputs[i];
    const std::byte* decoy = prefill.decoy == nullptr ? nullptr : prefill.decoy + offset;
    const std::int64_t at = first_survivor(spec, after + offset, decoy, threads);
    if (at == kNothing) continue;
    return fmt::format("{} was not written: it is still {}", place_words(spec, at),
                       decoy == nullptr ? "nan, or an impossible id"
                                        : "the result of other inputs that was there before");
  }
  return {};
}

}  // namespace tactus

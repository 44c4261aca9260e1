#include "operators/random.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "base/parallel.h"

namespace tactus {
namespace {

constexpr std::int64_t kTableElements = 1 << 20;
constexpr std::int64_t kStretch = 509;  // prime, so that stretches are not in step with rows

std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

double drawn(const TensorSpec& spec, Random& random) {
  switch (spec.draw) {
    case Draw::kNormal: return spec.a + spec.b * random.normal();
    case Draw::kUniform: return spec.a + (spec.b - spec.a) * random.uniform();
    case Draw::kLogUniform: return spec.a * std::pow(spec.b / spec.a, random.uniform());
    case Draw::kNone:
    case Draw::kOperator: break;
  }
  return 0;
}

}  // namespace

std::uint64_t Random::next() {
  const std::uint64_t value = mixed(state_);
  state_ += 0x9e3779b97f4a7c15ull;
  return value;
}

double Random::uniform() {
  return static_cast<double>(next() >> 11) * 0x1p-53;
}

double Random::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

std::int64_t Random::below(std::int64_t limit) {
  return static_cast<std::int64_t>(uniform() * static_cast<double>(limit));
}

void fill(const HostTensor& tensor, std::uint64_t seed, unsigned threads) {
  const TensorSpec& spec = *tensor.spec;
  const std::int64_t elements = spec.elements();
  Random random(mixed(seed));
  const std::int64_t table_elements = std::min(elements, kTableElements);
  for (std::int64_t i = 0; i < table_elements; ++i) tensor.set(i, drawn(spec, random));
  // The rest copies stretches of the first part; the index of each decides from where.
  const auto width = static_cast<std::int64_t>(bytes_of(spec.dtype));
  const std::int64_t rest = elements - table_elements;
  const std::int64_t stretches = (rest + kStretch - 1) / kStretch;
  constexpr std::int64_t kStretchesAtOnce = 4096;
  const std::int64_t blocks = (stretches + kStretchesAtOnce - 1) / kStretchesAtOnce;
  parallel_for(threads, static_cast<std::size_t>(blocks), [&](std::size_t block, unsigned) {
    const std::int64_t begin = static_cast<std::int64_t>(block) * kStretchesAtOnce;
    for (std::int64_t s = begin; s < std::min(stretches, begin + kStretchesAtOnce); ++s) {
      const std::int64_t first = table_elements + s * kStretch;
      const std::int64_t count = std::min(kStretch, elements - first);
      const auto from =
          static_cast<std::int64_t>(mixed(seed ^ mixed(static_cast<std::uint64_t>(s))) %
                                    static_cast<std::uint64_t>(table_elements - kStretch));
      std::memcpy(tensor.data + first * width, tensor.data + from * width,
                  static_cast<std::size_t>(count * width));
    }
  });
}

}  // namespace tactus

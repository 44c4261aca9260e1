#include "bench/diagnosis/excerpts.h"

#include <algorithm>

namespace tactus {
namespace {

constexpr std::int64_t kNumbers = 8;

/// Where in the input a number of the output belongs, by sizes that agree; nothing if none does.
std::optional<std::vector<std::int64_t>> matching_place(const TensorSpec& input,
                                                        const TensorSpec& output,
                                                        const std::vector<std::int64_t>& at) {
  std::vector<std::int64_t> place(input.shape.size(), 0);
  if (input.shape.empty() || output.shape.empty()) return std::nullopt;
  // Rows from the front, as far as the sizes agree; the column if the last ones do.
  std::size_t same = 0;
  while (same < input.shape.size() && same < output.shape.size() &&
         input.shape[same] == output.shape[same]) {
    place[same] = at[same];
    ++same;
  }
  if (same == input.shape.size()) return place;
  if (input.shape.back() == output.shape.back()) {
    place.back() = at.back();
    return place;
  }
  if (same > 0) {
    // The row is the same and the column is not: of twice as many, the first half.
    if (at.back() < input.shape.back()) place.back() = at.back();
    return place;
  }
  if (input.shape[0] == output.shape.back()) {  // a row of weights per column
    place[0] = at.back();
    return place;
  }
  return std::nullopt;
}

std::int64_t flat(const TensorSpec& spec, const std::vector<std::int64_t>& place) {
  std::int64_t index = 0;
  for (std::size_t d = 0; d < place.size(); ++d) index = index * spec.shape[d] + place[d];
  return index;
}

}  // namespace

std::vector<InputExcerpt> inputs_around(const WrongCall& call, const WrongNumber& number) {
  const TensorSpec& output = call.problem.outputs[number.output];
  const std::vector<std::int64_t> at = indices_of(output, number.index);
  std::vector<InputExcerpt> excerpts;
  for (const HostTensor& input : call.before.inputs) {
    std::optional<std::vector<std::int64_t>> place = matching_place(*input.spec, output, at);
    if (!place) continue;
    const std::int64_t width = input.spec->shape.back();
    // From a little before the number on.
    place->back() = std::clamp<std::int64_t>(place->back() - kNumbers / 2, 0,
                                             std::max<std::int64_t>(0, width - kNumbers));
    const std::int64_t first = flat(*input.spec, *place);
    InputExcerpt excerpt = {.name = input.spec->name, .indices = *place, .values = {}};
    for (std::int64_t i = 0; i < std::min(kNumbers, width - place->back()); ++i) {
      excerpt.values.push_back(input.get(first + i));
    }
    excerpts.push_back(std::move(excerpt));
  }
  return excerpts;
}

}  // namespace tactus

#include "bounds/roofline/shape_filter.h"

#include <fmt/format.h>

#include <set>

#include "base/text.h"

namespace tactus {
namespace {

void add_parts(std::string_view parts, std::set<std::string_view>& into) {
  while (!parts.empty()) {
    const std::size_t end = std::min(parts.find('/'), parts.size());
    if (end != 0) into.insert(parts.substr(0, end));
    parts.remove_prefix(std::min(end + 1, parts.size()));
  }
}

Status check_word(std::string_view flag, const std::string& word,
                  const std::set<std::string_view>& known) {
  if (word.empty() || known.contains(word)) return {};
  const std::vector<std::string_view> words(known.begin(), known.end());
  const std::string_view near = nearest(word, words);
  return usage_error(fmt::format(
      "{} {}: no shape of the catalogue has that; {} {}", flag, word,
      near.empty() ? std::string("there are") : fmt::format("did you mean {}? There are", near),
      fmt::join(words, ", ")));
}

}  // namespace

bool has_part(std::string_view parts, std::string_view part) {
  if (part.empty()) return true;
  while (!parts.empty()) {
    const std::size_t end = std::min(parts.find('/'), parts.size());
    if (parts.substr(0, end) == part) return true;
    parts.remove_prefix(std::min(end + 1, parts.size()));
  }
  return false;
}

bool is_wanted(const Shape& shape, const RooflineQuestion& question) {
  if (!question.shape_id.empty() && shape.id != question.shape_id) return false;
  if (question.tensor_parallel && shape.tensor_parallel != question.tensor_parallel) return false;
  return has_part(shape.framework, question.framework) && has_part(shape.phase, question.phase);
}

Status check_question(const Catalogue& catalogue, const RooflineQuestion& question) {
  if (!question.operator_name.empty()) {
    const Result<const Operator*> op = find_operator(catalogue, question.operator_name);
    if (!op) return op.error();
    if (!question.shape_id.empty()) {
      const Result<const Shape*> shape = find_shape(**op, question.shape_id);
      if (!shape) return shape.error();
    }
  }
  std::set<std::string_view> frameworks;
  std::set<std::string_view> phases;
  for (const Operator& op : catalogue.operators) {
    for (const Shape& shape : op.shapes) {
      add_parts(shape.framework, frameworks);
      add_parts(shape.phase, phases);
    }
  }
  if (Status known = check_word("--framework", question.framework, frameworks); !known) {
    return known;
  }
  return check_word("--phase", question.phase, phases);
}

}  // namespace tactus

#include "bench/results/failure_json.h"

#include <cmath>
#include <limits>

namespace tactus {
namespace {

/// JSON has no NaN and no infinity; both are common among wrong numbers.
Json number_json(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

double number_of(const Json* entry) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (entry != nullptr && entry->is_number()) return entry->get<double>();
  const std::string text =
      entry != nullptr && entry->is_string() ? entry->get<std::string>() : "nan";
  if (text == "inf") return kInfinity;
  if (text == "-inf") return -kInfinity;
  return std::numeric_limits<double>::quiet_NaN();
}

/// The members of a list that are objects; none if there is no such list.
template <class Add>
void for_each_object(const Json& entry, const char* key, const Add& add) {
  const Json* list = entry.find(key);
  if (list == nullptr || !list->is_array()) return;
  for (const Json& item : *list) {
    if (item.is_object()) add(item);
  }
}

std::vector<std::int64_t> indices_at(const Json& entry) {
  std::vector<std::int64_t> indices;
  const Json* list = entry.find("indices");
  if (list == nullptr || !list->is_array()) return indices;
  for (const Json& index : *list) {
    if (index.is_number_integer()) indices.push_back(index.get<std::int64_t>());
  }
  return indices;
}

std::int64_t count_at(const Json& entry, const char* key) {
  const Json* found = entry.find(key);
  return found != nullptr && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

}  // namespace

Json failure_json(const Failure& failure) {
  Json first = Json::array();
  for (const FailedNumber& number : failure.first) {
    first.push_back({{"output", number.output},
                     {"indices", number.indices},
                     {"got", number_json(number.got)},
                     {"expected", number_json(number.expected)},
                     {"allowed", number.allowed}});
  }
  Json inputs = Json::array();
  for (const InputExcerpt& excerpt : failure.inputs) {
    Json values = Json::array();
    for (const double value : excerpt.values) values.push_back(number_json(value));
    inputs.push_back({{"name", excerpt.name}, {"indices", excerpt.indices}, {"values", values}});
  }
  Json mistakes = Json::array();
  for (const LikelyMistake& mistake : failure.mistakes) {
    mistakes.push_back({{"name", mistake.name}, {"text", mistake.text}});
  }
  return {{"checked", failure.checked}, {"wrong", failure.wrong},     {"first", first},
          {"inputs", inputs},           {"pattern", failure.pattern}, {"mistakes", mistakes}};
}

std::optional<Failure> failure_of_json(const Json& entry) {
  if (!entry.is_object()) return std::nullopt;
  Failure failure;
  failure.checked = count_at(entry, "checked");
  failure.wrong = count_at(entry, "wrong");
  for_each_object(entry, "first", [&](const Json& item) {
    failure.first.push_back({.output = item.text_at("output"),
                             .indices = indices_at(item),
                             .got = number_of(item.find("got")),
                             .expected = number_of(item.find("expected")),
                             .allowed = item.text_at("allowed")});
  });
  for_each_object(entry, "inputs", [&](const Json& item) {
    InputExcerpt excerpt = {
        .name = item.text_at("name"), .indices = indices_at(item), .values = {}};
    if (const Json* values = item.find("values"); values != nullptr && values->is_array()) {
      for (const Json& value : *values) excerpt.values.push_back(number_of(&value));
    }
    failure.inputs.push_back(std::move(excerpt));
  });
  if (const Json* pattern = entry.find("pattern"); pattern != nullptr && pattern->is_array()) {
    for (const Json& words : *pattern) {
      if (words.is_string()) failure.pattern.push_back(words.get<std::string>());
    }
  }
  for_each_object(entry, "mistakes", [&](const Json& item) {
    failure.mistakes.push_back({item.text_at("name"), item.text_at("text")});
  });
  return failure;
}

}  // namespace tactus

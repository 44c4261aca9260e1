#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "catalogue/catalogue.h"
#include "catalogue/embedded_operators.h"

// {"format": "tactus catalogue 1", "source": "...", "profiles": 1303, "operators": [
//   {"name": "rms_norm", "id": "atrex_027", "dtype": "bf16", "importance": 0.028, "shapes": [
//     {"id": "0", "label": "...", "framework": "vllm", "tp": 4, "phase": "prefill",
//      "params": {"tokens": 2500, "hidden": 1024}, "sequences": [[256, 130]],
//      "deployed": [{"hardware": "XPU-A", "framework": "aiter", "t_us": 8.2}], "calls": 12}]}]}

namespace tactus {
namespace {

using NamedNumbers = std::vector<std::pair<std::string, std::int64_t>>;

constexpr std::string_view kFormat = "tactus catalogue 1";

/// Reads a document; stops at the first error and keeps it.
class Reader {
 public:
  explicit Reader(std::string_view path) : path_(path) {}

  Result<Catalogue> catalogue(const Json& document) {
    Catalogue result;
    where_ = "the document";
    if (!document.is_object() || text(document, "format") != kFormat) {
      return input_error(fmt::format(
          R"({} is not a catalogue: it should begin with {{"format": "{}")", path_, kFormat));
    }
    result.source = text(document, "source");
    result.method = text(document, "method");
    result.profiles = number(document, "profiles");
    for (const Json& entry : list(document, "operators")) {
      result.operators.push_back(read_operator(entry));
      if (!problem_.empty()) break;
    }
    if (!problem_.empty()) return input_error(fmt::format("{}: {}", path_, problem_));
    std::stable_sort(
        result.operators.begin(), result.operators.end(),
        [](const Operator& a, const Operator& b) { return a.importance > b.importance; });
    return result;
  }

 private:
  Operator read_operator(const Json& entry) {
    Operator op;
    op.name = text(entry, "name");
    where_ = op.name.empty() ? "an operator without a name" : "operator " + op.name;
    if (op.name.empty()) fail("it has no name");
    op.id = text(entry, "id");
    op.dtype = type(entry, NumberType::kBf16);
    op.importance = real(entry, "importance").value_or(0);
    op.profiles = number(entry, "profiles");
    op.phase = text(entry, "phase");
    op.origin = text(entry, "origin");
    for (const Json& shape : list(entry, "shapes")) {
      op.shapes.push_back(read_shape(shape, op));
      if (!problem_.empty()) break;
    }
    std::stable_sort(op.shapes.begin(), op.shapes.end(),
                     [](const Shape& a, const Shape& b) { return shape_id_before(a.id, b.id); });
    for (std::size_t i = 1; i < op.shapes.size(); ++i) {
      if (op.shapes[i].id == op.shapes[i - 1].id) fail("two shapes have the id " + op.shapes[i].id);
    }
    return op;
  }

  Shape read_shape(const Json& entry, const Operator& op) {
    Shape shape;
    shape.id = text(entry, "id");
    where_ = fmt::format("operator {}, shape {}", op.name, shape.id);
    if (shape.id.empty()) fail("a shape has no id");
    shape.label = text(entry, "label");
    shape.framework = text(entry, "framework");
    shape.tensor_parallel = number(entry, "tp");
    shape.phase = text(entry, "phase");
    shape.parameters.dtype = type(entry, op.dtype);
    shape.parameters.values = numbers(entry, "params");
    for (const Json& run : list(entry, "sequences")) {
      if (!run.is_array() || run.size() != 2 || !is_count(run[0]) || !is_count(run[1])) {
        fail("sequences should be [length, count] pairs");
        break;
      }
      shape.parameters.sequences.push_back(
          {run[0].get<std::int64_t>(), run[1].get<std::int64_t>()});
    }
    shape.draw = numbers(entry, "draw");
    for (const Json& time : list(entry, "deployed")) {
      const std::optional<double> t_us = real(time, "t_us");
      if (!t_us || !(*t_us > 0)) {
        fail("a deployed time needs t_us above 0");
        break;
      }
      shape.deployed.push_back({text(time, "hardware"), text(time, "framework"), *t_us * 1e3});
    }
    shape.calls = number(entry, "calls");
    return shape;
  }

  NamedNumbers numbers(const Json& entry, const char* key) {
    NamedNumbers result;
    const Json* values = member(entry, key);
    if (values == nullptr) return result;
    if (!values->is_object()) fail(fmt::format("{} should be an object", key));
    if (values->is_object()) {
      for (const auto& [name, value] : values->items()) {
        if (!is_count(value)) {
          fail(fmt::format("{} of {} should be a whole number, 0 or more", name, key));
          break;
        }
        result.emplace_back(name, value.template get<std::int64_t>());
      }
    }
    return result;
  }

  static bool is_count(const Json& value) {
    if (value.is_number_unsigned()) return value.get<std::uint64_t>() <= INT64_MAX;
    return value.is_number_integer() && value.get<std::int64_t>() >= 0;
  }

  /// Null if the key is missing or null.
  const Json* member(const Json& entry, const char* key) {
    if (!entry.is_object()) {
      fail("an object was expected");
      return nullptr;
    }
    const Json* found = entry.find(key);
    return found == nullptr || found->is_null() ? nullptr : found;
  }

  std::string text(const Json& entry, const char* key) {
    const Json* value = member(entry, key);
    if (value == nullptr) return {};
    if (value->is_string()) return value->get<std::string>();
    if (is_count(*value)) return value->dump();  // ids may be written as numbers
    fail(fmt::format("{} should be a string", key));
    return {};
  }

  std::optional<std::int64_t> number(const Json& entry, const char* key) {
    const Json* value = member(entry, key);
    if (value == nullptr) return std::nullopt;
    if (is_count(*value)) return value->get<std::int64_t>();
    fail(fmt::format("{} should be a whole number, 0 or more", key));
    return std::nullopt;
  }

  std::optional<double> real(const Json& entry, const char* key) {
    const Json* value = member(entry, key);
    if (value == nullptr) return std::nullopt;
    if (value->is_number() && std::isfinite(value->get<double>()) && value->get<double>() >= 0) {
      return value->get<double>();
    }
    fail(fmt::format("{} should be a number, 0 or more", key));
    return std::nullopt;
  }

  NumberType type(const Json& entry, NumberType fallback) {
    const std::string name = text(entry, "dtype");
    if (name.empty()) return fallback;
    const std::optional<NumberType> found = number_type_of(name);
    if (!found) fail(fmt::format("dtype {} is unknown", name));
    return found.value_or(fallback);
  }

  const Json& list(const Json& entry, const char* key) {
    static const Json kNone = Json::array();
    const Json* value = member(entry, key);
    if (value == nullptr) return kNone;
    if (value->is_array()) return *value;
    fail(fmt::format("{} should be a list", key));
    return kNone;
  }

  void fail(std::string_view what) {
    if (problem_.empty()) problem_ = fmt::format("{}: {}", where_, what);
  }

  std::string_view path_;
  std::string where_;
  std::string problem_;
};

Json numbers_json(const NamedNumbers& numbers) {
  Json result = Json::object();
  for (const auto& [name, value] : numbers) result[name] = value;
  return result;
}

Json shape_json(const Shape& shape, const Operator& op) {
  Json result;
  result["id"] = shape.id;
  if (!shape.label.empty()) result["label"] = shape.label;
  if (!shape.framework.empty()) result["framework"] = shape.framework;
  if (shape.tensor_parallel) result["tp"] = *shape.tensor_parallel;
  if (!shape.phase.empty()) result["phase"] = shape.phase;
  if (shape.parameters.dtype != op.dtype) {
    result["dtype"] = number_type_name(shape.parameters.dtype);
  }
  result["params"] = numbers_json(shape.parameters.values);
  for (const SequenceRun& run : shape.parameters.sequences) {
    result["sequences"].push_back({run.length, run.count});
  }
  if (!shape.draw.empty()) result["draw"] = numbers_json(shape.draw);
  for (const DeployedTime& time : shape.deployed) {
    result["deployed"].push_back(
        {{"hardware", time.hardware}, {"framework", time.framework}, {"t_us", time.t_ns / 1e3}});
  }
  if (shape.calls) result["calls"] = *shape.calls;
  return result;
}

std::string line(const Json& value) {
  return value.dump();
}

}  // namespace

Result<Catalogue> read_catalogue(std::string_view text, std::string_view path) {
  const Json document = Json::parse(text);
  if (document.is_discarded()) {
    return input_error(
        fmt::format("{} is not a catalogue: it is not JSON, or it is cut off", path));
  }
  return Reader(path).catalogue(document);
}

Catalogue built_in_catalogue() {
  Result<Catalogue> catalogue = read_catalogue(embedded_operators_json(), "data/operators.json");
  CHECK(catalogue);
  return std::move(*catalogue);
}

Catalogue generic_catalogue() {
  Result<Catalogue> catalogue =
      read_catalogue(embedded_generic_operators_json(), "data/generic-operators.json");
  CHECK(catalogue);
  return std::move(*catalogue);
}

std::string catalogue_text(const Catalogue& catalogue) {
  Json head = {{"format", kFormat}, {"source", catalogue.source}};
  if (!catalogue.method.empty()) head["method"] = catalogue.method;
  if (catalogue.profiles) head["profiles"] = *catalogue.profiles;
  std::string text = line(head);
  text.pop_back();
  text += ",\n \"operators\": [";
  for (const Operator& op : catalogue.operators) {
    Json entry = {{"name", op.name}};
    if (!op.id.empty()) entry["id"] = op.id;
    entry["dtype"] = number_type_name(op.dtype);
    entry["importance"] = op.importance;
    if (op.profiles) entry["profiles"] = *op.profiles;
    if (!op.phase.empty()) entry["phase"] = op.phase;
    if (!op.origin.empty()) entry["origin"] = op.origin;
    std::string opening = line(entry);
    opening.pop_back();
    text += &op == catalogue.operators.data() ? "\n  " : ",\n  ";
    text += opening + ",\n   \"shapes\": [";
    for (const Shape& shape : op.shapes) {
      text += &shape == op.shapes.data() ? "\n    " : ",\n    ";
      text += line(shape_json(shape, op));
    }
    text += "\n   ]}";
  }
  return text + "\n ]}\n";
}

}  // namespace tactus

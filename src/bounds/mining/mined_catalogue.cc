#include <algorithm>
#include <map>
#include <utility>

#include "bounds/mining/bench_form.h"
#include "bounds/mining/mine.h"

namespace tactus {
namespace {

/// The framework of a kernel, from the namespace of the op.
std::string framework_of(std::string_view op) {
  static constexpr std::pair<std::string_view, std::string_view> kNamespaces[] = {
      {"aten::", "pytorch"},      {"triton_", "inductor"},
      {"vllm::", "vllm"},         {"_C::", "vllm"},
      {"_C_cache_ops::", "vllm"}, {"_moe_C::", "vllm"},
      {"sgl_kernel::", "sglang"}, {"sglang::", "sglang"},
      {"aiter::", "aiter"},       {"flashinfer::", "flashinfer"}};
  for (const auto& [prefix, framework] : kNamespaces) {
    if (op.starts_with(prefix)) return std::string(framework);
  }
  return {};
}

/// The path is left out, because the file may be given to others.
std::string file_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

Shape shape_of(const MinedShape& mined, ShapeParameters parameters) {
  Shape shape;
  shape.label = mined.shape.op + " " + mined.shape.label;
  shape.framework = framework_of(mined.shape.op);
  shape.phase = mined.phase;
  shape.parameters = std::move(parameters);
  shape.calls = mined.calls;
  for (const MinedTime& time : mined.times) {
    shape.deployed.push_back(
        {.hardware = time.hardware->name, .framework = shape.framework, .t_ns = time.med_ns});
  }
  return shape;
}

/// An operator, during collection.
struct Collected {
  Operator op;
  std::map<NumberType, double> shares;  ///< of time, by type

  void add(const MinedShape& mined, ShapeParameters parameters) {
    op.importance += mined.share;
    shares[parameters.dtype] += mined.share;
    op.shapes.push_back(shape_of(mined, std::move(parameters)));
    op.shapes.back().id = std::to_string(op.shapes.size() - 1);
  }

  /// The type with most of the time.
  NumberType main_type() const {
    return std::max_element(shares.begin(), shares.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  }
};

/// All that occur, in the order of time, joined by "/".
std::string joined(const std::vector<Shape>& shapes, std::string Shape::*field) {
  std::vector<std::string_view> words;
  for (const Shape& shape : shapes) {
    const std::string& word = shape.*field;
    if (!word.empty() && std::find(words.begin(), words.end(), word) == words.end()) {
      words.push_back(word);
    }
  }
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : "/") + std::string(word);
  return text;
}

std::string phase_of(const std::vector<Shape>& shapes) {
  const std::string all = joined(shapes, &Shape::phase);
  const bool prefill = all.find("prefill") != std::string::npos;
  const bool decode = all.find("decode") != std::string::npos;
  return prefill && decode ? "prefill/decode" : prefill ? "prefill" : decode ? "decode" : "";
}

}  // namespace

Catalogue mined_catalogue(const Mined& mined) {
  Catalogue catalogue;
  for (const MinedRun& run : mined.runs) {
    catalogue.source += (catalogue.source.empty() ? "mined from " : ", ") + file_name(run.label);
  }
  catalogue.method = mined.method;
  catalogue.profiles = static_cast<std::int64_t>(mined.runs.size());
  // Some shapes of an operator may be operators of their own: see bench_form().
  std::vector<Collected> operators;
  for (const MinedOperator& found : mined.operators) {
    for (const MinedShape& shape : found.shapes) {
      BenchForm form = bench_form(shape.shape);
      auto place = std::find_if(operators.begin(), operators.end(), [&](const Collected& each) {
        return each.op.name == form.operator_name;
      });
      if (place == operators.end()) {
        place = operators.emplace(place);
        place->op.name = form.operator_name;
        place->op.id = form.operator_name;
        place->op.profiles = found.runs;
      }
      place->add(shape, std::move(form.parameters));
    }
  }
  std::stable_sort(operators.begin(), operators.end(), [](const Collected& a, const Collected& b) {
    return a.op.importance > b.op.importance;
  });
  for (Collected& each : operators) {
    each.op.dtype = each.main_type();
    each.op.phase = phase_of(each.op.shapes);
    each.op.origin = joined(each.op.shapes, &Shape::framework);
    catalogue.operators.push_back(std::move(each.op));
  }
  return catalogue;
}

}  // namespace tactus

#include "bounds/ops/op_shape_index.h"

#include "bounds/costs/cost.h"
#include "run/args/arg_lookup.h"

namespace tactus {
namespace {

/// The key that distinguishes two shapes.
std::string key_of(std::string_view op, const OpShape& shape) {
  std::string key(op);
  key += '\n' + shape.operator_name + '\n' + shape.label;
  for (const auto& [name, value] : shape.parameters.values) key += ' ' + std::to_string(value);
  return key;
}

}  // namespace

std::size_t OpShapeIndex::CallHash::operator()(const Call& call) const {
  std::size_t hash = 0;
  for (const std::uint32_t id :
       {call.name, call.dims, call.types, call.strides, call.concrete, call.kernel}) {
    hash = (hash ^ id) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

OpShapeIndex::OpShapeIndex(const Run& run, std::span<const std::uint32_t> ops,
                           const HardwareProfile& hardware)
    : run_(run), hardware_(hardware), calls_(ops.size()) {
  const auto fill = [&](std::string_view key, std::uint32_t Call::*field) {
    const std::vector<std::optional<Value>> values = args_of_slices(run, ops, key);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool is_text = values[i] && values[i]->type == ValueType::kJson;
      if (is_text) calls_[i].*field = static_cast<std::uint32_t>(values[i]->raw);
    }
  };
  fill("Input Dims", &Call::dims);
  fill("Input type", &Call::types);
  fill("Input Strides", &Call::strides);
  fill("Concrete Inputs", &Call::concrete);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    calls_[i].name = static_cast<std::uint32_t>(run.slices.name()[ops[i]]);
  }
}

std::optional<std::uint32_t> OpShapeIndex::find(std::size_t place, std::uint32_t kernel,
                                                const KernelName& name, std::string_view& why) {
  Call call = calls_[place];
  call.kernel = kernel;
  auto at = found_.find(call);
  if (at == found_.end()) at = found_.emplace(call, read(call, name)).first;
  why = at->second.why;
  return at->second.shape;
}

OpShapeIndex::Found OpShapeIndex::read(const Call& call, const KernelName& name) {
  const auto text = [&](std::uint32_t id) { return run_.strings[StringId(id)]; };
  const std::optional<OpCall> op = read_op_call(text(call.name), {.dims = text(call.dims),
                                                                  .types = text(call.types),
                                                                  .strides = text(call.strides),
                                                                  .concrete = text(call.concrete)});
  if (!op) return {std::nullopt, std::string(call.dims == 0 ? kNotRecorded : kOddInputs)};
  Result<OpShape> shape = read_op_shape(*op, name);
  if (!shape) return {std::nullopt, shape.error().message};
  return add(op->name, std::move(*shape));
}

OpShapeIndex::Found OpShapeIndex::add(std::string_view op, OpShape shape) {
  const auto next = static_cast<std::uint32_t>(shapes_.size());
  const auto [at, is_new] = known_.try_emplace(key_of(op, shape), next);
  if (!is_new) return {at->second, {}};
  Shape asked;
  asked.parameters = shape.parameters;
  const Result<Cost> cost = cost_of(shape.operator_name, asked, CostModel::kStrict);
  const std::optional<SpeedOfLight> bound =
      cost ? speed_of_light(*cost, hardware_, CostModel::kStrict) : std::nullopt;
  if (!bound) {
    known_.erase(at);
    return {std::nullopt, std::string(cost ? kNoPeak : kOddInputs)};
  }
  shapes_.push_back({std::string(op), std::move(shape), *bound, cost->bytes()});
  return {next, {}};
}

}  // namespace tactus

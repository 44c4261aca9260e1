#include "bounds/ops/op_shape_index.h"

#include <algorithm>
#include <numeric>

#include "bounds/costs/cost.h"
#include "bounds/ops/inner_ops.h"
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
  std::size_t hash = call.inner;
  for (const std::uint32_t id :
       {call.name, call.dims, call.types, call.strides, call.concrete, call.kernel, call.step}) {
    hash = (hash ^ id) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

OpShapeIndex::OpShapeIndex(const Run& run, std::span<const std::uint32_t> ops,
                           const HardwareProfile& hardware)
    : run_(run), hardware_(hardware), inner_of_(ops.size()) {
  read_texts(ops, calls_);
  add_inner_calls(ops);
}

void OpShapeIndex::read_texts(std::span<const std::uint32_t> rows, std::vector<Call>& calls) const {
  calls.resize(rows.size());
  const auto fill = [&](std::string_view key, std::uint32_t Call::*field) {
    const std::vector<std::optional<Value>> values = args_of_slices(run_, rows, key);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool is_text = values[i] && values[i]->type == ValueType::kJson;
      if (is_text) calls[i].*field = static_cast<std::uint32_t>(values[i]->raw);
    }
  };
  fill("Input Dims", &Call::dims);
  fill("Input type", &Call::types);
  fill("Input Strides", &Call::strides);
  fill("Concrete Inputs", &Call::concrete);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    calls[i].name = static_cast<std::uint32_t>(run_.slices.name()[rows[i]]);
  }
}

void OpShapeIndex::add_inner_calls(std::span<const std::uint32_t> ops) {
  const InnerOps inner = find_inner_ops(run_, ops);
  if (inner.rows.empty()) return;
  std::vector<Call> in_row_order;
  read_texts(inner.rows, in_row_order);
  std::vector<std::size_t> order(inner.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return inner.outer[a] < inner.outer[b]; });
  for (const std::size_t i : order) {
    const std::uint32_t place = inner.outer[i];
    auto& [begin, end] = inner_of_[place];
    if (begin == end) begin = inner_calls_.size();
    inner_calls_.push_back(in_row_order[i]);
    end = inner_calls_.size();
    calls_[place].inner = CallHash()(in_row_order[i]) + 31 * calls_[place].inner;
  }
}

std::optional<std::uint32_t> OpShapeIndex::find(std::size_t place, std::uint32_t kernel,
                                                const KernelName& name, std::uint32_t step,
                                                std::string_view& why) {
  Call call = calls_[place];
  call.kernel = kernel;
  call.step = step;
  auto at = found_.find(call);
  if (at == found_.end()) at = found_.emplace(call, read(call, place, name)).first;
  why = at->second.why;
  return at->second.shape;
}

std::optional<OpCall> OpShapeIndex::op_call(const Call& call) const {
  const auto text = [&](std::uint32_t id) { return run_.strings[StringId(id)]; };
  return read_op_call(text(call.name), {.dims = text(call.dims),
                                        .types = text(call.types),
                                        .strides = text(call.strides),
                                        .concrete = text(call.concrete)});
}

OpShapeIndex::Found OpShapeIndex::read(const Call& call, std::size_t place,
                                       const KernelName& name) {
  std::optional<OpCall> op = op_call(call);
  if (!op) return {std::nullopt, std::string(call.dims == 0 ? kNotRecorded : kOddInputs)};
  for (std::size_t i = inner_of_[place].first; i < inner_of_[place].second; ++i) {
    if (std::optional<OpCall> inner = op_call(inner_calls_[i])) {
      op->inner.push_back(std::move(*inner));
    }
  }
  if (call.step != 0) op->step = parse_step_lengths(run_.strings[StringId(call.step)]);
  Result<OpShape> shape = read_op_shape(*op, name);
  if (!shape) return {std::nullopt, shape.error().message};
  return add(op->name, call.kernel, std::move(*shape));
}

OpShapeIndex::Found OpShapeIndex::add(std::string_view op, std::uint32_t kernel, OpShape shape) {
  std::string key = key_of(op, shape);
  std::optional<std::uint32_t> if_faster;
  if (!shape.if_faster.empty()) {
    // Whether it is taken is decided for each kernel.
    key += '\n' + std::to_string(kernel);
    if_faster = add(op, kernel, std::move(shape.if_faster.front())).shape;
    shape.if_faster.clear();
  }
  const auto next = static_cast<std::uint32_t>(shapes_.size());
  const auto [at, is_new] = known_.try_emplace(std::move(key), next);
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
  shapes_.push_back({std::string(op), std::move(shape), *bound, cost->bytes(), if_faster});
  return {next, {}};
}

}  // namespace tactus

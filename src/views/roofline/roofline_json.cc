#include "views/common/json.h"
#include "views/roofline/roofline_cells.h"
#include "views/roofline/roofline_view.h"

namespace tactus {
namespace {

/// "name": {"H20": ..., "XPU-A": ...}
template <class Write>
void by_hardware(JsonText& json, std::string_view name, const Roofline& roofline,
                 const Write& write) {
  json.key(name).open_object();
  for (std::size_t i = 0; i < roofline.hardware.size(); ++i) {
    json.key(roofline.hardware[i]->name);
    write(i);
  }
  json.close_object();
}

void add_work(JsonText& json, const Cost& cost) {
  json.key("work").open_array();
  for (const Work& work : cost.work) {
    json.open_object().key("engine").text(work.engine == Engine::kTensor ? "tensor" : "vector");
    json.key("dtype").text(number_type_name(work.type));
    json.key("flops").number(work.flops).close_object();
  }
  json.close_array();
}

void add_row(JsonText& json, const Roofline& roofline, const RooflineRow& row, Regime regime) {
  const Shape& shape = *row.shape;
  json.open_object();
  json.key("operator").text(row.op->name);
  json.key("shape").text(shape.id);
  json.key("label").text_or_null(shape.label);
  json.key("framework").text_or_null(shape.framework);
  json.key("tp");
  if (shape.tensor_parallel) {
    json.raw(std::to_string(*shape.tensor_parallel));
  } else {
    json.null();
  }
  json.key("phase").text_or_null(shape.phase);
  json.key("W").number(row.cost.flops());
  json.key("Q_read").number(row.cost.read_bytes);
  json.key("Q_write").number(row.cost.write_bytes);
  add_work(json, row.cost);
  json.key("ai").number(row.ai);
  json.key("regime").text(std::string(1, static_cast<char>(regime)));
  const auto field = [&](std::string_view name, std::optional<double> ShapeOnHardware::*value) {
    by_hardware(json, name, roofline, [&](std::size_t i) { json.number(row.on[i].*value); });
  };
  by_hardware(json, "t_sol_ns", roofline, [&](std::size_t i) {
    const std::optional<SpeedOfLight>& bound = row.on[i].bound;
    json.number(bound ? std::optional(bound->t_ns) : std::nullopt);
  });
  const auto limit = [&](std::string_view name, std::string_view (*name_of)(Limit)) {
    by_hardware(json, name, roofline, [&](std::size_t i) {
      const std::optional<SpeedOfLight>& bound = row.on[i].bound;
      json.text_or_null(bound ? name_of(bound->limit) : std::string_view());
    });
  };
  limit("limit", device_limit_name);
  limit("limited_by", limit_name);
  field("t_prod_ns", &ShapeOnHardware::t_prod_ns);
  by_hardware(json, "t_prod_by", roofline,
              [&](std::size_t i) { json.text_or_null(row.on[i].t_prod_by); });
  field("s", &ShapeOnHardware::s);
  field("s_printed", &ShapeOnHardware::s_printed);
  field("s_with_launch", &ShapeOnHardware::s_with_launch);
  json.close_object();
}

void add_operators(JsonText& json, const Roofline& roofline) {
  json.key("operators").open_array();
  for (const OperatorSummary& summary : roofline.operators) {
    const Operator& op = *summary.op;
    json.open_object().key("name").text(op.name).key("id").text_or_null(op.id);
    json.key("dtype").text(number_type_name(op.dtype));
    json.key("importance").number(op.importance);
    json.key("shapes").number(static_cast<double>(summary.rows));
    json.key("regime").text(std::string(1, static_cast<char>(summary.regime)));
    json.key("middle_shape").text(roofline.rows[summary.middle_row].shape->id);
    by_hardware(json, "median_s", roofline,
                [&](std::size_t i) { json.number(summary.median_s[i]); });
    by_hardware(json, "median_s_printed", roofline,
                [&](std::size_t i) { json.number(summary.median_s_printed[i]); });
    json.close_object();
  }
  json.close_array();
}

void add_scores(JsonText& json, const Roofline& roofline) {
  by_hardware(json, "scores", roofline, [&](std::size_t i) {
    const Score& score = roofline.scores[i];
    json.open_object().key("weighted_s").number(score.weighted_s);
    json.key("weighted_s_unnormalised").number(score.weighted_s_unnormalised);
    json.key("weighted_s_with_launch").number(score.weighted_s_with_launch);
    json.key("covered_importance").number(score.covered_importance);
    json.key("timed_shapes").number(static_cast<double>(score.timed_shapes)).close_object();
  });
  json.key("importance_sum").number(roofline.importance_sum);
}

void add_hardware(JsonText& json, const Roofline& roofline) {
  json.key("hardware").open_array();
  for (std::size_t i = 0; i < roofline.hardware.size(); ++i) {
    const HardwareProfile& machine = *roofline.hardware[i];
    const std::optional<LaunchFloor>& floor = roofline.launch_floors[i];
    json.open_object().key("name").text(machine.name).key("arch").text_or_null(machine.arch);
    json.key("memory_bandwidth").number(machine.memory_bandwidth.value);
    json.key("launch_floor_ns").number(floor ? std::optional(floor->ns) : std::nullopt);
    json.key("launch_floor_from");
    json.text_or_null(!floor ? "" : floor->observed ? "least time of any shape" : "profile");
    json.close_object();
  }
  json.close_array();
  by_hardware(json, "launch_floor_ns", roofline, [&](std::size_t i) {
    const std::optional<LaunchFloor>& floor = roofline.launch_floors[i];
    json.number(floor ? std::optional(floor->ns) : std::nullopt);
  });
}

void add_formulas(JsonText& json, const Roofline& roofline) {
  json.key("formulas").open_array();
  for (const OperatorSummary& summary : roofline.operators) {
    const CostFormula* formula = formula_of(summary.op->name);
    if (!formula) continue;
    json.open_object().key("operator").text(formula->operator_name);
    json.key("W").text_or_null(formula->work).key("Q_read").text_or_null(formula->read);
    json.key("Q_write").text_or_null(formula->write);
    json.key("strict").text_or_null(formula->strict).close_object();
  }
  json.close_array();
}

}  // namespace

std::string show_roofline_json(const Roofline& roofline) {
  JsonText json;
  json.open_object().key("model").text(model_name(roofline.model));
  json.key("rows").open_array();
  for (const OperatorSummary& summary : roofline.operators) {
    for (std::size_t i = 0; i < summary.rows; ++i) {
      add_row(json, roofline, roofline.rows[summary.first_row + i], summary.regime);
    }
  }
  json.close_array();
  add_operators(json, roofline);
  add_scores(json, roofline);
  add_hardware(json, roofline);
  add_formulas(json, roofline);
  json.key("warnings").open_array();
  for (const std::string& warning : roofline.warnings) json.text(warning);
  json.close_array().key("dropped").open_object();
  if (roofline.dropped_shapes != 0) {
    json.key("shapes_without_cost").number(static_cast<double>(roofline.dropped_shapes));
  }
  json.close_object().close_object();
  return std::move(json).take() + "\n";
}

}  // namespace tactus

#include "views/roofline/roofline_page_data.h"

#include <fmt/format.h>

#include <unordered_map>

#include "views/common/html.h"
#include "views/common/json.h"
#include "views/roofline/roofline_plot.h"

namespace tactus {
namespace {

/// Ten digits are more than any cell or dot needs.
void short_number(JsonText& json, const std::optional<double>& value) {
  if (value) {
    json.raw(fmt::format("{:.10g}", *value));
  } else {
    json.null();
  }
}

void add_machines(JsonText& json, const Roofline& roofline) {
  json.key("machines").open_array();
  for (std::size_t i = 0; i < roofline.hardware.size(); ++i) {
    const std::optional<LaunchFloor>& floor = roofline.launch_floors[i];
    json.open_object().key("name").text(roofline.hardware[i]->name);
    json.key("floor").number(floor ? std::optional(floor->ns) : std::nullopt);
    json.key("observed").boolean(floor && floor->observed).close_object();
  }
  json.close_array();
}

/// [[...], [...]]: one list per model, one value per machine.
template <class Write>
void by_model_and_machine(JsonText& json, const RooflineRow& strict, const RooflineRow& catalogue,
                          const Write& write) {
  json.open_array();
  for (const RooflineRow* row : {&strict, &catalogue}) {
    json.open_array();
    for (const ShapeOnHardware& on : row->on) write(on);
    json.close_array();
  }
  json.close_array();
}

using RowOfShape = std::unordered_map<const Shape*, std::size_t>;

RowOfShape rows_by_shape(const Roofline& roofline) {
  RowOfShape rows;
  for (std::size_t i = 0; i < roofline.rows.size(); ++i) rows[roofline.rows[i].shape] = i;
  return rows;
}

std::string regime_text(const Roofline& roofline, const Operator& op) {
  for (const OperatorSummary& summary : roofline.operators) {
    if (summary.op == &op) return {static_cast<char>(summary.regime)};
  }
  return "unknown";
}

void add_shape(JsonText& json, const RooflineRow& strict, const RooflineRow& catalogue,
               std::size_t dot) {
  const Shape& shape = *strict.shape;
  json.open_object().key("id").text(shape.id).key("label").text(shape.label);
  json.key("framework").text(shape.framework).key("phase").text(shape.phase);
  json.key("tp").text(shape.tensor_parallel ? std::to_string(*shape.tensor_parallel) : "");
  json.key("w").open_array();
  for (const RooflineRow* row : {&strict, &catalogue}) short_number(json, row->cost.flops());
  json.close_array().key("q").open_array();
  for (const RooflineRow* row : {&strict, &catalogue}) short_number(json, row->cost.bytes());
  json.close_array().key("sol");
  by_model_and_machine(json, strict, catalogue, [&](const ShapeOnHardware& on) {
    short_number(json, on.bound ? std::optional(on.bound->t_ns) : std::nullopt);
  });
  json.key("limit");
  by_model_and_machine(json, strict, catalogue, [&](const ShapeOnHardware& on) {
    json.raw(on.bound ? std::to_string(static_cast<int>(on.bound->limit)) : "null");
  });
  json.key("prod").open_array();
  for (const ShapeOnHardware& on : strict.on) short_number(json, on.t_prod_ns);
  json.close_array().key("dot").number(static_cast<double>(dot)).close_object();
}

}  // namespace

std::string roofline_page_data(const Roofline& strict, const Roofline& catalogue,
                               const Roofline& drawn) {
  const Roofline* const both[] = {&strict, &catalogue};
  const PlotFrame frame = plot_frame(both);
  const RowOfShape published = rows_by_shape(catalogue);
  const RowOfShape dots = rows_by_shape(drawn);
  JsonText json;
  json.open_object();
  add_machines(json, strict);
  json.key("operators").open_array();
  for (const OperatorSummary& summary : strict.operators) {
    const Operator& op = *summary.op;
    json.open_object().key("name").text(op.name).key("id").text(op.id);
    json.key("dtype").text(number_type_name(op.dtype)).key("importance").number(op.importance);
    json.key("regime").open_array().text(regime_text(strict, op));
    json.text(regime_text(catalogue, op)).close_array();
    json.key("strip").number(frame.strip_y(op)).key("shapes").open_array();
    for (std::size_t i = 0; i < summary.rows; ++i) {
      const RooflineRow& row = strict.rows[summary.first_row + i];
      const auto other = published.find(row.shape);
      const auto dot = dots.find(row.shape);
      if (other == published.end() || dot == dots.end()) continue;  // only one model has its cost
      add_shape(json, row, catalogue.rows[other->second], dot->second);
    }
    json.close_array().close_object();
  }
  json.close_array().close_object();
  return html_safe_json(std::move(json).take());
}

}  // namespace tactus

#include "views/roofline_page_data.h"

#include <fmt/format.h>

#include "views/html_text.h"
#include "views/json_text.h"
#include "views/roofline_plot.h"

namespace tactus {
namespace {

/// Six digits are more than any cell or dot shows.
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

/// [[...], [...]]: a list a model, a value a machine.
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

void add_shape(JsonText& json, const RooflineRow& strict, const RooflineRow& catalogue) {
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
  json.close_array().close_object();
}

}  // namespace

std::string roofline_page_data(const Roofline& strict, const Roofline& catalogue) {
  const Roofline* const both[] = {&strict, &catalogue};
  const PlotFrame frame = plot_frame(both);
  JsonText json;
  json.open_object();
  add_machines(json, strict);
  json.key("operators").open_array();
  for (std::size_t o = 0; o < strict.operators.size(); ++o) {
    const OperatorSummary& summary = strict.operators[o];
    const Operator& op = *summary.op;
    json.open_object().key("name").text(op.name).key("id").text(op.id);
    json.key("dtype").text(number_type_name(op.dtype)).key("importance").number(op.importance);
    json.key("regime").open_array();
    for (const Roofline* roofline : both) {
      json.text(std::string(1, static_cast<char>(roofline->operators[o].regime)));
    }
    json.close_array().key("strip").number(frame.strip_y(op));
    json.key("first").number(static_cast<double>(summary.first_row)).key("shapes").open_array();
    for (std::size_t i = 0; i < summary.rows; ++i) {
      add_shape(json, strict.rows[summary.first_row + i],
                catalogue.rows[catalogue.operators[o].first_row + i]);
    }
    json.close_array().close_object();
  }
  json.close_array().close_object();
  return html_safe_json(std::move(json).take());
}

}  // namespace tactus

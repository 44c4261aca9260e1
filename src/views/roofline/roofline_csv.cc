#include <fmt/format.h>

#include "base/text.h"
#include "views/roofline/roofline_cells.h"
#include "views/roofline/roofline_view.h"

namespace tactus {
namespace {

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : std::string();
}

std::string shape_cells(const RooflineRow& row, Regime regime) {
  const Operator& op = *row.op;
  const Shape& shape = *row.shape;
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}", csv_cell(op.name),
                     csv_cell(op.id), number_type_name(op.dtype), op.importance, csv_cell(shape.id),
                     csv_cell(shape.label), csv_cell(shape.framework),
                     shape.tensor_parallel ? std::to_string(*shape.tensor_parallel) : std::string(),
                     csv_cell(shape.phase), row.cost.flops(), row.cost.read_bytes,
                     row.cost.write_bytes, row.ai, static_cast<char>(regime));
}

}  // namespace

std::string show_roofline_csv(const Roofline& roofline) {
  std::string out =
      "operator,id,dtype,importance,shape,label,framework,tp,phase,W,Q_read,Q_write,ai,regime,"
      "model,hardware,t_sol_ns,limit,t_prod_ns,s,s_printed,launch_floor_ns,s_with_launch\n";
  for (const OperatorSummary& summary : roofline.operators) {
    for (std::size_t i = 0; i < summary.rows; ++i) {
      const RooflineRow& row = roofline.rows[summary.first_row + i];
      const std::string shape = shape_cells(row, summary.regime);
      for (std::size_t h = 0; h < roofline.hardware.size(); ++h) {
        const ShapeOnHardware& on = row.on[h];
        const std::optional<LaunchFloor>& floor = roofline.launch_floors[h];
        out += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", shape, model_name(roofline.model),
                           csv_cell(roofline.hardware[h]->name),
                           number(on.bound ? std::optional(on.bound->t_ns) : std::nullopt),
                           on.bound ? limit_name(on.bound->limit) : std::string_view(),
                           number(on.t_prod_ns), number(on.s), number(on.s_printed),
                           number(floor ? std::optional(floor->ns) : std::nullopt),
                           number(on.s_with_launch));
      }
    }
  }
  return out;
}

}  // namespace tactus

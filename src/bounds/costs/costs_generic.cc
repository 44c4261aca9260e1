// Generic operators, which are frequent in traces. Each number moves once; repeated reads or writes
// of a kernel are not counted.

#include "bounds/costs/cost_entry.h"

namespace tactus {
namespace {

constexpr double kInt64Bytes = 8;

Cost elementwise(Dimensions& dims) {
  return {.work = {vector_work(dims.dtype(), dims.amount_or("flops", 0))},
          .read_bytes = dims.amount("read_bytes"),
          .write_bytes = dims.amount("write_bytes")};
}

/// b is as large as a, one row of it, or one number for each row.
Cost of_two(Dimensions& dims) {
  const double elements = dims.size("elements");
  const double row = dims.amount_or("row", 0);
  const double column = dims.amount_or("column", 0);
  const double b = row > 0 ? row : column > 0 ? elements / column : elements;
  const double e = dims.element_bytes();
  return {.work = {vector_work(dims.dtype(), elements)},
          .read_bytes = e * (elements + b),
          .write_bytes = e * elements};
}

Cost activation(Dimensions& dims) {
  constexpr double kFlops = 3;  // exp or another function, add, and divide or multiply
  const double elements = dims.size("elements");
  const double e = dims.element_bytes();
  return {.work = {vector_work(dims.dtype(), kFlops * elements)},
          .read_bytes = e * elements,
          .write_bytes = e * elements};
}

Cost cast(Dimensions& dims) {
  const double elements = dims.size("elements");
  return {.read_bytes = dims.size("from_bytes") * elements,
          .write_bytes = dims.element_bytes() * elements};
}

Cost copy(Dimensions& dims) {
  const double read_bytes = dims.amount("read_bytes");
  return {.read_bytes = read_bytes, .write_bytes = dims.amount_or("write_bytes", read_bytes)};
}

/// By bytes where a trace gives them: it may have more tensors, or numbers of another size.
Cost cat(Dimensions& dims) {
  if (dims.amount_or("read_bytes", 0) > 0) return copy(dims);
  const double bytes = dims.element_bytes() * dims.amount("rows") *
                       (dims.amount("a_columns") + dims.amount("b_columns"));
  return {.read_bytes = bytes, .write_bytes = bytes};
}

/// sum, mean or max of each row, or (`first`) of each column.
Cost reduced(Dimensions& dims) {
  const double rows = dims.size("rows");
  const double columns = dims.size("columns");
  const double e = dims.element_bytes();
  return {.work = {vector_work(dims.dtype(), rows * columns)},
          .read_bytes = e * rows * columns,
          .write_bytes = e * (dims.amount_or("first", 0) != 0 ? columns : rows)};
}

Cost collective(Dimensions& dims) {
  return {.read_bytes = dims.amount("read_bytes"),
          .write_bytes = dims.amount("write_bytes"),
          .link_bytes = dims.amount("link_bytes")};
}

Cost fill(Dimensions& dims) {
  return {.write_bytes = dims.amount("write_bytes")};
}

Cost reduce(Dimensions& dims) {
  return {.work = {vector_work(dims.dtype(), dims.amount_or("elements", 0))},
          .read_bytes = dims.amount("read_bytes"),
          .write_bytes = dims.amount("write_bytes")};
}

Cost softmax(Dimensions& dims) {
  constexpr double kFlops = 5;  // maximum, subtract, exp, sum, divide
  const double elements = dims.size("rows") * dims.size("columns");
  const double e = dims.element_bytes();
  return {.work = {vector_work(dims.dtype(), kFlops * elements)},
          .read_bytes = e * elements,
          .write_bytes = dims.amount_or("out_bytes", e) * elements};
}

/// Scales the rows of a matrix to a mean square of 1 (and a mean of 0), times a weight.
Cost norm(Dimensions& dims) {
  constexpr double kFlops = 4;  // square, sum, factor, weight
  const double columns = dims.size("columns");
  const double elements = dims.size("rows") * columns;
  const double e = dims.element_bytes();
  const double residual = dims.amount_or("residual", 0) != 0 ? elements : 0;
  return {.work = {vector_work(dims.dtype(), kFlops * elements + residual)},
          .read_bytes = e * (elements + dims.amount_or("weights", 1) * columns + residual),
          .write_bytes = dims.amount_or("out_bytes", e) * elements + e * residual};
}

/// Shapes do not say how often the indices name the same row: only one row is certainly read.
Cost gather(Dimensions& dims) {
  const double rows = dims.size("rows");
  const double columns = dims.size("columns");
  const double e = dims.element_bytes();
  const double distinct = dims.drawn("distinct_rows").value_or(dims.amount_or("distinct_rows", 1));
  return {.read_bytes = e * distinct * columns + dims.amount_or("index_bytes", kInt64Bytes) * rows,
          .write_bytes = e * rows * columns};
}

/// Picks from each row: one comparison per number, one index per row unless out_bytes says more.
Cost sampling(Dimensions& dims) {
  const double rows = dims.size("rows");
  const double elements = rows * dims.size("columns");
  return {.work = {vector_work(dims.dtype(), elements)},
          .read_bytes = dims.element_bytes() * elements,
          .write_bytes = dims.amount_or("out_bytes", kInt64Bytes) * rows};
}

constexpr CostEntry kEntries[] = {
    {.formula = {.operator_name = "elementwise",
                 .work = "flops",
                 .read = "read_bytes",
                 .write = "write_bytes",
                 .strict = ""},
     .strict = elementwise},
    {.formula = {.operator_name = "add",
                 .work = "elements",
                 .read = "e (elements + b), b = elements; row, or elements / column, if given",
                 .write = "e elements",
                 .strict = ""},
     .strict = of_two},
    {.formula = {.operator_name = "mul",
                 .work = "elements",
                 .read = "e (elements + b), b = elements; row, or elements / column, if given",
                 .write = "e elements",
                 .strict = ""},
     .strict = of_two},
    {.formula = {.operator_name = "div",
                 .work = "elements",
                 .read = "e (elements + b), b = elements; row, or elements / column, if given",
                 .write = "e elements",
                 .strict = ""},
     .strict = of_two},
    {.formula = {.operator_name = "sub",
                 .work = "elements",
                 .read = "e (elements + b), b = elements; row, or elements / column, if given",
                 .write = "e elements",
                 .strict = ""},
     .strict = of_two},
    {.formula = {.operator_name = "silu",
                 .work = "3 elements",
                 .read = "e elements",
                 .write = "e elements",
                 .strict = ""},
     .strict = activation},
    {.formula = {.operator_name = "gelu",
                 .work = "3 elements",
                 .read = "e elements",
                 .write = "e elements",
                 .strict = ""},
     .strict = activation},
    {.formula = {.operator_name = "cast",
                 .work = "",
                 .read = "from_bytes elements",
                 .write = "e elements",
                 .strict = ""},
     .strict = cast},
    {.formula = {.operator_name = "copy",
                 .work = "",
                 .read = "read_bytes",
                 .write = "write_bytes, read_bytes unless given",
                 .strict = ""},
     .strict = copy},
    {.formula = {.operator_name = "cat",
                 .work = "",
                 .read = "read_bytes; e rows (a_columns + b_columns) where it is not given",
                 .write = "write_bytes, as much as is read unless given",
                 .strict = ""},
     .strict = cat},
    {.formula =
         {.operator_name = "fill", .work = "", .read = "", .write = "write_bytes", .strict = ""},
     .strict = fill},
    {.formula = {.operator_name = "generate",
                 .work = "",
                 .read = "",
                 .write = "write_bytes",
                 .strict = ""},
     .strict = fill},
    {.formula = {.operator_name = "reduce",
                 .work = "elements",
                 .read = "read_bytes",
                 .write = "write_bytes",
                 .strict = ""},
     .strict = reduce},
    {.formula = {.operator_name = "sum",
                 .work = "rows columns",
                 .read = "e rows columns",
                 .write = "e rows, or e columns where first is 1",
                 .strict = ""},
     .strict = reduced},
    {.formula = {.operator_name = "mean",
                 .work = "rows columns",
                 .read = "e rows columns",
                 .write = "e rows, or e columns where first is 1",
                 .strict = ""},
     .strict = reduced},
    {.formula = {.operator_name = "max",
                 .work = "rows columns",
                 .read = "e rows columns",
                 .write = "e rows, or e columns where first is 1",
                 .strict = ""},
     .strict = reduced},
    {.formula = {.operator_name = "softmax",
                 .work = "5 rows columns",
                 .read = "e rows columns",
                 .write = "out_bytes rows columns, out_bytes = e unless given",
                 .strict = ""},
     .strict = softmax},
    {.formula = {.operator_name = "norm",
                 .work = "4 rows columns, 5 where residual is 1",
                 .read =
                     "e (rows columns + weights columns), and the residual; 1 weight unless given",
                 .write = "out_bytes rows columns, out_bytes = e unless given, and the residual",
                 .strict = ""},
     .strict = norm},
    {.formula = {.operator_name = "gather",
                 .work = "",
                 .read = "e distinct_rows columns + index_bytes rows; 1 distinct row and 8 bytes "
                         "per index unless given",
                 .write = "e rows columns",
                 .strict = ""},
     .strict = gather},
    {.formula = {.operator_name = "collective",
                 .work = "",
                 .read = "read_bytes",
                 .write = "write_bytes, and link_bytes to other devices",
                 .strict = ""},
     .strict = collective},
    {.formula = {.operator_name = "sampling",
                 .work = "rows columns",
                 .read = "e rows columns",
                 .write = "out_bytes rows, 8 bytes per row unless given",
                 .strict = ""},
     .strict = sampling},
};

}  // namespace

std::span<const CostEntry> generic_costs() {
  return kEntries;
}

}  // namespace tactus

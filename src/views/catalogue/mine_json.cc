#include "views/catalogue/mine_view.h"

namespace tactus {
namespace {

Json parameters_json(const ShapeParameters& parameters) {
  Json entry = Json::object();
  for (const auto& [name, value] : parameters.values) entry[name] = value;
  return entry;
}

Json times_json(const MinedShape& shape) {
  Json times = Json::array();
  for (const MinedTime& time : shape.times) {
    times.push_back({{"hardware", time.hardware->name},
                     {"calls", time.calls},
                     {"total_ns", time.total_ns},
                     {"med_ns", time.med_ns},
                     {"t_sol_ns", time.t_sol_ns},
                     {"s", time.s()},
                     {"limit", text_or_null(device_limit_name(time.limit))},
                     {"limited_by", limit_name(time.limit)}});
  }
  return times;
}

Json operator_json(const MinedOperator& op) {
  Json entry = {{"name", op.name},        {"importance", op.share},  {"s", value_or_null(op.s)},
                {"calls", op.calls},      {"total_ns", op.total_ns}, {"runs", op.runs},
                {"shapes", Json::array()}};
  for (std::size_t i = 0; i < op.shapes.size(); ++i) {
    const MinedShape& shape = op.shapes[i];
    entry["shapes"].push_back({{"id", std::to_string(i)},
                               {"op", shape.shape.op},
                               {"label", shape.shape.label},
                               {"dtype", number_type_name(shape.shape.parameters.dtype)},
                               {"params", parameters_json(shape.shape.parameters)},
                               {"phase", text_or_null(shape.phase)},
                               {"share", shape.share},
                               {"calls", shape.calls},
                               {"at_least", shape.shape.at_least},
                               {"times", times_json(shape)}});
  }
  return entry;
}

}  // namespace

std::string mine_json(const Mined& mined, std::span<const WhatIfAnswer> answers,
                      const Account& account) {
  Json document;
  document["method"] = mined.method;
  document["runs"] = Json::array();
  for (const MinedRun& run : mined.runs) {
    document["runs"].push_back({{"run", run.label},
                                {"hardware", run.hardware->name},
                                {"total_ns", run.total_ns},
                                {"coverage", run.coverage},
                                {"reasons", run.reasons}});
  }
  document["operators"] = Json::array();
  for (const MinedOperator& op : mined.operators) {
    document["operators"].push_back(operator_json(op));
  }
  document["what_if"] = Json::array();
  for (const WhatIfAnswer& answer : answers) {
    document["what_if"].push_back({{"operator", answer.question.operator_name},
                                   {"s", answer.question.s},
                                   {"s_now", value_or_null(answer.now)},
                                   {"share", answer.share},
                                   {"saved", answer.saved}});
  }
  add_account(document, account);
  return to_text(document);
}

}  // namespace tactus

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "views/catalogue/mine_view.h"
#include "views/common/numbers.h"
#include "views/common/text_table.h"

namespace tactus {
namespace {

constexpr std::size_t kHead = 12;

void add_shape(TextTable& table, const MinedShape& shape, bool several_machines) {
  for (const MinedTime& time : shape.times) {
    std::string name = "  " + printable(shape.shape.op) + " " + printable(shape.shape.label);
    if (several_machines) name += " on " + printable(time.hardware->name);
    table.add({percent_text(shape.share), format_count(time.calls),
               format_duration(std::llround(time.med_ns)),
               format_duration(std::llround(time.t_sol_ns)), fmt::format("{:.0f}%", 100 * time.s()),
               std::string(limit_name(time.limit)), shape.phase.empty() ? "-" : shape.phase,
               std::move(name)});
  }
}

TextTable operator_table(const Mined& mined, std::size_t top) {
  TextTable table({"Time", "Calls", "Med", "Bound", "S", "Limit", "Phase", "Operator, shape"});
  table.set_ranks({0, 4, 1, 2, 0, 3, 5, 0});
  const bool several_machines =
      std::any_of(mined.runs.begin(), mined.runs.end(),
                  [&](const MinedRun& run) { return run.hardware != mined.runs.front().hardware; });
  for (const MinedOperator& op : mined.operators) {
    table.add({percent_text(op.share), format_count(op.calls), "", "",
               op.s ? fmt::format("{:.0f}%", 100 * *op.s) : "-", "", "",
               fmt::format("{}, {} shape{}", printable(op.name), op.shapes.size(),
                           op.shapes.size() == 1 ? "" : "s")});
    const std::size_t shown = top == 0 ? op.shapes.size() : std::min(top, op.shapes.size());
    for (std::size_t i = 0; i < shown; ++i) add_shape(table, op.shapes[i], several_machines);
  }
  return table;
}

std::string run_text(const MinedRun& run) {
  std::string text = fmt::format("{}: {} of {} GPU time with a bound, on {}", printable(run.label),
                                 percent_text(run.coverage), format_duration(run.total_ns),
                                 printable(run.hardware->name));
  for (const std::string& reason : run.reasons) text += "; " + printable(reason);
  return text;
}

std::string answer_text(const WhatIfAnswer& answer) {
  return fmt::format(
      "{} at S = {}: the GPU time would be {} shorter (it takes {} of it now, at S = {})",
      printable(answer.question.operator_name), percent_text(answer.question.s),
      percent_text(answer.saved), percent_text(answer.share),
      answer.now ? percent_text(*answer.now) : "?");
}

}  // namespace

std::string mine_text(const Mined& mined, std::span<const WhatIfAnswer> answers,
                      const MineViewOptions& options) {
  std::string out = operator_table(mined, options.top).to_text(options.width) + "\n";
  const auto add = [&](std::string_view head, const std::string& text) {
    out += paragraph(head, text, options.width, kHead);
  };
  for (std::size_t i = 0; i < mined.runs.size(); ++i) {
    add(i == 0 ? "runs" : "", run_text(mined.runs[i]));
  }
  add("importance", mined.method);
  double together = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    add(i == 0 ? "what if" : "", answer_text(answers[i]));
    together += answers[i].saved;
  }
  if (answers.size() > 1) add("", fmt::format("together: {} shorter", percent_text(together)));
  return out;
}

}  // namespace tactus

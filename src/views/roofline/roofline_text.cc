#include <fmt/format.h>

#include "base/text.h"
#include "views/common/text_table.h"
#include "views/roofline/roofline_cells.h"
#include "views/roofline/roofline_view.h"

namespace tactus {
namespace {

constexpr std::size_t kHead = 12;  // columns before a paragraph

/// "T_Prod", or "T_Prod(H200)" if several machines have times.
std::string timed_head(std::string_view what, const Roofline& roofline, std::size_t hardware,
                       const std::vector<std::size_t>& timed) {
  if (timed.size() == 1) return std::string(what);
  return fmt::format("{}({})", what, printable(roofline.hardware[hardware]->name));
}

/// Heads with their ranks: a narrow table keeps the machine whose times are known (else the first),
/// and gives up other machines first, from the last.
struct Heads {
  std::vector<std::string> texts;
  std::vector<int> ranks;

  void add(std::string text, int rank) {
    texts.push_back(std::move(text));
    ranks.push_back(rank);
  }
  TextTable table() const {
    TextTable made(texts);
    made.set_ranks(ranks);
    return made;
  }
};

constexpr int kOtherMachine = 100;  // ranks of columns of further machines begin here

void add_bound_heads(Heads& heads, const Roofline& roofline,
                     const std::vector<std::size_t>& timed) {
  const std::size_t kept = timed.empty() ? 0 : timed.front();
  for (std::size_t i = 0; i < roofline.hardware.size(); ++i) {
    heads.add(fmt::format("T_SOL({})", printable(roofline.hardware[i]->name)),
              i == kept ? 1 : kOtherMachine + static_cast<int>(i));
  }
}

void add_timed_heads(Heads& heads, const Roofline& roofline,
                     const std::vector<std::size_t>& timed) {
  for (const std::size_t i : timed) {
    const int rank = i == timed.front() ? 0 : kOtherMachine + static_cast<int>(i);
    heads.add(timed_head("T_Prod", roofline, i, timed), rank);
    heads.add(timed_head("S", roofline, i, timed), rank);
  }
}

/// A label with its parameters in front, because a narrow table cuts its end: "(vLLM), RMSNorm,
/// tokens=360 hidden=1152" as "tokens=360 hidden=1152, (vLLM), RMSNorm".
std::string parameters_first(std::string_view label) {
  constexpr std::string_view kBetween = ", ";
  std::string parameters;
  std::string others;
  while (!label.empty()) {
    const std::size_t end = label.find(kBetween);
    const std::string_view part = label.substr(0, end);
    std::string& into = part.find('=') != std::string_view::npos ? parameters : others;
    if (!into.empty()) into += kBetween;
    into += part;
    label.remove_prefix(end == std::string_view::npos ? label.size() : end + kBetween.size());
  }
  if (parameters.empty() || others.empty()) return parameters + others;
  return parameters + std::string(kBetween) + others;
}

std::string whose_times(const Roofline& roofline, const std::vector<std::size_t>& timed) {
  if (timed.empty()) return "No times are known for these machines; --baseline FILE adds some. ";
  if (timed.size() > 1) return {};
  return fmt::format("T_Prod and S are those of {}. ",
                     printable(roofline.hardware[timed.front()]->name));
}

void add_closing(std::string& out, const Roofline& roofline, std::size_t width) {
  std::string_view head = "score";
  for (const std::string& sentence : score_sentences(roofline)) {
    out += paragraph(head, sentence, width, kHead);
    head = "";
  }
  head = "warning";
  for (const std::string& warning : roofline.warnings) {
    out += paragraph(head, printable(warning), width, kHead);
    head = "";
  }
}

std::string facts_of(const Operator& op, const OperatorSummary& summary) {
  std::string text = fmt::format("{}importance {}", op.id.empty() ? "" : printable(op.id) + ", ",
                                 printed_percent(op.importance));
  if (op.profiles) text += ", seen in " + count_of(*op.profiles, "profile", "profiles");
  return text + fmt::format("; mostly {}; {} of {} shapes; regime {}", number_type_name(op.dtype),
                            summary.rows, op.shapes.size(), static_cast<char>(summary.regime));
}

void add_formulas(std::string& out, std::string_view operator_name, std::size_t width) {
  const CostFormula* formula = formula_of(operator_name);
  if (!formula) return;
  out += paragraph("W", formula->work.empty() ? "none" : formula->work, width, kHead);
  out += paragraph("Q read", formula->read, width, kHead);
  out += paragraph("Q written", formula->write, width, kHead);
  if (!formula->strict.empty()) out += paragraph("strict", formula->strict, width, kHead);
}

std::string work_text(const Cost& cost) {
  if (cost.work.empty()) return "none";
  std::string text;
  for (const Work& work : cost.work) {
    if (!text.empty()) text += " + ";
    text += fmt::format("{} {} {}", amount_text(work.flops, "FLOP"), number_type_name(work.type),
                        work.engine == Engine::kTensor ? "matrix" : "vector");
  }
  return text;
}

std::string parameters_text(const ShapeParameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters.values) {
    text += fmt::format("{}={} ", printable(name), value);
  }
  for (const SequenceRun& run : parameters.sequences) {
    text += fmt::format("{} x {} tokens ", run.count, run.length);
  }
  return text + fmt::format("dtype={}", number_type_name(parameters.dtype));
}

std::string seen_text(const Shape& shape) {
  std::string text = shape.framework.empty() ? "unknown framework" : printable(shape.framework);
  text += shape.tensor_parallel ? fmt::format(", TP {}", *shape.tensor_parallel) : ", TP unknown";
  text += ", " + (shape.phase.empty() ? "phase unknown" : printable(shape.phase));
  if (shape.calls) text += fmt::format("; {} calls", *shape.calls);
  return text;
}

/// Whether some of the times come from a baseline, which names their owner.
bool has_names(const Roofline& roofline) {
  for (const RooflineRow& row : roofline.rows) {
    for (const ShapeOnHardware& on : row.on) {
      if (!on.t_prod_by.empty()) return true;
    }
  }
  return false;
}

/// "cuda", or "cuda, torch_compiled" if the machines differ.
std::string names_text(const RooflineRow& row) {
  std::string names;
  std::string_view last;
  for (const ShapeOnHardware& on : row.on) {
    if (on.t_prod_by.empty() || on.t_prod_by == last) continue;
    names += (names.empty() ? "" : ", ") + printable(on.t_prod_by);
    last = on.t_prod_by;
  }
  return names;
}

}  // namespace

std::string show_roofline_text(const Roofline& roofline, std::size_t width) {
  const std::vector<std::size_t> timed = timed_hardware(roofline);
  Heads heads;
  heads.add("Importance", 2);
  heads.add("Regime", 3);
  heads.add("AI", 4);
  add_bound_heads(heads, roofline, timed);
  add_timed_heads(heads, roofline, timed);
  heads.add("Operator", 0);
  TextTable table = heads.table();
  for (const OperatorSummary& summary : roofline.operators) {
    const RooflineRow& row = roofline.rows[summary.middle_row];
    std::vector<std::string> cells = {printed_percent(summary.op->importance),
                                      std::string(1, static_cast<char>(summary.regime)),
                                      intensity_text(row.ai)};
    for (const ShapeOnHardware& on : row.on) cells.push_back(bound_text(on));
    for (const std::size_t i : timed) {
      cells.push_back(deployed_text(row.on[i]));
      cells.push_back(printed_percent(summary.median_s_printed[i]));
    }
    cells.push_back(printable(summary.op->name));
    table.add(std::move(cells));
  }
  std::string out = table.to_text(width) + "\n";
  out += paragraph(
      "meaning",
      fmt::format(
          "{}T_SOL is the least time the machine allows ({} model). {}AI (FLOP per byte) and "
          "times: of the shape in the middle of the ids{}. Regime: C above 10 FLOP per byte, "
          "I (indexing) below 0.01, else M.",
          "", model_name(roofline.model), whose_times(roofline, timed),
          timed.empty() ? "" : "; S = T_SOL / T_Prod: upper median of the shapes"),
      width, kHead);
  add_closing(out, roofline, width);
  out +=
      paragraph("next",
                "tactus roofline OPERATOR shows its formulas and shapes, OPERATOR/SHAPE one shape "
                "on every machine, --html FILE all of it",
                width, kHead);
  return out;
}

std::string show_operator_text(const Roofline& roofline, std::size_t width) {
  if (roofline.operators.empty()) {
    std::string out;
    add_closing(out, roofline, width);
    return out;
  }
  const OperatorSummary& summary = roofline.operators.front();
  const std::vector<std::size_t> timed = timed_hardware(roofline);
  std::string out = paragraph(printable(summary.op->name), facts_of(*summary.op, summary), width,
                              std::max(kHead, summary.op->name.size() + 2));
  add_formulas(out, summary.op->name, width);
  const std::size_t limited = timed.empty() ? 0 : timed.front();
  Heads heads;
  heads.add("AI", 3);
  add_bound_heads(heads, roofline, timed);
  if (!roofline.hardware.empty()) {
    heads.add(fmt::format("Limit({})", printable(roofline.hardware[limited]->name)), 4);
  }
  add_timed_heads(heads, roofline, timed);
  const bool named = has_names(roofline);
  if (named) heads.add("By", 5);
  heads.add("Shape", 0);
  TextTable table = heads.table();
  for (const RooflineRow& row : roofline.rows) {
    std::vector<std::string> cells = {intensity_text(row.ai)};
    for (const ShapeOnHardware& on : row.on) cells.push_back(bound_text(on));
    if (!row.on.empty()) cells.push_back(limit_text(row.on[limited]));
    for (const std::size_t i : timed) {
      cells.push_back(deployed_text(row.on[i]));
      cells.push_back(printed_percent(row.on[i].s_printed));
    }
    if (named) cells.push_back(names_text(row));
    cells.push_back(
        printable(fmt::format("#{} {}", row.shape->id, parameters_first(row.shape->label))));
    table.add(std::move(cells));
  }
  out += "\n" + table.to_text(width) + "\n";
  std::string meaning =
      fmt::format("{} model. {}", model_name(roofline.model), whose_times(roofline, timed));
  for (const std::size_t i : timed) {
    meaning += fmt::format("Median S on {}: {}. ", printable(roofline.hardware[i]->name),
                           printed_percent(summary.median_s_printed[i]));
  }
  out += paragraph("meaning", meaning, width, kHead);
  for (const std::string& warning : roofline.warnings) {
    out += paragraph("warning", printable(warning), width, kHead);
  }
  return out;
}

std::string show_shape_text(const Roofline& strict, const Roofline& catalogue, std::size_t width) {
  if (strict.rows.empty() || catalogue.rows.empty()) return show_operator_text(strict, width);
  const RooflineRow& row = strict.rows.front();
  const RooflineRow& published = catalogue.rows.front();
  const std::string name = printable(row.op->name + "/" + row.shape->id);
  std::string out =
      paragraph(name, printable(row.shape->label), width, std::max(kHead, name.size() + 2));
  out += paragraph("seen in", seen_text(*row.shape), width, kHead);
  out += paragraph("called with", parameters_text(row.shape->parameters), width, kHead);
  out += "\n";
  add_formulas(out, row.op->name, width);
  out += "\n";

  TextTable costs({"Model", "AI", "Q read", "Q written", "W"});
  for (const RooflineRow* of : {&row, &published}) {
    costs.add({of == &row ? "strict" : "catalogue", intensity_text(of->ai),
               amount_text(of->cost.read_bytes, "B"), amount_text(of->cost.write_bytes, "B"),
               work_text(of->cost)});
  }
  out += costs.to_text(width) + "\n";

  TextTable bounds({"T_SOL strict", "limit", "T_SOL catalogue", "limit", "T_Prod", "S strict",
                    "S catalogue", "Machine"});
  bounds.set_ranks({0, 2, 3, 4, 0, 0, 1, 0});
  for (std::size_t i = 0; i < strict.hardware.size(); ++i) {
    const ShapeOnHardware& on = row.on[i];
    bounds.add({bound_text(on), limit_text(on), bound_text(published.on[i]),
                limit_text(published.on[i]), deployed_text(on), printed_percent(on.s),
                printed_percent(published.on[i].s), printable(strict.hardware[i]->name)});
  }
  out += bounds.to_text(width);
  if (has_names(strict)) out += paragraph("T_Prod by", names_text(row), width, kHead);
  for (const std::string& warning : strict.warnings) {
    out += paragraph("warning", printable(warning), width, kHead);
  }
  return out;
}

}  // namespace tactus

#include "views/watch/evaluation_tables.h"
#include "views/watch/evaluation_view.h"

namespace tactus {

std::string show_evaluation_text(const watch::Evaluation& evaluation, std::size_t width) {
  std::string out = paragraph("", evaluation_summary(evaluation), width, 0);
  for (const EvaluationTable& part : evaluation_tables(evaluation)) {
    out +=
        "\n" + part.title + "\n" + paragraph("", part.note, width, 0) + part.table.to_text(width);
  }
  return out;
}

std::string show_evaluation_markdown(const watch::Evaluation& evaluation) {
  std::string out = evaluation_summary(evaluation) + "\n";
  for (const EvaluationTable& part : evaluation_tables(evaluation)) {
    out += "\n### " + part.title + "\n\n" + part.note + "\n\n" + part.table.to_markdown();
  }
  return out;
}

}  // namespace tactus

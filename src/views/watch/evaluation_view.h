#pragma once

#include <string>

#include "watch/evaluate/evaluation.h"

namespace tactus {

/// The scores as tables: for a terminal, or as Markdown for a page.
std::string show_evaluation_text(const watch::Evaluation& evaluation, std::size_t width);
std::string show_evaluation_markdown(const watch::Evaluation& evaluation);
std::string show_evaluation_json(const watch::Evaluation& evaluation);
/// The learning curve above a control chart, as one drawing.
std::string show_evaluation_svg(const watch::Evaluation& evaluation);
/// Drawing and tables as one page.
std::string show_evaluation_html(const watch::Evaluation& evaluation);

}  // namespace tactus

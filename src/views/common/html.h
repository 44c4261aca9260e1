#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "views/common/json.h"

namespace tactus {

/// Text that a page shows unchanged, for any name; also for attributes in quotes.
std::string html_text(std::string_view text);

/// A document for <script type="application/json">: nothing in it can end the script.
std::string html_json(const Json& document);
/// The same for a document that is already text.
std::string html_safe_json(std::string_view json);

/// The head of a sortable table; headings that start with '#' are for numbers.
std::string html_table_head(const std::vector<std::string>& heads);

std::string html_list(const std::vector<std::string>& sentences);

/// The style of every page: light and dark, on a phone and on paper.
extern const std::string_view kPageStyle;

/// Functions for every page: `makeSortable(table)`, and `visible(text)` for names with control
/// characters.
extern const std::string_view kPageScript;

/// The parts of one self-contained page.
struct PageParts {
  std::string title;         ///< plain text
  std::string_view style;    ///< besides kPageStyle
  std::string body;          ///< HTML
  std::string_view json_id;  ///< of the element that holds the document
  std::string json;          ///< a document that html_json wrote
  std::string_view script;   ///< runs after kPageScript and the document
};
std::string page_html(const PageParts& parts);

}  // namespace tactus

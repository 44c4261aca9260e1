#pragma once

#include <string>
#include <string_view>

namespace tactus {

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

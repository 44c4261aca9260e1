#pragma once

#include <string>
#include <string_view>

namespace tactus {

/// What every page looks like: light and dark, on a phone and on paper.
extern const std::string_view kPageStyle;

/// What every page can do: `makeSortable(table)`, and `visible(text)` for names that hold control
/// characters.
extern const std::string_view kPageScript;

/// The parts of one page that needs nothing else.
struct PageParts {
  std::string title;         ///< plain text
  std::string_view style;    ///< beside kPageStyle
  std::string body;          ///< HTML
  std::string_view json_id;  ///< of the element that holds the document
  std::string json;          ///< a document that html_json wrote
  std::string_view script;   ///< runs after kPageScript and the document
};
std::string page_html(const PageParts& parts);

}  // namespace tactus

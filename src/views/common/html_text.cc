#include "base/utf8.h"
#include "views/common/html.h"
#include "views/common/text_table.h"

namespace tactus {

std::string html_text(std::string_view text) {
  bool repaired = false;
  std::string out;
  for (const char c : printable(to_valid_utf8(text, repaired))) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out.push_back(c);
    }
  }
  return out;
}

std::string html_json(const Json& document) {
  return html_safe_json(document.dump());
}

std::string html_safe_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    switch (c) {  // these occur only inside strings, where JSON allows numeric escapes
      case '<': out += "\\u003c"; break;
      case '>': out += "\\u003e"; break;
      case '&': out += "\\u0026"; break;
      default: out.push_back(c);
    }
  }
  return out;
}

}  // namespace tactus

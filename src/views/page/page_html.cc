#include "views/page/page_html.h"

#include <fmt/format.h>

#include "base/embedded.h"
#include "page/gzip.h"
#include "page/packed_text.h"
#include "page/sha256.h"
#include "views/common/html.h"
#include "views/page/shared_json.h"

namespace tactus {
namespace {

TACTUS_EMBED(page_script, "../ui/dist/page.js");
TACTUS_EMBED(page_style, "../ui/dist/page.css");

TACTUS_EMBED(page_loader, "../ui/dist/loader.js");

/// A script element that is not run: its text is packed bytes.
std::string packed_block(std::string_view attributes, std::string_view content) {
  const std::string bytes = page::small_gzip(content);
  return fmt::format("<script type=\"text/plain\" {} data-bytes=\"{}\">{}</script>\n", attributes,
                     bytes.size(), page::packed_text(bytes));
}

/// The documents of a page that is a file. JSON is in one block, so that its texts are shared.
std::string document_blocks(const std::vector<PageDocument>& documents) {
  constexpr std::size_t kLargest = 32 << 20;  // a larger one would take too much memory to parse
  SharedJson shared;
  Json packed = Json::object();
  std::string out;
  for (const PageDocument& document : documents) {
    if (document.is_json && document.bytes.size() <= kLargest) {
      packed[document.name] = shared.pack(Json::parse(document.bytes));
    } else {
      out +=
          packed_block("class=\"tactus-document\" data-name=\"" + html_text(document.name) + "\"",
                       document.bytes);
    }
  }
  Json all;
  all["strings"] = shared.strings();
  all["documents"] = std::move(packed);
  return packed_block("id=\"tactus-json\"", all.dump()) + out;
}

std::string head_json(const PageRequest& request) {
  Json names = Json::array();
  for (const PageDocument& document : request.documents) names.push_back(document.name);
  const bool serve = request.mode == PageMode::kServe;
  return html_json({{"version", 1},
                    {"mode", serve ? "serve" : "report"},
                    {"open", request.open},
                    {"title", request.title},
                    {"tactus", request.version},
                    {"documents", serve ? Json::array() : std::move(names)},
                    {"warnings", Json(request.warnings)}});
}

}  // namespace

std::string page_policy(PageMode mode) {
  static const std::string kScript = csp_hash(page_script());
  static const std::string kRest = "; style-src " + csp_hash(page_style()) +
                                   "; img-src data: blob:; base-uri 'none'; form-action 'none'";
  const std::string begin = "default-src 'none'; script-src " + kScript;
  if (mode == PageMode::kServe) {
    return begin + kRest + "; connect-src 'self'; frame-ancestors 'none'";
  }
  return begin + " " + csp_hash(page_loader()) + kRest + "; connect-src 'none'";
}

std::string show_page(const PageRequest& request) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
      html_text(page_policy(PageMode::kReport)) + "\">\n";
  if (request.mode == PageMode::kServe) {
    out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  }
  out +=
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n<title>" +
      html_text(request.title) + "</title>\n<style>";
  out += page_style();
  out += "</style>\n</head>\n<body>\n<div id=\"app\"></div>\n<main id=\"plain\">\n<h1>" +
         html_text(request.title) + "</h1>\n" + plain_tables(request.documents) + "</main>\n";
  out +=
      "<script type=\"application/json\" id=\"tactus-head\">" + head_json(request) + "</script>\n";
  if (request.mode == PageMode::kReport) {
    out += document_blocks(request.documents);
    out += packed_block("id=\"tactus-bundle\"", page_script()) + "<script>";
    out += page_loader();
  } else {
    out += "<script>";
    out += page_script();
  }
  return out + "</script>\n</body>\n</html>\n";
}

}  // namespace tactus

#include "views/page/page_html.h"

#include "base/embedded.h"
#include "page/gzip.h"
#include "page/sha256.h"
#include "views/common/html.h"

namespace tactus {
namespace {

TACTUS_EMBED(page_script, "../ui/dist/page.js");
TACTUS_EMBED(page_style, "../ui/dist/page.css");

/// Unpacks the bundle of a page that is a file, and starts it. As an inline script, it may run
/// because the policy has its hash, too.
constexpr std::string_view kLoader = R"js((async () => {
  const packed = atob(document.getElementById("tactus-bundle").textContent);
  const bytes = new Blob([Uint8Array.from(packed, (c) => c.charCodeAt(0))]).stream();
  const script = document.createElement("script");
  script.textContent = await new Response(bytes.pipeThrough(new DecompressionStream("gzip"))).text();
  document.body.append(script);
})();)js";

std::string packed_bundle() {
  return "<script type=\"text/plain\" id=\"tactus-bundle\">" +
         base64(page::small_gzip(page_script())) + "</script>\n<script>" + std::string(kLoader);
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
  return begin + " " + csp_hash(kLoader) + kRest + "; connect-src 'none'";
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
    for (const PageDocument& document : request.documents) {
      out += "<script type=\"text/plain\" class=\"tactus-document\" data-name=\"" +
             html_text(document.name) + "\" data-kind=\"" + (document.is_json ? "json" : "bytes") +
             "\">" + base64(page::small_gzip(document.bytes)) + "</script>\n";
    }
  }
  if (request.mode == PageMode::kReport) {
    out += packed_bundle();
  } else {
    out += "<script>";
    out += page_script();
  }
  return out + "</script>\n</body>\n</html>\n";
}

}  // namespace tactus

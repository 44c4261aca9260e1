#include "http/client.h"
#include "http/request.h"
#include "serve/documents/private_text.h"
#include "serve/documents/query.h"
#include "serve/http/access.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus;
  using namespace tactus::serve;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  safe_file_name(text);
  without_paths(text);
  const auto use = [](std::string_view target) {
    const Result<DocumentName> name = read_document_name(target);
    if (!name) return;
    canonical_name(*name);
    const Result<page::TileRequest> tile = read_tile(name->query, {0, 1000});
    CHECK(!tile || (tile->to_ns >= tile->from_ns && tile->columns > 0));
    const Result<SliceFilter> filter = read_filter(name->query);
    CHECK(!filter || !filter->limits_time() || filter->window());
  };
  use(text);
  (void)http::parse_answer(text, false);
  (void)http::parse_answer(text, true);
  (void)http::parse_url(std::string(text));
  if (http::end_of_head(text)) {
    const Result<http::Request> request = http::read_request(text);
    if (!request) return 0;
    const Access access("token", "127.0.0.1", 80);
    access.refusal({.host = request->header("host"), .origin = request->header("origin")});
    use(std::string_view(request->target).substr(1));
  }
  return 0;
}

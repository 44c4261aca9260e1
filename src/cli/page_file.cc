#include "cli/page_file.h"

#include "cli/report_files.h"
#include "cli/version.h"
#include "serve/documents/private_text.h"

namespace tactus::cli {

void hide_paths(PageRequest& page) {
  for (PageDocument& document : page.documents) {
    if (document.is_json) document.bytes = serve::without_paths(document.bytes);
  }
  for (std::string& warning : page.warnings) warning = serve::without_paths(warning);
}

Status write_page(const std::string& path, bool replace, std::string title, std::string open,
                  std::vector<PageDocument> documents, std::vector<std::string> warnings) {
  PageRequest page{.open = std::move(open),
                   .title = std::move(title),
                   .version = kVersion,
                   .warnings = std::move(warnings),
                   .documents = std::move(documents)};
  hide_paths(page);
  return write_report(path, show_page(page), replace);
}

}  // namespace tactus::cli

#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "views/page/page_html.h"

namespace tactus::cli {

/// Paths of this machine are cut to their last parts in documents and warnings.
void hide_paths(PageRequest& page);

/// Writes a page of documents; paths are hidden.
Status write_page(const std::string& path, bool replace, std::string title, std::string open,
                  std::vector<PageDocument> documents, std::vector<std::string> warnings = {});

}  // namespace tactus::cli

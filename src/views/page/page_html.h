#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tactus {

/// A document that a page holds.
struct PageDocument {
  std::string name;  ///< "run/0/kernels?phase=decode"
  bool is_json = true;
  std::string bytes;
};

enum class PageMode : unsigned char { kReport, kServe };

struct PageRequest {
  PageMode mode = PageMode::kReport;
  std::string open = "overview";  ///< the part to show first
  std::string title;              ///< plain text
  std::string version;            ///< of tactus
  std::vector<std::string> warnings;
  std::vector<PageDocument> documents;  ///< those in the file
};

/// The whole page. The bundle and its style are allowed by their hashes, and nothing else.
std::string show_page(const PageRequest& request);

/// The content security policy of a page that a server answers with.
std::string page_policy(PageMode mode);

/// The main documents as plain tables, for browsers without JavaScript.
std::string plain_tables(const std::vector<PageDocument>& documents);

}  // namespace tactus

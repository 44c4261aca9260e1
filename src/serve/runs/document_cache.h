#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "views/page/page_html.h"

namespace tactus::serve {

/// A document as it is sent.
struct CachedDocument {
  bool is_json = true;
  std::string bytes;
  std::string packed;  ///< gzip; empty if that is not worth it
};

/// Documents that were asked for before, up to a number of bytes; the ones that nobody asked for
/// longest go first. Calls may come from any thread.
class DocumentCache {
 public:
  explicit DocumentCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  std::shared_ptr<const CachedDocument> find(const std::string& name);
  std::shared_ptr<const CachedDocument> keep(const std::string& name, PageDocument document);
  void clear();
  std::size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    std::string name;
    std::shared_ptr<const CachedDocument> document;
  };
  static std::size_t size_of(const CachedDocument& document) {
    return document.bytes.size() + document.packed.size();
  }

  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::mutex mutex_;
  std::list<Entry> entries_;  ///< asked for last first
  std::unordered_map<std::string, std::list<Entry>::iterator> places_;
};

}  // namespace tactus::serve

#include "serve/runs/document_cache.h"

#include "page/gzip.h"

namespace tactus::serve {
namespace {

constexpr std::size_t kWorthPacking = 2048;  // [bytes]

}  // namespace

std::shared_ptr<const CachedDocument> DocumentCache::find(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto at = places_.find(name);
  if (at == places_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, at->second);
  return at->second->document;
}

std::shared_ptr<const CachedDocument> DocumentCache::keep(const std::string& name,
                                                          PageDocument document) {
  auto kept = std::make_shared<CachedDocument>();
  kept->is_json = document.is_json;
  kept->bytes = std::move(document.bytes);
  if (kept->bytes.size() >= kWorthPacking) kept->packed = page::gzip(kept->bytes);
  const std::size_t size = size_of(*kept);
  const std::lock_guard lock(mutex_);
  if (size > most_bytes_ / 2 || places_.contains(name)) return kept;
  entries_.push_front({name, kept});
  places_[name] = entries_.begin();
  bytes_ += size;
  while (bytes_ > most_bytes_ && entries_.size() > 1) {
    bytes_ -= size_of(*entries_.back().document);
    places_.erase(entries_.back().name);
    entries_.pop_back();
  }
  return kept;
}

void DocumentCache::clear() {
  const std::lock_guard lock(mutex_);
  entries_.clear();
  places_.clear();
  bytes_ = 0;
}

}  // namespace tactus::serve

#include "sources/nsys/database/words.h"

#include <iterator>
#include <span>

namespace tactus::nsys {
namespace {

// For databases that lack the ENUM_ tables.
constexpr std::string_view kCopies[] = {
    "Unknown", "HtoD", "DtoH", "HtoA", "AtoH",         "AtoA",         "AtoD",
    "DtoA",    "DtoD", "HtoH", "PtoP", "Unified HtoD", "Unified DtoH", "Unified DtoD"};
constexpr std::string_view kMemories[] = {"Pageable", "Pinned",        "Device",         "Array",
                                          "Managed",  "Device Static", "Managed Static", "Unknown"};
constexpr std::string_view kSyncs[] = {"Unknown Sync", "Event Sync", "Stream Wait Event",
                                       "Stream Sync", "Context Sync"};

constexpr std::size_t kFewestVersionDigits = 4;  // CUDA 3.2 is 3020

std::string_view entry(std::span<const std::string_view> words, std::int64_t number,
                       std::string_view otherwise) {
  if (number < 0 || number >= static_cast<std::int64_t>(words.size())) return otherwise;
  return words[static_cast<std::size_t>(number)];
}

/// "Unified Host-to-Device" becomes "Unified HtoD".
std::string shortened(std::string_view label) {
  static constexpr std::string_view kTo = "-to-";
  const std::size_t to = label.find(kTo);
  if (to == std::string_view::npos || to == 0 || to + kTo.size() >= label.size()) {
    return std::string(label);
  }
  const std::size_t blank = label.rfind(' ', to);
  const std::size_t from = blank == std::string_view::npos ? 0 : blank + 1;
  std::string word(label.substr(0, from));
  word += label[from];
  word += "to";
  word += label[to + kTo.size()];
  return word;
}

}  // namespace

std::string copy_word(const EnumLabels& labels, std::int64_t kind) {
  const std::string_view label = labels.find(kind);
  return label.empty() ? std::string(entry(kCopies, kind, "Unknown")) : shortened(label);
}

std::string memory_word(const EnumLabels& labels, std::int64_t kind) {
  const std::string_view label = labels.find(kind);
  return std::string(label.empty() ? entry(kMemories, kind, "Unknown") : label);
}

std::string_view sync_word(std::int64_t kind) {
  return entry(kSyncs, kind, kSyncs[0]);
}

std::string_view without_version(std::string_view call) {
  const std::size_t last = call.find_last_not_of("0123456789");
  if (last == std::string_view::npos || last == 0) return call;
  const std::size_t digits = call.size() - last - 1;
  if (digits < kFewestVersionDigits || call.substr(last - 1, 2) != "_v") return call;
  return call.substr(0, last - 1);
}

}  // namespace tactus::nsys

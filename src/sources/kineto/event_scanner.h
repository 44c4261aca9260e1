#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sources/kineto/layout.h"
#include "sources/kineto/layout_learner.h"

namespace tactus::kineto {

/// The position of the scanner in a document.
struct Place {
  enum Kind : std::uint8_t {
    kStart,    ///< before the document
    kMembers,  ///< in the outer object, between its members
    kEvents,   ///< among the events
    kEnd,      ///< after the document
  };
  Kind kind = kStart;
  bool in_object = false;  ///< the events are a member of an object, not the whole document

  bool operator==(const Place&) const = default;
};

/// The result of scanning one piece of text.
struct ScanResult {
  Place place;                ///< the position after the consumed text
  std::size_t consumed = 0;   ///< bytes; the rest is the start of something unfinished
  bool found_events = false;  ///< it was among events at some point
  std::string problem;        ///< why nothing can be read after this; empty if all is well
};

/// Reads trace events. It learns the layouts of a trace while it reads. Learning makes it faster
/// and never changes the result: a guess counts only if the bytes are the same.
class EventScanner {
 public:
  EventScanner();

  /// Scans text that starts at `place` and is followed by kPadding zero bytes. An unfinished value
  /// at the end of the text is not consumed.
  ScanResult scan(std::string_view text, Place place, EventBatch& batch);

 private:
  void forget_if_large();
  void tell_what_is_new(EventBatch& batch);
  bool scan_start(ScanResult& result, EventBatch& batch);
  bool scan_members(ScanResult& result, EventBatch& batch);
  bool scan_events(ScanResult& result, EventBatch& batch);

  const char* match_any(const char* p, EventBatch& batch);
  const char* match(Layout& layout, const char* p, ValueList& values);
  const char* read_pooled(Step& step, std::uint64_t context, const char* p, std::int64_t& value);
  void use(std::uint32_t layout, EventBatch& batch);

  std::shared_ptr<Dictionary> dictionary_;
  LayoutLearner learner_;
  std::vector<std::uint32_t> text_guesses_;  ///< by context: the string seen there last
  std::vector<std::uint32_t> json_guesses_;  ///< the same for arrays and objects
  std::vector<std::uint32_t> recent_;        ///< layouts, the last used first
  std::uint32_t previous_ = 0;               ///< the layout of the event before

  const char* p_ = nullptr;  ///< in the text being scanned
  const char* end_ = nullptr;
};

}  // namespace tactus::kineto

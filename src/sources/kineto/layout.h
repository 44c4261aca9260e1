#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "run/strings.h"

namespace tactus::kineto {

/// How a value was written.
enum class Hole : std::uint8_t {
  kTime,  ///< microseconds, kept as ns
  kInt,
  kDecimal,  ///< a plain fraction, kept as Decimal
  kNumber,   ///< any other number; its text
  kText,     ///< a string; what stands between the quotes
  kJson,     ///< an array or object; its text
  kBool,
  kNull,
};

/// True for values that are stored as an id of the Dictionary's pool.
constexpr bool is_pooled(Hole hole) {
  return hole == Hole::kNumber || hole == Hole::kText || hole == Hole::kJson;
}

/// The role of a value in its event.
enum class Role : std::uint8_t {
  kName,
  kPid,
  kTid,
  kTime,
  kDuration,
  kId,
  kStackFrame,
  kField,  ///< any other field of the event
  kArg,    ///< a member of `args`
};

/// A value and the text before it.
struct Step {
  std::uint32_t literal_at = 0;  ///< where that text starts in Layout::text
  std::uint32_t literal_size = 0;
  Hole hole = Hole::kNull;
  Role role = Role::kField;
  std::uint32_t key = 0;   ///< pool id of the key, for fields and arguments
  std::uint32_t last = 0;  ///< the last pooled value here, to guess the next one
};

/// How one kind of event is written, byte for byte except for its values. Profilers write events
/// with fixed format strings, so a trace of millions of events has a few dozen layouts:
///
///   {"ph": "X", "cat": "kernel", "name": "...", "pid": 0, "tid": 7, "ts": 12.5, "dur": 3.25, ...
///   ^------------- literal -------------^^hole^-literal-^^hole ...
///
/// Phase and category are part of the literals.
struct Layout {
  std::uint32_t phase = 0;     ///< pool id
  std::uint32_t category = 0;  ///< pool id
  std::string text;            ///< all literals, the closing one last, and padding
  std::vector<Step> steps;
  std::uint32_t tail_at = 0;  ///< where the closing literal starts
  std::uint32_t tail_size = 0;
  bool matchable = true;       ///< false if reading the values needs more than their holes say
  std::uint32_t follower = 0;  ///< the layout that came after this one, to guess the next one
};

/// What a scanner has learned: texts and layouts, identified by their index.
struct Dictionary {
  StringPool pool;
  std::vector<Layout> layouts;
  std::unordered_map<std::string, std::uint32_t> layout_of;  ///< by everything that makes layouts
                                                             ///< different
  std::size_t texts_told = 0;  ///< number that batches have handed on already
  std::size_t layouts_told = 0;
};

/// The meaning of a layout, for code that reads batches.
struct LayoutFacts {
  std::uint32_t phase = 0;
  std::uint32_t category = 0;
  std::vector<Step> steps;
};

/// Numbers that can be appended without a check for each.
class ValueList {
 public:
  /// Room for `count` more values after the last one; `add` keeps them.
  std::int64_t* room(std::size_t count) {
    if (capacity_ - size_ < count) grow(count);
    return values_.get() + size_;
  }
  void add(std::size_t count) { size_ += count; }

  const std::int64_t* data() const { return values_.get(); }
  std::size_t size() const { return size_; }
  void clear() { size_ = 0; }

 private:
  void grow(std::size_t count) {
    capacity_ = std::max(capacity_ * 2, size_ + count);
    auto larger = std::make_unique_for_overwrite<std::int64_t[]>(capacity_);
    std::copy_n(values_.get(), size_, larger.get());
    values_ = std::move(larger);
  }

  std::unique_ptr<std::int64_t[]> values_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// The events of one window: the layout of each, and the values one after the other.
struct EventBatch {
  /// The dictionary of the indices. Its scanner continues to change it, so a batch carries the new
  /// entries; the texts keep their addresses as long as the dictionary lives.
  std::shared_ptr<const Dictionary> dictionary;
  std::vector<std::string_view> new_texts;
  std::vector<LayoutFacts> new_layouts;

  std::vector<std::uint32_t> layouts;
  ValueList values;

  /// Where in the lists of events and of metadata a document begins.
  struct DocumentStart {
    std::size_t event = 0;
    std::size_t metadata = 0;
  };
  std::vector<DocumentStart> documents;
  std::vector<std::pair<std::string, std::string>> metadata;  ///< of the document: key, JSON text
  std::uint64_t not_objects = 0;                              ///< among the events
  std::uint64_t malformed = 0;

  void clear() {
    clear_events();
    dictionary.reset();
    new_texts.clear();
    new_layouts.clear();
  }

  /// Forgets the events but not what was learned from them.
  void clear_events() {
    layouts.clear();
    values.clear();
    documents.clear();
    metadata.clear();
    not_objects = malformed = 0;
  }
};

}  // namespace tactus::kineto

#include "sources/kineto/event_scanner.h"

#include <algorithm>
#include <cstring>

#include "sources/kineto/json_scan.h"

namespace tactus::kineto {
namespace {

constexpr int kGuessBits = 14;
constexpr std::size_t kRecentLayouts = 24;

// A scanner that remembers more than this starts again: real traces stay far below, hostile ones do
// not.
constexpr std::size_t kLargestPool = 8 << 20;  // [bytes]
constexpr std::size_t kMostTexts = 200'000;
constexpr std::size_t kMostLayouts = 4096;

std::string quoted(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte < 0x7F) return std::string("'") + c + "'";
  return "byte " + std::to_string(byte);
}

}  // namespace

EventScanner::EventScanner()
    : dictionary_(std::make_shared<Dictionary>()),
      text_guesses_(std::size_t{1} << kGuessBits),
      json_guesses_(std::size_t{1} << kGuessBits) {}

void EventScanner::forget_if_large() {
  if (dictionary_->pool.memory_bytes() < kLargestPool && dictionary_->pool.size() < kMostTexts &&
      dictionary_->layouts.size() < kMostLayouts) {
    return;
  }
  dictionary_ = std::make_shared<Dictionary>();
  std::fill(text_guesses_.begin(), text_guesses_.end(), 0);
  std::fill(json_guesses_.begin(), json_guesses_.end(), 0);
  recent_.clear();
  previous_ = 0;
}

ScanResult EventScanner::scan(std::string_view text, Place place, EventBatch& batch) {
  forget_if_large();
  batch.clear();
  batch.dictionary = dictionary_;
  p_ = text.data();
  end_ = text.data() + text.size();

  ScanResult result;
  result.place = place;
  bool going = true;
  while (going) {
    switch (result.place.kind) {
      case Place::kStart: going = scan_start(result, batch); break;
      case Place::kMembers: going = scan_members(result, batch); break;
      case Place::kEvents:
        result.found_events = true;
        going = scan_events(result, batch);
        break;
      case Place::kEnd:
        p_ = skip_space(p_);
        going = p_ < end_;
        if (going) result.place = Place{};
        break;
    }
  }
  result.consumed = static_cast<std::size_t>(std::min(p_, end_) - text.data());
  tell_what_is_new(batch);
  return result;
}

void EventScanner::tell_what_is_new(EventBatch& batch) {
  Dictionary& known = *dictionary_;
  for (; known.texts_told < known.pool.size(); ++known.texts_told) {
    batch.new_texts.push_back(known.pool[StringId(known.texts_told)]);
  }
  for (; known.layouts_told < known.layouts.size(); ++known.layouts_told) {
    const Layout& layout = known.layouts[known.layouts_told];
    batch.new_layouts.push_back({layout.phase, layout.category, layout.steps});
  }
}

bool EventScanner::scan_start(ScanResult& result, EventBatch& batch) {
  p_ = skip_space(p_);
  if (end_ - p_ >= 3 && std::memcmp(p_, "\xEF\xBB\xBF", 3) == 0) p_ = skip_space(p_ + 3);
  if (p_ >= end_) return false;
  if (*p_ != '{' && *p_ != '[') {
    result.problem = "expected '{' or '[' of a JSON document, found " + quoted(*p_);
    return false;
  }
  const bool in_object = *p_++ == '{';
  result.place = {.kind = in_object ? Place::kMembers : Place::kEvents, .in_object = in_object};
  batch.documents.push_back({batch.layouts.size(), batch.metadata.size()});
  return true;
}

bool EventScanner::scan_members(ScanResult& result, EventBatch& batch) {
  for (;;) {
    p_ = skip_space(p_);
    if (p_ >= end_) return false;
    if (*p_ == ',') {
      ++p_;
      continue;
    }
    if (*p_ == '}') {
      ++p_;
      result.place = {.kind = Place::kEnd, .in_object = false};
      return true;
    }
    if (*p_ != '"') {
      result.problem = "expected the name of a member, found " + quoted(*p_);
      return false;
    }
    const char* quote = find_string_end(p_ + 1, end_);
    if (quote == nullptr) return false;
    const std::string_view key(p_ + 1, static_cast<std::size_t>(quote - p_ - 1));
    const char* value = skip_space(quote + 1);
    if (value >= end_) return false;
    if (*value != ':') {
      result.problem = "expected ':' after the name of a member, found " + quoted(*value);
      return false;
    }
    value = skip_space(value + 1);
    if (value >= end_) return false;
    if (key == "traceEvents" && *value == '[') {
      p_ = value + 1;
      result.place = {.kind = Place::kEvents, .in_object = true};
      return true;
    }
    const char* after = skip_value(value, end_);
    if (after == nullptr) return false;
    if (after == value) {
      result.problem = "expected a value, found " + quoted(*value);
      return false;
    }
    batch.metadata.emplace_back(std::string(key), std::string(value, after));
    p_ = after;
  }
}

bool EventScanner::scan_events(ScanResult& result, EventBatch& batch) {
  for (;;) {
    while (is_space(*p_) || *p_ == ',') ++p_;
    if (p_ >= end_) return false;
    if (*p_ == '{') {
      if (const char* after = match_any(p_, batch)) {
        p_ = after;
        continue;
      }
      const char* after = p_;
      switch (learner_.read(after, end_, *dictionary_)) {
        case LayoutLearner::Outcome::kRead: {
          const std::span<const std::int64_t> values = learner_.values();
          std::copy(values.begin(), values.end(), batch.values.room(values.size()));
          batch.values.add(values.size());
          use(learner_.layout(), batch);
          p_ = after;
          continue;
        }
        case LayoutLearner::Outcome::kUnfinished: return false;
        case LayoutLearner::Outcome::kMalformed: break;
      }
      after = skip_value(p_, end_);
      if (after == nullptr) return false;
      ++batch.malformed;
      p_ = after;
      continue;
    }
    if (*p_ == ']') {
      ++p_;
      result.place = {.kind = result.place.in_object ? Place::kMembers : Place::kEnd,
                      .in_object = result.place.in_object};
      return true;
    }
    const char* after = skip_value(p_, end_);
    if (after == nullptr) return false;
    if (after == p_) {
      result.problem = "expected an event, found " + quoted(*p_);
      return false;
    }
    ++batch.not_objects;
    p_ = after;
  }
}

void EventScanner::use(std::uint32_t layout, EventBatch& batch) {
  batch.layouts.push_back(layout);
  if (previous_ < dictionary_->layouts.size()) dictionary_->layouts[previous_].follower = layout;
  previous_ = layout;
  const auto at = std::find(recent_.begin(), recent_.end(), layout);
  if (at != recent_.end()) {
    std::rotate(recent_.begin(), at, at + 1);
  } else {
    if (recent_.size() == kRecentLayouts) recent_.pop_back();
    recent_.insert(recent_.begin(), layout);
  }
}

const char* EventScanner::match_any(const char* p, EventBatch& batch) {
  std::vector<Layout>& layouts = dictionary_->layouts;
  if (layouts.empty()) return nullptr;
  const std::uint32_t guess = layouts[previous_].follower;
  if (const char* after = match(layouts[guess], p, batch.values)) {
    batch.layouts.push_back(guess);
    previous_ = guess;
    return after;
  }
  for (const std::uint32_t layout : recent_) {
    if (layout == guess) continue;
    if (const char* after = match(layouts[layout], p, batch.values)) {
      use(layout, batch);
      return after;
    }
  }
  return nullptr;
}

const char* EventScanner::match(Layout& layout, const char* p, ValueList& values) {
  if (!layout.matchable) return nullptr;
  const char* text = layout.text.data();
  std::int64_t* value = values.room(layout.steps.size());
  std::uint64_t context = 0;
  for (Step& step : layout.steps) {
    if (static_cast<std::size_t>(end_ - p) < step.literal_size ||
        !same_text(p, text + step.literal_at, step.literal_size)) {
      return nullptr;
    }
    p += step.literal_size;
    switch (step.hole) {
      case Hole::kTime: p = read_time(p, *value); break;
      case Hole::kInt: p = read_int(p, *value); break;
      case Hole::kDecimal: p = read_decimal(p, *value); break;
      case Hole::kBool:
        *value = *p == 't' ? 1 : 0;
        p = std::memcmp(p, "true", 4) == 0    ? p + 4
            : std::memcmp(p, "false", 5) == 0 ? p + 5
                                              : nullptr;
        break;
      case Hole::kNull: *value = 0; break;
      case Hole::kText:
      case Hole::kJson:
        p = read_pooled(step, context, p, *value);
        context = static_cast<std::uint64_t>(*value);
        break;
      case Hole::kNumber: p = nullptr; break;  // never in a layout that can be matched
    }
    if (p == nullptr) return nullptr;
    ++value;
  }
  if (static_cast<std::size_t>(end_ - p) < layout.tail_size ||
      !same_text(p, text + layout.tail_at, layout.tail_size)) {
    return nullptr;
  }
  values.add(layout.steps.size());
  return p + layout.tail_size;
}

const char* EventScanner::read_pooled(Step& step, std::uint64_t context, const char* p,
                                      std::int64_t& value) {
  // A value mostly follows the same two values as last time (the previous one of this event and the
  // last one of this step), because servers repeat themselves. Comparing is faster than searching
  // for the end and hashing.
  const std::uint64_t mixed =
      (context * 0x9E3779B97F4A7C15ULL) ^ ((step.last + step.key + 1) * 0xC2B2AE3D27D4EB4FULL);
  const std::size_t slot = mixed * 0x9E3779B97F4A7C15ULL >> (64 - kGuessBits);
  const bool is_text = step.hole == Hole::kText;
  std::uint32_t& guess = (is_text ? text_guesses_ : json_guesses_)[slot];
  const std::string_view known = dictionary_->pool[StringId(guess)];
  const auto left = static_cast<std::size_t>(end_ - p);
  if (known.size() < left && std::memcmp(p, known.data(), known.size()) == 0 &&
      (is_text ? p[known.size()] == '"' : guess != 0)) {
    value = step.last = guess;
    return p + known.size();
  }
  const char* after = nullptr;
  if (is_text) {
    after = find_string_end(p, end_);
  } else if (*p == '[' || *p == '{') {
    after = skip_value(p, end_);
  }
  if (after == nullptr) return nullptr;
  const std::string_view found(p, static_cast<std::size_t>(after - p));
  value = step.last = guess = dictionary_->pool.intern(found).value;
  return after;
}

}  // namespace tactus::kineto

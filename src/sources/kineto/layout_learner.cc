#include "sources/kineto/layout_learner.h"

#include <charconv>
#include <optional>

#include "sources/kineto/json_scan.h"

namespace tactus::kineto {
namespace {

constexpr std::int64_t kLongInt = 1'000'000'000'000'000'000;

struct RoleOfKey {
  std::string_view key;
  Role role;
};

constexpr RoleOfKey kRoles[] = {
    {"name", Role::kName},    {"pid", Role::kPid}, {"tid", Role::kTid},       {"ts", Role::kTime},
    {"dur", Role::kDuration}, {"id", Role::kId},   {"sf", Role::kStackFrame},
};

Role role_of(std::string_view key) {
  for (const RoleOfKey& known : kRoles) {
    if (known.key == key) return known.role;
  }
  return Role::kField;
}

bool is_time(Role role) {
  return role == Role::kTime || role == Role::kDuration;
}

/// Names and ids are numbers or texts; any other value there is read as text.
bool is_number_or_text(Role role) {
  return role == Role::kPid || role == Role::kTid || role == Role::kId || role == Role::kStackFrame;
}

/// A whole number of 19 digits, which is too long for `read_int`: some correlation ids.
std::optional<std::int64_t> long_int(std::string_view token) {
  std::int64_t value = 0;
  const char* end = token.data() + token.size();
  const auto [after, error] = std::from_chars(token.data(), end, value);
  const bool is_long = value >= kLongInt || value <= -kLongInt;
  const bool has_leading_zero = token.starts_with('0') || token.starts_with("-0");
  if (error != std::errc() || after != end || !is_long || has_leading_zero) return std::nullopt;
  return value;
}

std::string_view text_between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

LayoutLearner::Outcome LayoutLearner::read(const char*& p, const char* end,
                                           Dictionary& dictionary) {
  dictionary_ = &dictionary;
  draft_ = Layout();
  values_.clear();
  if (has_nested_) places_ = {};
  replaced_.clear();
  has_nested_ = false;
  in_nested_ = false;
  literal_ = p;
  const Outcome outcome = read_members(p, end, false);
  if (outcome != Outcome::kRead) return outcome;
  draft_.tail_at = static_cast<std::uint32_t>(draft_.text.size());
  draft_.tail_size = static_cast<std::uint32_t>(p - literal_);
  if (draft_.matchable) draft_.text.append(literal_, p).append(kPadding, '\0');
  layout_ = intern_layout();
  return Outcome::kRead;
}

LayoutLearner::Outcome LayoutLearner::read_members(const char*& p, const char* end, bool in_args) {
  ++p;  // the brace
  for (;;) {
    p = skip_space(p);
    if (p >= end) return Outcome::kUnfinished;
    if (*p == '}') {
      ++p;
      return Outcome::kRead;
    }
    if (*p == ',') {
      ++p;
      continue;
    }
    if (*p != '"') return Outcome::kMalformed;
    const char* key_end = find_string_end(p + 1, end);
    if (key_end == nullptr) return Outcome::kUnfinished;
    const std::string_view key = text_between(p + 1, key_end);
    p = skip_space(key_end + 1);
    if (p >= end) return Outcome::kUnfinished;
    if (*p != ':') return Outcome::kMalformed;
    p = skip_space(p + 1);
    if (p >= end) return Outcome::kUnfinished;
    const Outcome outcome = read_value(p, end, key, in_args);
    if (outcome != Outcome::kRead) return outcome;
  }
}

LayoutLearner::Outcome LayoutLearner::read_value(const char*& p, const char* end,
                                                 std::string_view key, bool in_args) {
  if (!in_args && key == "args" && *p == '{') return read_members(p, end, true);
  if (!in_args && (key == "ph" || key == "cat")) {
    const char* after = skip_value(p, end);
    if (after == nullptr) return Outcome::kUnfinished;
    if (*p == '"') {
      const auto text = static_cast<std::uint32_t>(pooled(text_between(p + 1, after - 1)));
      (key == "ph" ? draft_.phase : draft_.category) = text;
    }
    p = after;
    return Outcome::kRead;
  }
  const Role role = in_args ? Role::kArg : role_of(key);
  if (*p == '"') return read_string(p, end, key, role);
  return read_scalar(p, end, key, role);
}

LayoutLearner::Outcome LayoutLearner::read_string(const char*& p, const char* end,
                                                  std::string_view key, Role role) {
  const char* text = p + 1;
  const char* quote = find_string_end(text, end);
  if (quote == nullptr) return Outcome::kUnfinished;
  p = quote + 1;
  const std::string_view raw = text_between(text, quote);
  if (is_time(role) && read_time_value(raw, true, key, role)) return Outcome::kRead;
  if (role == Role::kArg && key == "args" && read_nested_args(raw)) return Outcome::kRead;
  add(text, quote, Hole::kText, is_time(role) ? Role::kField : role, key, pooled(raw));
  return Outcome::kRead;
}

LayoutLearner::Outcome LayoutLearner::read_scalar(const char*& p, const char* end,
                                                  std::string_view key, Role role) {
  const char* value = p;
  const char* after = skip_value(p, end);
  if (after == nullptr) return Outcome::kUnfinished;
  if (after == value) return Outcome::kMalformed;
  p = after;
  const std::string_view token = text_between(value, after);

  if (token == "null") {
    // An empty value for a name, a time or an id counts as a missing member.
    if (role == Role::kArg || role == Role::kField) add(after, after, Hole::kNull, role, key, 0);
    return Outcome::kRead;
  }
  if (is_time(role)) {
    if (read_time_value(token, false, key, role)) return Outcome::kRead;
    role = Role::kField;
  }
  if (role == Role::kName) {
    draft_.matchable = false;
    add(value, after, Hole::kText, role, key, pooled(token));
    return Outcome::kRead;
  }
  std::int64_t raw = 0;
  if (read_int(value, raw) == after) {
    add(value, after, Hole::kInt, role, key, raw);
    return Outcome::kRead;
  }
  if (is_number_or_text(role)) {
    draft_.matchable = false;
    add(value, after, Hole::kText, role, key, pooled(token));
  } else if (*value == '[' || *value == '{') {
    add(value, after, Hole::kJson, role, key, pooled(token));
  } else if (token == "true" || token == "false") {
    add(value, after, Hole::kBool, role, key, token == "true" ? 1 : 0);
  } else if (read_decimal(value, raw) == after) {
    add(value, after, Hole::kDecimal, role, key, raw);
  } else {
    draft_.matchable = false;
    if (const std::optional<std::int64_t> whole = long_int(token)) {
      add(value, after, Hole::kInt, role, key, *whole);
    } else {
      add(value, after, Hole::kNumber, role, key, pooled(token));
    }
  }
  return Outcome::kRead;
}

bool LayoutLearner::read_time_value(std::string_view token, bool quoted, std::string_view key,
                                    Role role) {
  const char* begin = token.data();
  std::int64_t time_ns = 0;
  if (quoted || read_time(begin, time_ns) != begin + token.size()) {
    const std::optional<std::int64_t> time = time_from_text(token);
    if (!time) return false;
    draft_.matchable = false;
    time_ns = *time;
  }
  add(begin, begin + token.size(), Hole::kTime, role, key, time_ns);
  return true;
}

bool LayoutLearner::read_nested_args(std::string_view raw) {
  if (in_nested_ || raw.empty() || raw.front() != '{') return false;
  bool repaired = false;
  std::string text = unescape(raw, repaired);
  const std::size_t size = text.size();
  text.append(kPadding, '\0');
  draft_.matchable = false;
  if (!has_nested_) find_places();
  const std::size_t steps = draft_.steps.size();
  const std::size_t replaced = replaced_.size();
  in_nested_ = true;
  const char* p = text.data();
  const bool whole = read_members(p, text.data() + size, true) == Outcome::kRead &&
                     skip_space(p) == text.data() + size;
  in_nested_ = false;
  if (!whole) undo_nested(steps, replaced);
  return whole;
}

void LayoutLearner::find_places() {
  has_nested_ = true;
  for (std::uint32_t i = 0; i < draft_.steps.size(); ++i) {
    if (draft_.steps[i].role == Role::kArg) places_[draft_.steps[i].key].outer.push_back(i);
  }
}

void LayoutLearner::undo_nested(std::size_t steps, std::size_t replaced) {
  for (std::size_t i = steps; i < draft_.steps.size(); ++i) --places_[draft_.steps[i].key].nested;
  draft_.steps.resize(steps);
  values_.resize(steps);
  for (; replaced_.size() > replaced; replaced_.pop_back()) {
    const Replaced& old = replaced_.back();
    Places& places = places_[old.step.key];
    --places.replaced;
    --places.nested;
    draft_.steps[old.place] = old.step;
    values_[old.place] = old.value;
  }
}

void LayoutLearner::add(const char* value, const char* value_end, Hole hole, Role role,
                        std::string_view key, std::int64_t raw) {
  Step step;
  step.hole = hole;
  step.role = role;
  step.key =
      role == Role::kArg || role == Role::kField ? static_cast<std::uint32_t>(pooled(key)) : 0;
  if (draft_.matchable) {
    step.literal_at = static_cast<std::uint32_t>(draft_.text.size());
    step.literal_size = static_cast<std::uint32_t>(value - literal_);
    draft_.text.append(literal_, value);
    literal_ = value_end;
  }
  if (has_nested_ && role == Role::kArg) {
    add_beside_nested(step, raw);
  } else {
    push(step, raw);
  }
}

void LayoutLearner::push(const Step& step, std::int64_t raw) {
  draft_.steps.push_back(step);
  values_.push_back(raw);
}

/// Keys that a nested `args.args` repeats belong to it.
void LayoutLearner::add_beside_nested(const Step& step, std::int64_t raw) {
  Places& places = places_[step.key];
  if (!in_nested_) {
    if (places.nested != 0) return;
    places.outer.push_back(static_cast<std::uint32_t>(draft_.steps.size()));
    push(step, raw);
    return;
  }
  ++places.nested;
  if (places.replaced == places.outer.size()) {
    push(step, raw);
    return;
  }
  const std::uint32_t place = places.outer[places.replaced++];
  replaced_.push_back({draft_.steps[place], values_[place], place});
  draft_.steps[place] = step;
  values_[place] = raw;
}

std::uint32_t LayoutLearner::intern_layout() {
  std::string identity;
  const auto put = [&](std::uint32_t number) {
    identity.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  put(draft_.matchable ? 1 : 0);
  put(draft_.phase);
  put(draft_.category);
  for (const Step& step : draft_.steps) {
    put(draft_.matchable ? step.literal_size : 0);
    put(static_cast<std::uint32_t>(step.hole));
    put(static_cast<std::uint32_t>(step.role));
    put(step.key);
  }
  if (draft_.matchable) {
    identity.append(draft_.text);
  } else {
    draft_.text.clear();
  }
  const auto next = static_cast<std::uint32_t>(dictionary_->layouts.size());
  const auto [at, is_new] = dictionary_->layout_of.try_emplace(std::move(identity), next);
  if (is_new) dictionary_->layouts.push_back(std::move(draft_));
  return at->second;
}

}  // namespace tactus::kineto

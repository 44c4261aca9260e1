#include "sources/rocprof/json_reader.h"

#include "sources/kineto/json_scan.h"

namespace tactus::rocprof {
namespace {

constexpr std::size_t kReadBytes = 1 << 18;

}  // namespace

bool JsonReader::stop(std::string problem) {
  if (problem_.empty()) {
    problem_ = std::move(problem) + " at byte " + std::to_string(before_ + at_);
  }
  ended_ = true;
  at_ = buffer_.size();
  return false;
}

bool JsonReader::fill() {
  if (ended_) return false;
  before_ += at_;
  buffer_.resize(kReadBytes);
  at_ = 0;
  const Result<std::size_t> read = bytes_.read(buffer_.data(), buffer_.size());
  if (!read) {
    status_ = read.error();
    buffer_.clear();
    return stop("the file cannot be read");
  }
  buffer_.resize(*read);
  ended_ = *read == 0;
  return !ended_;
}

char JsonReader::peek() {
  for (;;) {
    while (at_ < buffer_.size() && kineto::is_space(buffer_[at_])) ++at_;
    if (at_ < buffer_.size()) return buffer_[at_];
    if (!fill()) return 0;
  }
}

bool JsonReader::enter(char bracket) {
  if (peek() != bracket) return false;
  ++at_;
  is_first_ = true;
  return true;
}

bool JsonReader::next_element() {
  const bool is_first = std::exchange(is_first_, false);
  const char c = peek();
  if (c == ']') {
    ++at_;
    return false;
  }
  if (!is_first) {
    if (c != ',') return stop(c == 0 ? "the text ends early" : "a comma is missing");
    ++at_;
    return peek() != 0 || stop("the text ends early");
  }
  return c != 0 || stop("the text ends early");
}

bool JsonReader::next_member(std::string& key) {
  const bool is_first = std::exchange(is_first_, false);
  char c = peek();
  if (c == '}') {
    ++at_;
    return false;
  }
  if (!is_first) {
    if (c != ',') return stop(c == 0 ? "the text ends early" : "a comma is missing");
    ++at_;
    c = peek();
  }
  if (c != '"' || !walk_value(&key)) return stop(c == 0 ? "the text ends early" : "not JSON");
  key = key.substr(1, key.size() - 2);
  if (peek() != ':') return stop("a colon is missing");
  ++at_;
  return true;
}

bool JsonReader::take_value(std::string& text) {
  return walk_value(&text);
}

bool JsonReader::skip_value() {
  return walk_value(nullptr);
}

/// Brackets are counted; what is between them is checked when it is parsed.
bool JsonReader::walk_value(std::string* text) {
  if (text != nullptr) text->clear();
  std::size_t depth = 0;
  bool in_string = false, escaped = false, any = false;
  if (peek() == 0) return stop("the text ends early");
  for (;;) {
    if (at_ == buffer_.size() && !fill()) {
      return depth == 0 && any && !in_string ? true : stop("the text ends inside a value");
    }
    const char c = buffer_[at_];
    const bool is_plain_end = !in_string && depth == 0 &&
                              (c == ',' || c == '}' || c == ']' || c == ':' || kineto::is_space(c));
    if (is_plain_end) return any || stop("a value is missing");
    ++at_;
    any = true;
    if (text != nullptr) {
      text->push_back(c);
      if (text->size() > kLargestValue) return stop("a value is larger than 256 MiB");
    }
    if (in_string) {
      if (c == '"' && !escaped) {
        in_string = false;
        if (depth == 0) return true;
      }
      escaped = c == '\\' && !escaped;
    } else if (c == '"') {
      in_string = true;
      escaped = false;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (--depth == 0) return true;
    }
  }
}

}  // namespace tactus::rocprof

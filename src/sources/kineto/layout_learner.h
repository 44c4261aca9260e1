#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sources/kineto/layout.h"

namespace tactus::kineto {

/// Reads one event of any form, member by member, and stores how it was written as a Layout.
class LayoutLearner {
 public:
  enum class Outcome : std::uint8_t {
    kRead,
    kUnfinished,  ///< the text ends inside the event
    kMalformed,   ///< not JSON
  };

  /// Reads the event whose '{' is at p and moves p past it.
  Outcome read(const char*& p, const char* end, Dictionary& dictionary);

  // The event read last.
  std::uint32_t layout() const { return layout_; }
  std::span<const std::int64_t> values() const { return values_; }

 private:
  Outcome read_members(const char*& p, const char* end, bool in_args);
  Outcome read_value(const char*& p, const char* end, std::string_view key, bool in_args);
  Outcome read_string(const char*& p, const char* end, std::string_view key, Role role);
  Outcome read_scalar(const char*& p, const char* end, std::string_view key, Role role);
  bool read_time_value(std::string_view token, bool quoted, std::string_view key, Role role);
  bool read_nested_args(std::string_view raw);

  /// Adds the value at [value, value_end).
  void add(const char* value, const char* value_end, Hole hole, Role role, std::string_view key,
           std::int64_t raw);
  std::int64_t pooled(std::string_view text) { return dictionary_->pool.intern(text).value; }
  std::uint32_t intern_layout();

  Dictionary* dictionary_ = nullptr;
  Layout draft_;
  std::vector<std::int64_t> values_;
  std::vector<bool> nested_;       ///< by step: it comes from a nested `args.args`
  const char* literal_ = nullptr;  ///< where the text since the last value starts
  bool in_nested_ = false;
  std::uint32_t layout_ = 0;
};

}  // namespace tactus::kineto

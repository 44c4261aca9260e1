#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
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
  void undo_nested(std::size_t steps, std::size_t replaced);

  /// Adds the value at [value, value_end).
  void add(const char* value, const char* value_end, Hole hole, Role role, std::string_view key,
           std::int64_t raw);
  void push(const Step& step, std::int64_t raw);
  void add_beside_nested(const Step& step, std::int64_t raw);
  void find_places();
  std::int64_t pooled(std::string_view text) { return dictionary_->pool.intern(text).value; }
  std::uint32_t intern_layout();

  /// The arguments of one key, if some arguments are nested (`args.args`).
  struct Places {
    std::vector<std::uint32_t> outer;  ///< steps that are not nested
    std::size_t replaced = 0;          ///< the first of them, by nested arguments
    std::size_t nested = 0;            ///< arguments
  };
  struct Replaced {
    Step step;
    std::int64_t value = 0;
    std::uint32_t place = 0;
  };

  Dictionary* dictionary_ = nullptr;
  Layout draft_;
  std::vector<std::int64_t> values_;
  std::unordered_map<std::uint32_t, Places> places_;  ///< by key; empty if nothing is nested
  std::vector<Replaced> replaced_;                    ///< steps as they were, to undo it
  bool has_nested_ = false;
  const char* literal_ = nullptr;  ///< where the text since the last value starts
  bool in_nested_ = false;
  std::uint32_t layout_ = 0;
};

}  // namespace tactus::kineto

#pragma once

#include <cstddef>
#include <cstdint>

#include "record/agent/stacks/python_layout.h"

namespace tactus::agent {

/// Reads objects of Python without its lock. Other threads may change them at any time: every read
/// is checked, and what was read may be wrong, but never harms. 0 and -1: not known.
class PythonObjects {
 public:
  explicit PythonObjects(const Python& python) : python_(python) {}

  /// The attribute of an instance, also in a slot. Not of classes.
  Address attribute(Address object, const char* name) const;
  /// Of an int, or of an enum of ints.
  std::int64_t number(Address object) const;
  /// Of a list, tuple, dict or set.
  std::int64_t length(Address object) const;
  /// Up to `room` items of a list or tuple; how many there are in `to`.
  std::size_t items(Address object, Address* to, std::size_t room) const;
  /// Up to `room` keys and values of a dict, in its order.
  std::size_t pairs(Address dict, Address* keys, Address* values, std::size_t room) const;
  /// What Python made of a text to look it up; it does that for each key of a dict. 0: not known.
  std::uint64_t hash(Address text) const;

 private:
  struct Keys {
    Address entries = 0;
    std::uint64_t count = 0;
    std::uint32_t entry_bytes = 0, key = 0, value = 0;
  };
  bool read_keys(Address keys, Keys& to) const;
  /// The place of a name among keys; -1: it is not there.
  std::int64_t find_key(const Keys& keys, const char* name) const;
  Address dict_item(Address dict, const char* name) const;
  Address slot(Address object, Address type, const char* name) const;
  std::int64_t slot_offset(Address type, const char* name) const;

  const Python& python_;
  /// The slot that was looked up last: all items of a list are of one type.
  mutable Address slot_type_ = 0;
  mutable const char* slot_name_ = nullptr;
  mutable std::int64_t slot_offset_ = 0;
};

}  // namespace tactus::agent

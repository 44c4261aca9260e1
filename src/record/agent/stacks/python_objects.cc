#include "record/agent/stacks/python_objects.h"

#include <cstring>

namespace tactus::agent {
namespace {

// The same in all versions that are read.
constexpr std::uint32_t kType = 8, kSize = 16, kItems = 24;
constexpr std::uint32_t kTypeBasicSize = 32, kTypeFlags = 168, kTypeDictOffset = 288;
constexpr std::uint32_t kDictKeys = 32, kDictValues = 40;
constexpr std::uint64_t kInlineValues = 1u << 2, kManagedDict = 1u << 4;
constexpr std::uint64_t kIsInt = 1u << 24, kIsList = 1u << 25, kIsTuple = 1u << 26,
                        kIsDict = 1u << 29;
constexpr std::uint32_t kPython310 = 0x030a, kPython311 = 0x030b, kPython312 = 0x030c,
                        kPython313 = 0x030d;
constexpr std::uint64_t kMostKeys = 4096;
constexpr std::uint32_t kTypeMembers = 240, kTypeBase = 256;
/// PyMemberDef of a slot: its name, its kind and where it is.
struct Member {
  Address name;
  std::uint64_t kind;
  std::uint64_t offset;
  std::uint64_t flags;
  Address text;
};
constexpr std::uint32_t kObjectMember = 16;  // T_OBJECT_EX
constexpr int kMostMembers = 64, kMostBases = 8;

std::uint32_t cached_keys(std::uint32_t version) {
  return version == kPython311 ? 872 : 880;
}

std::uint64_t word(Address at) {
  std::uint64_t value = 0;
  return read_checked(at, value) ? value : 0;
}

std::uint64_t flags_of(Address object) {
  const Address type = word(object + kType);
  return type != 0 ? word(type + kTypeFlags) : 0;
}

}  // namespace

bool PythonObjects::read_keys(Address keys, Keys& to) const {
  std::uint64_t head[5] = {};
  if (keys == 0 || !read_checked(keys, head)) return false;
  if (python_.layout.version == kPython310) {
    // references, size, how to look up, usable, entries
    const std::uint64_t size = head[1];
    if (size > kMostKeys * 2) return false;
    const std::uint64_t index_bytes = size <= 0xff ? 1 : 2;
    to = {.entries = keys + 40 + size * index_bytes,
          .count = head[4],
          .entry_bytes = 24,
          .key = 8,
          .value = 16};
  } else {
    // references; log2 of size, log2 of bytes of indices, kind; usable, entries
    const auto log2_bytes = static_cast<unsigned>(head[1] >> 8 & 0xff);
    const auto kind = static_cast<unsigned>(head[1] >> 16 & 0xff);
    if (log2_bytes > 20 || kind > 2) return false;
    to = {.entries = keys + 32 + (std::uint64_t{1} << log2_bytes), .count = head[3]};
    to.entry_bytes = kind == 0 ? 24 : 16;
    to.key = kind == 0 ? 8 : 0;
    to.value = to.key + 8;
  }
  return to.count <= kMostKeys;
}

std::int64_t PythonObjects::find_key(const Keys& keys, const char* name) const {
  const std::size_t length = std::strlen(name);
  for (std::uint64_t i = 0; i < keys.count; ++i) {
    const Address key = word(keys.entries + i * keys.entry_bytes + keys.key);
    char text[64];
    if (key == 0 || length >= sizeof text || word(key + kType) != python_.text_type) continue;
    if (word(key + python_.layout.text.length) != length) continue;
    if (read_checked(key + python_.layout.text.ascii_text, text, length) &&
        std::memcmp(text, name, length) == 0) {
      return static_cast<std::int64_t>(i);
    }
  }
  return -1;
}

Address PythonObjects::dict_item(Address dict, const char* name) const {
  Keys keys;
  if (dict == 0 || !read_keys(word(dict + kDictKeys), keys)) return 0;
  const std::int64_t at = find_key(keys, name);
  if (at < 0) return 0;
  const auto place = static_cast<std::uint64_t>(at);
  const Address split = word(dict + kDictValues);
  if (split == 0) return word(keys.entries + place * keys.entry_bytes + keys.value);
  return word(split + (python_.layout.version == kPython313 ? 8 : 0) + place * 8);
}

std::int64_t PythonObjects::slot_offset(Address type, const char* name) const {
  const std::size_t length = std::strlen(name) + 1;
  for (int base = 0; type != 0 && base < kMostBases; ++base, type = word(type + kTypeBase)) {
    Address at = word(type + kTypeMembers);
    Member member = {};
    for (int i = 0; at != 0 && i < kMostMembers; ++i, at += sizeof member) {
      if (!read_checked(at, member) || member.name == 0) break;
      char text[64];
      if (length > sizeof text || (member.kind & 0xffffffff) != kObjectMember) continue;
      if (read_checked(member.name, text, length) && std::memcmp(text, name, length) == 0) {
        return member.offset < 1 << 20 ? static_cast<std::int64_t>(member.offset) : -1;
      }
    }
  }
  return -1;
}

Address PythonObjects::slot(Address object, Address type, const char* name) const {
  if (type != slot_type_ || name != slot_name_) {
    slot_offset_ = slot_offset(type, name);
    slot_type_ = type;
    slot_name_ = name;
  }
  return slot_offset_ > 0 ? word(object + static_cast<Address>(slot_offset_)) : 0;
}

Address PythonObjects::attribute(Address object, const char* name) const {
  const Address type = object != 0 ? word(object + kType) : 0;
  if (type == 0) return 0;
  const std::uint64_t flags = word(type + kTypeFlags);
  const std::uint32_t version = python_.layout.version;
  Address dict = 0;
  Address values = 0;
  if (version == kPython310 || (flags & kManagedDict) == 0) {
    const auto offset = static_cast<std::int64_t>(word(type + kTypeDictOffset));
    if (offset > 0 && offset < 1 << 20) dict = word(object + static_cast<Address>(offset));
  } else if (version == kPython311) {
    values = word(object - 32);
    dict = word(object - 24);
  } else if (version == kPython312) {
    const Address either = word(object - 24);
    if ((either & 1) != 0) {
      values = either + 1;
    } else {
      dict = either;
    }
  } else {
    dict = word(object - 24);
    if (dict == 0 && (flags & kInlineValues) != 0)
      values = object + word(type + kTypeBasicSize) + 8;
  }
  if (values == 0) {
    const Address found = dict_item(dict, name);
    return found != 0 ? found : slot(object, type, name);
  }
  Keys keys;
  if (!read_keys(word(type + cached_keys(version)), keys)) return 0;
  const std::int64_t at = find_key(keys, name);
  return at < 0 ? slot(object, type, name) : word(values + static_cast<Address>(at) * 8);
}

std::int64_t PythonObjects::number(Address object) const {
  if (object == 0 || (flags_of(object) & kIsInt) == 0) return -1;
  const std::uint64_t head = word(object + kSize);
  std::uint32_t digits[2] = {};  // of 30 bits
  if (!read_checked(object + kItems, digits)) return -1;
  std::uint64_t count = head;
  if (python_.layout.version >= kPython312) {
    if ((head & 3) == 1) return 0;
    if ((head & 3) != 0) return -1;  // negative
    count = head >> 3;
  }
  if (count == 0) return 0;
  if (count == 1) return digits[0];
  return count == 2 ? static_cast<std::int64_t>(std::uint64_t{digits[1]} << 30 | digits[0]) : -1;
}

std::int64_t PythonObjects::length(Address object) const {
  if (object == 0 || (flags_of(object) & (kIsList | kIsTuple | kIsDict)) == 0) return -1;
  const std::uint64_t size = word(object + kSize);
  return size < 1u << 30 ? static_cast<std::int64_t>(size) : -1;
}

std::size_t PythonObjects::items(Address object, Address* to, std::size_t room) const {
  const std::int64_t count = length(object);
  const std::uint64_t flags = count > 0 ? flags_of(object) : 0;
  if ((flags & (kIsList | kIsTuple)) == 0) return 0;
  const std::size_t taken =
      static_cast<std::size_t>(count) < room ? static_cast<std::size_t>(count) : room;
  const Address from = (flags & kIsTuple) != 0 ? object + kItems : word(object + kItems);
  return read_checked(from, to, taken * sizeof *to) ? taken : 0;
}

std::size_t PythonObjects::pairs(Address dict, Address* to_keys, Address* to_values,
                                 std::size_t room) const {
  Keys keys;
  if (dict == 0 || (flags_of(dict) & kIsDict) == 0 || word(dict + kDictValues) != 0 ||
      !read_keys(word(dict + kDictKeys), keys)) {
    return 0;
  }
  std::size_t taken = 0;
  for (std::uint64_t i = 0; i < keys.count && taken < room; ++i) {
    Address entry[2] = {};
    if (!read_checked(keys.entries + i * keys.entry_bytes + keys.key, entry)) return 0;
    if (entry[1] == 0) continue;  // it was deleted
    to_keys[taken] = entry[0];
    to_values[taken++] = entry[1];
  }
  return taken;
}

std::uint64_t PythonObjects::hash(Address text) const {
  constexpr std::uint64_t kNone = ~std::uint64_t{0};  // not made yet
  if (text == 0 || word(text + kType) != python_.text_type) return 0;
  const std::uint64_t value = word(text + kItems);
  return value == kNone ? 0 : value;
}

}  // namespace tactus::agent

// The format: "Linux Standard Base Core, 10.6 Exception Frames", and DWARF 5, 6.4.
#include "record/agent/stacks/eh_frame.h"

#include <cstring>

namespace tactus::agent {
namespace {

constexpr unsigned char kRelative4 = 0x1b;   // DW_EH_PE_pcrel | DW_EH_PE_sdata4
constexpr unsigned char kUnsigned4 = 0x03;   // DW_EH_PE_udata4
constexpr unsigned char kFromTable4 = 0x3b;  // DW_EH_PE_datarel | DW_EH_PE_sdata4
constexpr unsigned kFrameRegister = 6;       // rbp
constexpr unsigned kStackRegister = 7;       // rsp
constexpr unsigned kReturnRegister = 16;

/// Bytes that were copied. Reading past the end gives zeros and is remembered.
struct Bytes {
  const unsigned char* at;
  const unsigned char* end;
  bool is_over = false;

  template <class T>
  T take() {
    T value{};
    if (static_cast<std::size_t>(end - at) < sizeof value) {
      is_over = true;
      at = end;
      return value;
    }
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  }
  unsigned char byte() { return take<unsigned char>(); }
  std::uint64_t number() {  // LEB128
    std::uint64_t value = 0;
    for (unsigned shift = 0; at < end; shift += 7) {
      const unsigned char next = byte();
      if (shift < 64) value |= std::uint64_t{next & 127u} << shift;
      if ((next & 128u) == 0) break;
    }
    return value;
  }
  std::int64_t signed_number() {
    std::int64_t value = 0;
    for (unsigned shift = 0; at < end;) {
      const unsigned char next = byte();
      if (shift < 64) value |= static_cast<std::int64_t>(std::uint64_t{next & 127u} << shift);
      shift += 7;
      if ((next & 128u) != 0) continue;
      if (shift < 64 && (next & 64u) != 0) value |= -(std::int64_t{1} << shift);
      break;
    }
    return value;
  }
  void skip(std::uint64_t count) {
    if (count > static_cast<std::size_t>(end - at)) {
      is_over = true;
      at = end;
    } else {
      at += count;
    }
  }
};

/// A row of the table that the instructions describe.
struct Row {
  unsigned cfa_register = kStackRegister;
  std::int64_t cfa_offset = 8;
  bool has_expression = false;
  bool keeps_frame = false;
  std::int64_t frame_offset = 0;
  bool frame_is_odd = false;  ///< in a way that is not followed
  bool is_outermost = false;
  bool returns_oddly = false;
};

struct Entry {
  std::uint64_t code_factor = 1;
  std::int64_t data_factor = 1;
  bool is_signal = false;
  bool has_length = false;  ///< augmentation "z"
  Row first;
};

/// Rules of one register.
void set_register(Row& row, unsigned number, bool is_in_memory, std::int64_t offset, bool is_odd) {
  if (number == kFrameRegister) {
    row.keeps_frame = is_in_memory;
    row.frame_offset = offset;
    row.frame_is_odd = is_odd;
  } else if (number == kReturnRegister) {
    row.returns_oddly = is_odd || (is_in_memory && offset != -8);
  }
}

void restore_register(Row& row, const Row& first, unsigned number) {
  if (number == kFrameRegister) {
    row.keeps_frame = first.keeps_frame;
    row.frame_offset = first.frame_offset;
    row.frame_is_odd = first.frame_is_odd;
  } else if (number == kReturnRegister) {
    row.returns_oddly = first.returns_oddly;
    row.is_outermost = first.is_outermost;
  }
}

/// Runs instructions until they are about addresses behind `address`. False if there is one that is
/// not known.
bool run(Bytes program, const Entry& entry, Address location, Address address, Row& row) {
  constexpr int kDeepest = 8;
  Row kept[kDeepest];
  int kept_rows = 0;
  const auto advance = [&](std::uint64_t units) {
    location += units * entry.code_factor;
    return location <= address;
  };
  while (program.at < program.end && !program.is_over) {
    const unsigned char code = program.byte();
    const unsigned low = code & 63u;
    switch (code & 0xc0) {
      case 0x40:
        if (!advance(low)) return true;
        continue;
      case 0x80: {
        const auto offset = static_cast<std::int64_t>(program.number()) * entry.data_factor;
        set_register(row, low, true, offset, false);
        continue;
      }
      case 0xc0: restore_register(row, entry.first, low); continue;
      default: break;
    }
    switch (code) {
      case 0x00: break;  // nop
      case 0x02:
        if (!advance(program.byte())) return true;
        break;
      case 0x03:
        if (!advance(program.take<std::uint16_t>())) return true;
        break;
      case 0x04:
        if (!advance(program.take<std::uint32_t>())) return true;
        break;
      case 0x05: {  // offset_extended
        const auto number = static_cast<unsigned>(program.number());
        set_register(row, number, true,
                     static_cast<std::int64_t>(program.number()) * entry.data_factor, false);
        break;
      }
      case 0x06: restore_register(row, entry.first, static_cast<unsigned>(program.number())); break;
      case 0x07: {  // undefined
        const auto number = static_cast<unsigned>(program.number());
        if (number == kReturnRegister) row.is_outermost = true;
        set_register(row, number, false, 0, number == kFrameRegister);
        break;
      }
      case 0x08:
        set_register(row, static_cast<unsigned>(program.number()), false, 0, false);
        break;      // same value
      case 0x09: {  // in another register
        const auto number = static_cast<unsigned>(program.number());
        program.number();
        set_register(row, number, false, 0, true);
        break;
      }
      case 0x0a:
        if (kept_rows == kDeepest) return false;
        kept[kept_rows++] = row;
        break;
      case 0x0b:
        if (kept_rows == 0) return false;
        row = kept[--kept_rows];
        break;
      case 0x0c:
        row.cfa_register = static_cast<unsigned>(program.number());
        row.cfa_offset = static_cast<std::int64_t>(program.number());
        row.has_expression = false;
        break;
      case 0x0d: row.cfa_register = static_cast<unsigned>(program.number()); break;
      case 0x0e: row.cfa_offset = static_cast<std::int64_t>(program.number()); break;
      case 0x0f:
        row.has_expression = true;
        program.skip(program.number());
        break;
      case 0x10:
      case 0x16: {  // by an expression
        const auto number = static_cast<unsigned>(program.number());
        program.skip(program.number());
        set_register(row, number, false, 0, true);
        break;
      }
      case 0x11: {  // offset_extended_sf
        const auto number = static_cast<unsigned>(program.number());
        set_register(row, number, true, program.signed_number() * entry.data_factor, false);
        break;
      }
      case 0x12:
        row.cfa_register = static_cast<unsigned>(program.number());
        row.cfa_offset = program.signed_number() * entry.data_factor;
        row.has_expression = false;
        break;
      case 0x13: row.cfa_offset = program.signed_number() * entry.data_factor; break;
      case 0x2e: program.number(); break;  // size of arguments
      default: return false;
    }
  }
  return !program.is_over;
}

/// Reads the common part of entries. False if it is of a kind that is not known.
bool read_common(Bytes bytes, Entry& entry) {
  const unsigned char version = bytes.byte();
  char letters[8] = {};
  std::size_t count = 0;
  for (char next = static_cast<char>(bytes.byte()); next != '\0';
       next = static_cast<char>(bytes.byte())) {
    if (count + 1 >= sizeof letters || bytes.is_over) return false;
    letters[count++] = next;
  }
  entry.code_factor = bytes.number();
  entry.data_factor = bytes.signed_number();
  if (version == 1) {
    bytes.byte();
  } else {
    bytes.number();
  }
  if (count != 0 && letters[0] != 'z') return false;
  if (count != 0) {
    const std::uint64_t length = bytes.number();
    Bytes augmentation = bytes;
    bytes.skip(length);
    entry.has_length = true;
    for (std::size_t i = 1; i < count; ++i) {
      if (letters[i] == 'S') {
        entry.is_signal = true;
      } else if (letters[i] == 'R') {
        if (augmentation.byte() != kRelative4) return false;
      } else if (letters[i] == 'L') {
        augmentation.byte();
      } else if (letters[i] == 'P') {
        const unsigned char encoding = augmentation.byte();
        augmentation.skip((encoding & 7) == 3 ? 4 : (encoding & 7) == 2 ? 2 : 8);
      } else {
        return false;
      }
    }
  }
  return !bytes.is_over && run(bytes, entry, 0, ~Address{0}, entry.first);
}

/// The entry of the sorted table that covers an address; 0 if there is none.
Address find_entry(Address header, Address address) {
  struct {
    unsigned char version, pointer, count, table;
    std::int32_t frames;
    std::uint32_t entries;
  } head;
  static_assert(sizeof head == 12);
  if (!read_checked(header, head) || head.version != 1 || head.pointer != kRelative4 ||
      head.count != kUnsigned4 || head.table != kFromTable4) {
    return 0;
  }
  const Address table = header + sizeof head;
  std::uint32_t low = 0;
  std::uint32_t high = head.entries;
  std::int32_t found[2] = {};
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    std::int32_t pair[2];
    if (!read_checked(table + middle * sizeof pair, pair)) return 0;
    if (header + static_cast<Address>(static_cast<std::int64_t>(pair[0])) <= address) {
      low = middle + 1;
      std::memcpy(found, pair, sizeof pair);
    } else {
      high = middle;
    }
  }
  return low == 0 ? 0 : header + static_cast<Address>(static_cast<std::int64_t>(found[1]));
}

UnwindRule word_of(const Row& row, bool is_evaluate) {
  const bool by_frame = row.cfa_register == kFrameRegister;
  constexpr std::int64_t kFarthest = 1 << 22;
  if (row.is_outermost) return UnwindRule::make(UnwindRule::kOutermost, 0, 0);
  if (row.has_expression || row.returns_oddly || row.frame_is_odd ||
      (!by_frame && row.cfa_register != kStackRegister) || row.cfa_offset < 0 ||
      row.cfa_offset > INT32_MAX || row.frame_offset < -kFarthest || row.frame_offset > kFarthest) {
    return UnwindRule::make(UnwindRule::kNone, 0, 0);
  }
  return UnwindRule::make((by_frame ? UnwindRule::kByFrame : 0) |
                              (row.keeps_frame ? UnwindRule::kKeepsFrame : 0) |
                              (is_evaluate ? UnwindRule::kIsEvaluate : 0),
                          row.cfa_offset, row.frame_offset);
}

}  // namespace

UnwindRule find_rule(Address header, Address address, Address evaluate, unsigned char* scratch,
                     std::size_t room) {
  const UnwindRule none = UnwindRule::make(UnwindRule::kNone, 0, 0);
  const Address at = find_entry(header, address);
  struct {
    std::uint32_t length, common;
    std::int32_t begin;
    std::uint32_t size;
  } head;
  if (at == 0 || !read_checked(at, head) || head.length < 12 || head.length == 0xffffffff)
    return none;
  const Address begin = at + 8 + static_cast<Address>(static_cast<std::int64_t>(head.begin));
  if (address < begin || address - begin >= head.size) return none;
  // The common part, then the rest of this entry.
  const Address common_at = at + 4 - head.common;
  std::uint32_t common_head[2];  // length, 0
  constexpr std::size_t kLongestCommon = 256;
  if (!read_checked(common_at, common_head) || common_head[0] < 4 ||
      common_head[0] > kLongestCommon)
    return none;
  unsigned char common[kLongestCommon];
  const std::size_t common_bytes = common_head[0] - 4;
  if (common_bytes == 0 || !read_checked(common_at + 8, common, common_bytes)) return none;
  Entry entry;
  if (!read_common({common, common + common_bytes}, entry) || entry.is_signal) return none;
  std::size_t bytes = head.length - 12;
  bytes = bytes < room ? bytes : room;
  if (bytes != 0 && !read_checked(at + 16, scratch, bytes)) return none;
  Bytes program{scratch, scratch + bytes};
  if (entry.has_length) program.skip(program.number());
  Row row = entry.first;
  if (program.is_over || !run(program, entry, begin, address, row)) return none;
  return word_of(row, evaluate != 0 && begin == evaluate);
}

}  // namespace tactus::agent

#include "record/agent/stacks/native_stack.h"

#include <elf.h>
#include <pthread.h>
#include <unistd.h>

#include <cstring>

#include "record/agent/agent.h"
#include "record/agent/stacks/unwind_rules.h"

namespace tactus::agent {
namespace {

constexpr Address kPage = 4096;
constexpr std::size_t kMostPages = 512;
/// A stack that went down by more is another one.
constexpr Address kOneStep = 1u << 20;

bool is_there(Address page) {
  unsigned char byte;
  return read_checked(page, &byte, 1);
}

/// Where the agent is, so that its own calls are left out.
Module own_module() {
  Module module;
  find_module(reinterpret_cast<Address>(&own_module), module);
  return module;
}

std::size_t write_hex(const unsigned char* bytes, std::size_t count, char* to) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (std::size_t i = 0; i < count; ++i) {
    to[2 * i] = kDigits[bytes[i] >> 4];
    to[2 * i + 1] = kDigits[bytes[i] & 15];
  }
  return 2 * count;
}

/// The build id of a module, from its notes in memory. kNoName if it has none.
std::uint32_t build_id_of(StackTable& table, const Module& module, Address base) {
  Elf64_Ehdr head;
  if (!read_checked(module.begin, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
    return wire::kNoName;
  constexpr unsigned kMostParts = 64;
  for (unsigned i = 0; i < head.e_phnum && i < kMostParts; ++i) {
    Elf64_Phdr part;
    if (!read_checked(module.begin + head.e_phoff + i * sizeof part, part)) break;
    if (part.p_type != PT_NOTE) continue;
    Address at = base + part.p_vaddr;
    const Address end = at + (part.p_memsz < kPage ? part.p_memsz : kPage);
    while (at + sizeof(Elf64_Nhdr) < end) {
      Elf64_Nhdr note;
      unsigned char text[4 + 32] = {};
      if (!read_checked(at, note)) break;
      const Address name_bytes = (Address{note.n_namesz} + 3) / 4 * 4;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz <= 32 &&
          note.n_descsz != 0 && read_checked(at + sizeof note, text, 4 + note.n_descsz) &&
          std::memcmp(text, "GNU", 4) == 0) {
        char hex[64];
        return table.text(hex, write_hex(text + 4, note.n_descsz, hex));
      }
      at += sizeof note + name_bytes + (Address{note.n_descsz} + 3) / 4 * 4;
    }
  }
  return wire::kNoName;
}

/// The path of a module; that of the program has no name in the loader's list.
std::uint32_t path_of(StackTable& table, Address name) {
  auto* text = reinterpret_cast<char*>(table.scratch());
  std::size_t length = 0;
  constexpr std::size_t kPiece = 64;
  while (name != 0 && length + kPiece < StackTable::kScratch && length < kPage) {
    // Not over the end of a page, behind which there may be nothing.
    const std::size_t piece = kPiece - (name + length) % kPiece;
    if (!read_checked(name + length, text + length, piece)) break;
    const std::size_t part = strnlen(text + length, piece);
    length += part;
    if (part < piece) break;
  }
  if (length == 0) {
    const ssize_t got = readlink("/proc/self/exe", text, kPage);
    length = got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  return length != 0 ? table.text(text, length) : wire::kNoName;
}

}  // namespace

bool NativeStack::find_bounds(Address stack_pointer) {
  if (stack_pointer >= low_ && stack_pointer < high_) [[likely]]
    return true;
  const Address page = stack_pointer / kPage * kPage;
  if (high_ != 0 && page < low_ && low_ - page <= kOneStep) {
    Address at = low_;
    while (at > page && is_there(at - kPage)) at -= kPage;
    if (at == page) {
      low_ = page;
      return true;
    }
  }
  if (!is_there(page)) return false;
  low_ = page;
  high_ = page + kPage;
  for (std::size_t i = 0; i < kMostPages && is_there(high_); ++i) high_ += kPage;
  // What belongs to somebody else may lie right above; the C library keeps its own of a thread at
  // the top.
  const auto top = static_cast<Address>(pthread_self());
  if (top > stack_pointer && top < high_) high_ = top / 8 * 8;
  return true;
}

bool NativeStack::load(Address from, Address stack_pointer, Address& to) const {
  if (from % 8 != 0 || from < stack_pointer || from >= high_ || high_ - from < 8) return false;
  std::memcpy(&to, reinterpret_cast<const void*>(from), sizeof to);
  return true;
}

__attribute__((noinline)) void NativeStack::read(Address evaluate) {
  clear();
  static const Module own = own_module();  // the same whoever writes it
  Address here = 0;
  Address stack_pointer = 0;
  auto frame_pointer = reinterpret_cast<Address>(__builtin_frame_address(0));
#if defined(__x86_64__)
  asm volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2"
               : "=r"(here), "=r"(stack_pointer), "=r"(frame_pointer));
#else
  stack_pointer = frame_pointer;
#endif
  const Address bottom = stack_pointer;
  if (!find_bounds(stack_pointer)) return;
  std::uint64_t number = modules_closed();
  bool is_call = false;
  for (std::uint32_t i = 0;; ++i) {
    const bool is_own = here >= own.begin && here < own.end;
    if (is_call && !is_own) {
      if (depth == wire::kDeepestStack) {
        is_cut = true;
        break;
      }
      // The return address is behind the call; it may be that of the next line, or of another
      // function.
      address[depth++] = here - 1;
      number = mix(number, here);
    }
    if (i >= 2 * wire::kDeepestStack) break;
    UnwindRule rule;
#if defined(__x86_64__)
    rule = rule_of(is_call ? here - 1 : here, evaluate);
#else
    rule = UnwindRule::make(is_call ? UnwindRule::kNone : UnwindRule::kNone, 0, 0);
#endif
    if (rule.has(UnwindRule::kOutermost)) break;
    if (rule.has(UnwindRule::kIsEvaluate)) {
      --depth;  // and itself is not worth showing
      break;
    }
    Address caller_stack = 0;
    Address next_frame = frame_pointer;
    if (rule.has(UnwindRule::kKnown) && !rule.has(UnwindRule::kNone)) {
      caller_stack = (rule.has(UnwindRule::kByFrame) ? frame_pointer : stack_pointer) +
                     static_cast<Address>(rule.offset());
      if (rule.has(UnwindRule::kKeepsFrame) &&
          !load(caller_stack + static_cast<Address>(rule.frame_offset()), bottom, next_frame)) {
        break;
      }
    } else {
      caller_stack = frame_pointer + 16;
      if (!load(frame_pointer, stack_pointer, next_frame)) break;
    }
    if (caller_stack <= stack_pointer || !load(caller_stack - 8, bottom, here) || here < kPage)
      break;
    stack_pointer = caller_stack;
    frame_pointer = next_frame;
    is_call = true;
  }
  hash = number | 1;
}

std::uint32_t frame_of(StackTable& table, Address address) {
  const std::uint64_t key = mix(mix(5, modules_closed()), address);
  if (const std::uint32_t known = table.find_frame(key)) return known;
  wire::Frame frame{.kind = wire::FrameKind::kNative, .address = address};
  Module module;
  Address base_and_name[2] = {};  // the head of link_map
  if (find_module(address, module) && read_checked(module.link_map, base_and_name)) {
    frame.file = path_of(table, base_and_name[1]);
    frame.function = build_id_of(table, module, base_and_name[0]);
    frame.address = address - base_and_name[0];
  }
  return table.add_frame(key, frame);
}

}  // namespace tactus::agent

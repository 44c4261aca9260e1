#pragma once

#include <cstddef>
#include <cstdint>

#include "record/agent/stacks/checked_memory.h"

namespace tactus::agent {

/// How to get from a place in a function to its caller, in one word: the stack pointer of the
/// caller is that of the function, or its frame pointer, plus an offset; the return address is
/// right below it.
struct UnwindRule {
  std::uint64_t word = 0;

  static constexpr std::uint64_t kKnown = 1;        ///< the rest means something
  static constexpr std::uint64_t kNone = 2;         ///< there is no such rule here
  static constexpr std::uint64_t kByFrame = 4;      ///< .. of the frame pointer
  static constexpr std::uint64_t kIsEvaluate = 8;   ///< the function runs frames of Python
  static constexpr std::uint64_t kOutermost = 16;   ///< has no caller
  static constexpr std::uint64_t kKeepsFrame = 32;  ///< the caller's frame pointer is in memory

  bool has(std::uint64_t bit) const { return (word & bit) != 0; }
  std::int64_t offset() const { return static_cast<std::int32_t>(word >> 32); }
  /// Of the caller's frame pointer, from the caller's stack pointer.
  std::int64_t frame_offset() const {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(word)) >> 8;
  }
  static UnwindRule make(std::uint64_t bits, std::int64_t offset, std::int64_t frame_offset) {
    return {bits | kKnown | (static_cast<std::uint64_t>(frame_offset) & 0xffffff) << 8 |
            static_cast<std::uint64_t>(offset) << 32};
  }
};

/// The library that an address is in.
struct Module {
  Address begin = 0, end = 0;
  Address link_map = 0;
  Address unwind_table = 0;  ///< .eh_frame_hdr; 0: none
};
/// Takes no lock. False if it is in none, or if the C library cannot tell (before glibc 2.35).
bool find_module(Address address, Module& module);

/// The rule for an address, from the module's .eh_frame. Not known: it could not be looked for now.
/// `evaluate`: where the function begins that runs frames of Python.
UnwindRule rule_of(Address address, Address evaluate);
/// Counts the libraries that were unloaded; what is known about addresses is void then.
std::uint32_t modules_closed();
void forget_rules();

}  // namespace tactus::agent

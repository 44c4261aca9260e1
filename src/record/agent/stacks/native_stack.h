#pragma once

#include <cstdint>

#include "record/agent/stacks/stack_table.h"

namespace tactus::agent {

/// The calls of a thread at one moment, the innermost first; those of the agent are left out.
struct NativeStack {
  std::uint32_t depth = 0;
  bool is_cut = false;
  std::uint64_t hash = 0;
  Address address[wire::kDeepestStack];  ///< in the instruction that called

  void clear() {
    depth = 0;
    is_cut = false;
    hash = 0;
  }
  /// Reads them, by rules of .eh_frame or else by frame pointers. If `evaluate` is given, only up
  /// to the function that begins there, which runs frames of Python.
  void read(Address evaluate);

 private:
  /// The part of the stack that is there for sure.
  bool find_bounds(Address stack_pointer);
  bool load(Address from, Address stack_pointer, Address& to) const;

  Address low_ = 0, high_ = 0;
};

/// The number of a frame: module and place in it. 0 if there is no room.
std::uint32_t frame_of(StackTable& table, Address address);

}  // namespace tactus::agent

#pragma once

#include <cstdint>

#include "record/agent/stacks/stack_table.h"

namespace tactus::agent {

/// The return addresses of a thread at one moment, the innermost first; those of the agent are left
/// out.
struct NativeStack {
  std::uint32_t depth = 0;
  bool is_cut = false;
  std::uint64_t hash = 0;
  Address address[wire::kDeepestStack];

  void begin() {}
  void clear() {
    depth = 0;
    is_cut = false;
    hash = 0;
  }
  /// Ends at the function that begins at `last`; 0: at the first one of the thread.
  void read(Address) {}
};

inline std::uint32_t frame_of(StackTable&, Address) {
  return 0;
}

}  // namespace tactus::agent

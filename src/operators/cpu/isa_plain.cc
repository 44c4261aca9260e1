#define TACTUS_ISA plain
#include "operators/cpu/entries.h"
#include "operators/cpu/isa.h"

namespace tactus {

std::span<const tactus_entry> plain_entries() {
  return plain::kEntries;
}

}  // namespace tactus

#define TACTUS_ISA avx2
#include "operators/cpu/entries.h"
#include "operators/cpu/isa.h"

namespace tactus {

std::span<const tactus_entry> avx2_entries() {
  return avx2::kEntries;
}

}  // namespace tactus

#define TACTUS_ISA avx512
#include "operators/cpu/entries.h"
#include "operators/cpu/isa.h"

namespace tactus {

std::span<const tactus_entry> avx512_entries() {
  return avx512::kEntries;
}

}  // namespace tactus

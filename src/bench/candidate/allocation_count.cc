#include "bench/candidate/allocation_count.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

namespace tactus {
namespace {

std::atomic<std::int64_t> g_allocations{0};  // global, because replaced functions cannot count
                                             // elsewhere

void count() {
  g_allocations.fetch_add(1, std::memory_order_relaxed);
}

void* counted_malloc(std::size_t bytes) {
  count();
  return std::malloc(bytes);
}
void* counted_calloc(std::size_t number, std::size_t bytes) {
  count();
  return std::calloc(number, bytes);
}
void* counted_realloc(void* memory, std::size_t bytes) {
  count();
  return std::realloc(memory, bytes);
}
void* counted_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  count();
  return ::aligned_alloc(alignment, bytes);
}
int counted_posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  count();
  return ::posix_memalign(memory, alignment, bytes);
}
void* counted_new(std::size_t bytes) {
  count();
  return ::operator new(bytes);
}
void* counted_aligned_new(std::size_t bytes, std::align_val_t alignment) {
  count();
  return ::operator new(bytes, alignment);
}
void* counted_new_or_null(std::size_t bytes, const std::nothrow_t& tag) noexcept {
  count();
  return ::operator new(bytes, tag);
}

struct Replacement {
  std::string_view name;
  void* by;
};

template <class Function>
Replacement replace(std::string_view name, Function* by) {
  return {name, reinterpret_cast<void*>(by)};
}

/// Linker names; the operator new of an array does the same as the plain one.
const Replacement* replacement_of(std::string_view name) {
  static const std::array kReplacements = {
      replace("malloc", counted_malloc),
      replace("calloc", counted_calloc),
      replace("realloc", counted_realloc),
      replace("aligned_alloc", counted_aligned_alloc),
      replace("posix_memalign", counted_posix_memalign),
      replace("_Znwm", counted_new),
      replace("_Znam", counted_new),
      replace("_ZnwmSt11align_val_t", counted_aligned_new),
      replace("_ZnamSt11align_val_t", counted_aligned_new),
      replace("_ZnwmRKSt9nothrow_t", counted_new_or_null),
      replace("_ZnamRKSt9nothrow_t", counted_new_or_null),
  };
  for (const Replacement& replacement : kReplacements) {
    if (replacement.name == name) return &replacement;
  }
  return nullptr;
}

bool is_function_slot(std::uint64_t type) {
#if defined(__x86_64__)
  return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
  return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
#else
  return type != type;  // unknown type: nothing is replaced
#endif
}

/// The loader and the files that it loads give addresses as numbers.
template <class T>
T* pointer_to(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr): see above
}

/// Tables of outside functions are often read-only after they are filled.
bool make_writable(void* slot) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(slot) / page * page;
  return ::mprotect(pointer_to<void>(begin), page, PROT_READ | PROT_WRITE) == 0;
}

/// The outside symbols of a library, from its dynamic section.
struct OutsideSymbols {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela) * relocations[2] = {nullptr, nullptr};
  std::size_t bytes[2] = {0, 0};
};

OutsideSymbols outside_symbols(const ElfW(Dyn) * section) {
  OutsideSymbols outside;
  for (; section->d_tag != DT_NULL; ++section) {
    const auto at = section->d_un.d_ptr;  // the loader has turned these into addresses
    switch (section->d_tag) {
      case DT_SYMTAB: outside.symbols = pointer_to<const ElfW(Sym)>(at); break;
      case DT_STRTAB: outside.names = pointer_to<const char>(at); break;
      case DT_RELA: outside.relocations[0] = pointer_to<const ElfW(Rela)>(at); break;
      case DT_RELASZ: outside.bytes[0] = section->d_un.d_val; break;
      case DT_JMPREL: outside.relocations[1] = pointer_to<const ElfW(Rela)>(at); break;
      case DT_PLTRELSZ: outside.bytes[1] = section->d_un.d_val; break;
      default: break;
    }
  }
  return outside;
}

}  // namespace

void count_allocations_of(void* library) {
  link_map* map = nullptr;
  if (::dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0 || map == nullptr) return;
  const OutsideSymbols outside = outside_symbols(map->l_ld);
  if (outside.symbols == nullptr || outside.names == nullptr) return;
  for (std::size_t table = 0; table < 2; ++table) {
    const std::size_t count =
        outside.relocations[table] == nullptr ? 0 : outside.bytes[table] / sizeof(ElfW(Rela));
    for (std::size_t i = 0; i < count; ++i) {
      const ElfW(Rela)& relocation = outside.relocations[table][i];
      if (!is_function_slot(ELF64_R_TYPE(relocation.r_info))) continue;
      const ElfW(Sym)& symbol = outside.symbols[ELF64_R_SYM(relocation.r_info)];
      if (symbol.st_shndx != SHN_UNDEF) continue;  // defined in the library itself
      const Replacement* replacement = replacement_of(outside.names + symbol.st_name);
      if (replacement == nullptr) continue;
      void* slot = pointer_to<void>(map->l_addr + relocation.r_offset);
      if (make_writable(slot)) std::memcpy(slot, &replacement->by, sizeof replacement->by);
    }
  }
}

std::int64_t counted_allocations() {
  return g_allocations.load(std::memory_order_relaxed);
}

CallMemory call_memory() {
  const struct mallinfo2 heap = mallinfo2();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {.heap_bytes = static_cast<std::int64_t>(heap.uordblks + heap.hblkhd),
          .allocations = counted_allocations(),
          .page_faults = usage.ru_minflt};
}

}  // namespace tactus

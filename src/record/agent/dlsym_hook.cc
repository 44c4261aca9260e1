// The agent's dlsym. The CUDA runtime, Triton and others find the driver's calls by it, so that
// they can be given the agent's.
#include <dlfcn.h>

#include <cstring>

#include "record/agent/cublas/scopes.h"
#include "record/agent/driver.h"
#include "record/agent/hook_table.h"

using DlsymFunction = void* (*)(void*, const char*);

extern "C" {
/// The C library's; used by the assembler below.
__attribute__((visibility("hidden"))) DlsymFunction tactus_real_dlsym = nullptr;
__attribute__((visibility("hidden"))) void tactus_find_dlsym();
__attribute__((visibility("hidden"))) void* tactus_cuda_dlsym(void* library, const char* name);
}

// dlsym(RTLD_NEXT, ...) depends on who calls it. So a name that does not begin with "cu" is not
// asked for from here: the C library's function is jumped to, and returns to the caller of this
// one.
#if defined(__x86_64__)
asm(R"(
  .text
  .globl dlsym
  .type dlsym, @function
dlsym:
  cmpq $0, tactus_real_dlsym(%rip)
  jne 1f
  pushq %rdi
  pushq %rsi
  subq $8, %rsp
  call tactus_find_dlsym
  addq $8, %rsp
  popq %rsi
  popq %rdi
1:
  testq %rsi, %rsi
  je 2f
  cmpq $-1, %rdi
  je 2f
  cmpb $99, (%rsi)
  jne 2f
  cmpb $117, 1(%rsi)
  jne 2f
  jmp tactus_cuda_dlsym
2:
  jmpq *tactus_real_dlsym(%rip)
  .size dlsym, .-dlsym
)");
#elif defined(__aarch64__)
asm(R"(
  .text
  .globl dlsym
  .type dlsym, %function
dlsym:
  adrp x9, tactus_real_dlsym
  ldr x9, [x9, :lo12:tactus_real_dlsym]
  cbnz x9, 1f
  stp x29, x30, [sp, #-32]!
  stp x0, x1, [sp, #16]
  bl tactus_find_dlsym
  ldp x0, x1, [sp, #16]
  ldp x29, x30, [sp], #32
  adrp x9, tactus_real_dlsym
  ldr x9, [x9, :lo12:tactus_real_dlsym]
1:
  cbz x1, 2f
  cmn x0, #1
  b.eq 2f
  ldrb w10, [x1]
  cmp w10, #99
  b.ne 2f
  ldrb w10, [x1, #1]
  cmp w10, #117
  b.ne 2f
  b tactus_cuda_dlsym
2:
  br x9
  .size dlsym, .-dlsym
)");
#else
#error "the agent needs a dlsym for this processor"
#endif

void tactus_find_dlsym() {
  for (const char* version : {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"}) {
    if (void* found = dlvsym(RTLD_NEXT, "dlsym", version)) {
      tactus_real_dlsym = reinterpret_cast<DlsymFunction>(found);
      return;
    }
  }
}

void* tactus_cuda_dlsym(void* library, const char* name) {
  void* found = tactus::agent::find_symbol(library, name);
  return tactus::agent::replace_library_symbol(name, tactus::agent::replace_symbol(name, found));
}

namespace tactus::agent {

void* find_symbol(void* library, const char* name) {
  if (tactus_real_dlsym == nullptr) tactus_find_dlsym();
  void* found = tactus_real_dlsym(library, name);
  // The whole program was searched, and the agent comes first in it.
  return found != nullptr && is_hook(found) ? tactus_real_dlsym(RTLD_NEXT, name) : found;
}

void* find_hidden(const char* symbol) {
  if (tactus_real_dlsym == nullptr) tactus_find_dlsym();
  return tactus_real_dlsym(RTLD_NEXT, symbol);
}

}  // namespace tactus::agent

#include "record/attach/trampoline.h"

#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>

// First what the recorder fills in, then the code, which needs nothing but that: its own stack, and
// no register. Signals of the thread wait until it is over. Registers are loaded from here at the
// end, and the last jump needs none; so the thread goes on exactly as it was, and nothing below its
// stack pointer is ever touched.
asm(R"(
  .section .rodata
  .balign 16
  .globl tactus_trampoline_begin, tactus_trampoline_entry, tactus_trampoline_end
  .hidden tactus_trampoline_begin, tactus_trampoline_entry, tactus_trampoline_end
tactus_trampoline_begin:
.Lsaved: .skip 144              # SavedRegisters
.Lscratch: .quad 0
.Lall: .quad -1                 # all signals
.Lfeatures: .quad 0             # parts of the state for xsave
.Lcreate: .quad 0
.Lerrno: .quad 0
.Lpath_bytes: .quad 0
.Lpage: .skip 368               # InjectedPage up to its path; that follows the code

tactus_trampoline_entry:
  movl $9, %eax                 # mmap(scratch, .., read | write, private | anonymous | exactly here)
  movq .Lscratch(%rip), %rdi
  movl $0x10000, %esi
  movl $3, %edx
  movl $0x100022, %r10d
  movq $-1, %r8
  xorl %r9d, %r9d
  syscall
  cmpq .Lscratch(%rip), %rax
  je 1f
  # There is no room, or a kernel before 4.17 gave it elsewhere.
  movq %rax, %rdi
  movl $11, %eax
  movl $0x10000, %esi
  syscall
  leaq -256(%rsp), %rsp
  pushq 136+.Lsaved(%rip)
  popfq
  jmp .Lback
1:
  movq %rax, %rbx
  movl $14, %eax                # rt_sigprocmask(set, all, &old, 8)
  movl $2, %edi
  leaq .Lall(%rip), %rsi
  leaq 0x2000(%rbx), %rdx
  movl $8, %r10d
  syscall
  leaq 0x10000(%rbx), %rsp
  cld
  movl .Lfeatures(%rip), %eax
  xorl %edx, %edx
  xsave64 0x1000(%rbx)
  leaq .Lpage(%rip), %rsi
  movq %rbx, %rdi
  movl $368, %ecx
  rep movsb
  leaq tactus_trampoline_end(%rip), %rsi
  movl .Lpath_bytes(%rip), %ecx
  rep movsb
  call *.Lerrno(%rip)
  movq %rax, %r13
  movl (%rax), %r12d
  leaq 0x2008(%rbx), %rdi       # pthread_create(&thread, null, job, page)
  xorl %esi, %esi
  leaq .Ljob(%rip), %rdx
  movq %rbx, %rcx
  call *.Lcreate(%rip)
  movl %r12d, (%r13)
  testl %eax, %eax
  je 3f
  movl %eax, 4(%rbx)            # there is no thread, so the page is still ours
  movl $1, (%rbx)
3:
  movl .Lfeatures(%rip), %eax
  xorl %edx, %edx
  xrstor64 0x1000(%rbx)
  movl $14, %eax                # rt_sigprocmask(set, &old, null, 8)
  movl $2, %edi
  leaq 0x2000(%rbx), %rsi
  xorl %edx, %edx
  movl $8, %r10d
  syscall
  pushq 136+.Lsaved(%rip)
  popfq
  # From here on, nothing changes the flags.
  movq 120+.Lsaved(%rip), %rsp
  movq .Lscratch(%rip), %rdi    # munmap of all but the page
  leaq 0x1000(%rdi), %rdi
  movl $0xf000, %esi
  movl $11, %eax
  syscall
.Lback:
  movq .Lsaved(%rip), %rax
  movq 8+.Lsaved(%rip), %rbx
  movq 16+.Lsaved(%rip), %rcx
  movq 24+.Lsaved(%rip), %rdx
  movq 32+.Lsaved(%rip), %rsi
  movq 40+.Lsaved(%rip), %rdi
  movq 48+.Lsaved(%rip), %rbp
  movq 56+.Lsaved(%rip), %r8
  movq 64+.Lsaved(%rip), %r9
  movq 72+.Lsaved(%rip), %r10
  movq 80+.Lsaved(%rip), %r11
  movq 88+.Lsaved(%rip), %r12
  movq 96+.Lsaved(%rip), %r13
  movq 104+.Lsaved(%rip), %r14
  movq 112+.Lsaved(%rip), %r15
  movq 120+.Lsaved(%rip), %rsp
  jmpq *128+.Lsaved(%rip)

.Ljob:                          # the new thread; all its signals are blocked
  pushq %rbx
  movq %rdi, %rbx
  call *8(%rbx)                 # pthread_self
  movq %rax, %rdi
  call *16(%rbx)                # pthread_detach
  leaq 368(%rbx), %rdi
  movl $2, %esi
  call *24(%rbx)                # dlopen(path, RTLD_NOW)
  testq %rax, %rax
  je 1f
  movq %rax, %rdi
  leaq 48(%rbx), %rsi
  call *32(%rbx)                # dlsym(library, entry)
  testq %rax, %rax
  je 1f
  movq %rbx, %rdi
  popq %rbx
  jmpq *%rax                    # it takes the page away
1:
  call *40(%rbx)                # dlerror
  testq %rax, %rax
  je 3f
  movq %rax, %rsi
  leaq 112(%rbx), %rdi
  movl $255, %ecx
2:
  lodsb
  stosb
  testb %al, %al
  loopne 2b
3:
  movl $2, (%rbx)
  xorl %eax, %eax
  popq %rbx
  ret
tactus_trampoline_end:
  .text
)");

extern "C" {
extern const char tactus_trampoline_begin[], tactus_trampoline_entry[], tactus_trampoline_end[];
}

namespace tactus::record {
namespace {

struct FilledIn {
  SavedRegisters registers;
  std::uint64_t scratch, all_signals, features, create, error_number, path_bytes;
};
static_assert(offsetof(SavedRegisters, rsp) == 120 && offsetof(SavedRegisters, flags) == 136);

/// Parts of the processor's state that calls may change: x87, SSE, AVX, AVX-512. 0: it has no
/// xsave.
std::uint32_t state_features() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_OSXSAVE) == 0) return 0;
  std::uint32_t enabled = 0;
  std::uint32_t high = 0;
  asm volatile("xgetbv" : "=a"(enabled), "=d"(high) : "c"(0));
  constexpr std::uint32_t kChanged = 0xe7;
  return enabled & kChanged;
}

}  // namespace

Result<Trampoline> Trampoline::make(const Territory& territory, const std::string& library,
                                    std::uint64_t scratch) {
  wire::InjectedPage page{};
  page.thread_self = territory.function("pthread_self");
  page.thread_detach = territory.function("pthread_detach");
  page.load = territory.function("dlopen");
  page.find = territory.function("dlsym");
  page.error = territory.function("dlerror");
  std::strncpy(page.entry, wire::kInjectedEntry, sizeof page.entry - 1);
  if (library.size() >= sizeof page.path) return usage_error(library + ": the path is too long");
  std::memcpy(page.path, library.data(), library.size());
  FilledIn filled{};
  filled.scratch = scratch;
  filled.all_signals = ~std::uint64_t{0};
  filled.features = state_features();
  filled.create = territory.function("pthread_create");
  filled.error_number = territory.function("__errno_location");
  filled.path_bytes = library.size() + 1;
  if (filled.features == 0) return usage_error("--inject: this processor has no xsave");
  Trampoline made;
  made.bytes.assign(tactus_trampoline_begin, tactus_trampoline_end);
  made.entry = static_cast<std::uint64_t>(tactus_trampoline_entry - tactus_trampoline_begin);
  std::memcpy(made.bytes.data(), &filled, sizeof filled);
  std::memcpy(made.bytes.data() + sizeof filled, &page, offsetof(wire::InjectedPage, path));
  made.bytes.append(library);
  made.bytes.resize((made.bytes.size() + 8) / 8 * 8);
  return made;
}

}  // namespace tactus::record
#else
namespace tactus::record {

Result<Trampoline> Trampoline::make(const Territory&, const std::string&, std::uint64_t) {
  return usage_error("--inject needs an x86-64 processor");
}

}  // namespace tactus::record
#endif

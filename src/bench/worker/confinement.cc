#include "bench/worker/confinement.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace tactus {

#if defined(__x86_64__) || defined(__aarch64__)

bool confine_candidate() {
#if defined(__x86_64__)
  constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#else
  constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#endif
  constexpr unsigned kDenied = SECCOMP_RET_ERRNO | EPERM;
  const auto refuse = [](unsigned call, unsigned how, sock_filter* at) {
    at[0] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
    at[1] = BPF_STMT(BPF_RET | BPF_K, how);
  };
  // Programs of another architecture would have other numbers: they are refused as a whole.
  sock_filter filter[64] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, kDenied),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      // Threads are welcome. clone3() has its flags in memory, where a filter cannot look; the C
      // library takes clone() if it is not there.
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, kDenied),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  std::size_t length = 9;
  // The judge stops and continues the process by signals: a handler would work between calls.
  // Asking for the present one (no second argument) is allowed.
  filter[length++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigaction, 0, 6);
  filter[length++] =
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args) + sizeof(std::uint64_t));
  filter[length++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2);
  filter[length++] =
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args) + 3 * sizeof(std::uint32_t));
  filter[length++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
  filter[length++] = BPF_STMT(BPF_RET | BPF_K, kDenied);
  filter[length++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  refuse(SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS, filter + length);
  length += 2;
  for (const unsigned call : {
#if defined(__x86_64__)
         unsigned{SYS_fork}, unsigned{SYS_vfork},
#endif
             unsigned{SYS_execve}, unsigned{SYS_execveat}, unsigned{SYS_ptrace},
             unsigned{SYS_process_vm_readv}, unsigned{SYS_process_vm_writev},
             unsigned{SYS_userfaultfd}, unsigned {
           SYS_io_uring_setup
         }
       }) {
    refuse(call, kDenied, filter + length);
    length += 2;
  }
#if defined(__x86_64__)
  // Numbers of the 32-bit calls of this architecture have this bit.
  constexpr unsigned kOtherTable = 0x40000000;
  filter[length++] = BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kOtherTable, 0, 1);
  filter[length++] = BPF_STMT(BPF_RET | BPF_K, kDenied);
#endif
  filter[length++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const sock_fprog program = {.len = static_cast<unsigned short>(length), .filter = filter};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

#else

bool confine_candidate() {
  return false;
}

#endif

void hide_process() {
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

}  // namespace tactus

/* The few types and fields of the Linux kernel that our programs read. Their true places come from the kernel's own
 * BTF when a program is loaded (CO-RE), so only the names must be right. */
#pragma once

#include <linux/bpf.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sched_info {
  unsigned long pcount;
  unsigned long long run_delay;
  unsigned long long last_arrival;
};

struct task_struct {
  unsigned int __state;
  int pid;
  int tgid;
  int on_cpu;
  int exit_code;
  unsigned long min_flt;
  unsigned long maj_flt;
  struct sched_info sched_info;
  char comm[16];
};

/* Before Linux 5.14. */
struct task_struct___old {
  long state;
};

/* x86-64 */
struct pt_regs {
  unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};

struct bpf_iter__task {
  struct task_struct* task;
};

#pragma clang attribute pop

/* What the host tracer's programs in the kernel send to the recorder. Times are CLOCK_MONOTONIC, in ns. */
#pragma once

#include <linux/types.h>

enum host_event_kind {
  HOST_ON_CORE = 1, /* a stretch in which a thread was on a core, apart from short breaks */
  HOST_OFF_CORE,    /* a break between two stretches */
  HOST_BEGIN,       /* a thread is traced from here on */
  HOST_EXEC,        /* a process runs another program */
  HOST_EXIT,        /* a thread ends */
  HOST_CALL,        /* a call of libcuda */
};

enum host_break {
  HOST_READY,    /* it could have run on: another thread got the core */
  HOST_SLEEPS,   /* it waits for an event */
  HOST_DISK,     /* it waits and cannot be interrupted, which is how Linux waits for disks */
};

/* The system call number of a thread that is in none. */
#define HOST_NO_CALL (-1)     /* it runs its own code: inside the kernel, that is a page fault */
#define HOST_UNKNOWN_CALL (-2)

struct host_on_core {
  __u64 on_ns;     /* of the stretch: on a core */
  __u64 queued_ns; /* .. ready to run, without a core, in breaks that are not sent */
  __u32 turns;     /* how often it came to a core */
  __u32 faults;    /* page faults */
  __u32 disk_faults;
  __u32 is_open; /* the stretch had not ended when the tracer did */
};

struct host_off_core {
  __u64 queued_ns; /* of the break, at its end: ready to run, without a core */
  __u32 reason;    /* enum host_break */
  __u32 is_open;
};

struct host_event {
  __u32 kind;
  __u32 tgid;
  __u32 tid;
  __s32 call; /* HOST_OFF_CORE: the system call that it was in; HOST_BEGIN: the parent's tid; HOST_EXIT: its code */
  __u64 start_ns;
  __u64 end_ns;
  union {
    struct host_on_core on;
    struct host_off_core off;
    char name[16]; /* HOST_BEGIN, HOST_EXEC, HOST_EXIT */
  };
};

/* Calls of libcuda that are watched in a process without the agent. */
enum host_cuda_call {
  HOST_LAUNCH,    /* cuLaunchKernel and cuLaunchCooperativeKernel: arguments in registers and on the stack */
  HOST_LAUNCH_EX, /* cuLaunchKernelEx: arguments in a struct */
  HOST_GRAPH,     /* cuGraphLaunch */
  HOST_WAIT,      /* cuStreamSynchronize and others: with their end */
};

struct host_call {
  struct host_event head; /* kind HOST_CALL; call: which one, as the recorder numbers them */
  __u64 function;         /* kernel or graph */
  __u64 stream;
  __u32 grid[3];
  __u32 block[3];
  __u32 shared_bytes;
  __u32 spare;
};

struct host_options {
  __u64 shortest_ns;  /* breaks below this are not sent */
  __u64 longest_ns;   /* stretches are sent at the latest after this */
  __u32 watch_parent; /* the next process that this one starts is traced; 0: none */
  __u32 is_flushing;  /* the iterator sends what is open, and looks for nothing new */
};

/* Threads that are traced at a time, at most. */
#define HOST_THREADS 32768

/* The variables that both sides see. */
struct host_variables {
  struct host_options options;
  __u64 lost;         /* events that found no room */
  __u64 threads_lost; /* threads that found no place */
  __u64 places_used;
  __u64 clock_offset; /* our clock less that of the scheduler; 0: not known yet */
  __u64 calibrated_ns; /* when both were looked at; 0: it is time to */
};

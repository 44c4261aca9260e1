/* The host tracer, in the kernel: when each thread of the traced processes was on a core, what it waited for
 * otherwise, and for how long it was ready to run without a core.
 *
 * Everything comes from one hook, the switch of threads. What a thread waits for is the system call that it is in; how
 * long it was ready before it got a core is what the scheduler itself counts (sched_info.run_delay). So no system call
 * and no wake-up of anybody is slowed down. */
#include "kernel_types.h"
#include "host.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

struct thread_state {
  __u64 since_ns;  /* of the stretch; 0: none */
  __u64 left_ns;   /* its core; 0: never seen to */
  __u64 on_ns;     /* of the stretch */
  __u64 queued_ns; /* of the stretch, in short breaks */
  __u64 run_delay; /* as the scheduler counted it */
  __u64 call_ns;   /* where a call of libcuda began */
  __u64 came_ns;   /* to its core, if that was looked at; else 0 */
  __u32 turns;     /* of the stretch */
  __u32 faults;    /* when the stretch began */
  __u32 disk_faults;
  __u32 last_faults; /* when it left its core */
  __u32 last_disk_faults;
  __s32 call; /* that it left its core in */
  __u32 reason;
  __u32 spare;
};

/* The place of each thread of the machine in `threads`, by tid; 0: it is not traced. A look-up here is a single load,
 * which a task storage is not. The recorder gives the size: the largest tid. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 32768);
  __type(key, __u32);
  __type(value, __u32);
} places SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, HOST_THREADS);
  __type(key, __u32);
  __type(value, struct thread_state);
} threads SEC(".maps");

/* Places of threads that have ended. */
struct {
  __uint(type, BPF_MAP_TYPE_STACK);
  __uint(max_entries, HOST_THREADS);
  __type(value, __u32);
} free_places SEC(".maps");

/* Processes that are to be traced, for the iterator and for forks that it has not seen. */
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 16384);
  __type(key, __u32);
  __type(value, __u8);
} processes SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 8 << 20);
} events SEC(".maps");

/* Volatile: the recorder writes to it while programs run. */
volatile struct host_variables variables = {};

static __always_inline struct thread_state* state_in(__u32* place) {
  __u32 index = place ? *place : 0;
  return index ? bpf_map_lookup_elem(&threads, &index) : 0;
}

static __always_inline struct thread_state* find_state(struct task_struct* task) {
  __u32 tid = task->pid;
  return state_in(bpf_map_lookup_elem(&places, &tid));
}

static __always_inline void* reserve(__u64 bytes) {
  void* room = bpf_ringbuf_reserve(&events, bytes, 0);
  if (!room) __sync_fetch_and_add(&variables.lost, 1);
  return room;
}

static __always_inline struct host_event* new_event(__u32 kind, struct task_struct* task, __u64 start_ns,
                                                    __u64 end_ns) {
  struct host_event* event = reserve(sizeof(struct host_event));
  if (!event) return 0;
  __builtin_memset(event, 0, sizeof *event);
  event->kind = kind;
  event->tgid = task->tgid;
  event->tid = task->pid;
  event->start_ns = start_ns;
  event->end_ns = end_ns;
  return event;
}

/* The recorder looks often enough; waking it costs more than all the rest. */
static __always_inline void send(void* event) {
  bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
}

static __always_inline void begin_stretch(struct thread_state* state, __u64 now) {
  state->since_ns = now;
  state->on_ns = 0;
  state->queued_ns = 0;
  state->turns = 0;
  state->faults = state->last_faults;
  state->disk_faults = state->last_disk_faults;
}

static __always_inline void send_stretch(struct thread_state* state, struct task_struct* task, __u64 end_ns,
                                         int is_open) {
  if (!state->since_ns) return;
  struct host_event* event = new_event(HOST_ON_CORE, task, state->since_ns, end_ns);
  state->since_ns = 0;
  if (!event) return;
  event->on.on_ns = state->on_ns;
  event->on.queued_ns = state->queued_ns;
  event->on.turns = state->turns;
  event->on.faults = state->last_faults - state->faults;
  event->on.disk_faults = state->last_disk_faults - state->disk_faults;
  event->on.is_open = is_open;
  send(event);
}

static __always_inline void send_break(struct task_struct* task, __u64 start_ns, __u64 end_ns, __u64 queued_ns, __s32 call, __u32 reason, int is_open) {
  struct host_event* event = new_event(HOST_OFF_CORE, task, start_ns, end_ns);
  if (!event) return;
  event->call = call;
  event->off.queued_ns = queued_ns;
  event->off.reason = reason;
  event->off.is_open = is_open;
  send(event);
}

static __always_inline unsigned long state_of(struct task_struct* task) {
  if (bpf_core_field_exists(task->__state)) return task->__state;
  return BPF_CORE_READ((struct task_struct___old*)task, state);
}

static __always_inline __s32 system_call_of(struct task_struct* task) {
  if (!bpf_core_field_exists(((struct pt_regs*)0)->orig_ax)) return HOST_UNKNOWN_CALL;
  struct pt_regs* regs = (struct pt_regs*)bpf_task_pt_regs(task);
  return (__s32)regs->orig_ax;
}

#define TASK_UNINTERRUPTIBLE 2

/* The scheduler notes when a thread came to its core, but on its own clock. From time to time, both clocks are read at
 * the same moment. */
#define CALIBRATE_NS 50000000

static __always_inline __u64 arrival_of(struct thread_state* state, struct task_struct* task, __u64 now) {
  const __u64 arrival = task->sched_info.last_arrival;
  if (state->came_ns) {
    variables.clock_offset = state->came_ns - arrival;
    state->came_ns = 0;
  }
  __u64 arrived = variables.clock_offset ? arrival + variables.clock_offset : now;
  if (arrived < state->left_ns) arrived = state->left_ns;
  return arrived < now ? arrived : now;
}

/* All is done when a thread leaves its core: that is one look-up per switch. */
static __always_inline void leave_core(struct thread_state* state, struct task_struct* task, int preempted,
                                       __u64 now) {
  const __u64 arrived = arrival_of(state, task, now);
  const __u64 delay = task->sched_info.run_delay;
  const __u64 queued = delay - state->run_delay;
  state->run_delay = delay;
  if (state->left_ns && arrived > state->left_ns && arrived - state->left_ns >= variables.options.shortest_ns) {
    send_stretch(state, task, state->left_ns, 0);
    send_break(task, state->left_ns, arrived, queued, state->call, state->reason, 0);
  } else {
    state->queued_ns += queued;
  }
  if (!state->since_ns) begin_stretch(state, arrived);
  state->on_ns += now - arrived;
  state->turns++;
  state->left_ns = now;
  state->last_faults = task->min_flt;
  state->last_disk_faults = task->maj_flt;
  const unsigned long how = state_of(task);
  if (preempted || how == 0) {
    state->reason = HOST_READY;
    state->call = HOST_UNKNOWN_CALL;
  } else {
    state->reason = how & TASK_UNINTERRUPTIBLE ? HOST_DISK : HOST_SLEEPS;
    state->call = system_call_of(task);
  }
  if (now - state->since_ns >= variables.options.longest_ns) send_stretch(state, task, now, 0);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, _Bool preempted, struct task_struct* prev, struct task_struct* next) {
  if (prev->pid) { /* not the idle task */
    struct thread_state* state = find_state(prev);
    if (state) {
      const __u64 now = bpf_ktime_get_ns();
      leave_core(state, prev, preempted, now);
      if (now - variables.calibrated_ns > CALIBRATE_NS) variables.calibrated_ns = 0;
    }
  }
  if (variables.calibrated_ns) return 0;
  struct thread_state* state = find_state(next);
  if (state) {
    state->came_ns = bpf_ktime_get_ns();
    variables.calibrated_ns = state->came_ns;
  }
  return 0;
}

static __always_inline void begin_thread(struct task_struct* task, __s32 parent, __u64 now) {
  __u32 tid = task->pid;
  __u32 index = 0;
  __u32* place = bpf_map_lookup_elem(&places, &tid);
  if (bpf_map_pop_elem(&free_places, &index)) index = __sync_fetch_and_add(&variables.places_used, 1) + 1;
  struct thread_state* state = bpf_map_lookup_elem(&threads, &index);
  if (!state || !place) {
    __sync_fetch_and_add(&variables.threads_lost, 1);
    return;
  }
  __builtin_memset(state, 0, sizeof *state);
  state->run_delay = task->sched_info.run_delay;
  state->last_faults = task->min_flt;
  state->last_disk_faults = task->maj_flt;
  *place = index;
  struct host_event* event = new_event(HOST_BEGIN, task, now, now);
  if (!event) return;
  event->call = parent;
  __builtin_memcpy(event->name, task->comm, sizeof event->name);
  send(event);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct* parent, struct task_struct* child) {
  __u32 tgid = parent->tgid;
  int is_traced = find_state(parent) != 0 || bpf_map_lookup_elem(&processes, &tgid) != 0;
  if (variables.options.watch_parent == tgid && child->tgid != tgid) is_traced = 1;
  if (is_traced) begin_thread(child, parent->pid, bpf_ktime_get_ns());
  return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct* task) {
  if (!find_state(task)) return 0;
  const __u64 now = bpf_ktime_get_ns();
  struct host_event* event = new_event(HOST_EXEC, task, now, now);
  if (!event) return 0;
  __builtin_memcpy(event->name, task->comm, sizeof event->name);
  send(event);
  return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct* task) {
  __u32 tid = task->pid;
  __u32* place = bpf_map_lookup_elem(&places, &tid);
  struct thread_state* state = state_in(place);
  if (!state || !place) return 0;
  const __u64 now = bpf_ktime_get_ns();
  leave_core(state, task, 0, now);
  send_stretch(state, task, now, 0);
  __u32 index = *place;
  *place = 0;
  bpf_map_push_elem(&free_places, &index, 0);
  struct host_event* event = new_event(HOST_EXIT, task, now, now);
  if (!event) return 0;
  event->call = task->exit_code;
  __builtin_memcpy(event->name, task->comm, sizeof event->name);
  send(event);
  return 0;
}

/* Threads that are there already; at the end, what is open. */
SEC("iter/task")
int visit_threads(struct bpf_iter__task* ctx) {
  struct task_struct* task = ctx->task;
  if (!task) return 0;
  const __u64 now = bpf_ktime_get_ns();
  struct thread_state* state = find_state(task);
  if (!variables.options.is_flushing) {
    __u32 tgid = task->tgid;
    if (!state && bpf_map_lookup_elem(&processes, &tgid)) begin_thread(task, 0, now);
    return 0;
  }
  if (!state) return 0;
  if (task->on_cpu) {
    /* It may leave its core now; nobody looks at that any more. */
    const __u64 arrived = task->sched_info.last_arrival + variables.clock_offset;
    const __u64 queued = task->sched_info.run_delay - state->run_delay;
    if (arrived > now) return 0;
    if (state->left_ns && arrived > state->left_ns && arrived - state->left_ns >= variables.options.shortest_ns) {
      send_stretch(state, task, state->left_ns, 0);
      send_break(task, state->left_ns, arrived, queued, state->call, state->reason, 0);
    }
    if (!state->since_ns) begin_stretch(state, arrived);
    state->on_ns += now - arrived;
    state->turns++;
    send_stretch(state, task, now, 1);
  } else if (state->left_ns) {
    send_stretch(state, task, state->left_ns, 0);
    send_break(task, state->left_ns, now, 0, state->call, state->reason, 1);
  }
  return 0;
}

/* Calls of libcuda. The cookie says which: enum host_cuda_call in the upper half, the recorder's number below. */

static __always_inline struct host_call* new_call(struct task_struct* task, __u64 cookie, __u64 start_ns,
                                                  __u64 end_ns) {
  struct host_call* call = reserve(sizeof(struct host_call));
  if (!call) return 0;
  __builtin_memset(call, 0, sizeof *call);
  call->head.kind = HOST_CALL;
  call->head.tgid = task->tgid;
  call->head.tid = task->pid;
  call->head.call = (__s32)cookie;
  call->head.start_ns = start_ns;
  call->head.end_ns = end_ns;
  return call;
}

struct launch_config { /* CUlaunchConfig, as far as it is read */
  __u32 grid[3];
  __u32 block[3];
  __u32 shared_bytes;
  __u32 spare;
  __u64 stream;
};

SEC("uprobe")
int on_call(struct pt_regs* ctx) {
  struct task_struct* task = bpf_get_current_task_btf();
  struct thread_state* state = find_state(task);
  if (!state) return 0;
  const __u64 cookie = bpf_get_attach_cookie(ctx);
  const __u32 what = cookie >> 32;
  const __u64 now = bpf_ktime_get_ns();
  if (what == HOST_WAIT) {
    state->call_ns = now;
    return 0;
  }
  struct host_call* call = new_call(task, cookie, now, now);
  if (!call) return 0;
  if (what == HOST_LAUNCH) {
    __u64 on_stack[3] = {}; /* block z, shared memory, stream */
    bpf_probe_read_user(on_stack, sizeof on_stack, (void*)(ctx->sp + 8));
    call->function = ctx->di;
    call->grid[0] = ctx->si;
    call->grid[1] = ctx->dx;
    call->grid[2] = ctx->cx;
    call->block[0] = ctx->r8;
    call->block[1] = ctx->r9;
    call->block[2] = on_stack[0];
    call->shared_bytes = on_stack[1];
    call->stream = on_stack[2];
  } else if (what == HOST_LAUNCH_EX) {
    struct launch_config config = {};
    bpf_probe_read_user(&config, sizeof config, (void*)ctx->di);
    __builtin_memcpy(call->grid, config.grid, sizeof config.grid);
    __builtin_memcpy(call->block, config.block, sizeof config.block);
    call->shared_bytes = config.shared_bytes;
    call->stream = config.stream;
    call->function = ctx->si;
  } else {
    call->function = ctx->di;
    call->stream = ctx->si;
  }
  send(call);
  return 0;
}

SEC("uretprobe")
int on_return(struct pt_regs* ctx) {
  struct task_struct* task = bpf_get_current_task_btf();
  struct thread_state* state = find_state(task);
  if (!state || !state->call_ns) return 0;
  struct host_call* call = new_call(task, bpf_get_attach_cookie(ctx), state->call_ns, bpf_ktime_get_ns());
  state->call_ns = 0;
  if (call) send(call);
  return 0;
}

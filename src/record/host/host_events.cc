#include "record/host/host_events.h"

#include <sys/syscall.h>

#include <cstring>

#include "../bpf/host.h"

namespace tactus::record {
namespace {

/// Sums of times must not overflow.
constexpr std::uint64_t kLatest = std::uint64_t{1} << 61;

bool is_time(const host_event& event) {
  return event.start_ns <= event.end_ns && event.end_ns < kLatest;
}

/// A part of the time of an event cannot be longer than that; clocks of cores differ a little.
std::int64_t part_of(std::uint64_t part_ns, const HostEvent& event) {
  const auto whole = static_cast<std::uint64_t>(event.end_ns - event.start_ns);
  return static_cast<std::int64_t>(part_ns < whole ? part_ns : whole);
}

bool take_parts(const host_event& raw, HostEvent& event) {
  switch (raw.kind) {
    case HOST_ON_CORE:
      event.kind = HostEvent::Kind::kOnCore;
      event.on_ns = part_of(raw.on.on_ns, event);
      event.queued_ns = part_of(raw.on.queued_ns, event);
      event.turns = raw.on.turns;
      event.faults = raw.on.faults;
      event.disk_faults = raw.on.disk_faults;
      event.is_open = raw.on.is_open != 0;
      return true;
    case HOST_OFF_CORE:
      if (raw.off.reason > HOST_DISK) return false;
      event.kind = HostEvent::Kind::kOffCore;
      event.reason = static_cast<HostEvent::Reason>(raw.off.reason);
      event.queued_ns = part_of(raw.off.queued_ns, event);
      event.is_open = raw.off.is_open != 0;
      return true;
    case HOST_BEGIN: event.kind = HostEvent::Kind::kBegin; break;
    case HOST_EXEC: event.kind = HostEvent::Kind::kExec; break;
    case HOST_EXIT: event.kind = HostEvent::Kind::kExit; break;
    default: return false;
  }
  std::memcpy(event.name.data(), raw.name, event.name.size());
  event.name.back() = '\0';
  return true;
}

void take_call(std::span<const std::byte> bytes, HostEvent& event) {
  host_call raw;
  std::memcpy(&raw, bytes.data(), sizeof raw);
  event.kind = HostEvent::Kind::kCall;
  event.function = raw.function;
  event.stream = raw.stream;
  for (std::size_t i = 0; i < event.grid.size(); ++i) {
    event.grid[i] = raw.grid[i];
    event.block[i] = raw.block[i];
  }
  event.shared_bytes = raw.shared_bytes;
}

struct CallName {
  std::int32_t call;
  std::string_view name;            ///< for a disk
  std::string_view elsewhere = {};  ///< for anything else, where that has another name
};

constexpr CallName kCallNames[] = {
    {SYS_futex, "futex"},
#ifdef SYS_futex_waitv
    {SYS_futex_waitv, "futex"},
#endif
    {SYS_read, "read", "read (pipe or socket)"},
    {SYS_readv, "readv", "read (pipe or socket)"},
    {SYS_pread64, "pread64"},
    {SYS_write, "write", "write (pipe or socket)"},
    {SYS_writev, "writev", "write (pipe or socket)"},
    {SYS_pwrite64, "pwrite64"},
    {SYS_fsync, "fsync", "fsync"},
    {SYS_fdatasync, "fdatasync", "fdatasync"},
    {SYS_openat, "openat"},
    {SYS_recvfrom, "receive"},
    {SYS_recvmsg, "receive"},
    {SYS_sendto, "send"},
    {SYS_sendmsg, "send"},
    {SYS_accept4, "accept"},
#ifdef SYS_poll
    {SYS_poll, "poll"},
    {SYS_select, "poll"},
    {SYS_epoll_wait, "poll"},
#endif
    {SYS_ppoll, "poll"},
    {SYS_pselect6, "poll"},
    {SYS_epoll_pwait, "poll"},
    {SYS_nanosleep, "sleep"},
    {SYS_clock_nanosleep, "sleep"},
    {SYS_wait4, "wait for a child"},
    {SYS_waitid, "wait for a child"},
    {SYS_execve, "start of a program"},
    {SYS_clone, "start of a child"},
#ifdef SYS_vfork
    {SYS_vfork, "start of a child"},
#endif
#ifdef SYS_clone3
    {SYS_clone3, "start of a child"},
#endif
    {SYS_ioctl, "ioctl"},
    {SYS_io_uring_enter, "io_uring"},
    {SYS_mmap, "mmap"},
    {SYS_munmap, "munmap"},
    {SYS_mprotect, "mprotect"},
    {SYS_madvise, "madvise"},
};

}  // namespace

std::optional<HostEvent> read_host_event(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(host_event)) return std::nullopt;
  host_event raw;
  std::memcpy(&raw, bytes.data(), sizeof raw);
  if (!is_time(raw) || raw.tid == 0 || raw.tid > INT32_MAX || raw.tgid > INT32_MAX) {
    return std::nullopt;
  }
  HostEvent event;
  event.pid = raw.tgid;
  event.tid = raw.tid;
  event.call = raw.call;
  event.start_ns = static_cast<std::int64_t>(raw.start_ns);
  event.end_ns = static_cast<std::int64_t>(raw.end_ns);
  if (raw.kind == HOST_CALL) {
    if (bytes.size() < sizeof(host_call)) return std::nullopt;
    take_call(bytes, event);
    return event;
  }
  if (!take_parts(raw, event)) return std::nullopt;
  return event;
}

std::string_view wait_name(std::int32_t call, HostEvent::Reason reason) {
  const bool is_disk = reason == HostEvent::Reason::kDisk;
  if (call == HOST_NO_CALL) return is_disk ? "page fault from disk" : "page fault";
  for (const CallName& known : kCallNames) {
    if (known.call != call) continue;
    return is_disk || known.elsewhere.empty() ? known.name : known.elsewhere;
  }
  return is_disk ? "wait (disk or driver)" : "wait";
}

}  // namespace tactus::record

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The texts of /proc and /sys. Nothing in them is trusted: a value that is missing, no number or
// too large is not there.

namespace tactus::meters {

/// A whole number that is the whole text, without the spaces around it.
std::optional<std::uint64_t> whole_number(std::string_view text);

/// The number after a key at the start of a line: "throttled_usec 12", "VmSwap:   12 kB".
std::optional<std::uint64_t> number_of_key(std::string_view text, std::string_view key);
/// The same for several keys in one pass, in their order.
std::vector<std::optional<std::uint64_t>> numbers_of_keys(std::string_view text,
                                                          std::span<const std::string_view> keys);

/// /proc/stat, in ticks of 10 ms:
///
///     cpu  10132153 290696 3084719 46828483 16683 0 25195 0 175628 0
///     cpu0 1393280 ...
///     intr 1462898 ...
///     ctxt 115315241
///     procs_running 3
struct HostTicks {
  std::uint64_t busy = 0;  ///< without irq and steal
  std::uint64_t idle = 0;
  std::uint64_t iowait = 0;
  std::uint64_t irq = 0;  ///< hard and soft ones
  std::uint64_t steal = 0;
};
struct HostStat {
  std::optional<HostTicks> ticks;
  std::size_t cores = 0;  ///< that are online
  std::optional<std::uint64_t> interrupts;
  std::optional<std::uint64_t> context_switches;
  std::optional<std::uint64_t> running;
};
HostStat parse_host_stat(std::string_view text);

/// The total of "some", in us, of /proc/pressure/*:
///
///     some avg10=0.00 avg60=0.00 avg300=0.00 total=12345
std::optional<std::uint64_t> parse_stalled_us(std::string_view text);

/// /proc/meminfo, in bytes.
struct HostMemory {
  std::optional<std::uint64_t> total, free, available, buffers, cached;
};
HostMemory parse_host_memory(std::string_view text);

/// A line of /proc/diskstats:
///
///     259 0 nvme0n1 reads merged sectors ms writes merged sectors ms in_flight busy_ms ...
struct DiskTotals {
  std::string_view name;
  std::uint64_t reads = 0, read_bytes = 0, read_ms = 0;
  std::uint64_t writes = 0, write_bytes = 0, write_ms = 0;
  std::uint64_t busy_ms = 0;
};
std::vector<DiskTotals> parse_disks(std::string_view text);
/// False for partitions of a RAID, loops and memory: their bytes are counted elsewhere.
bool is_disk_of_its_own(std::string_view name);

/// A line of /proc/net/dev:
///
///     eth0: bytes packets errs drop fifo frame compressed multicast bytes packets errs drop ...
struct NetworkTotals {
  std::string_view name;
  std::uint64_t rx_bytes = 0, rx_drops = 0, tx_bytes = 0, tx_drops = 0;
};
std::vector<NetworkTotals> parse_networks(std::string_view text);

/// /proc/PID/stat. The name in brackets may hold spaces and brackets.
///
///     4711 (python3 (a)) S 1 4711 ... utime stime ... starttime ...
struct ProcessStat {
  std::int64_t pid = 0;
  char state =
      '?';  ///< R runs or is ready, S sleeps, T is stopped, t is stopped by a debugger, ...
  std::int64_t parent = 0;
  std::uint64_t cpu_ticks = 0;
  std::uint64_t start_ticks = 0;  ///< since the machine started; tells two uses of a pid apart

  bool is_stopped() const { return state == 'T' || state == 't'; }
};
std::optional<ProcessStat> parse_process_stat(std::string_view text);

/// Resident pages, the second number of /proc/PID/statm.
std::optional<std::uint64_t> parse_resident_pages(std::string_view text);
/// "run_ns wait_ns slices" of /proc/PID/schedstat, of the main thread: the second.
std::optional<std::uint64_t> parse_wait_ns(std::string_view text);

/// Cores of "0-3,8", at most 4096.
std::vector<std::uint32_t> parse_core_list(std::string_view text);
/// "cpu MHz : 2400.000" of /proc/cpuinfo, with the number of its core.
struct CoreClock {
  std::uint32_t core = 0;
  double mhz = 0;
};
std::vector<CoreClock> parse_core_clocks(std::string_view text);

/// The group of the unified hierarchy in /proc/PID/cgroup: "0::/user.slice/x". Nothing if there is
/// none, or if it would leave the tree ("/../x": of another namespace).
std::optional<std::string> parse_cgroup(std::string_view text);

/// "32.0 GT/s PCIe"
std::optional<double> parse_link_speed(std::string_view text);

}  // namespace tactus::meters

#include "counters/counter_table.h"

#include <charconv>
#include <cmath>

#include "counters/counter_aliases.h"

namespace tactus {
namespace {

// Short, so that a counter fits on a line.
constexpr auto kLevel = CounterKind::kLevel;
constexpr auto kRate = CounterKind::kRate;
constexpr auto kTotal = CounterKind::kMonotonic;

// clang-format off
constexpr CounterFact kCounters[] = {
  // The host's processors
  {"host_cpu_usage",        "%",       kLevel, "host_cpu",       1,    "share of all cores that is busy"},
  {"host_cpu_foreign",      "%",       kLevel, "host_cpu",       1,    "share of all cores that other programs use"},
  {"host_cpu_steal",        "%",       kLevel, "host_cpu_steal", 0.5,  "time that the hypervisor gave to other machines"},
  {"host_cpu_irq",          "%",       kLevel, "host_cpu_irq",   0.5,  "time spent on interrupts"},
  {"host_cpu_iowait",       "%",       kLevel, "io_wait",        0.5,  "time in which cores idle while a disk works"},
  {"cpu_core_usage",        "%",       kLevel, "cpu_core",       1,    "share of one core that is busy"},
  {"cpu_pressure",          "us/s",    kRate, "cpu_pressure",   1e5, "time in which some thread waited for a core"},
  {"procs_running",         "count",   kLevel, "procs_running",  1,    "threads that run or are ready to run"},
  {"runq_wait",             "us/s",    kRate, "runq_wait",      1e5, "time in which the process's threads waited for a core"},
  {"process_stopped",       "us/s",    kRate, "process_stopped", 1e4, "time in which the process was stopped or frozen"},
  {"container_cpu_throttled", "us/s",  kRate, "cpu_throttled",  1e5, "time in which a quota stopped the container"},
  {"container_cpu_usage",   "%",       kLevel, "container_cpu",  1,    "use by the container, as a share of one core"},
  {"process_cpu_usage",     "%",       kLevel, "process_cpu",    1,    "use by the process, as a share of one core; 200 is two cores"},
  {"context_switches",      "1/s",     kRate, "context_switches", 100, "changes of the thread on a core"},
  {"interrupts",            "1/s",     kRate, "interrupts",     100,  "interrupts of all kinds"},
  {"cpu_frequency",         "MHz",     kLevel, "cpu_clock",      20,   "clock of the cores"},
  {"cpu_temp",              "C",       kLevel, "cpu_temp",       1,    "temperature of the package"},
  {"cpu_power",             "W",       kLevel, "cpu_power",      1,    "power that the package draws"},
  // The host's memory
  {"host_mem_available",    "bytes",   kLevel, "host_memory",    1e9,  "memory that can be used without swapping"},
  {"host_mem_usage",        "%",       kLevel, "host_memory",    1,    "share of memory in use"},
  {"host_mem_free",         "bytes",   kLevel, "host_mem_free",  1e9,  "memory that is empty; caches fill it by design"},
  {"host_mem_buffer",       "bytes",   kLevel, "host_mem_cache", 1e9,  "block buffers"},
  {"host_mem_cache",        "bytes",   kLevel, "host_mem_cache", 1e9,  "page cache"},
  {"memory_pressure",       "us/s",    kRate, "memory_pressure", 1e5, "time in which some thread waited for memory"},
  {"swap_in",               "pages/s", kRate, "swap",           100,  "pages read back from swap"},
  {"swap_out",              "pages/s", kRate, "swap",           100,  "pages written to swap"},
  {"major_faults",          "1/s",     kRate, "major_faults",   10,   "page faults that had to read from disk"},
  {"page_faults",           "1/s",     kRate, "page_faults",    1000, "page faults of all kinds"},
  {"compaction_stalls",     "1/s",     kRate, "compaction",     1,    "allocations that waited for memory to be compacted"},
  {"numa_misses",           "1/s",     kRate, "numa_misses",    1000, "pages taken from another node than asked for"},
  {"process_mem_usage",     "%",       kLevel, "process_memory", 1,    "share of the host's memory that the process holds"},
  {"process_mem_rss",       "bytes",   kLevel, "process_memory", 1e8,  "memory that the process holds"},
  {"process_mem_vms",       "bytes",   kLevel, "process_vms",    1e9,  "addresses that the process has mapped"},
  {"process_mem_swap",      "bytes",   kLevel, "process_swap",   1e8,  "memory of the process that is in swap"},
  {"container_mem_usage",   "%",       kLevel, "container_memory", 1,  "share of the container's memory limit"},
  {"container_mem_used",    "bytes",   kLevel, "container_memory", 1e8, "memory that the container holds"},
  // Disks
  {"disk_read",             "bytes/s", kRate, "disk_traffic",   1e7,  "bytes read from disks"},
  {"disk_write",            "bytes/s", kRate, "disk_traffic",   1e7,  "bytes written to disks"},
  {"disk_util",             "%",       kLevel, "disk_util",      1,    "share of time in which the disk worked"},
  {"disk_await",            "ms",      kLevel, "disk_await",     0.1,  "how long a request takes"},
  {"io_pressure",           "us/s",    kRate, "io_pressure",    1e5, "time in which some thread waited for a disk"},
  {"process_io_read",       "bytes/s", kRate, "process_io",     1e6,  "bytes that the process read"},
  {"process_io_write",      "bytes/s", kRate, "process_io",     1e6,  "bytes that the process wrote"},
  {"disk_usage",            "%",       kLevel, "disk_space",     1,    "how full the file system is, not how busy"},
  {"disk_used",             "bytes",   kLevel, "disk_space",     1e9,  "bytes that files take"},
  {"disk_free",             "bytes",   kLevel, "disk_space",     1e9,  "bytes that are left"},
  // Networks
  {"net_tx_rate",           "bytes/s", kRate, "net_traffic",    1e7,  "bytes sent by network cards"},
  {"net_rx_rate",           "bytes/s", kRate, "net_traffic",    1e7,  "bytes received by network cards"},
  {"net_drops",             "1/s",     kRate, "net_drops",      1,    "packets that were dropped"},
  {"ib_tx_rate",            "bytes/s", kRate, "ib_traffic",     1e8,  "bytes sent by InfiniBand ports"},
  {"ib_rx_rate",            "bytes/s", kRate, "ib_traffic",     1e8,  "bytes received by InfiniBand ports"},
  {"ib_retransmits",        "1/s",     kRate, "ib_retransmits", 1,    "packets that were sent again"},
  // The GPU's clocks
  {"gpu_sm_frequency",      "MHz",     kLevel, "gpu_clock",      10,   "clock of the multiprocessors"},
  {"gpu_frequency",         "MHz",     kLevel, "gpu_clock",      10,   "graphics clock, the same as the SMs' on servers"},
  {"gpu_mem_frequency",     "MHz",     kLevel, "gpu_mem_clock",  10,   "clock of the device memory"},
  {"gpu_clock_reasons",     "bits",    kLevel, "gpu_clock_reasons", 0, "why the clock is not higher, one bit per reason"},
  {"gpu_temp",              "C",       kLevel, "gpu_temp",       1,    "temperature of the GPU"},
  {"gpu_mem_temp",          "C",       kLevel, "gpu_temp",       1,    "temperature of the device memory"},
  {"gpu_power",             "W",       kLevel, "gpu_power",      5,    "power that the GPU draws"},
  // The GPU's work
  {"gpu_usage",             "%",       kLevel, "gpu_usage",      1,    "share of time in which some kernel ran"},
  {"gpu_mem_usage",         "%",       kLevel, "gpu_mem_busy",   1,    "share of time in which device memory was read or written"},
  {"gpu_sm_util",           "ratio",   kLevel, "gpu_sm",         0.01, "share of the multiprocessors that had work"},
  {"gpu_sm_occupancy",      "ratio",   kLevel, "gpu_sm",         0.01, "share of the warp slots that were taken"},
  {"gpu_tensor_util",       "ratio",   kLevel, "gpu_tensor",     0.01, "share of time in which tensor cores worked"},
  {"gpu_dram_util",         "ratio",   kLevel, "gpu_dram",       0.01, "share of the device memory's bandwidth"},
  {"gpu_dram_bandwidth",    "bytes/s", kRate, "gpu_dram",       1e10, "bytes moved to and from device memory"},
  {"process_gpu_usage",     "%",       kLevel, "process_gpu",    1,    "share of time in which the process's kernels ran"},
  {"container_gpu_usage",   "%",       kLevel, "process_gpu",    1,    "share of time in which the container's kernels ran"},
  // Others on the GPU
  {"gpu_mem_used",          "bytes",   kLevel, "gpu_memory",     4e8,  "device memory in use, by any process"},
  {"gpu_mem_foreign",       "bytes",   kLevel, "gpu_memory",     4e8,  "device memory that other processes hold", true},
  {"process_gpu_mem_usage", "bytes",   kLevel, "process_gpu_memory", 4e8, "device memory that the process holds"},
  {"container_gpu_mem_usage", "%",     kLevel, "process_gpu_memory", 1, "share of device memory that the container holds"},
  {"gpu_ctxsw_active",      "%",       kLevel, "gpu_time_slicing", 1,  "share of time spent on switching between processes"},
  {"gpu_foreign_usage",     "%",       kLevel, "gpu_foreign",    1,    "share of time in which kernels of other processes ran"},
  // The GPU's links
  {"gpu_pcie_transmit",     "bytes/s", kRate, "gpu_pcie",       2e8,  "bytes that the GPU sends over PCIe"},
  {"gpu_pcie_receive",      "bytes/s", kRate, "gpu_pcie",       2e8,  "bytes that the GPU receives over PCIe"},
  {"gpu_pcie_replays",      "1/s",     kRate, "pcie_replays",   1,    "PCIe packets that were sent again"},
  {"pcie_link_speed",       "GT/s",    kLevel, "pcie_link",      0.1,  "speed that the PCIe link trained to"},
  {"pcie_link_width",       "lanes",   kLevel, "pcie_link",      0.1,  "lanes that the PCIe link trained to"},
  {"gpu_link_transmit",     "bytes/s", kRate, "gpu_link",       1e9,  "bytes that the GPU sends over NVLink"},
  {"gpu_link_receive",      "bytes/s", kRate, "gpu_link",       1e9,  "bytes that the GPU receives over NVLink"},
  // Faults
  {"gpu_xid_errors",        "count",   kTotal, "gpu_faults",     0,    "faults that the driver reported"},
  {"gpu_ecc_errors",        "count",   kTotal, "gpu_faults",     0,    "memory errors of the GPU"},
};
// clang-format on

std::optional<CounterMatch> match_exactly(std::string_view name) {
  if (const CounterFact* fact = find_counter(name)) return CounterMatch{.fact = fact};
  const CounterAlias* alias = find_counter_alias(name);
  if (alias == nullptr) return std::nullopt;
  return CounterMatch{
      .fact = find_counter(alias->name), .scale = alias->scale, .is_total = alias->is_total};
}

struct NameAndNumber {
  std::string_view name;
  std::int64_t number = 0;
};

/// "process_gpu_usage_4711" in its two parts. A recorder that stores pids as floats writes 2520152
/// as 2.520152e+06, which is still that number.
std::optional<NameAndNumber> split_number(std::string_view name) {
  const std::size_t bar = name.rfind('_');
  if (bar == std::string_view::npos || bar + 1 == name.size()) return std::nullopt;
  const char* const first = name.data() + bar + 1;
  const char* const last = name.data() + name.size();
  double number = 0;
  const auto [end, error] = std::from_chars(first, last, number);
  constexpr double kLargestPid = 1 << 22;  // the kernel's own limit
  if (error != std::errc() || end != last || number != std::floor(number)) return std::nullopt;
  if (!(number >= 0 && number <= kLargestPid)) return std::nullopt;
  return NameAndNumber{name.substr(0, bar), static_cast<std::int64_t>(number)};
}

/// The factor from the unit of the recording to the unit of the table.
double unit_scale(std::string_view from, std::string_view to) {
  if (from == "KiB" && to == "bytes") return 1024;
  if (from == "MiB" && to == "bytes") return 1024 * 1024;
  if (from == "MiB/s" && to == "bytes/s") return 1024 * 1024;
  if (from == "%" && to == "ratio") return 0.01;
  return 1;
}

}  // namespace

std::span<const CounterFact> known_counters() {
  return kCounters;
}

const CounterFact* find_counter(std::string_view name) {
  for (const CounterFact& fact : kCounters) {
    if (fact.name == name) return &fact;
  }
  return nullptr;
}

std::optional<CounterMatch> match_counter(std::string_view name, std::string_view unit) {
  std::optional<CounterMatch> match = match_exactly(name);
  if (!match) {
    const std::optional<NameAndNumber> parts = split_number(name);
    if (parts) match = match_exactly(parts->name);
    // After other names the number is that of a core or a disk.
    if (match && match->fact->name.starts_with("process_")) match->pid = parts->number;
  }
  if (match && match->scale == 1) match->scale = unit_scale(unit, match->fact->unit);
  return match;
}

double mu_pct_per_unit(std::string_view metric) {
  // By the name, as in the tool that defined the format.
  for (const std::string_view word : {"usage", "rate", "util", "occupancy"}) {
    if (metric.find(word) != std::string_view::npos) return 1;
  }
  return 100;
}

}  // namespace tactus

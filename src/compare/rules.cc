#include "compare/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "stats/summary.h"

namespace tactus {
namespace {

struct DeviceLevel {
  std::string name;
  double normal = NAN;  ///< medians
  double abnormal = NAN;
};

/// A counter on each device of the abnormal run.
std::vector<DeviceLevel> devices_of(const ComparedRun& normal, const ComparedRun& abnormal,
                                    std::string_view counter) {
  std::vector<DeviceLevel> devices;
  for (const CounterValues& levels : abnormal.counters) {
    if (levels.counter != counter || levels.values.empty()) continue;
    DeviceLevel device{.name = levels.device, .abnormal = median(levels.values)};
    for (const CounterValues& before : normal.counters) {
      if (before.counter == counter && before.device == levels.device && !before.values.empty()) {
        device.normal = median(before.values);
      }
    }
    devices.push_back(std::move(device));
  }
  return devices;
}

/// A counter compared with a limit, on each device by itself.
struct LimitRule {
  std::string_view rule;
  std::string_view counter;
  std::string_view unit;
  double scale;  ///< of the number shown
  bool above;    ///< it holds above the limit, else below
  double Thresholds::*limit;
};

constexpr LimitRule kLimits[] = {
    {"cpu_too_hot", "cpu_temp", "C", 1, true, &Thresholds::cpu_temp_high},
    {"gpu_too_hot", "gpu_temp", "C", 1, true, &Thresholds::gpu_temp_high},
    {"cpu_clock_low", "cpu_frequency", "MHz", 1, false, &Thresholds::cpu_clock_low_mhz},
    {"host_memory_low", "host_mem_available", "GB", 1e-9, false,
     &Thresholds::host_memory_low_bytes},
    {"file_system_full", "disk_usage", "%", 1, true, &Thresholds::disk_full_pct},
};

RuleResult apply(const LimitRule& rule, const DeviceLevel& device, const Thresholds& thresholds) {
  const double limit = thresholds.*rule.limit;
  const bool holds = rule.above ? device.abnormal > limit : device.abnormal < limit;
  return {.rule = std::string(rule.rule),
          .text = fmt::format("{} of {} is {:.4g} {}; the limit is {:.4g}", rule.counter,
                              device.name.empty() ? "the host" : device.name,
                              device.abnormal * rule.scale, rule.unit, limit * rule.scale),
          .holds = holds};
}

/// A device that is slower than the best of its kind in the same run.
void add_slow_devices(const std::vector<DeviceLevel>& devices, std::string_view counter,
                      const Thresholds& thresholds, std::vector<RuleResult>& results) {
  if (devices.size() < 2) return;
  double best = 0;
  for (const DeviceLevel& device : devices) best = std::max(best, device.abnormal);
  for (const DeviceLevel& device : devices) {
    if (device.abnormal >= thresholds.clock_drop * best) continue;
    results.push_back({.rule = "slower_than_its_peers",
                       .text = fmt::format("{} of {} is {:.0f} MHz, {:.0f}% of the best device's "
                                           "{:.0f} MHz",
                                           counter, device.name, device.abnormal,
                                           100 * device.abnormal / best, best),
                       .holds = true});
  }
}

/// DeviceLevel memory that appeared without the recorded process taking it.
void add_foreign_memory(const ComparedRun& normal, const ComparedRun& abnormal,
                        const Thresholds& thresholds, std::vector<RuleResult>& results) {
  const std::vector<DeviceLevel> own = devices_of(normal, abnormal, "process_gpu_mem_usage");
  for (const DeviceLevel& device : devices_of(normal, abnormal, "gpu_mem_used")) {
    if (!std::isfinite(device.normal)) continue;
    double own_change = 0;
    for (const DeviceLevel& mine : own) {
      if (mine.name == device.name && std::isfinite(mine.normal)) {
        own_change = mine.abnormal - mine.normal;
      }
    }
    const double foreign = device.abnormal - device.normal - own_change;
    results.push_back(
        {.rule = "foreign_device_memory",
         .text = fmt::format("{:+.2f} GB of device memory on {}{}", foreign * 1e-9, device.name,
                             own.empty() ? " (the use by the recorded process is not known)"
                                         : " that the recorded process does not use"),
         .holds = foreign > thresholds.foreign_memory_bytes});
  }
}

/// PCIe traffic that the recorded process did not cause.
void add_foreign_traffic(const ComparedRun& normal, const ComparedRun& abnormal,
                         const Thresholds& thresholds, std::vector<RuleResult>& results) {
  constexpr std::string_view kCounters[] = {"gpu_pcie_receive", "gpu_pcie_transmit"};
  for (std::size_t i = 0; i < 2; ++i) {
    if (!abnormal.own_copy_rate[i]) continue;
    for (const DeviceLevel& device : devices_of(normal, abnormal, kCounters[i])) {
      const double foreign = device.abnormal - *abnormal.own_copy_rate[i];
      results.push_back(
          {.rule = "foreign_pcie_traffic",
           .text = fmt::format(
               "{} of {} is {:.2f} GB/s, of which the recorded process copies {:.2f} GB/s",
               kCounters[i], device.name, device.abnormal * 1e-9,
               *abnormal.own_copy_rate[i] * 1e-9),
           .holds = foreign > thresholds.foreign_pcie_bytes});
    }
  }
}

/// Load of the host that the recorded process did not cause. How many cores there are is not
/// recorded; the normal run tells how much of the host's load goes with a per cent of the process.
void add_foreign_cpu(const ComparedRun& normal, const ComparedRun& abnormal,
                     const Thresholds& thresholds, std::vector<RuleResult>& results) {
  const std::vector<DeviceLevel> host = devices_of(normal, abnormal, "host_cpu_usage");
  const std::vector<DeviceLevel> own = devices_of(normal, abnormal, "process_cpu_usage");
  if (host.size() != 1 || own.size() != 1 || !(own[0].normal > 0)) return;
  const double ours = own[0].abnormal * host[0].normal / own[0].normal;
  results.push_back({.rule = "foreign_host_cpu",
                     .text = fmt::format("host_cpu_usage is {:.1f}%, of which the recorded process "
                                         "causes at most {:.1f}%, judging by the normal run",
                                         host[0].abnormal, std::min(ours, host[0].abnormal)),
                     .holds = host[0].abnormal - ours > thresholds.host_cpu_busy_pct});
}

}  // namespace

std::vector<RuleResult> apply_rules(const ComparedRun& normal, const ComparedRun& abnormal,
                                    const Thresholds& thresholds) {
  std::vector<RuleResult> results;
  if (!abnormal.is_trace) return results;  // patterns give levels as shares of unknown maxima
  for (const LimitRule& rule : kLimits) {
    for (const DeviceLevel& device : devices_of(normal, abnormal, rule.counter)) {
      results.push_back(apply(rule, device, thresholds));
    }
  }
  for (const std::string_view counter : {"gpu_sm_frequency", "cpu_frequency"}) {
    add_slow_devices(devices_of(normal, abnormal, counter), counter, thresholds, results);
  }
  add_foreign_memory(normal, abnormal, thresholds, results);
  add_foreign_traffic(normal, abnormal, thresholds, results);
  add_foreign_cpu(normal, abnormal, thresholds, results);
  return results;
}

}  // namespace tactus

#include "sources/counters/counter_unit.h"

namespace tactus::counters {
namespace {

struct UnitRule {
  std::string_view ending;  ///< of the counter's name
  std::string_view unit;
};

// The first match decides. Units are those seen in recordings: power is in W although NVML counts
// mW, and the two utilisations of the SMs are shares of 1 although similar counters are percent.
constexpr UnitRule kRules[] = {
    {"gpu_sm_util", "ratio"},
    {"gpu_sm_occupancy", "ratio"},
    {"process_gpu_mem_usage", "bytes"},
    {"_usage", "%"},
    {"_util", "%"},
    {"_frequency", "MHz"},
    {"_power", "W"},
    {"_temp", "C"},
    {"_used", "bytes"},
    {"disk_free", "bytes"},
    {"process_mem_rss", "bytes"},
    {"process_mem_vms", "bytes"},
    {"process_mem_swap", "bytes"},
    {"gpu_link_transmit", "bytes/s"},
    {"gpu_link_receive", "bytes/s"},
    {"gpu_pcie_transmit", "bytes/s"},
    {"gpu_pcie_receive", "bytes/s"},
};

std::string_view without_process_id(std::string_view counter) {
  const std::size_t last = counter.find_last_not_of("0123456789");
  const bool has_id =
      last != std::string_view::npos && last + 1 < counter.size() && counter[last] == '_';
  return has_id ? counter.substr(0, last) : counter;
}

}  // namespace

std::string_view unit_of(std::string_view counter) {
  counter = without_process_id(counter);
  for (const UnitRule& rule : kRules) {
    if (counter.ends_with(rule.ending)) return rule.unit;
  }
  return {};
}

}  // namespace tactus::counters

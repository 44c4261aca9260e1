#include "compare/thresholds.h"

#include <fmt/format.h>

#include <iterator>
#include <optional>

#include "base/text.h"

namespace tactus {
namespace {

struct Entry {
  std::string_view name;
  double Thresholds::*value;
};

constexpr Entry kEntries[] = {
    {"launches_differ", &Thresholds::launches_differ},
    {"jaccard_same_kind", &Thresholds::jaccard_same_kind},
    {"jaccard_same_kernels", &Thresholds::jaccard_same_kernels},
    {"jaccard_same_shapes", &Thresholds::jaccard_same_shapes},
    {"batch_changed", &Thresholds::batch_changed},
    {"counter_moved", &Thresholds::counter_moved},
    {"step_changed", &Thresholds::step_changed},
    {"function_changed", &Thresholds::function_changed},
    {"syncs_added", &Thresholds::syncs_added},
    {"false_discovery", &Thresholds::false_discovery},
    {"counter_coverage", &Thresholds::counter_coverage},
    {"host_cpu_busy_pct", &Thresholds::host_cpu_busy_pct},
    {"cpu_temp_high", &Thresholds::cpu_temp_high},
    {"gpu_temp_high", &Thresholds::gpu_temp_high},
    {"cpu_clock_low_mhz", &Thresholds::cpu_clock_low_mhz},
    {"clock_drop", &Thresholds::clock_drop},
    {"foreign_memory_bytes", &Thresholds::foreign_memory_bytes},
    {"foreign_pcie_bytes", &Thresholds::foreign_pcie_bytes},
    {"host_memory_low_bytes", &Thresholds::host_memory_low_bytes},
    {"disk_full_pct", &Thresholds::disk_full_pct},
};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// Sets one; false if there is no such name or the value is not a number, 0 or more.
bool set(std::string_view name, std::string_view text, Thresholds& into) {
  const std::optional<double> value = finite_number(text);
  if (!value || *value < 0) return false;
  for (const Entry& entry : kEntries) {
    if (entry.name != name) continue;
    into.*entry.value = *value;
    return true;
  }
  return false;
}

}  // namespace

Status read_thresholds(std::string_view text, std::string_view path, Thresholds& into) {
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const std::size_t equals = line.find('=');
    const bool is_set =
        equals != std::string_view::npos &&
        set(trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1)), into);
    if (!is_set) {
      return input_error(
          fmt::format("{}: line {}: \"{}\" does not set a threshold to a number, 0 or more; the "
                      "thresholds are:\n{}",
                      path, number, line, thresholds_text(Thresholds())));
    }
  }
  return {};
}

std::string thresholds_text(const Thresholds& thresholds) {
  std::string text;
  for (const Entry& entry : kEntries) {
    fmt::format_to(std::back_inserter(text), "{} = {}\n", entry.name, thresholds.*entry.value);
  }
  return text;
}

}  // namespace tactus

#include "record/meters/host/proc_text.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"

namespace tactus::meters {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

/// Takes the next word off the front; empty at the end.
std::string_view take_word(std::string_view& text) {
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) {
    text = {};
    return {};
  }
  text.remove_prefix(first);
  const std::size_t size = std::min(text.find_first_of(kSpaces), text.size());
  const std::string_view word = text.substr(0, size);
  text.remove_prefix(size);
  return word;
}

/// Takes the next line off the front; false at the end.
bool take_line(std::string_view& text, std::string_view& line) {
  if (text.empty()) return false;
  const std::size_t end = std::min(text.find('\n'), text.size());
  line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return true;
}

/// Fills `into` with the next numbers; false if there are fewer.
template <std::size_t kCount>
bool take_numbers(std::string_view& text, std::array<std::uint64_t, kCount>& into) {
  for (std::uint64_t& value : into) {
    const std::optional<std::uint64_t> number = whole_number(take_word(text));
    if (!number) return false;
    value = *number;
  }
  return true;
}

constexpr std::uint64_t kLargest = UINT64_MAX / 4096;  // of what is multiplied or added below

bool all_fit(std::initializer_list<std::uint64_t> values) {
  return std::all_of(values.begin(), values.end(),
                     [](std::uint64_t value) { return value < kLargest; });
}

std::optional<HostTicks> parse_ticks(std::string_view rest) {
  // user nice system idle iowait irq softirq steal; guests are in user and nice. Old kernels have
  // fewer columns.
  std::array<std::uint64_t, 8> ticks{};
  std::size_t found = 0;
  for (; found < ticks.size(); ++found) {
    const std::optional<std::uint64_t> number = whole_number(take_word(rest));
    if (!number) break;
    if (*number >= kLargest) return std::nullopt;
    ticks[found] = *number;
  }
  if (found < 4) return std::nullopt;
  return HostTicks{.busy = ticks[0] + ticks[1] + ticks[2],
                   .idle = ticks[3],
                   .iowait = ticks[4],
                   .irq = ticks[5] + ticks[6],
                   .steal = ticks[7]};
}

bool is_core_line(std::string_view key) {
  return key.size() > 3 && key.starts_with("cpu") && key[3] >= '0' && key[3] <= '9';
}

}  // namespace

std::optional<std::uint64_t> whole_number(std::string_view text) {
  text = trimmed(text);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> number_of_key(std::string_view text, std::string_view key) {
  return numbers_of_keys(text, {&key, 1}).front();
}

std::vector<std::optional<std::uint64_t>> numbers_of_keys(std::string_view text,
                                                          std::span<const std::string_view> keys) {
  std::vector<std::optional<std::uint64_t>> numbers(keys.size());
  for (std::string_view line; take_line(text, line);) {
    const std::string_view word = take_word(line);
    const auto at = std::find(keys.begin(), keys.end(), word);
    if (at == keys.end()) continue;
    numbers[static_cast<std::size_t>(at - keys.begin())] = whole_number(take_word(line));
  }
  return numbers;
}

HostStat parse_host_stat(std::string_view text) {
  HostStat stat;
  for (std::string_view line; take_line(text, line);) {
    const std::string_view key = take_word(line);
    if (key == "cpu") {
      stat.ticks = parse_ticks(line);
    } else if (is_core_line(key)) {
      ++stat.cores;
    } else if (key == "intr") {
      stat.interrupts = whole_number(take_word(line));
    } else if (key == "ctxt") {
      stat.context_switches = whole_number(take_word(line));
    } else if (key == "procs_running") {
      stat.running = whole_number(take_word(line));
    }
  }
  return stat;
}

std::optional<std::uint64_t> parse_stalled_us(std::string_view text) {
  for (std::string_view line; take_line(text, line);) {
    if (take_word(line) != "some") continue;
    for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
      constexpr std::string_view kTotal = "total=";
      if (word.starts_with(kTotal)) return whole_number(word.substr(kTotal.size()));
    }
  }
  return std::nullopt;
}

HostMemory parse_host_memory(std::string_view text) {
  HostMemory memory;
  for (std::string_view line; take_line(text, line);) {
    const std::string_view key = take_word(line);
    std::optional<std::uint64_t>* const into = key == "MemTotal:"       ? &memory.total
                                               : key == "MemFree:"      ? &memory.free
                                               : key == "MemAvailable:" ? &memory.available
                                               : key == "Buffers:"      ? &memory.buffers
                                               : key == "Cached:"       ? &memory.cached
                                                                        : nullptr;
    if (into == nullptr) continue;
    const std::optional<std::uint64_t> kib = whole_number(take_word(line));
    if (kib && *kib < kLargest) *into = *kib * 1024;
  }
  return memory;
}

std::vector<DiskTotals> parse_disks(std::string_view text) {
  constexpr std::uint64_t kSector = 512;  // whatever the disk's own size is
  std::vector<DiskTotals> disks;
  for (std::string_view line; take_line(text, line);) {
    take_word(line);
    take_word(line);
    const std::string_view name = take_word(line);
    std::array<std::uint64_t, 10> numbers{};
    if (name.empty() || !take_numbers(line, numbers)) continue;
    if (!all_fit({numbers[0], numbers[2], numbers[3], numbers[4], numbers[6], numbers[7]}))
      continue;
    disks.push_back({.name = name,
                     .reads = numbers[0],
                     .read_bytes = numbers[2] * kSector,
                     .read_ms = numbers[3],
                     .writes = numbers[4],
                     .write_bytes = numbers[6] * kSector,
                     .write_ms = numbers[7],
                     .busy_ms = numbers[9]});
  }
  return disks;
}

bool is_disk_of_its_own(std::string_view name) {
  constexpr std::array<std::string_view, 7> kOthers = {"loop", "ram", "zram", "dm-",
                                                       "md",   "sr",  "fd"};
  return std::none_of(kOthers.begin(), kOthers.end(),
                      [&](std::string_view other) { return name.starts_with(other); });
}

std::vector<NetworkTotals> parse_networks(std::string_view text) {
  std::vector<NetworkTotals> networks;
  for (std::string_view line; take_line(text, line);) {
    const std::size_t colon = line.rfind(':');  // an alias has one in its name: "eth0:1"
    if (colon == std::string_view::npos) continue;
    const std::string_view name = trimmed(line.substr(0, colon));
    line.remove_prefix(colon + 1);
    std::array<std::uint64_t, 12> numbers{};
    if (name.empty() || !take_numbers(line, numbers)) continue;
    networks.push_back({.name = name,
                        .rx_bytes = numbers[0],
                        .rx_drops = numbers[3],
                        .tx_bytes = numbers[8],
                        .tx_drops = numbers[11]});
  }
  return networks;
}

std::optional<ProcessStat> parse_process_stat(std::string_view text) {
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    return std::nullopt;
  const std::optional<std::uint64_t> pid = whole_number(text.substr(0, open));
  std::string_view rest = text.substr(close + 1);
  const std::string_view state = take_word(rest);
  const std::optional<std::uint64_t> parent = whole_number(take_word(rest));
  constexpr std::uint64_t kLargestPid = INT32_MAX;
  if (!pid || !parent || *pid > kLargestPid || *parent > kLargestPid) return std::nullopt;
  for (int skipped = 5; skipped < 14; ++skipped) take_word(rest);
  const std::optional<std::uint64_t> user = whole_number(take_word(rest));
  const std::optional<std::uint64_t> system = whole_number(take_word(rest));
  for (int skipped = 16; skipped < 22; ++skipped) take_word(rest);
  const std::optional<std::uint64_t> start = whole_number(take_word(rest));
  if (!user || !system || !start || !all_fit({*user, *system})) return std::nullopt;
  return ProcessStat{.pid = static_cast<std::int64_t>(*pid),
                     .state = state.size() == 1 ? state.front() : '?',
                     .parent = static_cast<std::int64_t>(*parent),
                     .cpu_ticks = *user + *system,
                     .start_ticks = *start};
}

std::optional<std::uint64_t> parse_resident_pages(std::string_view text) {
  take_word(text);
  const std::optional<std::uint64_t> pages = whole_number(take_word(text));
  return pages && *pages < kLargest / 64 ? pages : std::nullopt;
}

std::optional<std::uint64_t> parse_wait_ns(std::string_view text) {
  std::array<std::uint64_t, 3> numbers{};
  if (!take_numbers(text, numbers)) return std::nullopt;
  return numbers[1];
}

std::vector<std::uint32_t> parse_core_list(std::string_view text) {
  constexpr std::uint64_t kMost = 4096;
  std::vector<std::uint32_t> cores;
  text = trimmed(text);
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view range = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const std::size_t dash = range.find('-');
    const std::optional<std::uint64_t> first = whole_number(range.substr(0, dash));
    const std::optional<std::uint64_t> last =
        dash == std::string_view::npos ? first : whole_number(range.substr(dash + 1));
    if (!first || !last || *last >= kMost) continue;
    for (std::uint64_t core = *first; core <= *last && cores.size() < kMost; ++core) {
      cores.push_back(static_cast<std::uint32_t>(core));
    }
  }
  return cores;
}

std::vector<CoreClock> parse_core_clocks(std::string_view text) {
  std::vector<CoreClock> clocks;
  std::optional<std::uint64_t> core;
  for (std::string_view line; take_line(text, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = trimmed(line.substr(0, colon));
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (key == "processor") {
      core = whole_number(value);
    } else if (key == "cpu MHz" && core && *core <= UINT32_MAX) {
      const std::optional<double> mhz = finite_number(value);
      if (mhz && *mhz > 0) clocks.push_back({static_cast<std::uint32_t>(*core), *mhz});
    }
  }
  return clocks;
}

std::optional<std::string> parse_cgroup(std::string_view text) {
  for (std::string_view line; take_line(text, line);) {
    if (!line.starts_with("0::/")) continue;
    const std::string_view path = line.substr(3);
    if (path.find("..") != std::string_view::npos) return std::nullopt;
    return std::string(path);
  }
  return std::nullopt;
}

std::optional<double> parse_link_speed(std::string_view text) {
  const std::optional<double> speed = finite_number(take_word(text));
  if (!speed || *speed <= 0 || !take_word(text).starts_with("GT/s")) return std::nullopt;
  return speed;
}

}  // namespace tactus::meters

#include "record/meters/host/proc_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus::meters;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  whole_number(text);
  constexpr std::string_view kKeys[] = {"pgfault", "VmSwap:", "usage_usec"};
  numbers_of_keys(text, kKeys);
  parse_host_stat(text);
  parse_stalled_us(text);
  parse_host_memory(text);
  for (const DiskTotals& disk : parse_disks(text)) is_disk_of_its_own(disk.name);
  parse_networks(text);
  parse_process_stat(text);
  parse_resident_pages(text);
  parse_wait_ns(text);
  parse_core_list(text);
  parse_core_clocks(text);
  parse_cgroup(text);
  parse_link_speed(text);
  return 0;
}

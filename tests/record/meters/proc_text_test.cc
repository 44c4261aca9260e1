#include "record/meters/host/proc_text.h"

#include <gtest/gtest.h>

namespace tactus::meters {
namespace {

TEST(ProcText, a_number_is_the_whole_text_and_fits) {
  EXPECT_EQ(whole_number(" 12\n"), 12U);
  EXPECT_EQ(whole_number("18446744073709551615"), UINT64_MAX);
  for (const char* text : {"", " ", "-1", "1 2", "0x1", "18446744073709551616", "1.5"}) {
    EXPECT_FALSE(whole_number(text)) << text;
  }
}

TEST(ProcText, the_host_s_ticks_are_summed_without_guests) {
  const HostStat stat = parse_host_stat(
      "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2 3 4\ncpu7 1\nintr 99 1 2\nctxt 55\nprocs_running 3\n");
  ASSERT_TRUE(stat.ticks);
  EXPECT_EQ(stat.ticks->busy, 6U);
  EXPECT_EQ(stat.ticks->idle, 4U);
  EXPECT_EQ(stat.ticks->iowait, 5U);
  EXPECT_EQ(stat.ticks->irq, 13U);
  EXPECT_EQ(stat.ticks->steal, 8U);
  EXPECT_EQ(stat.cores, 2U);
  EXPECT_EQ(stat.interrupts, 99U);
  EXPECT_EQ(stat.context_switches, 55U);
  EXPECT_EQ(stat.running, 3U);
}

TEST(ProcText, a_stat_that_is_cut_or_too_large_has_no_ticks) {
  EXPECT_FALSE(parse_host_stat("").ticks);
  EXPECT_FALSE(parse_host_stat("cpu  1 2 3").ticks);
  EXPECT_FALSE(parse_host_stat("cpu  1 2 3 x 5").ticks);
  EXPECT_FALSE(parse_host_stat("cpu  18446744073709551615 2 3 4").ticks);
  EXPECT_TRUE(parse_host_stat("cpu  1 2 3 4").ticks);  // as in old kernels
}

TEST(ProcText, pressure_is_the_total_of_some) {
  EXPECT_EQ(parse_stalled_us("full avg10=0 total=7\nsome avg10=0.00 avg60=0.00 total=12345\n"),
            12345U);
  for (const char* text : {"", "some", "some total=", "some total=x", "full total=7"}) {
    EXPECT_FALSE(parse_stalled_us(text)) << text;
  }
}

TEST(ProcText, memory_is_in_bytes) {
  const HostMemory memory =
      parse_host_memory("MemTotal: 100 kB\nMemAvailable:  40 kB\nCached: 18446744073709551615 kB");
  EXPECT_EQ(memory.total, 102400U);
  EXPECT_EQ(memory.available, 40960U);
  EXPECT_FALSE(memory.cached);
  EXPECT_FALSE(memory.free);
}

TEST(ProcText, disks_need_all_their_columns) {
  const auto disks = parse_disks(
      "259 0 nvme0n1 1 2 3 4 5 6 7 8 9 10 11\n8 0 sda 1 2 3\n8 0 sdb 1 2 18446744073709551615 4 5 "
      "6 7 8 9 10\n");
  ASSERT_EQ(disks.size(), 1U);
  EXPECT_EQ(disks[0].name, "nvme0n1");
  EXPECT_EQ(disks[0].read_bytes, 3U * 512);
  EXPECT_EQ(disks[0].write_bytes, 7U * 512);
  EXPECT_EQ(disks[0].busy_ms, 10U);
  EXPECT_TRUE(is_disk_of_its_own("sda"));
  EXPECT_FALSE(is_disk_of_its_own("dm-0"));
}

TEST(ProcText, networks_may_stick_to_their_first_number) {
  const auto networks = parse_networks(
      "Inter-| Receive\n face |bytes\n eth0:1 2 3 4 5 6 7 8 9 10 11 12 13\n lo: 1 2\n");
  ASSERT_EQ(networks.size(), 1U);
  EXPECT_EQ(networks[0].name, "eth0");
  EXPECT_EQ(networks[0].rx_bytes, 1U);
  EXPECT_EQ(networks[0].rx_drops, 4U);
  EXPECT_EQ(networks[0].tx_bytes, 9U);
  EXPECT_EQ(networks[0].tx_drops, 12U);
}

TEST(ProcText, the_name_of_a_process_may_look_like_anything) {
  const auto stat =
      parse_process_stat("4711 (a) S 1 (b)) R 17 1 1 0 -1 0 1 2 3 4 50 6 7 8 20 0 1 0 999 0 0");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->pid, 4711);
  EXPECT_EQ(stat->parent, 17);
  EXPECT_EQ(stat->cpu_ticks, 56U);
  EXPECT_EQ(stat->start_ticks, 999U);
  for (const char* text : {"", "4711", "4711 (a", ")(", "4711 (a) S", "4711 (a) S 1 1 1 0 -1 0"}) {
    EXPECT_FALSE(parse_process_stat(text)) << text;
  }
}

TEST(ProcText, lists_of_cores_are_bounded) {
  EXPECT_EQ(parse_core_list("0-2,8\n"), (std::vector<std::uint32_t>{0, 1, 2, 8}));
  EXPECT_TRUE(parse_core_list("").empty());
  EXPECT_TRUE(parse_core_list("3-1").empty());
  EXPECT_TRUE(parse_core_list("0-18446744073709551615").empty());
  EXPECT_LE(parse_core_list("0-4095,0-4095,0-4095").size(), 4096U);
}

TEST(ProcText, small_values_are_read) {
  EXPECT_EQ(parse_resident_pages("100 20 3 4"), 20U);
  EXPECT_FALSE(parse_resident_pages("100"));
  EXPECT_EQ(parse_wait_ns("1 2 3\n"), 2U);
  EXPECT_FALSE(parse_wait_ns("1 2"));
  EXPECT_EQ(number_of_key("VmRSS: 5 kB\nVmSwap:\t 7 kB\n", "VmSwap:"), 7U);
  EXPECT_FALSE(number_of_key("VmSwapX: 7", "VmSwap:"));
  EXPECT_EQ(parse_link_speed("32.0 GT/s PCIe\n"), 32.0);
  EXPECT_FALSE(parse_link_speed("Unknown"));
  EXPECT_EQ(parse_cgroup("1:cpu:/x\n0::/a/b\n"), "/a/b");
  EXPECT_FALSE(parse_cgroup("0::/../../etc"));
  const auto clocks = parse_core_clocks("processor : 3\ncpu MHz\t\t: 2400.5\ncpu MHz : nan\n");
  ASSERT_EQ(clocks.size(), 1U);
  EXPECT_EQ(clocks[0].core, 3U);
  EXPECT_EQ(clocks[0].mhz, 2400.5);
}

}  // namespace
}  // namespace tactus::meters

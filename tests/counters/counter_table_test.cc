#include "counters/counter_table.h"

#include <gtest/gtest.h>

#include <set>

#include "counters/counter_aliases.h"
#include "sources/counters/counter_unit.h"

namespace tactus {
namespace {

TEST(CounterTable, names_each_counter_once_and_explains_it) {
  std::set<std::string_view> names;
  for (const CounterFact& fact : known_counters()) {
    EXPECT_TRUE(names.insert(fact.name).second) << fact.name;
    EXPECT_FALSE(fact.meaning.empty()) << fact.name;
    EXPECT_FALSE(fact.family.empty()) << fact.name;
    EXPECT_GE(fact.floor, 0) << fact.name;
  }
}

TEST(CounterTable, one_family_shows_one_thing) {
  EXPECT_EQ(find_counter("gpu_sm_frequency")->family, find_counter("gpu_frequency")->family);
  EXPECT_EQ(find_counter("gpu_link_transmit")->family, find_counter("gpu_link_receive")->family);
}

TEST(CounterTable, agrees_with_the_units_that_names_imply) {
  for (const CounterFact& fact : known_counters()) {
    const std::string_view implied = counters::unit_of(fact.name);
    if (implied.empty()) continue;
    EXPECT_TRUE(implied == fact.unit || (implied == "%" && fact.unit == "ratio")) << fact.name;
  }
}

TEST(CounterTable, knows_other_recorders_names) {
  const auto clock = match_counter("sm_clock_mhz");
  ASSERT_TRUE(clock);
  EXPECT_EQ(clock->fact->name, "gpu_sm_frequency");

  const auto memory = match_counter("DCGM_FI_DEV_FB_USED");
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->fact->name, "gpu_mem_used");
  EXPECT_EQ(memory->scale, 1024 * 1024);

  const auto link = match_counter("nvlink_tx_bytes");
  ASSERT_TRUE(link);
  EXPECT_EQ(link->fact->name, "gpu_link_transmit");
  EXPECT_TRUE(link->is_total);

  EXPECT_FALSE(match_counter("weather"));
  EXPECT_FALSE(match_counter(""));
}

TEST(CounterTable, every_alias_leads_into_the_table) {
  for (const char* name : {"cpu.host.util", "gpu.energy", "MemAvailable", "power.draw", "xid"}) {
    ASSERT_NE(find_counter_alias(name), nullptr) << name;
  }
  for (const CounterAlias& alias : known_counter_aliases()) {
    EXPECT_NE(find_counter(alias.name), nullptr) << alias.alias;
    EXPECT_EQ(find_counter(alias.alias), nullptr) << alias.alias;
  }
}

TEST(CounterTable, reads_the_process_behind_a_name) {
  EXPECT_EQ(match_counter("process_cpu_usage_4711")->pid, 4711);
  // a pid that passed through a float
  EXPECT_EQ(match_counter("process_cpu_usage_2.520152e+06")->pid, 2520152);
  EXPECT_EQ(match_counter("process_cpu_usage")->pid, std::nullopt);
  // a core is no process
  EXPECT_EQ(match_counter("cpu_frequency_12")->fact->name, "cpu_frequency");
  EXPECT_EQ(match_counter("cpu_frequency_12")->pid, std::nullopt);
  EXPECT_FALSE(match_counter("process_cpu_usage_"));
  EXPECT_FALSE(match_counter("process_cpu_usage_nan"));
  EXPECT_FALSE(match_counter("process_cpu_usage_1.5"));
}

TEST(CounterTable, follows_the_unit_that_a_recording_names) {
  EXPECT_EQ(match_counter("host_mem_available", "KiB")->scale, 1024);
  EXPECT_EQ(match_counter("host_mem_available", "bytes")->scale, 1);
  EXPECT_EQ(match_counter("gpu_sm_util", "%")->scale, 0.01);
}

TEST(CounterTable, percentages_stand_in_patterns_as_they_are) {
  EXPECT_EQ(mu_pct_per_unit("host_cpu_usage"), 1);
  EXPECT_EQ(mu_pct_per_unit("net_tx_rate"), 1);
  EXPECT_EQ(mu_pct_per_unit("gpu_sm_frequency"), 100);
}

}  // namespace
}  // namespace tactus

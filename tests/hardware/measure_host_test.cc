#include "hardware/measure_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>

#include "hardware/cpu_loops.h"
#include "hardware/host_machine.h"
#include "hardware/memory_loops.h"
#include "hardware/thread_team.h"
#include "support/files.h"

namespace tactus {
namespace {

using ::testing::HasSubstr;

HostOptions tiny(const std::string& cache_folder) {
  return {.cache_folder = cache_folder,
          .time_per_figure = std::chrono::milliseconds(0),
          .memory_bytes = 1U << 20U,
          .threads = 2};
}

class CountingProgress final : public Progress {
 public:
  void update(std::string_view, std::uint64_t done, std::uint64_t total) override {
    EXPECT_LE(done, total);
    ++updates;
  }
  int updates = 0;
};

TEST(MeasureHost, finds_figures_and_reads_them_back_the_next_time) {
  const testing::TemporaryFolder folder;
  CountingProgress progress;
  std::string warning;
  const auto host = measure_host(progress, false, tiny(folder.file("cache")), &warning);
  ASSERT_TRUE(host) << host.error().message;
  EXPECT_EQ(warning, "");
  EXPECT_EQ(host->name, "host");
  EXPECT_THAT(host->variant, HasSubstr(", 2 threads"));
  EXPECT_GT(host->memory_bandwidth.value, 0);
  EXPECT_THAT(host->memory_bandwidth.source, HasSubstr("triad"));
  EXPECT_TRUE(host->peak(Engine::kVector, NumberType::kFp32));
  EXPECT_TRUE(host->peak(Engine::kVector, NumberType::kFp64));
  EXPECT_TRUE(host->launch_floor_ns);
  const int updates = progress.updates;
  EXPECT_GT(updates, 5);

  const auto again = measure_host(progress, false, tiny(folder.file("cache")));
  ASSERT_TRUE(again);
  EXPECT_EQ(hardware_profile_text(*again), hardware_profile_text(*host));
  EXPECT_EQ(progress.updates, updates);  // nothing was measured
  ASSERT_TRUE(measure_host(progress, true, tiny(folder.file("cache"))));
  EXPECT_GT(progress.updates, updates);
}

TEST(MeasureHost, is_saved_and_only_gets_better) {
  const testing::TemporaryFolder folder;
  CountingProgress progress;
  const HostOptions options = tiny(folder.path().string());
  EXPECT_FALSE(saved_host(options));
  const auto host = measure_host(progress, false, options);
  ASSERT_TRUE(host) << host.error().message;
  HardwareProfile fast = *host;
  fast.memory_bandwidth.value = 1e18;
  fast.vector_flops[static_cast<std::size_t>(NumberType::kFp32)]->value = 1;
  const auto better = better_host(progress, fast, options);
  ASSERT_TRUE(better) << better.error().message;
  EXPECT_EQ(better->memory_bandwidth.value, 1e18);
  EXPECT_GT(*better->peak(Engine::kVector, NumberType::kFp32), 1);
  const int updates = progress.updates;
  const auto saved = saved_host(options);
  ASSERT_TRUE(saved);
  EXPECT_EQ(hardware_profile_text(*saved), hardware_profile_text(*better));
  EXPECT_EQ(progress.updates, updates);
}

TEST(MeasureHost, measures_again_what_it_cannot_read_or_what_is_of_another_machine) {
  const testing::TemporaryFolder folder;
  CountingProgress progress;
  const auto host = measure_host(progress, false, tiny(folder.path().string()));
  ASSERT_TRUE(host) << host.error().message;
  const std::string file = cache_file_name("host", host->variant);
  ASSERT_TRUE(std::filesystem::exists(folder.file(file)));
  HardwareProfile foreign = *host;
  foreign.variant = "another processor, 2 threads";
  for (const std::string& text : {std::string("not TOML ["), hardware_profile_text(foreign)}) {
    folder.write(file, text);
    const int before = progress.updates;
    ASSERT_TRUE(measure_host(progress, false, tiny(folder.path().string())));
    EXPECT_GT(progress.updates, before);
    const auto kept = read_hardware_file(folder.file(file));
    ASSERT_TRUE(kept) << kept.error().message;
    EXPECT_EQ(kept->variant, host->variant);
  }
}

TEST(MeasureHost, warns_where_it_cannot_keep_what_it_found) {
  const testing::TemporaryFolder folder;
  const std::string blocked = folder.write("file", "") + "/cache";
  NoProgress progress;
  std::string warning;
  const auto host = measure_host(progress, false, tiny(blocked), &warning);
  ASSERT_TRUE(host) << host.error().message;
  EXPECT_THAT(warning, HasSubstr("measured again the next time: " + blocked));
}

TEST(HostMachine, reads_what_the_system_says) {
  const testing::TemporaryFolder folder;
  const auto write = [&](const std::string& path, const std::string& text) {
    const auto full = folder.path() / path;
    std::filesystem::create_directories(full.parent_path());
    folder.write(path, text);
  };
  write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\n");
  write("proc/meminfo", "MemTotal:       16000000 kB\nMemAvailable:    8000000 kB\n");
  write("sys/fs/cgroup/memory.max", "1073741824\n");
  write("sys/fs/cgroup/memory.current", "73741824\n");
  for (const std::string cpu : {"cpu0", "cpu1"}) {
    const std::string caches = "sys/devices/system/cpu/" + cpu + "/cache/";
    write(caches + "index1/type", "Instruction\n");
    write(caches + "index1/level", "1\n");
    write(caches + "index1/size", "32K\n");
    write(caches + "index2/type", "Unified\n");
    write(caches + "index2/level", "2\n");
    write(caches + "index2/size", "2048K\n");
    write(caches + "index2/shared_cpu_list", cpu.substr(3) + "\n");
    write(caches + "index3/type", "Unified\n");
    write(caches + "index3/level", "3\n");
    write(caches + "index3/size", "30M\n");
    write(caches + "index3/shared_cpu_list", "0-1\n");
  }
  const HostMachine machine = read_host_machine(folder.path().string());
  EXPECT_EQ(machine.processor, "Some CPU @ 2 GHz");
  EXPECT_EQ(machine.memory_bytes, 16000000ULL << 10U);
  EXPECT_EQ(machine.free_memory_bytes, 1000000000U);
  EXPECT_EQ(machine.own_cache_bytes, 4U << 20U);
  EXPECT_EQ(machine.last_cache_bytes, 30U << 20U);
  EXPECT_EQ(machine.last_cache_level, 3);
}

TEST(HostMachine, leaves_empty_what_the_system_does_not_say) {
  const testing::TemporaryFolder folder;
  const HostMachine machine = read_host_machine(folder.path().string());
  EXPECT_EQ(machine.processor, "");
  EXPECT_EQ(machine.last_cache_bytes, 0U);
}

TEST(CpuLoops, run_with_the_instructions_that_this_processor_has) {
  for (const CpuLoop& loop : cpu_loops()) {
    loop.run(10);
    EXPECT_GT(loop.flops_per_turn, 0) << loop.instructions;
  }
}

TEST(MemoryLoops, move_what_they_say) {
  std::vector<double> numbers(192 + 8, 2.0);
  auto* first = reinterpret_cast<std::uint64_t*>(numbers.data());
  while (reinterpret_cast<std::uintptr_t>(first) % 64 != 0) ++first;
  const auto at = [&](std::size_t i) { return reinterpret_cast<double*>(first)[i]; };
  memory_loops()[3].run({first, 192});
  EXPECT_EQ(at(127), 2.0);
  EXPECT_EQ(at(128), 8.0);  // 2 + 3 * 2
  EXPECT_EQ(at(191), 8.0);
  memory_loops()[1].run({first, 96});
  memory_loops()[2].run({first, 192});
  EXPECT_EQ(at(95), 1.0);
  EXPECT_EQ(at(96), 1.0);
  EXPECT_EQ(at(191), 1.0);
}

TEST(ThreadTeam, runs_the_work_once_on_each_member) {
  for (const unsigned size : {1U, 2U, 5U}) {
    ThreadTeam team(size);
    std::vector<std::atomic<int>> calls(size);
    for (int round = 0; round < 100; ++round) {
      team.run([&](unsigned member) { calls[member].fetch_add(1); });
    }
    for (const auto& count : calls) EXPECT_EQ(count.load(), 100);
  }
}

TEST(ProfileCache, names_files_so_that_any_machine_can_have_one) {
  EXPECT_EQ(cache_file_name("host", "Intel(R) Xeon(R) @ 2.0GHz, 2 threads"),
            "host-intel-r-xeon-r-2-0ghz-2-threads.toml");
  EXPECT_EQ(cache_file_name("cuda", "../../etc/passwd"), "cuda-etc-passwd.toml");
}

}  // namespace
}  // namespace tactus

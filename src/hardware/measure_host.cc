#include "hardware/measure_host.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <span>

#include "base/parallel.h"
#include "hardware/cpu_loops.h"
#include "hardware/host_machine.h"
#include "hardware/memory_loops.h"
#include "hardware/thread_team.h"

namespace tactus {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr int kFewestRepeats = 3;

Seconds time_of(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::max<Seconds>(Clock::now() - start, std::chrono::nanoseconds(1));
}

/// The shortest of the runs that fit into `budget`: any disturbance only makes a run longer.
Seconds best_time(std::chrono::milliseconds budget, const std::function<void()>& work) {
  Seconds best = time_of(work);
  const auto end = Clock::now() + budget;
  for (int i = 1; i < kFewestRepeats || Clock::now() < end; ++i) {
    best = std::min(best, time_of(work));
  }
  return best;
}

/// Private memory, in large pages if possible.
class Pages {
 public:
  explicit Pages(std::size_t bytes) : bytes_(bytes) {
    void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return;
    ::madvise(at, bytes, MADV_HUGEPAGE);
    numbers_ = static_cast<std::uint64_t*>(at);
  }
  ~Pages() {
    if (numbers_ != nullptr) ::munmap(numbers_, bytes_);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  std::span<std::uint64_t> numbers() const {
    return numbers_ == nullptr ? std::span<std::uint64_t>()
                               : std::span(numbers_, bytes_ / sizeof *numbers_);
  }

 private:
  std::size_t bytes_;
  std::uint64_t* numbers_ = nullptr;
};

/// Equal parts of whole cache lines that also divide by two and by three.
std::span<std::uint64_t> part_of(std::span<std::uint64_t> numbers, unsigned part, unsigned parts) {
  constexpr std::size_t kGrain = 192;
  const std::size_t size = numbers.size() / parts / kGrain * kGrain;
  return numbers.subspan(part * size, size);
}

std::string gigabytes(double bytes_per_s) {
  return std::to_string(std::llround(bytes_per_s / 1e9)) + " GB/s";
}

class HostMeasurement {
 public:
  HostMeasurement(Progress& progress, const HostOptions& options, const HostMachine& machine,
                  unsigned threads)
      : progress_(progress), options_(options), machine_(machine), team_(threads) {}

  Result<HardwareProfile> run(HardwareProfile profile) {
    const std::vector<CpuLoop> loops = cpu_loops();
    total_ = loops.size() + memory_loops().size() + 3;
    if (const Status status = measure_memory(profile); !status) return status.error();
    for (const CpuLoop& loop : loops) measure_peak(loop, profile);
    measure_dispatch(profile);
    if (machine_.memory_bytes > 0) {
      profile.memory_size = figure(static_cast<double>(machine_.memory_bytes), "/proc/meminfo");
    }
    if (machine_.last_cache_bytes > 0) {
      profile.l2_size =
          figure(static_cast<double>(machine_.last_cache_bytes),
                 "sysfs: level " + std::to_string(machine_.last_cache_level) + ", all of it");
    }
    step();
    return profile;
  }

 private:
  Figure figure(double value, std::string source) const {
    return {.value = value, .source = std::move(source), .date = date_};
  }

  void step() { progress_.update("measuring this machine", done_++, total_); }

  /// Much larger than the caches, and at most a quarter of the free memory.
  std::size_t working_set() const {
    if (options_.memory_bytes > 0) return options_.memory_bytes;
    constexpr std::size_t kLeast = std::size_t{256} << 20U;
    constexpr std::size_t kMost = std::size_t{8} << 30U;
    const std::size_t wanted = std::clamp(4 * machine_.last_cache_bytes, kLeast, kMost);
    return machine_.free_memory_bytes > 0 ? std::min(wanted, machine_.free_memory_bytes / 4)
                                          : wanted;
  }

  /// Goes through the memory in slices of a few milliseconds each. A short slice has a better
  /// chance that no thread is disturbed, and every slice has left the caches before its next turn.
  double bandwidth(const MemoryLoop& loop, std::span<std::uint64_t> numbers, unsigned slices) {
    const unsigned threads = team_.size();
    const auto slice_of = [&](unsigned member, unsigned slice) {
      return part_of(part_of(numbers, member, threads), slice, slices);
    };
    unsigned slice = 0;
    const Seconds time = best_time(options_.time_per_figure, [&] {
      team_.run([&](unsigned member) { loop.run(slice_of(member, slice)); });
      slice = (slice + 1) % slices;
    });
    return static_cast<double>(slice_of(0, 0).size_bytes()) * threads / time.count();
  }

  Status measure_memory(HardwareProfile& profile) {
    step();
    const Pages pages(working_set());
    if (part_of(pages.numbers(), 0, team_.size()).empty()) {
      return broke_error("cannot measure this machine: no memory for its bandwidth (" +
                         std::to_string(working_set() >> 20U) + " MB)");
    }
    // The thread that touches a page first gets it in its own memory.
    team_.run([&](unsigned member) {
      std::ranges::fill(part_of(pages.numbers(), member, team_.size()),
                        std::bit_cast<std::uint64_t>(1.0));
    });
    constexpr std::size_t kSlice = std::size_t{32} << 20U;
    const auto slices = static_cast<unsigned>(
        std::clamp<std::size_t>(pages.numbers().size_bytes() / team_.size() / kSlice, 1, 32));
    double best = 0;
    std::string source = "measured: ";
    for (const MemoryLoop& loop : memory_loops()) {
      step();
      const double found = bandwidth(loop, pages.numbers(), slices);
      best = std::max(best, found);
      source += std::string(loop.name) + ' ' + gigabytes(found) + ", ";
    }
    source += std::to_string(pages.numbers().size_bytes() >> 20U) + " MB, " +
              std::to_string(team_.size()) + " threads";
    profile.memory_bandwidth = figure(best, source);
    step();
    measure_cache(pages.numbers(), profile);
    return {};
  }

  /// Of the last cache, if it is large enough compared with the caches before it.
  void measure_cache(std::span<std::uint64_t> numbers, HardwareProfile& profile) {
    const std::size_t bytes = machine_.last_cache_bytes / 4;
    if (machine_.last_cache_level < 3 || bytes < 2 * machine_.own_cache_bytes) return;
    const std::size_t used = std::min(bytes, numbers.size_bytes()) / sizeof numbers[0];
    if (part_of(numbers.first(used), 0, team_.size()).empty()) return;
    const double found = bandwidth(memory_loops().front(), numbers.first(used), 1);
    // A cache that others use at the same time may hold less than its size.
    if (found <= profile.memory_bandwidth.value) return;
    profile.l2_bandwidth =
        figure(found, "measured: read, " + std::to_string(used * sizeof numbers[0] >> 20U) + " MB");
  }

  void measure_peak(const CpuLoop& loop, HardwareProfile& profile) {
    step();
    const auto run = [&](std::uint64_t turns) { team_.run([&](unsigned) { loop.run(turns); }); };
    // Long enough that the start does not matter, short enough that some runs are undisturbed.
    const Seconds enough = std::min<Seconds>(Seconds(0.001), options_.time_per_figure);
    std::uint64_t turns = 64;
    constexpr std::uint64_t kMostTurns = std::uint64_t{1} << 40U;
    while (turns < kMostTurns && time_of([&] { run(turns); }) < enough) turns *= 2;
    const Seconds time = best_time(options_.time_per_figure, [&] { run(turns); });
    const double flops =
        loop.flops_per_turn * static_cast<double>(turns) * team_.size() / time.count();
    auto& peaks = loop.engine == Engine::kTensor ? profile.tensor_flops : profile.vector_flops;
    std::optional<Figure>& peak = peaks[static_cast<std::size_t>(loop.type)];
    if (peak && peak->value >= flops) return;  // wider instructions may run at a lower clock
    peak = figure(flops, "measured: " + std::string(loop.instructions) + ", " +
                             std::to_string(team_.size()) + " threads");
  }

  void measure_dispatch(HardwareProfile& profile) {
    step();
    constexpr int kTasks = 64;
    const Seconds time = best_time(options_.time_per_figure, [&] {
      for (int i = 0; i < kTasks; ++i) team_.run([](unsigned) {});
    });
    profile.launch_floor_ns =
        figure(std::round(time.count() * 1e10 / kTasks) / 10,
               "measured: an empty task on " + std::to_string(team_.size()) + " waiting threads");
  }

  Progress& progress_;
  const HostOptions& options_;
  const HostMachine& machine_;
  ThreadTeam team_;
  std::string date_ = today();
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace

namespace {

/// What is known of this machine without measuring, and where its file is.
struct NamedHost {
  HostMachine machine = read_host_machine();
  unsigned threads = 0;
  HardwareProfile profile = {.name = "host"};
  std::string file;
};

NamedHost name_host(const HostOptions& options) {
  constexpr unsigned kMostThreads = 1024;
  NamedHost host;
  host.threads = options.threads > 0 ? options.threads : usable_threads(kMostThreads);
  const std::string& processor = host.machine.processor;
  host.profile.variant = (processor.empty() ? "unknown processor" : processor) + ", " +
                         std::to_string(host.threads) +
                         (host.threads == 1 ? " thread" : " threads");
#if defined(__x86_64__)
  host.profile.arch = "x86-64";
#elif defined(__aarch64__)
  host.profile.arch = "aarch64";
#endif
  host.file = cache_file_name("host", host.profile.variant);
  return host;
}

std::optional<HardwareProfile> saved(const NamedHost& host, const HostOptions& options) {
  return cached_profile(options.cache_folder, host.file, "host", host.profile.variant);
}

}  // namespace

Result<HardwareProfile> measure_host(Progress& progress, bool fresh, const HostOptions& options,
                                     std::string* warning) {
  const NamedHost host = name_host(options);
  if (!fresh) {
    if (auto earlier = saved(host, options)) return *std::move(earlier);
  }
  auto measured = HostMeasurement(progress, options, host.machine, host.threads).run(host.profile);
  if (!measured) return measured;
  const Status kept = keep_profile(options.cache_folder, host.file, *measured);
  if (!kept && warning != nullptr) {
    *warning = "this machine will be measured again the next time: " + kept.error().message;
  }
  return measured;
}

std::optional<HardwareProfile> saved_host(const HostOptions& options) {
  return saved(name_host(options), options);
}

Result<HardwareProfile> better_host(Progress& progress, const HardwareProfile& earlier,
                                    const HostOptions& options) {
  const NamedHost host = name_host(options);
  auto measured = HostMeasurement(progress, options, host.machine, host.threads).run(host.profile);
  if (!measured) return measured;
  HardwareProfile best = best_of(earlier, *measured);
  // If it cannot be saved, the next run measures, which says so.
  static_cast<void>(keep_profile(options.cache_folder, host.file, best));
  return best;
}

}  // namespace tactus

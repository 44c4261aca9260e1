// What sampling the meters of a machine costs.
// usage: meters [SECONDS [PID]]            at 10 and 100 Hz: rate reached, share of a core, loss
//        meters costs [PID]                each reader alone: processor and wall time per reading
//        meters csv SECONDS HZ FILE [PID]  samples as a counters file, for `tactus import
//        --counters`
// PID is the process whose use is own; without it, this one. TACTUS_NVML names another NVML.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <thread>

#include "record/meters/gpu/gpu_meters.h"
#include "record/meters/host/host_meters.h"
#include "record/meters/meter_session.h"

namespace {

using namespace tactus::meters;

std::string nvml_library() {
  const char* const library = std::getenv("TACTUS_NVML");
  return library != nullptr ? library : MeterOptions{}.nvml;
}

MeterOptions options_for(double hz, std::int64_t pid) {
  // No budget: what it costs is what is asked.
  return {.pids = {pid}, .hz = hz, .budget = 0, .nvml = nvml_library()};
}

double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void show_issues(const std::vector<MeterIssue>& issues) {
  if (!issues.empty()) fmt::print("\nnot read here:\n");
  for (const MeterIssue& issue : issues) {
    fmt::print("  {}: {}\n    {}\n", issue.what, issue.reason, issue.fix);
  }
}

/// Samples for some seconds and drains as a recorder does.
std::vector<MeterSample> sample(MeterSession& session, double seconds) {
  std::vector<MeterSample> samples;
  const double end = seconds_of(CLOCK_MONOTONIC) + seconds;
  while (seconds_of(CLOCK_MONOTONIC) < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    session.drain(samples);
  }
  session.stop();
  session.drain(samples);
  return samples;
}

int show_rates(double seconds, std::int64_t pid) {
  fmt::print("{:<12} {:>8} {:>8} {:>8} {:>9} {:>6} {:>11} {:>9} {:>9}\n", "thread", "asked",
             "reached", "skipped", "samples/s", "lost", "core share", "us/turn", "counters");
  std::vector<MeterIssue> issues;
  for (const double hz : {10.0, 100.0}) {
    auto session = MeterSession::start(options_for(hz, pid));
    if (!session) {
      fmt::print(stderr, "{}\n", session.error().message);
      return 1;
    }
    std::map<std::uint32_t, std::uint64_t> counters;
    for (const MeterSample& taken : sample(**session, seconds)) ++counters[taken.counter];
    for (const SamplerStats& stats : (*session)->stats()) {
      if (stats.turns == 0) continue;
      const double wall = static_cast<double>(stats.wall_ns) * 1e-9;
      const double cpu = static_cast<double>(stats.cpu_ns) * 1e-9;
      fmt::print("{:<12} {:>5.0f} Hz {:>5.1f} Hz {:>8} {:>9.0f} {:>6} {:>10.3f}% {:>9.1f} {:>9}\n",
                 stats.name, hz, static_cast<double>(stats.turns) / wall, stats.skipped,
                 static_cast<double>(stats.samples) / wall, stats.lost, 100 * cpu / wall,
                 1e6 * cpu / static_cast<double>(stats.turns), counters.size());
    }
    issues = (*session)->issues();
  }
  show_issues(issues);
  return 0;
}

void show_cost(MeterReader& reader, MeterTable& table) {
  constexpr int kReadings = 50;
  SampleRing ring(1 << 12);
  MeterSink sink(table, ring);
  reader.read(sink);
  std::vector<double> walls;
  double cpu = 0;
  for (int i = 0; i < kReadings; ++i) {
    // As far apart as it wants, so that it does its work each time.
    const std::int64_t apart_ns =
        std::clamp<std::int64_t>(reader.facts().least_ns, 21'000'000, 110'000'000);
    std::this_thread::sleep_for(std::chrono::nanoseconds(apart_ns));
    const double cpu_before = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    const double before = seconds_of(CLOCK_MONOTONIC);
    reader.read(sink);
    walls.push_back(seconds_of(CLOCK_MONOTONIC) - before);
    cpu += seconds_of(CLOCK_THREAD_CPUTIME_ID) - cpu_before;
  }
  std::sort(walls.begin(), walls.end());
  fmt::print("{:<20} {:>9.1f} {:>12.1f} {:>11.1f} {:>9.0f}\n", reader.facts().name,
             1e6 * cpu / kReadings, 1e6 * walls[kReadings / 2], 1e6 * walls.back(),
             static_cast<double>(reader.facts().least_ns) * 1e-6);
}

int show_costs(std::int64_t pid) {
  MeterTable table;
  const auto own = std::make_shared<OwnProcesses>(Root{}, std::vector<std::int64_t>{pid});
  own->scan(table);
  fmt::print("{:<20} {:>9} {:>12} {:>11} {:>9}\n", "reader", "cpu us", "median us", "longest us",
             "least ms");
  for (const auto& reader : host_readers(Root{}, own)) show_cost(*reader, table);
  GpuMeters gpus(nvml_library());
  for (const auto& reader : gpus.quick_readers(table)) show_cost(*reader, table);
  for (const auto& reader : gpus.activity_readers(Root{}, own, table)) show_cost(*reader, table);
  for (const auto& reader : gpus.slow_pcie_readers(table)) show_cost(*reader, table);
  show_issues(table.issues(0));
  return 0;
}

int write_csv(double seconds, double hz, const char* path, std::int64_t pid) {
  auto session = MeterSession::start(options_for(hz, pid));
  if (!session) {
    fmt::print(stderr, "{}\n", session.error().message);
    return 1;
  }
  std::vector<MeterSample> samples = sample(**session, seconds);
  std::stable_sort(samples.begin(), samples.end(), [](const MeterSample& a, const MeterSample& b) {
    return a.time.real_ns < b.time.real_ns;
  });
  std::FILE* const file = std::fopen(path, "w");
  if (file == nullptr) {
    std::perror(path);
    return 1;
  }
  const std::vector<MeterCounter> counters = (*session)->counters();
  const std::vector<MeterDevice> devices = (*session)->devices();
  fmt::print(file, "timestamp_ns,counter,device,value\n");
  struct Seen {
    std::uint64_t count = 0;
    double least = 0, most = 0, last = 0;
  };
  std::vector<Seen> seen(counters.size());
  for (const MeterSample& taken : samples) {
    const MeterCounter& counter = counters[taken.counter];
    fmt::print(file, "{},{},{},{}\n", taken.time.real_ns, counter.name,
               devices[counter.device].label, taken.value);
    Seen& one = seen[taken.counter];
    one.least = one.count == 0 ? taken.value : std::min(one.least, taken.value);
    one.most = one.count == 0 ? taken.value : std::max(one.most, taken.value);
    one.last = taken.value;
    ++one.count;
  }
  std::fclose(file);
  for (const MeterDevice& device : devices) {
    fmt::print("{}  {} {} {}\n", device.label, device.model, device.uuid, device.bus_id);
  }
  for (std::size_t i = 0; i < counters.size(); ++i) {
    fmt::print("{:<30} {:<8} {:<8} {:<8} {:>7} samples, {:.6g} to {:.6g}\n", counters[i].name,
               devices[counters[i].device].label, scope_name(counters[i].scope), counters[i].unit,
               seen[i].count, seen[i].least, seen[i].most);
  }
  show_issues((*session)->issues());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto text = [&](int at) { return argc > at ? std::string(argv[at]) : std::string(); };
  const auto pid_at = [&](int at) {
    return argc > at ? std::atoll(argv[at]) : static_cast<long long>(::getpid());
  };
  if (text(1) == "costs") return show_costs(pid_at(2));
  if (text(1) == "csv" && argc > 4) {
    return write_csv(std::atof(argv[2]), std::atof(argv[3]), argv[4], pid_at(5));
  }
  return show_rates(argc > 1 ? std::atof(argv[1]) : 10, pid_at(2));
}

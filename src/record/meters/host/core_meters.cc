// What the cores run at, and what waits for them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "record/meters/host/host_meters.h"
#include "record/meters/host/proc_text.h"

namespace tactus::meters {
namespace {

class FrequencyMeter : public MeterReader {
 public:
  explicit FrequencyMeter(const Root& root)
      : MeterReader({.name = "core clocks", .least_ns = 100 * kMillisecond}),
        root_(root),
        online_(root, "/sys/devices/system/cpu/online"),
        cpuinfo_(root, "/proc/cpuinfo") {}

  void read(MeterSink& sink) override {
    const std::int64_t now_ns = meter_time().raw_ns;
    if (now_ns - listed_ns_ > 1000 * kMillisecond || listed_ns_ == 0) {
      listed_ns_ = now_ns;
      list_cores();
      if (!has_files_) read_cpuinfo(sink);  // long, so once per second
    }
    if (!has_files_) return;
    // Some kernels interrupt a core to answer: a few cores at a time, in turn.
    constexpr std::size_t kAtOnce = 16;
    for (std::size_t i = 0; i < std::min(kAtOnce, cores_.size()); ++i) {
      next_ = (next_ + 1) % cores_.size();
      read_core(sink, cores_[next_]);
    }
  }

 private:
  struct Core {
    RootFile file;  ///< in kHz
    std::optional<std::uint32_t> counter;
  };

  void list_cores() {
    const std::optional<std::string_view> text = online_.read(buffer_);
    if (!text) return;
    std::vector<std::uint32_t> cores = parse_core_list(*text);
    if (cores == cores_) return;
    cores_ = std::move(cores);
    next_ = 0;
    has_files_ = std::any_of(cores_.begin(), cores_.end(),
                             [&](std::uint32_t core) { return root_.has(path_of(core)); });
  }

  static std::string path_of(std::uint32_t core) {
    return fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq", core);
  }

  Core& core_of(std::uint32_t number) {
    const auto at = files_.find(number);
    if (at != files_.end()) return at->second;
    return files_.emplace(number, Core{RootFile(root_, path_of(number)), {}}).first->second;
  }

  void add(MeterSink& sink, const MeterTime& time, std::uint32_t number, double mhz) {
    Core& core = core_of(number);
    if (!core.counter) {
      core.counter =
          sink.table().numbered("cpu_frequency", number, sink.table().device({.label = "Host"}));
    }
    sink.level(time, *core.counter, mhz);
  }

  void read_core(MeterSink& sink, std::uint32_t number) {
    const std::optional<std::string_view> text = core_of(number).file.read(buffer_);
    const MeterTime time = meter_time();
    const std::optional<std::uint64_t> khz = text ? whole_number(*text) : std::nullopt;
    // A core that went offline is left out until it is back.
    if (khz && *khz > 0) add(sink, time, number, static_cast<double>(*khz) / 1000);
  }

  void read_cpuinfo(MeterSink& sink) {
    const std::optional<std::string_view> text = cpuinfo_.read(buffer_);
    const MeterTime time = meter_time();
    const std::vector<CoreClock> clocks =
        text ? parse_core_clocks(*text) : std::vector<CoreClock>();
    for (const CoreClock& clock : clocks) add(sink, time, clock.core, clock.mhz);
    if (clocks.empty()) {
      sink.table().report({.what = "clock of the cores",
                           .reason = "neither cpufreq in /sys nor /proc/cpuinfo gives one",
                           .fix = "virtual machines often hide it; on a machine of your own, load "
                                  "the cpufreq driver"});
    }
  }

  Root root_;
  RootFile online_;
  RootFile cpuinfo_;
  std::string buffer_;
  std::int64_t listed_ns_ = 0;
  std::vector<std::uint32_t> cores_;
  std::size_t next_ = 0;
  bool has_files_ = false;
  std::map<std::uint32_t, Core> files_;
};

class PressureMeter : public MeterReader {
 public:
  explicit PressureMeter(const Root& root)
      : MeterReader({.name = "pressure", .use = Usefulness::kCause}),
        resources_{{{RootFile(root, "/proc/pressure/cpu"), {}, Counter("cpu_pressure")},
                    {RootFile(root, "/proc/pressure/memory"), {}, Counter("memory_pressure")},
                    {RootFile(root, "/proc/pressure/io"), {}, Counter("io_pressure")}}} {}

  void read(MeterSink& sink) override {
    for (Resource& resource : resources_) {
      const std::optional<std::string_view> text = resource.file.read(buffer_);
      const MeterTime time = meter_time();
      const std::optional<std::uint64_t> stalled_us = text ? parse_stalled_us(*text) : std::nullopt;
      if (!stalled_us) {
        sink.table().report(
            {.what = "pressure stall information",
             .reason = text ? resource.file.path() + ": not as expected" : resource.file.reason(),
             .fix = "start the kernel with psi=1 (needs CONFIG_PSI)"});
      }
      sink.rate(time, resource.stalled, stalled_us, resource.counter);
    }
  }

 private:
  struct Resource {
    RootFile file;
    Growth stalled;
    Counter counter;
  };

  std::array<Resource, 3> resources_;
  std::string buffer_;
};

class RunQueueMeter : public MeterReader {
 public:
  RunQueueMeter(Root root, std::shared_ptr<OwnProcesses> own)
      : MeterReader({.name = "run queue", .use = Usefulness::kCause}),
        root_(std::move(root)),
        own_(std::move(own)) {}

  /// The longest wait of a main thread: that is the one that launches, and a step waits for the
  /// slowest of them.
  void read(MeterSink& sink) override {
    const std::vector<std::int64_t> pids = own_->pids();
    std::erase_if(files_, [&](const auto& entry) {
      return !std::binary_search(pids.begin(), pids.end(), entry.first);
    });
    // One time for all: rates over windows of different lengths could not be compared.
    const MeterTime time = meter_time();
    std::optional<Grown> longest;
    for (const std::int64_t pid : pids) {
      auto at = files_.find(pid);
      if (at == files_.end()) {
        RootFile file(root_, fmt::format("/proc/{0}/task/{0}/schedstat", pid));
        at = files_.emplace(pid, MainThread{std::move(file), {}}).first;
      }
      const std::optional<std::string_view> text = at->second.file.read(buffer_);
      const std::optional<std::uint64_t> wait_ns = text ? parse_wait_ns(*text) : std::nullopt;
      if (!wait_ns) {
        if (!text && at->second.file.error() == ENOENT && root_.has(fmt::format("/proc/{}", pid))) {
          sink.table().report({.what = "waiting for a core",
                               .reason = at->second.file.reason(),
                               .fix = "needs a kernel with CONFIG_SCHED_INFO"});
        }
        continue;
      }
      const std::optional<Grown> waited = at->second.waited.next(*wait_ns, time);
      if (waited && (!longest || waited->per_second() > longest->per_second())) longest = waited;
    }
    if (longest) {
      sink.over(time, longest->window_ns, wait_, longest->per_second() / 1000);
    }
  }

 private:
  struct MainThread {
    RootFile file;
    Growth waited;
  };

  Root root_;
  std::shared_ptr<OwnProcesses> own_;
  std::string buffer_;
  std::map<std::int64_t, MainThread> files_;
  Counter wait_{"runq_wait", MeterScope::kOwn};
};

class QuotaMeter : public MeterReader {
 public:
  QuotaMeter(Root root, std::shared_ptr<OwnProcesses> own)
      : MeterReader({.name = "quota", .least_ns = 100 * kMillisecond}),
        root_(std::move(root)),
        own_(std::move(own)) {}

  void read(MeterSink& sink) override {
    if (!looked_) find(sink);
    if (!file_) return;
    const std::optional<std::string_view> text = file_->read(buffer_);
    const MeterTime time = meter_time();
    if (!text) return;
    constexpr std::array<std::string_view, 2> kKeys = {"usage_usec", "throttled_usec"};
    const auto totals = numbers_of_keys(*text, kKeys);
    sink.rate(time, used_, totals[0], usage_, 1e-4);
    sink.rate(time, stopped_, totals[1], throttled_);
  }

 private:
  void find(MeterSink& sink) {
    const std::optional<std::int64_t> pid = own_->first_target();
    if (!pid) return;
    looked_ = true;
    const std::optional<std::string> text = read_once(root_, fmt::format("/proc/{}/cgroup", *pid));
    const std::optional<std::string> group = text ? parse_cgroup(*text) : std::nullopt;
    const std::string path = group ? "/sys/fs/cgroup" + *group + "/cpu.stat" : "";
    if (group && root_.has(path)) {
      file_.emplace(root_, path);
      return;
    }
    sink.table().report({.what = "CPU quota of the container",
                         .reason = "the process is in no group of the unified hierarchy that shows "
                                   "its use here",
                         .fix = "needs cgroup v2 with the cpu controller, mounted at "
                                "/sys/fs/cgroup"});
  }

  Root root_;
  std::shared_ptr<OwnProcesses> own_;
  bool looked_ = false;
  std::optional<RootFile> file_;
  std::string buffer_;
  Growth used_;
  Growth stopped_;
  Counter usage_{"container_cpu_usage", MeterScope::kOwn};
  Counter throttled_{"container_cpu_throttled", MeterScope::kOwn};
};

}  // namespace

std::unique_ptr<MeterReader> frequency_meter(const Root& root) {
  return std::make_unique<FrequencyMeter>(root);
}

std::unique_ptr<MeterReader> pressure_meter(const Root& root) {
  return std::make_unique<PressureMeter>(root);
}

std::unique_ptr<MeterReader> run_queue_meter(const Root& root, std::shared_ptr<OwnProcesses> own) {
  return std::make_unique<RunQueueMeter>(root, std::move(own));
}

std::unique_ptr<MeterReader> quota_meter(const Root& root, std::shared_ptr<OwnProcesses> own) {
  return std::make_unique<QuotaMeter>(root, std::move(own));
}

}  // namespace tactus::meters

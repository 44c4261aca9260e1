#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <map>

#include "record/meters/growth.h"
#include "record/meters/host/host_meters.h"
#include "record/meters/host/proc_text.h"

namespace tactus::meters {
namespace {

/// Time that a process spent on cores, of all its threads.
class ProcessClock {
 public:
  ProcessClock(const Root& root, std::int64_t pid)
      : has_clock_(root.is_machine() && clock_getcpuclockid(static_cast<pid_t>(pid), &clock_) == 0),
        file_(root, fmt::format("/proc/{}/stat", pid)) {}

  /// The kernel's clock of the process counts ns and costs one call; the file counts ticks of 10
  /// ms, which is all or nothing at 100 readings per second.
  std::optional<std::uint64_t> read_ns(std::string& buffer) {
    if (has_clock_) {
      timespec time{};
      if (clock_gettime(clock_, &time) != 0) return std::nullopt;
      return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
             static_cast<std::uint64_t>(time.tv_nsec);
    }
    const std::optional<std::string_view> text = file_.read(buffer);
    const std::optional<ProcessStat> stat = text ? parse_process_stat(*text) : std::nullopt;
    if (!stat) return std::nullopt;
    static const auto tick_ns =
        static_cast<std::uint64_t>(1'000'000'000 / std::max(1L, sysconf(_SC_CLK_TCK)));
    return stat->cpu_ticks * tick_ns;
  }

 private:
  clockid_t clock_ = 0;
  bool has_clock_;
  RootFile file_;
};

struct OwnClock {
  ProcessClock clock;
  std::uint32_t counter;
  Growth growth;
};

std::uint64_t grown(std::uint64_t before, std::uint64_t after) {
  return after > before ? after - before : 0;  // idle and iowait may fall
}

class CpuMeter : public MeterReader {
 public:
  CpuMeter(const Root& root, std::shared_ptr<OwnProcesses> own)
      : MeterReader({.name = "cpu", .use = Usefulness::kCause}),
        root_(root),
        own_(std::move(own)),
        stat_(root, "/proc/stat") {}

  void read(MeterSink& sink) override {
    read_own(sink);
    // 10 ms ticks of few cores say nothing when read more often; and the file is long.
    const std::int64_t now_ns = meter_time().raw_ns;
    if (now_ns - stat_read_ns_ < 19 * kMillisecond) return;
    stat_read_ns_ = now_ns;
    read_host(sink);
  }

 private:
  void read_own(MeterSink& sink) {
    const std::vector<std::int64_t> pids = own_->pids();
    std::erase_if(clocks_, [&](const auto& entry) {
      return !std::binary_search(pids.begin(), pids.end(), entry.first);
    });
    double usage = 0;
    std::int64_t window_ns = 0;
    for (const std::int64_t pid : pids) {
      auto at = clocks_.find(pid);
      if (at == clocks_.end()) {
        const std::uint32_t counter = sink.table().of_process(
            "process_cpu_usage", pid, sink.table().device({.label = "Host"}));
        at = clocks_.emplace(pid, OwnClock{ProcessClock(root_, pid), counter, {}}).first;
      }
      const std::optional<std::uint64_t> total_ns = at->second.clock.read_ns(buffer_);
      if (!total_ns) continue;  // it ended; the next scan will see that
      const MeterTime time = meter_time();
      const std::optional<Grown> spent = at->second.growth.next(*total_ns, time);
      if (!spent) continue;
      own_ns_ += spent->by;
      const double of_core = spent->per_second() / 1e7;
      sink.over(time, spent->window_ns, at->second.counter, of_core);
      usage += of_core;
      window_ns = std::max(window_ns, spent->window_ns);
    }
    if (window_ns == 0) return;
    sink.over(meter_time(), window_ns, own_usage_, usage);
  }

  void read_host(MeterSink& sink) {
    const std::optional<std::string_view> text = stat_.read(buffer_);
    const MeterTime time = meter_time();
    const HostStat stat = text ? parse_host_stat(*text) : HostStat{};
    if (!stat.ticks || stat.cores == 0) {
      sink.table().report({.what = "use of the host's cores",
                           .reason = text ? stat_.path() + ": not as expected" : stat_.reason(),
                           .fix = "mount /proc"});
      return;
    }
    if (stat.running) sink.level(time, running_, static_cast<double>(*stat.running));
    sink.rate(time, switched_, stat.context_switches, switches_);
    sink.rate(time, interrupted_, stat.interrupts, interrupts_);
    add_shares(sink, stat, time);
  }

  void add_shares(MeterSink& sink, const HostStat& stat, const MeterTime& time) {
    const HostTicks& now = *stat.ticks;
    if (!before_) {
      start_from(stat, time);
      return;
    }
    const HostTicks spent{.busy = grown(before_->busy, now.busy),
                          .idle = grown(before_->idle, now.idle),
                          .iowait = grown(before_->iowait, now.iowait),
                          .irq = grown(before_->irq, now.irq),
                          .steal = grown(before_->steal, now.steal)};
    const std::uint64_t total = spent.busy + spent.idle + spent.iowait + spent.irq + spent.steal;
    constexpr std::uint64_t kEnough = 4;
    if (total < kEnough) return;  // too few ticks for a share: wait for more
    const std::int64_t window_ns = time.raw_ns - before_time_.raw_ns;
    const auto share = [&](std::uint64_t ticks) {
      return 100 * static_cast<double>(ticks) / static_cast<double>(total);
    };
    const double usage = share(spent.busy + spent.irq + spent.steal);
    sink.over(time, window_ns, usage_, usage);
    sink.over(time, window_ns, iowait_, share(spent.iowait));
    sink.over(time, window_ns, irq_, share(spent.irq));
    sink.over(time, window_ns, steal_, share(spent.steal));
    if (!clocks_.empty() && window_ns > 0) {
      const double own = 100 * static_cast<double>(own_ns_) /
                         (static_cast<double>(window_ns) * static_cast<double>(stat.cores));
      sink.over(time, window_ns, foreign_, std::max(0.0, usage - own));
    }
    start_from(stat, time);
  }

  void start_from(const HostStat& stat, const MeterTime& time) {
    before_ = stat.ticks;
    before_time_ = time;
    own_ns_ = 0;
  }

  Root root_;
  std::shared_ptr<OwnProcesses> own_;
  RootFile stat_;
  std::string buffer_;
  std::map<std::int64_t, OwnClock> clocks_;  ///< by pid
  std::int64_t stat_read_ns_ = 0;
  std::optional<HostTicks> before_;
  MeterTime before_time_;
  std::uint64_t own_ns_ = 0;  ///< of own processes, since `before_`
  Growth switched_;
  Growth interrupted_;
  Counter own_usage_{"process_cpu_usage", MeterScope::kOwn};
  Counter usage_{"host_cpu_usage"};
  Counter foreign_{"host_cpu_foreign", MeterScope::kForeign};
  Counter iowait_{"host_cpu_iowait"};
  Counter irq_{"host_cpu_irq"};
  Counter steal_{"host_cpu_steal"};
  Counter running_{"procs_running"};
  Counter switches_{"context_switches"};
  Counter interrupts_{"interrupts"};
};

}  // namespace

std::unique_ptr<MeterReader> cpu_meter(const Root& root, std::shared_ptr<OwnProcesses> own) {
  return std::make_unique<CpuMeter>(root, std::move(own));
}

}  // namespace tactus::meters

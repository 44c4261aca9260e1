#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "record/meters/gpu/gpu_meters.h"

namespace tactus::meters {
namespace {

/// What own and foreign processes use of a GPU.
class OwnAndForeign {
 public:
  OwnAndForeign(Gpu& gpu, const Root& root, const std::vector<std::int64_t>& own)
      : gpu_(gpu), root_(root), own_(own) {}

  bool add(std::int64_t pid, double use) {
    const bool is_own = std::binary_search(own_.begin(), own_.end(), pid);
    (is_own ? own_use_ : foreign_use_) += use;
    gpu_.sees_own |= is_own;
    if (!is_own && !gpu_.sees_own && !root_.has(fmt::format("/proc/{}", pid))) ++hidden_;
    return is_own;
  }

  /// False if an own process may be among those that are not visible here: in a container, NVML may
  /// number processes as the host does.
  bool is_certain() const { return gpu_.sees_own || hidden_ == 0; }
  double own_use() const { return own_use_; }
  double foreign_use() const { return foreign_use_; }
  std::size_t hidden() const { return hidden_; }

 private:
  Gpu& gpu_;
  const Root& root_;
  const std::vector<std::int64_t>& own_;
  double own_use_ = 0;
  double foreign_use_ = 0;
  std::size_t hidden_ = 0;
};

void report_hidden(const Gpu& gpu, std::size_t hidden, MeterTable& table) {
  table.report({.what = gpu.label + ": own and foreign use",
                .reason = fmt::format("no own process uses it under a number known here, but {} "
                                      "other that /proc does not show",
                                      hidden),
                .fix = "in a container, share the host's process numbers (docker --pid=host); "
                       "otherwise it begins when the process uses the GPU"});
}

class GpuProcessMemoryMeter : public MeterReader {
 public:
  GpuProcessMemoryMeter(std::shared_ptr<Gpu> gpu, Root root, std::shared_ptr<OwnProcesses> own)
      : MeterReader({.name = "gpu process memory",
                     .device = gpu->label,
                     .least_ns = 100 * kMillisecond,
                     .use = Usefulness::kCause}),
        gpu_(std::move(gpu)),
        root_(std::move(root)),
        own_(std::move(own)),
        held_("process_gpu_mem_usage", MeterScope::kOwn, gpu_->label),
        foreign_("gpu_mem_foreign", MeterScope::kForeign, gpu_->label) {}

  void read(MeterSink& sink) override {
    const std::vector<std::int64_t> pids = own_->pids();
    if (pids.empty() || !list(sink.table())) return;
    const MeterTime time = meter_time();
    OwnAndForeign use(*gpu_, root_, pids);
    std::map<std::int64_t, double> by_pid;  // a process is listed once per part of a GPU
    for (std::size_t i = 0; i < count_; ++i) {
      const auto pid = static_cast<std::int64_t>(processes_[i].pid);
      auto bytes = static_cast<double>(processes_[i].used_bytes);
      if (processes_[i].used_bytes == ~0ULL) {
        bytes = 0;
        sink.table().report({.what = gpu_->label + ": memory of processes",
                             .reason = "the driver does not say how much they hold",
                             .fix = "none: so it is with some virtual GPUs"});
      }
      if (use.add(pid, bytes)) by_pid[pid] += bytes;
    }
    if (!use.is_certain()) {
      report_hidden(*gpu_, use.hidden(), sink.table());
      return;
    }
    for (const auto& [pid, bytes] : by_pid) sink.level(time, counter_of(sink, pid), bytes);
    sink.level(time, held_, use.own_use());
    sink.level(time, foreign_, use.foreign_use());
  }

 private:
  /// Asks for the processes, with more room if it is too little.
  bool list(MeterTable& table) {
    constexpr std::size_t kMost = 4096;
    while (true) {
      // One release of the driver wrote entries that are eight bytes longer.
      processes_.resize(room_ + room_ / 2);
      auto count = static_cast<unsigned>(room_);
      if (gpu_->nvml->processes != nullptr && !gpu_->is_lost) {
        const int status = gpu_->nvml->processes(gpu_->handle, &count, processes_.data());
        if (status == kNvmlInsufficientSize && room_ < kMost) {
          room_ = std::min(kMost, std::max<std::size_t>(2 * room_, count + 8));
          continue;
        }
        if (status == kNvmlSuccess) {
          count_ = std::min<std::size_t>(count, room_);
          return true;
        }
        return gpu_->good(status, "processes", table);
      }
      return !gpu_->is_lost && gpu_->good(kNvmlFunctionNotFound, "processes", table);
    }
  }

  std::uint32_t counter_of(MeterSink& sink, std::int64_t pid) {
    const auto at = counters_.find(pid);
    if (at != counters_.end()) return at->second;
    const std::uint32_t id = sink.table().of_process("process_gpu_mem_usage", pid,
                                                     sink.table().device({.label = gpu_->label}));
    return counters_.emplace(pid, id).first->second;
  }

  std::shared_ptr<Gpu> gpu_;
  Root root_;
  std::shared_ptr<OwnProcesses> own_;
  std::size_t room_ = 64;
  std::size_t count_ = 0;
  std::vector<NvmlProcess> processes_;
  std::map<std::int64_t, std::uint32_t> counters_;
  Counter held_;
  Counter foreign_;
};

class GpuProcessUseMeter : public MeterReader {
 public:
  GpuProcessUseMeter(std::shared_ptr<Gpu> gpu, Root root, std::shared_ptr<OwnProcesses> own)
      : MeterReader({.name = "gpu process use",
                     .device = gpu->label,
                     .least_ns = 500 * kMillisecond,
                     .use = Usefulness::kCause}),
        gpu_(std::move(gpu)),
        root_(std::move(root)),
        own_(std::move(own)),
        used_("process_gpu_usage", MeterScope::kOwn, gpu_->label),
        foreign_("gpu_foreign_usage", MeterScope::kForeign, gpu_->label) {}

  void read(MeterSink& sink) override {
    const std::vector<std::int64_t> pids = own_->pids();
    if (pids.empty() || is_off_ || gpu_->is_lost) return;
    const std::optional<std::size_t> count = list(sink.table());
    const MeterTime time = meter_time();
    if (!count) return;
    const std::int64_t window_ns = last_ns_ == 0 ? 0 : time.raw_ns - last_ns_;
    last_ns_ = time.raw_ns;
    struct Mean {
      double sum = 0;
      double count = 0;
    };
    std::map<std::int64_t, Mean> by_pid;
    const unsigned long long seen_us = last_us_;
    for (std::size_t i = 0; i < *count; ++i) {
      const NvmlProcessUse& sample = samples_[i];
      if (sample.time_us <= seen_us || sample.sm > 100) continue;  // old, or no number
      last_us_ = std::max(last_us_, sample.time_us);
      Mean& mean = by_pid[sample.pid];
      mean.sum += sample.sm;
      mean.count += 1;
    }
    if (window_ns == 0) return;  // it may hold what ran long ago
    OwnAndForeign use(*gpu_, root_, pids);
    for (const auto& [pid, mean] : by_pid) use.add(pid, mean.sum / mean.count);
    if (!use.is_certain()) {
      report_hidden(*gpu_, use.hidden(), sink.table());
      return;
    }
    sink.over(time, window_ns, used_, std::min(100.0, use.own_use()));
    sink.over(time, window_ns, foreign_, std::min(100.0, use.foreign_use()));
  }

 private:
  /// How many samples the driver has since the last time; 0 if nothing ran.
  std::optional<std::size_t> list(MeterTable& table) {
    constexpr std::size_t kMost = 1 << 16;
    const auto call = gpu_->nvml->process_use;
    while (call != nullptr) {
      samples_.resize(room_);
      auto count = static_cast<unsigned>(room_);
      const int status = call(gpu_->handle, samples_.data(), &count, last_us_);
      if (status == kNvmlNotFound) return 0;
      if (status == kNvmlInsufficientSize && room_ < kMost) {
        room_ = std::min(kMost, std::max<std::size_t>(2 * room_, count));
        continue;
      }
      is_off_ = status == kNvmlNotSupported || status == kNvmlNoPermission;
      if (!gpu_->good(status, "use by processes", table)) return std::nullopt;
      return std::min<std::size_t>(count, room_);
    }
    is_off_ = true;
    gpu_->good(kNvmlFunctionNotFound, "use by processes", table);
    return std::nullopt;
  }

  std::shared_ptr<Gpu> gpu_;
  Root root_;
  std::shared_ptr<OwnProcesses> own_;
  bool is_off_ = false;
  std::size_t room_ = 128;
  std::vector<NvmlProcessUse> samples_;
  unsigned long long last_us_ = 0;
  std::int64_t last_ns_ = 0;
  Counter used_;
  Counter foreign_;
};

}  // namespace

std::unique_ptr<MeterReader> gpu_process_memory_meter(std::shared_ptr<Gpu> gpu, const Root& root,
                                                      std::shared_ptr<OwnProcesses> own) {
  return std::make_unique<GpuProcessMemoryMeter>(std::move(gpu), root, std::move(own));
}

std::unique_ptr<MeterReader> gpu_process_use_meter(std::shared_ptr<Gpu> gpu, const Root& root,
                                                   std::shared_ptr<OwnProcesses> own) {
  return std::make_unique<GpuProcessUseMeter>(std::move(gpu), root, std::move(own));
}

}  // namespace tactus::meters

// Memory of the host, and memory and I/O of own processes.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>

#include "record/meters/host/host_meters.h"
#include "record/meters/host/proc_text.h"

namespace tactus::meters {
namespace {

class MemoryMeter : public MeterReader {
 public:
  explicit MemoryMeter(const Root& root)
      : MeterReader({.name = "host memory", .least_ns = 100 * kMillisecond}),
        file_(root, "/proc/meminfo") {}

  void read(MeterSink& sink) override {
    const std::optional<std::string_view> text = file_.read(buffer_);
    const MeterTime time = meter_time();
    const HostMemory memory = text ? parse_host_memory(*text) : HostMemory{};
    if (!memory.total) {
      sink.table().report({.what = "memory of the host",
                           .reason = text ? file_.path() + ": not as expected" : file_.reason(),
                           .fix = "mount /proc"});
      return;
    }
    const auto put = [&](Counter& counter, const std::optional<std::uint64_t>& bytes) {
      if (bytes) sink.level(time, counter, static_cast<double>(*bytes));
    };
    put(available_, memory.available);
    put(free_, memory.free);
    put(buffer_bytes_, memory.buffers);
    put(cache_, memory.cached);
    if (memory.available && *memory.total > 0) {
      const double left =
          static_cast<double>(*memory.available) / static_cast<double>(*memory.total);
      sink.level(time, usage_, 100 * std::clamp(1 - left, 0.0, 1.0));
    }
  }

 private:
  RootFile file_;
  std::string buffer_;
  Counter available_{"host_mem_available"};
  Counter free_{"host_mem_free"};
  Counter buffer_bytes_{"host_mem_buffer"};
  Counter cache_{"host_mem_cache"};
  Counter usage_{"host_mem_usage"};
};

class PagingMeter : public MeterReader {
 public:
  explicit PagingMeter(const Root& root)
      : MeterReader({.name = "paging", .least_ns = 100 * kMillisecond}),
        file_(root, "/proc/vmstat") {}

  void read(MeterSink& sink) override {
    const std::optional<std::string_view> text = file_.read(buffer_);
    const MeterTime time = meter_time();
    if (!text) {
      sink.table().report({.what = "page faults and swapping of the host",
                           .reason = file_.reason(),
                           .fix = "mount /proc"});
      return;
    }
    const auto totals = numbers_of_keys(*text, kKeys);
    for (std::size_t i = 0; i < kKeys.size(); ++i) {
      sink.rate(time, growths_[i], totals[i], counters_[i]);
    }
  }

 private:
  static constexpr std::array<std::string_view, 6> kKeys = {
      "pswpin", "pswpout", "pgfault", "pgmajfault", "compact_stall", "numa_miss"};

  RootFile file_;
  std::string buffer_;
  std::array<Growth, kKeys.size()> growths_;
  std::array<Counter, kKeys.size()> counters_ = {
      Counter("swap_in"),      Counter("swap_out"),          Counter("page_faults"),
      Counter("major_faults"), Counter("compaction_stalls"), Counter("numa_misses")};
};

/// Closes files of processes that are gone; `pids` are sorted.
template <class Files>
void keep_only(const std::vector<std::int64_t>& pids, Files& files) {
  std::erase_if(files, [&](const auto& entry) {
    return !std::binary_search(pids.begin(), pids.end(), entry.first);
  });
}

class ProcessMemoryMeter : public MeterReader {
 public:
  ProcessMemoryMeter(Root root, std::shared_ptr<OwnProcesses> own)
      : MeterReader({.name = "process memory", .least_ns = 100 * kMillisecond}),
        root_(std::move(root)),
        own_(std::move(own)) {}

  void read(MeterSink& sink) override {
    const std::vector<std::int64_t> pids = own_->pids();
    keep_only(pids, files_);
    double resident = 0;
    bool any = false;
    for (const std::int64_t pid : pids) {
      auto at = files_.find(pid);
      if (at == files_.end()) {
        const std::uint32_t counter =
            sink.table().of_process("process_mem_rss", pid, sink.table().device({.label = "Host"}));
        RootFile file(root_, fmt::format("/proc/{}/statm", pid));
        at = files_.emplace(pid, Process{std::move(file), counter}).first;
      }
      const std::optional<std::string_view> text = at->second.statm.read(buffer_);
      const std::optional<std::uint64_t> pages = text ? parse_resident_pages(*text) : std::nullopt;
      if (!pages) continue;
      const double bytes = static_cast<double>(*pages) * page_bytes_;
      sink.level(meter_time(), at->second.counter, bytes);
      resident += bytes;
      any = true;
    }
    if (any) sink.level(meter_time(), resident_, resident);
    read_swap(sink, pids);
  }

 private:
  struct Process {
    RootFile statm;
    std::uint32_t counter;
  };

  /// Its file is long: once per second.
  void read_swap(MeterSink& sink, const std::vector<std::int64_t>& pids) {
    const std::int64_t now_ns = meter_time().raw_ns;
    if (swap_read_ns_ != 0 && now_ns - swap_read_ns_ < 1000 * kMillisecond) return;
    swap_read_ns_ = now_ns;
    double swapped = 0;
    bool any = false;
    for (const std::int64_t pid : pids) {
      RootFile file(root_, fmt::format("/proc/{}/status", pid));
      const std::optional<std::string_view> text = file.read(buffer_);
      const std::optional<std::uint64_t> kib =
          text ? number_of_key(*text, "VmSwap:") : std::nullopt;
      if (!kib) continue;
      swapped += static_cast<double>(*kib) * 1024;
      any = true;
    }
    if (any) sink.level(meter_time(), swapped_, swapped);
  }

  Root root_;
  std::shared_ptr<OwnProcesses> own_;
  std::string buffer_;
  std::map<std::int64_t, Process> files_;
  double page_bytes_ = static_cast<double>(sysconf(_SC_PAGESIZE));
  std::int64_t swap_read_ns_ = 0;
  Counter resident_{"process_mem_rss", MeterScope::kOwn};
  Counter swapped_{"process_mem_swap", MeterScope::kOwn};
};

class ProcessIoMeter : public MeterReader {
 public:
  ProcessIoMeter(Root root, std::shared_ptr<OwnProcesses> own)
      : MeterReader({.name = "process io", .least_ns = 100 * kMillisecond}),
        root_(std::move(root)),
        own_(std::move(own)) {}

  void read(MeterSink& sink) override {
    const std::vector<std::int64_t> pids = own_->pids();
    keep_only(pids, files_);
    Sum read, written;
    for (const std::int64_t pid : pids) {
      auto at = files_.find(pid);
      if (at == files_.end()) {
        RootFile file(root_, fmt::format("/proc/{}/io", pid));
        at = files_.emplace(pid, Process{std::move(file), {}, {}}).first;
      }
      Process& process = at->second;
      const std::optional<std::string_view> text = process.file.read(buffer_);
      if (!text) {
        if (process.file.error() == EACCES || process.file.error() == EPERM) {
          sink.table().report({.what = "disk use of own processes",
                               .reason = process.file.reason(),
                               .fix = "record as the user of the process, or as root "
                                      "(CAP_SYS_PTRACE)"});
        }
        continue;
      }
      const MeterTime time = meter_time();
      constexpr std::array<std::string_view, 2> kKeys = {"read_bytes:", "write_bytes:"};
      const auto totals = numbers_of_keys(*text, kKeys);
      read.add(process.read, totals[0], time);
      written.add(process.written, totals[1], time);
    }
    const MeterTime time = meter_time();
    if (read.window_ns > 0) sink.over(time, read.window_ns, read_, read.per_second);
    if (written.window_ns > 0) sink.over(time, written.window_ns, written_, written.per_second);
  }

 private:
  struct Process {
    RootFile file;
    Growth read;
    Growth written;
  };
  struct Sum {
    double per_second = 0;
    std::int64_t window_ns = 0;

    void add(Growth& growth, std::optional<std::uint64_t> total, const MeterTime& time) {
      const std::optional<Grown> more = total ? growth.next(*total, time) : std::nullopt;
      if (!more) return;
      per_second += more->per_second();
      window_ns = std::max(window_ns, more->window_ns);
    }
  };

  Root root_;
  std::shared_ptr<OwnProcesses> own_;
  std::string buffer_;
  std::map<std::int64_t, Process> files_;
  Counter read_{"process_io_read", MeterScope::kOwn};
  Counter written_{"process_io_write", MeterScope::kOwn};
};

}  // namespace

std::unique_ptr<MeterReader> memory_meter(const Root& root) {
  return std::make_unique<MemoryMeter>(root);
}

std::unique_ptr<MeterReader> paging_meter(const Root& root) {
  return std::make_unique<PagingMeter>(root);
}

std::unique_ptr<MeterReader> process_memory_meter(const Root& root,
                                                  std::shared_ptr<OwnProcesses> own) {
  return std::make_unique<ProcessMemoryMeter>(root, std::move(own));
}

std::unique_ptr<MeterReader> process_io_meter(const Root& root, std::shared_ptr<OwnProcesses> own) {
  return std::make_unique<ProcessIoMeter>(root, std::move(own));
}

}  // namespace tactus::meters

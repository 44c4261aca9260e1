// Whether the recorded processes are allowed to run at all.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "record/meters/host/host_meters.h"
#include "record/meters/host/proc_text.h"

namespace tactus::meters {
namespace {

/// Nothing in the system adds up how long a process was stopped, so it is looked at again and
/// again: each look is a sample of a share of time.
class StopMeter : public MeterReader {
 public:
  StopMeter(Root root, std::shared_ptr<OwnProcesses> own)
      : MeterReader({.name = "stops", .use = Usefulness::kCause}),
        root_(std::move(root)),
        own_(std::move(own)) {}

  /// A step waits for all processes of the run, so one that is stopped is enough.
  void read(MeterSink& sink) override {
    const std::vector<std::int64_t> pids = own_->targets();
    std::erase_if(processes_, [&](const auto& entry) {
      return std::find(pids.begin(), pids.end(), entry.first) == pids.end();
    });
    bool is_known = false;
    bool is_stopped = false;
    for (const std::int64_t pid : pids) {
      auto at = processes_.find(pid);
      if (at == processes_.end()) at = processes_.emplace(pid, files_of(pid)).first;
      const std::optional<bool> stopped = is_stopped_now(at->second);
      is_known = is_known || stopped;
      is_stopped = is_stopped || stopped.value_or(false);
    }
    if (is_known) sink.level(meter_time(), stopped_, is_stopped ? kWholeSecond : 0);
  }

 private:
  static constexpr double kWholeSecond = 1e6;  // [us/s]

  struct Process {
    RootFile stat;
    std::optional<RootFile> group;  ///< "frozen 0" of its control group
  };

  Process files_of(std::int64_t pid) const {
    Process process{.stat = RootFile(root_, fmt::format("/proc/{}/stat", pid)), .group = {}};
    const std::optional<std::string> text = read_once(root_, fmt::format("/proc/{}/cgroup", pid));
    const std::optional<std::string> group = text ? parse_cgroup(*text) : std::nullopt;
    const std::string path = group ? "/sys/fs/cgroup" + *group + "/cgroup.events" : "";
    if (group && root_.has(path)) process.group.emplace(root_, path);
    return process;
  }

  std::optional<bool> is_stopped_now(Process& process) {
    const std::optional<std::string_view> text = process.stat.read(buffer_);
    const std::optional<ProcessStat> stat = text ? parse_process_stat(*text) : std::nullopt;
    if (!stat) return std::nullopt;
    if (stat->is_stopped()) return true;
    if (!process.group) return false;
    const std::optional<std::string_view> events = process.group->read(buffer_);
    return events && number_of_key(*events, "frozen").value_or(0) == 1;
  }

  Root root_;
  std::shared_ptr<OwnProcesses> own_;
  std::string buffer_;
  std::map<std::int64_t, Process> processes_;
  Counter stopped_{"process_stopped", MeterScope::kOwn};
};

}  // namespace

std::unique_ptr<MeterReader> stop_meter(const Root& root, std::shared_ptr<OwnProcesses> own) {
  return std::make_unique<StopMeter>(root, std::move(own));
}

}  // namespace tactus::meters

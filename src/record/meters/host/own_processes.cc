#include "record/meters/host/own_processes.h"

#include <fmt/format.h>

#include <algorithm>

namespace tactus::meters {
namespace {

constexpr std::size_t kMostOwn = 512;

}  // namespace

OwnProcesses::OwnProcesses(Root root, std::vector<std::int64_t> targets)
    : root_(std::move(root)), targets_(std::move(targets)) {}

void OwnProcesses::add(std::int64_t pid) {
  const std::lock_guard lock(mutex_);
  if (std::find(targets_.begin(), targets_.end(), pid) == targets_.end()) targets_.push_back(pid);
}

std::vector<std::int64_t> OwnProcesses::pids() const {
  const std::lock_guard lock(mutex_);
  return published_;
}

std::vector<std::int64_t> OwnProcesses::targets() const {
  const std::lock_guard lock(mutex_);
  return targets_;
}

std::optional<std::int64_t> OwnProcesses::first_target() const {
  const std::lock_guard lock(mutex_);
  if (targets_.empty()) return std::nullopt;
  return targets_.front();
}

std::optional<ProcessStat> OwnProcesses::stat_of(std::int64_t pid) {
  RootFile file(root_, fmt::format("/proc/{}/stat", pid));
  const std::optional<std::string_view> text = file.read(buffer_);
  if (!text) return std::nullopt;
  return parse_process_stat(*text);
}

/// Children of own processes become own, and theirs; a child may have the smaller number.
void OwnProcesses::adopt(const std::map<std::int64_t, ProcessStat>& fresh) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [pid, stat] : fresh) {
      if (own_.contains(stat.parent) && own_.insert(pid).second) changed = true;
    }
  }
}

void OwnProcesses::scan(MeterTable& table) {
  std::vector<std::int64_t> targets;
  {
    const std::lock_guard lock(mutex_);
    targets = targets_;
  }
  if (targets.empty()) return;
  std::set<std::int64_t> alive;
  std::map<std::int64_t, ProcessStat> fresh;
  for (const std::string& name : root_.names_in("/proc")) {
    const std::optional<std::uint64_t> number = whole_number(name);
    if (!number || *number > INT32_MAX) continue;
    const auto pid = static_cast<std::int64_t>(*number);
    const auto at = known_.find(pid);
    // Others are looked at once: reading all of them costs milliseconds on a large machine.
    if (at != known_.end() && !own_.contains(pid)) {
      alive.insert(pid);
      continue;
    }
    const std::optional<ProcessStat> stat = stat_of(pid);
    if (!stat) continue;
    alive.insert(pid);
    if (at != known_.end() && at->second == stat->start_ticks) continue;
    own_.erase(pid);
    known_[pid] = stat->start_ticks;
    fresh.emplace(pid, *stat);
  }
  std::erase_if(known_, [&](const auto& entry) { return !alive.contains(entry.first); });
  std::erase_if(own_, [&](std::int64_t pid) { return !alive.contains(pid); });
  for (const std::int64_t target : targets) {
    if (alive.contains(target)) {
      own_.insert(target);
    } else {
      table.report({.what = fmt::format("process {}", target),
                    .reason = "there is no such process, or it ended",
                    .fix = "its meters end here; check the number with ps",
                    .is_end = true});
    }
  }
  adopt(fresh);
  std::vector<std::int64_t> found(own_.begin(), own_.end());
  if (found.size() > kMostOwn) {
    table.report({.what = "some own processes",
                  .reason = fmt::format("{} are running, and {} are metered at most", found.size(),
                                        kMostOwn),
                  .fix = "record the process that launches the kernels instead of its parent"});
    found.resize(kMostOwn);
  }
  const std::lock_guard lock(mutex_);
  published_ = std::move(found);
}

}  // namespace tactus::meters

#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "record/meters/host/proc_text.h"
#include "record/meters/host/root_file.h"
#include "record/meters/meter_table.h"

namespace tactus::meters {

/// The recorded processes and their children. A child stays own when its parent ends. One whose
/// parent had ended before it was first seen cannot be told from a foreign one.
class OwnProcesses {
 public:
  OwnProcesses(Root root, std::vector<std::int64_t> targets);

  /// One more recorded process; from any thread.
  void add(std::int64_t pid);
  /// Looks for new and ended processes; from one thread.
  void scan(MeterTable& table);

  /// Those of the last scan, by number; from any thread.
  std::vector<std::int64_t> pids() const;
  /// The recorded ones, without their children; from any thread.
  std::vector<std::int64_t> targets() const;
  /// The first of them, if any.
  std::optional<std::int64_t> first_target() const;

 private:
  std::optional<ProcessStat> stat_of(std::int64_t pid);
  void adopt(const std::map<std::int64_t, ProcessStat>& fresh);

  Root root_;
  std::string buffer_;
  std::map<std::int64_t, std::uint64_t> known_;  ///< start of each process that was looked at
  std::set<std::int64_t> own_;

  mutable std::mutex mutex_;  ///< of the rest
  std::vector<std::int64_t> targets_;
  std::vector<std::int64_t> published_;
};

}  // namespace tactus::meters

#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record/meters/meter.h"

namespace tactus::meters {

/// The counters and devices that were found, and what could not be read. It only grows; threads may
/// use it together. A sampler comes here when it sees something for the first time, not per sample.
class MeterTable {
 public:
  /// The place of the device with that label; added if it is new.
  std::uint32_t device(const MeterDevice& device);

  /// The id of a counter; added if it is new. `name` is in the table of known counters, which gives
  /// the unit. `number` is that of a core; a process is a number, too, and named as such.
  std::uint32_t counter(std::string_view name, std::uint32_t device, MeterScope scope);
  std::uint32_t numbered(std::string_view name, std::int64_t number, std::uint32_t device);
  std::uint32_t of_process(std::string_view name, std::int64_t pid, std::uint32_t device);

  /// Listed once per `what`.
  void report(MeterIssue issue);

  /// From that place on.
  std::vector<MeterCounter> counters(std::size_t from) const;
  std::vector<MeterDevice> devices() const;
  std::vector<MeterIssue> issues(std::size_t from) const;

 private:
  std::uint32_t add(MeterCounter counter);

  mutable std::mutex mutex_;
  std::vector<MeterCounter> counters_;
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> by_name_;
  std::vector<MeterDevice> devices_;
  std::vector<MeterIssue> issues_;
  std::set<std::string> reported_;
};

}  // namespace tactus::meters

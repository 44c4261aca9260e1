#include "record/meters/meter_table.h"

#include <fmt/format.h>

#include "base/check.h"
#include "counters/counter_table.h"

namespace tactus::meters {
namespace {

std::string unit_of_known(std::string_view name) {
  const CounterFact* const fact = find_counter(name);
  CHECK(fact != nullptr);  // compare would not understand it
  return std::string(fact->unit);
}

template <class T>
std::vector<T> rest(const std::vector<T>& all, std::size_t from) {
  if (from >= all.size()) return {};
  return {all.begin() + static_cast<std::ptrdiff_t>(from), all.end()};
}

}  // namespace

std::uint32_t MeterTable::device(const MeterDevice& device) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (devices_[i].label == device.label) return static_cast<std::uint32_t>(i);
  }
  devices_.push_back(device);
  return static_cast<std::uint32_t>(devices_.size() - 1);
}

std::uint32_t MeterTable::counter(std::string_view name, std::uint32_t device, MeterScope scope) {
  return add({.name = std::string(name),
              .unit = unit_of_known(name),
              .device = device,
              .scope = scope,
              .pid = {}});
}

std::uint32_t MeterTable::numbered(std::string_view name, std::int64_t number,
                                   std::uint32_t device) {
  return add({.name = fmt::format("{}_{}", name, number),
              .unit = unit_of_known(name),
              .device = device,
              .scope = MeterScope::kAll,
              .pid = {}});
}

std::uint32_t MeterTable::of_process(std::string_view name, std::int64_t pid,
                                     std::uint32_t device) {
  return add({.name = fmt::format("{}_{}", name, pid),
              .unit = unit_of_known(name),
              .device = device,
              .scope = MeterScope::kOwn,
              .pid = pid});
}

std::uint32_t MeterTable::add(MeterCounter counter) {
  const std::lock_guard lock(mutex_);
  const auto next = static_cast<std::uint32_t>(counters_.size());
  const auto [at, is_new] = by_name_.try_emplace({counter.name, counter.device}, next);
  if (is_new) counters_.push_back(std::move(counter));
  return at->second;
}

void MeterTable::report(MeterIssue issue) {
  const std::lock_guard lock(mutex_);
  if (reported_.insert(issue.what).second) issues_.push_back(std::move(issue));
}

std::vector<MeterCounter> MeterTable::counters(std::size_t from) const {
  const std::lock_guard lock(mutex_);
  return rest(counters_, from);
}

std::vector<MeterDevice> MeterTable::devices() const {
  const std::lock_guard lock(mutex_);
  return devices_;
}

std::vector<MeterIssue> MeterTable::issues(std::size_t from) const {
  const std::lock_guard lock(mutex_);
  return rest(issues_, from);
}

}  // namespace tactus::meters

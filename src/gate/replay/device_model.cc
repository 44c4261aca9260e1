#include "gate/replay/device_model.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace tactus::gate {

void DeviceModel::submit(std::int64_t now_ns, std::uint32_t process, std::uint32_t stream,
                         std::size_t job, std::int64_t dur_ns) {
  run_until(now_ns);
  Stream& queue = streams_[{process, stream}];
  queue.group = sharing_.sharing == Sharing::kKernels ? 0 : process;
  const bool was_idle = running_.empty();
  if (was_idle) {
    slice_end_ns_ = now_ns + sharing_.slice_ns;
  } else if (slice_end_ns_ <= now_ns && !has_rival()) {
    // Its turn was over and began anew while nobody else was there.
    slice_end_ns_ += ((now_ns - slice_end_ns_) / sharing_.slice_ns + 1) * sharing_.slice_ns;
  }
  const bool is_first = queue.pieces.empty();
  if (is_first) queue.ready_ns = now_ns;
  queue.pieces.push_back({job, static_cast<double>(dur_ns)});
  const bool joins = is_first && sharing_.sharing == Sharing::kSideBySide;
  if (was_idle || joins) pick(now_ns);
}

bool DeviceModel::has_rival() const {
  return std::any_of(streams_.begin(), streams_.end(), [&](const auto& entry) {
    return entry.second.group != group_ && !entry.second.pieces.empty();
  });
}

std::int64_t DeviceModel::end_ns(const Running& one) const {
  const double left = one.stream->pieces.front().left_ns / one.rate;
  return std::max(now_ns_, from_ns_) + static_cast<std::int64_t>(std::ceil(left));
}

std::optional<std::int64_t> DeviceModel::next_ns() const {
  if (running_.empty()) return std::nullopt;
  std::int64_t next = INT64_MAX;
  for (const Running& one : running_) next = std::min(next, end_ns(one));
  const bool has_turns = sharing_.sharing == Sharing::kSlices && has_rival();
  return has_turns ? std::min(next, std::max(slice_end_ns_, now_ns_)) : next;
}

/// The one that is ready longest.
DeviceModel::Stream* DeviceModel::first_ready(std::uint32_t group) {
  Stream* best = nullptr;
  for (auto& [key, stream] : streams_) {
    if (stream.pieces.empty() || stream.group != group) continue;
    if (best == nullptr || stream.ready_ns < best->ready_ns) best = &stream;
  }
  return best;
}

/// The turn goes to the next process behind this one, or the first, that has work, if the turn is
/// over or was given away.
void DeviceModel::pick_group(std::int64_t now_ns) {
  const bool is_idle = first_ready(group_) == nullptr;
  if (!is_idle && (now_ns < slice_end_ns_ || !has_rival())) return;
  std::set<std::uint32_t> others;
  for (const auto& [key, stream] : streams_) {
    if (!stream.pieces.empty() && stream.group != group_) others.insert(stream.group);
  }
  if (others.empty()) return;
  const auto behind = others.upper_bound(group_);
  group_ = behind == others.end() ? *others.begin() : *behind;
  from_ns_ = now_ns + (is_idle ? sharing_.handover_ns : sharing_.switch_ns);
  slice_end_ns_ = from_ns_ + sharing_.slice_ns - sharing_.switch_ns;
}

void DeviceModel::pick(std::int64_t now_ns) {
  running_.clear();
  if (sharing_.sharing != Sharing::kSideBySide) {
    if (sharing_.sharing == Sharing::kSlices) pick_group(now_ns);
    if (Stream* best = first_ready(group_); best != nullptr) running_.push_back({best, 1});
    return;
  }
  std::set<std::uint32_t> groups;
  for (const auto& [key, stream] : streams_) {
    if (!stream.pieces.empty()) groups.insert(stream.group);
  }
  for (const std::uint32_t group : groups) {
    const auto known = sharing_.rates.find(group);
    const bool is_alone = groups.size() == 1 || known == sharing_.rates.end();
    running_.push_back({first_ready(group), is_alone ? 1 : known->second});
  }
}

void DeviceModel::run_until(std::int64_t now_ns) {
  const std::int64_t from = std::max(now_ns_, from_ns_);
  if (now_ns > from) {
    for (const Running& one : running_) {
      double& left = one.stream->pieces.front().left_ns;
      left = std::max(left - one.rate * static_cast<double>(now_ns - from), 0.0);
    }
  }
  now_ns_ = std::max(now_ns_, now_ns);
}

std::vector<std::size_t> DeviceModel::advance(std::int64_t now_ns) {
  std::vector<std::size_t> done;
  while (const std::optional<std::int64_t> next = next_ns()) {
    if (*next > now_ns) break;
    run_until(*next);
    for (const Running& one : running_) {
      if (end_ns(one) > *next) continue;
      done.push_back(one.stream->pieces.front().job);
      one.stream->pieces.pop_front();
      one.stream->ready_ns = *next;
    }
    pick(*next);
  }
  run_until(now_ns);
  return done;
}

}  // namespace tactus::gate

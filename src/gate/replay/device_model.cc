#include "gate/replay/device_model.h"

#include <algorithm>

namespace tactus::gate {

void DeviceModel::submit(std::int64_t now_ns, std::uint32_t process, std::uint32_t stream,
                         std::size_t job, std::int64_t dur_ns) {
  Stream& queue = streams_[{process, stream}];
  queue.group = sharing_ == Sharing::kSlices ? process : 0;
  if (queue.pieces.empty()) queue.ready_ns = now_ns;
  queue.pieces.push_back({job, dur_ns});
  if (running_ == nullptr) pick(now_ns);
}

bool DeviceModel::has_rival() const {
  return std::any_of(streams_.begin(), streams_.end(), [&](const auto& entry) {
    return entry.second.group != group_ && !entry.second.pieces.empty();
  });
}

std::optional<std::int64_t> DeviceModel::next_ns() const {
  if (running_ == nullptr) return std::nullopt;
  if (!has_rival()) return end_ns();
  return std::min(end_ns(), std::max(slice_end_ns_, started_ns_));
}

/// Among the groups by turns, in a group whose first piece is ready longest.
void DeviceModel::pick(std::int64_t now_ns) {
  running_ = nullptr;
  // Alone, its turn begins anew with each piece.
  if (!has_rival()) slice_end_ns_ = now_ns + slice_ns_;
  const bool stays = now_ns < slice_end_ns_;
  const Stream* best = nullptr;
  std::uint32_t next_group = 0;
  bool has_next = false;
  for (int turn = 0; turn < 2 && best == nullptr; ++turn) {
    if (turn == 1 || !stays) {
      // The next group behind this one, or the first.
      for (const auto& [key, stream] : streams_) {
        if (stream.pieces.empty() || stream.group == group_) continue;
        const bool is_behind = stream.group > group_;
        const bool was_behind = has_next && next_group > group_;
        if (!has_next || (is_behind && !was_behind) ||
            (is_behind == was_behind && stream.group < next_group)) {
          next_group = stream.group;
          has_next = true;
        }
      }
      if (has_next) {
        group_ = next_group;
        slice_end_ns_ = now_ns + slice_ns_;
      }
    }
    for (auto& [key, stream] : streams_) {
      if (stream.pieces.empty() || stream.group != group_) continue;
      if (best == nullptr || stream.ready_ns < best->ready_ns) best = running_ = &stream;
    }
  }
  started_ns_ = now_ns;
}

void DeviceModel::pause(std::int64_t now_ns) {
  Piece& piece = running_->pieces.front();
  piece.left_ns = std::max<std::int64_t>(piece.left_ns - (now_ns - started_ns_), 0);
}

std::vector<std::size_t> DeviceModel::advance(std::int64_t now_ns) {
  std::vector<std::size_t> done;
  while (const std::optional<std::int64_t> next = next_ns()) {
    if (*next > now_ns) break;
    if (end_ns() > *next) {
      pause(*next);
    } else {
      done.push_back(running_->pieces.front().job);
      running_->pieces.pop_front();
      running_->ready_ns = *next;
    }
    pick(*next);
  }
  return done;
}

}  // namespace tactus::gate

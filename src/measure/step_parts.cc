#include "measure/step_parts.h"

#include <algorithm>

namespace tactus {
namespace {

/// What runs at the same time is given to the lower layer.
int layer_of(Part part) {
  if (is_compute_part(part)) return 0;
  return is_kernel_part(part) ? 1 : 2;
}
constexpr int kLayers = 3;

}  // namespace

void StepParts::collect(std::int64_t start_ns, std::int64_t end_ns) {
  inside_.clear();
  std::size_t kept = 0;
  const auto take = [&](const DevicePiece& piece) {
    DevicePiece cut = piece;
    cut.start_ns = std::max(cut.start_ns, start_ns);
    cut.end_ns = std::min(cut.end_ns, end_ns);
    if (cut.end_ns > cut.start_ns) inside_.push_back(cut);
  };
  for (const DevicePiece& piece : carried_) {
    take(piece);
    if (piece.end_ns > end_ns) carried_[kept++] = piece;
  }
  carried_.resize(kept);
  for (; next_piece_ < pieces_.size() && pieces_[next_piece_].start_ns < end_ns; ++next_piece_) {
    const DevicePiece& piece = pieces_[next_piece_];
    if (piece.end_ns > start_ns) take(piece);
    if (piece.end_ns > end_ns) carried_.push_back(piece);
  }
}

void StepParts::add_layer(int layer, std::array<double, kParts>& parts) {
  layer_.clear();
  std::int64_t covered = INT64_MIN;
  std::size_t busy = 0;
  for (const DevicePiece& piece : inside_) {
    if (layer_of(piece.part) != layer) continue;
    std::int64_t at = std::max(piece.start_ns, covered);
    if (at >= piece.end_ns) continue;
    covered = piece.end_ns;
    layer_.push_back({at, piece.end_ns});
    double& part = parts[static_cast<std::size_t>(piece.part)];
    // The rest of it that the layers below leave free.
    while (busy < busy_.size() && busy_[busy].end_ns <= at) ++busy;
    std::size_t i = busy;
    while (at < piece.end_ns) {
      const bool is_free = i == busy_.size() || busy_[i].start_ns > at;
      if (is_free) {
        const std::int64_t end =
            i == busy_.size() ? piece.end_ns : std::min(piece.end_ns, busy_[i].start_ns);
        part += static_cast<double>(end - at);
        at = end;
      } else {
        at = std::max(at, busy_[i++].end_ns);
      }
    }
  }
  // Both are sorted and free of overlaps.
  std::vector<Stretch> merged;
  merged.reserve(busy_.size() + layer_.size());
  std::merge(busy_.begin(), busy_.end(), layer_.begin(), layer_.end(), std::back_inserter(merged),
             [](const Stretch& a, const Stretch& b) { return a.start_ns < b.start_ns; });
  busy_.clear();
  for (const Stretch& stretch : merged) {
    if (!busy_.empty() && stretch.start_ns <= busy_.back().end_ns) {
      busy_.back().end_ns = std::max(busy_.back().end_ns, stretch.end_ns);
    } else {
      busy_.push_back(stretch);
    }
  }
}

/// The device idles from `start_ns` to `end_ns`, where work starts that a thread launched.
void StepParts::add_idle(std::int64_t start_ns, std::int64_t end_ns,
                         std::array<double, kParts>& parts) {
  // The work that ends the idle time: in this window, or the first after it.
  const DevicePiece* next = nullptr;
  auto at = std::lower_bound(
      inside_.begin(), inside_.end(), end_ns,
      [](const DevicePiece& piece, std::int64_t time) { return piece.start_ns < time; });
  while (at != inside_.end() && at->by_host) ++at;
  std::size_t after = next_piece_;
  while (at == inside_.end() && after < pieces_.size() && pieces_[after].by_host) ++after;
  if (at != inside_.end()) {
    next = &*at;
  } else if (after < pieces_.size()) {
    next = &pieces_[after];
  }
  const std::uint32_t thread =
      next == nullptr || next->thread >= threads_.size() ? UINT32_MAX : next->thread;
  const auto add = [&](Part part, std::int64_t from, std::int64_t to) {
    if (to <= from) return;
    parts[static_cast<std::size_t>(part)] += static_cast<double>(to - from);
    if (idle_ != nullptr) idle_->push_back({from, to, thread, part});
  };
  if (thread == UINT32_MAX) {
    add(Part::kUnknownIdle, start_ns, end_ns);
    return;
  }
  const std::int64_t launched_ns = std::clamp(next->call_end_ns, start_ns, end_ns);
  const std::vector<HostCall>& calls = threads_[thread];
  std::size_t& from = next_call_[thread];
  if (from > calls.size() || (from > 0 && calls[from - 1].end_ns > start_ns)) from = 0;
  while (from < calls.size() && calls[from].end_ns <= start_ns) ++from;
  std::int64_t time = start_ns;
  for (std::size_t i = from; i < calls.size() && calls[i].start_ns < launched_ns; ++i) {
    const std::int64_t begin = std::clamp(calls[i].start_ns, time, launched_ns);
    const std::int64_t end = std::clamp(calls[i].end_ns, begin, launched_ns);
    add(Part::kHostCode, time, begin);
    add(calls[i].part, begin, end);
    time = end;
  }
  add(Part::kHostCode, time, launched_ns);
  add(Part::kLaunchDelay, launched_ns, end_ns);
}

std::array<double, kParts> StepParts::next(std::int64_t start_ns, std::int64_t end_ns) {
  std::array<double, kParts> parts{};
  next_call_.resize(threads_.size(), 0);
  collect(start_ns, end_ns);
  busy_.clear();
  for (int layer = 0; layer < kLayers; ++layer) add_layer(layer, parts);
  std::int64_t at = start_ns;
  for (const Stretch& stretch : busy_) {
    if (stretch.start_ns > at) add_idle(at, stretch.start_ns, parts);
    at = stretch.end_ns;
  }
  if (at < end_ns) add_idle(at, end_ns, parts);
  return parts;
}

}  // namespace tactus

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/arithmetic.h"
#include "run/builder.h"

namespace tactus {
namespace {

constexpr std::uint32_t kNoRow = UINT32_MAX;

/// From an id to the row that carries it, for ids of one process. Ids that lie close together, as
/// correlation ids do, take four bytes each; others go into a hash table.
class RowOfId {
 public:
  void expect(std::int64_t id) {
    low_ = std::min(low_, id);
    high_ = std::max(high_, id);
    ++count_;
  }

  /// `most` is how many ids may be kept close together.
  void prepare(std::uint64_t most) {
    if (count_ == 0) return;
    const auto range = static_cast<std::uint64_t>(wrapping_subtract(high_, low_));
    if (range < most) dense_.assign(range + 1, kNoRow);
  }

  /// False if the id is taken already; the first row keeps it.
  bool put(std::int64_t id, std::uint32_t row) {
    if (dense_.empty()) return sparse_.try_emplace(id, row).second;
    std::uint32_t& slot = dense_[static_cast<std::size_t>(id - low_)];
    if (slot != kNoRow) return false;
    slot = row;
    return true;
  }

  std::uint32_t find(std::int64_t id) const {
    if (dense_.empty()) {
      const auto at = sparse_.find(id);
      return at == sparse_.end() ? kNoRow : at->second;
    }
    if (id < low_ || id > high_) return kNoRow;
    return dense_[static_cast<std::size_t>(id - low_)];
  }

 private:
  std::int64_t low_ = INT64_MAX;
  std::int64_t high_ = INT64_MIN;
  std::uint64_t count_ = 0;
  std::vector<std::uint32_t> dense_;
  std::unordered_map<std::int64_t, std::uint32_t> sparse_;
};

/// Ids count per process. What a device did for a process is told apart only where its track
/// says so ("GPU 0 (4711)"); elsewhere all of a source is taken for one process.
class Scopes {
 public:
  explicit Scopes(const Run& run) {
    const auto process_of = [&](const Track& track) -> const Process& {
      return run.processes[run.threads[track.thread.value].process.value];
    };
    std::vector<bool> per_process(run.sources.size(), false);
    for (const Track& track : run.tracks) {
      const Process& process = process_of(track);
      const bool names_owner = track.on_device && process.pid.is_text && process.os_pid;
      if (names_owner) per_process[process.source.value] = true;
    }
    std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t> known;
    for (const Track& track : run.tracks) {
      const Process& process = process_of(track);
      const std::int64_t pid = per_process[process.source.value] ? process.os_pid.value_or(-1) : -1;
      const auto next = static_cast<std::uint32_t>(known.size());
      of_track_.push_back(known.try_emplace({process.source.value, pid}, next).first->second);
    }
    count_ = known.size();
  }

  std::size_t count() const { return count_; }
  std::uint32_t of_track(std::int64_t track) const {
    return of_track_[static_cast<std::size_t>(track)];
  }

 private:
  std::vector<std::uint32_t> of_track_;
  std::size_t count_ = 0;
};

struct Joiner {
  Run& run;
  Scopes scopes{run};

  std::uint32_t scope(std::size_t row) const { return scopes.of_track(run.slices.track()[row]); }

  /// Links every slice whose `to_key` equals the `from_key` of another slice of the same process.
  template <class IsFrom, class IsTo>
  void join(LinkKind kind, std::string_view from_key, IsFrom is_from, std::string_view to_key,
            IsTo is_to) {
    const auto kind_at = [this](std::size_t row) {
      return run.kind_of(run.slices.category()[row]);
    };
    std::vector<RowOfId> rows(scopes.count());
    const auto for_each_from = [&](auto&& f) {
      run.for_each_int_arg(run.slices, from_key, [&](std::size_t row, std::int64_t id) {
        if (id > 0 && is_from(kind_at(row))) f(row, id);
      });
    };
    for_each_from([&](std::size_t row, std::int64_t id) { rows[scope(row)].expect(id); });
    // Two ids a slice, so that the map takes no more than eight bytes a slice.
    for (RowOfId& map : rows) map.prepare(run.slices.size() * 2 / rows.size() + 1024);

    // An id that several calls carry: the call that started last before the target did is meant.
    std::unordered_multimap<std::int64_t, std::uint32_t> more;
    for_each_from([&](std::size_t row, std::int64_t id) {
      if (!rows[scope(row)].put(id, static_cast<std::uint32_t>(row))) {
        more.emplace(id, static_cast<std::uint32_t>(row));
      }
    });
    if (kind == LinkKind::kLaunch && !more.empty()) {
      run.repaired["duplicate_correlation"] += more.size();
    }
    run.for_each_int_arg(run.slices, to_key, [&](std::size_t row, std::int64_t id) {
      if (id <= 0 || !is_to(kind_at(row))) return;
      std::uint32_t from = rows[scope(row)].find(id);
      if (from == kNoRow) return;
      if (!more.empty()) from = latest_before(from, more.equal_range(id), row);
      if (from == row) return;
      run.links.append({static_cast<std::int64_t>(kind), from, static_cast<std::int64_t>(row)});
    });
  }

  template <class Range>
  std::uint32_t latest_before(std::uint32_t best, Range others, std::size_t target) const {
    const Column& start = run.slices.start();
    for (auto at = others.first; at != others.second; ++at) {
      if (scope(at->second) != scope(target)) continue;
      const bool best_is_late = start[best] > start[target];
      const bool other_is_early = start[at->second] <= start[target];
      if (other_is_early && (best_is_late || start[at->second] > start[best])) best = at->second;
    }
    return best;
  }
};

}  // namespace

void build_links(Run& run) {
  Joiner joiner{run};
  joiner.join(
      LinkKind::kLaunch, "correlation",
      [](SliceKind kind) { return kind == SliceKind::kRuntime || kind == SliceKind::kDriver; },
      "correlation", runs_on_device);
  const auto is_python = [](SliceKind kind) { return kind == SliceKind::kPython; };
  joiner.join(LinkKind::kPythonParent, "Python id", is_python, "Python parent id", is_python);
  build_flow_links(run);
}

}  // namespace tactus

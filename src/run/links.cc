#include <algorithm>
#include <map>
#include <vector>

#include "base/arithmetic.h"
#include "run/builder.h"

namespace tactus {
namespace {

/// Maps the ids of one process to the rows that carry them, in eight bytes per id: the distance
/// from the smallest id and the row in one number, sorted. The next look-up is mostly close behind
/// the last one.
class RowsOfIds {
 public:
  void expect(std::int64_t id) {
    low_ = std::min(low_, id);
    high_ = std::max(high_, id);
    ++count_;
  }

  /// All ids have been announced; now they can be put.
  void prepare() { entries_.reserve(count_); }

  void put(std::int64_t id, std::size_t row) {
    if (!is_far(id)) entries_.push_back(key(id) | row);
  }

  /// All ids have been put. Returns how many occur more than once.
  std::uint64_t sort() {
    if (!std::is_sorted(entries_.begin(), entries_.end())) {
      std::sort(entries_.begin(), entries_.end());
    }
    std::uint64_t duplicates = 0;
    for (std::size_t i = 1; i < entries_.size(); ++i) {
      duplicates += entries_[i] >> 32 == entries_[i - 1] >> 32 ? 1 : 0;
    }
    return duplicates;
  }

  /// Calls f(row) for every row that carries the id.
  template <class F>
  void for_each(std::int64_t id, F&& f) {
    if (id < low_ || id > high_ || is_far(id)) return;
    const std::uint64_t wanted = key(id);
    const bool is_ahead = last_ < entries_.size() && entries_[last_] < wanted;
    const auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(is_ahead ? last_ : 0);
    const bool is_near =
        is_ahead && entries_.size() - last_ > kNear && entries_[last_ + kNear] >= wanted;
    const auto end = is_near ? begin + kNear + 1 : entries_.end();
    auto at = std::lower_bound(begin, end, wanted);
    last_ = static_cast<std::size_t>(at - entries_.begin());
    for (; at != entries_.end() && *at >> 32 == wanted >> 32; ++at) f(*at & UINT32_MAX);
  }

 private:
  static constexpr std::ptrdiff_t kNear = 8;

  /// A profiler does not give ids that are further apart than 2^32.
  bool is_far(std::int64_t id) const {
    return static_cast<std::uint64_t>(wrapping_subtract(id, low_)) > UINT32_MAX;
  }
  std::uint64_t key(std::int64_t id) const {
    return static_cast<std::uint64_t>(wrapping_subtract(id, low_)) << 32;
  }

  std::int64_t low_ = INT64_MAX;
  std::int64_t high_ = INT64_MIN;
  std::size_t count_ = 0;
  std::vector<std::uint64_t> entries_;
  std::size_t last_ = 0;
};

/// Ids count per process. Device work of several processes is separate only if its track says so
/// ("GPU 0 (4711)"); otherwise a whole source counts as one process.
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
  /// If several slices carry the id, the one that started last before the target counts.
  template <class IsFrom, class IsTo>
  void join(LinkKind kind, std::string_view from_key, IsFrom is_from, std::string_view to_key,
            IsTo is_to) {
    const Column& category = run.slices.category();
    std::vector<RowsOfIds> rows(scopes.count());
    const auto for_each_from = [&](auto&& f) {
      run.for_each_int_arg(run.slices, from_key, [&](std::size_t row, std::int64_t id) {
        if (id > 0 && is_from(run.kind_of(category[row]))) f(rows[scope(row)], row, id);
      });
    };
    for_each_from([](RowsOfIds& ids, std::size_t, std::int64_t id) { ids.expect(id); });
    for (RowsOfIds& ids : rows) ids.prepare();
    for_each_from([](RowsOfIds& ids, std::size_t row, std::int64_t id) { ids.put(id, row); });
    std::uint64_t duplicates = 0;
    for (RowsOfIds& ids : rows) duplicates += ids.sort();
    if (kind == LinkKind::kLaunch && duplicates != 0) {
      run.repaired["duplicate_correlation"] += duplicates;
    }
    const Column& start = run.slices.start();
    run.for_each_int_arg(run.slices, to_key, [&](std::size_t row, std::int64_t id) {
      if (id <= 0 || !is_to(run.kind_of(category[row]))) return;
      std::int64_t from = -1;
      rows[scope(row)].for_each(id, [&](std::size_t candidate) {
        if (candidate == row) return;
        const auto best = static_cast<std::size_t>(from);
        const bool in_time = start[candidate] <= start[row];
        if (from < 0 || (in_time && (start[best] > start[row] || start[candidate] > start[best]))) {
          from = static_cast<std::int64_t>(candidate);
        }
      });
      if (from < 0) return;
      run.links.append({static_cast<std::int64_t>(kind), from, static_cast<std::int64_t>(row)});
    });
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

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "run/builder.h"
#include "run/rows_of_ids.h"

namespace tactus {
namespace {

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
    const Column& start = run.slices.start();
    for (RowsOfIds& ids : rows) duplicates += ids.sort(start);
    if (kind == LinkKind::kLaunch && duplicates != 0) {
      run.repaired["duplicate_correlation"] += duplicates;
    }
    run.for_each_int_arg(run.slices, to_key, [&](std::size_t row, std::int64_t id) {
      if (id <= 0 || !is_to(run.kind_of(category[row]))) return;
      const std::int64_t from = rows[scope(row)].before(id, row, start);
      if (from < 0) return;
      run.links.append({static_cast<std::int64_t>(kind), from, static_cast<std::int64_t>(row)});
    });
  }
};

/// By kind and target, as the links that are derived come.
void sort_links(Links& links) {
  std::vector<std::uint32_t> order(links.rows);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(links.kind()[a], links.to()[a]) < std::tuple(links.kind()[b], links.to()[b]);
  });
  for (LazyColumn& column : links.columns) {
    Column sorted;
    for (const std::uint32_t row : order) sorted.append(column.get()[row]);
    column.writable() = std::move(sorted);
  }
}

bool is_call(SliceKind kind) {
  return kind == SliceKind::kRuntime || kind == SliceKind::kDriver;
}

/// Adds the arrows of a source: launches first, then all others. Of equal launches, the first is
/// the one that the correlation ids tell.
void add_given_links(Run& run, std::vector<GivenLink>& given) {
  const auto by_target = [](const GivenLink& a, const GivenLink& b) {
    return std::tuple(a.to, a.from) < std::tuple(b.to, b.from);
  };
  std::sort(given.begin(), given.end(), by_target);
  std::vector<GivenLink> launches;
  for (std::size_t i = 0; i < run.links.rows; ++i) {
    if (run.links.kind()[i] != static_cast<std::int64_t>(LinkKind::kLaunch)) continue;
    launches.push_back({static_cast<std::size_t>(run.links.from()[i]),
                        static_cast<std::size_t>(run.links.to()[i])});
  }
  std::sort(launches.begin(), launches.end(), by_target);
  std::vector<GivenLink> others;
  const GivenLink* before = nullptr;
  for (const GivenLink& link : given) {
    const auto kind = [&](std::size_t row) { return run.kind_of(run.slices.category()[row]); };
    const bool is_first = before == nullptr || before->to != link.to || before->from != link.from;
    before = &link;
    if (!is_first || !is_call(kind(link.from)) || !runs_on_device(kind(link.to))) {
      others.push_back(link);
    } else if (!std::binary_search(launches.begin(), launches.end(), link, by_target)) {
      run.links.append({static_cast<std::int64_t>(LinkKind::kLaunch),
                        static_cast<std::int64_t>(link.from), static_cast<std::int64_t>(link.to)});
    }
  }
  for (const GivenLink& link : others) {
    run.links.append({static_cast<std::int64_t>(LinkKind::kFlow),
                      static_cast<std::int64_t>(link.from), static_cast<std::int64_t>(link.to)});
  }
  sort_links(run.links);
}

}  // namespace

void build_links(Run& run, std::vector<GivenLink> given) {
  Joiner joiner{run};
  joiner.join(LinkKind::kLaunch, "correlation", is_call, "correlation", runs_on_device);
  const auto is_python = [](SliceKind kind) { return kind == SliceKind::kPython; };
  joiner.join(LinkKind::kPythonParent, "Python id", is_python, "Python parent id", is_python);
  build_flow_links(run);
  if (!given.empty()) add_given_links(run, given);
}

}  // namespace tactus

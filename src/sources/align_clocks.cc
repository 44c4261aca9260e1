#include "sources/align_clocks.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "run/args/arg_lookup.h"
#include "run/event_view.h"
#include "sources/fit_clock.h"
#include "sources/pair_sequences.h"

namespace tactus {
namespace {

/// Ranks that a rank is compared with until one leaves no doubt.
constexpr std::size_t kMostTried = 4;

struct Collective {
  std::string key;      ///< its process group and what it does
  std::int64_t number;  ///< its sequence number, or -1
  std::int64_t end_ns;
};

/// All ranks leave these at the same time. One that only sends may leave early.
bool is_symmetric(std::string_view name) {
  const bool is_library = name.find("nccl") != std::string_view::npos ||
                          name.find("rccl") != std::string_view::npos ||
                          name.find("NCCL") != std::string_view::npos;
  if (!is_library) return false;
  for (const std::string_view kind : {"AllReduce", "AllGather", "ReduceScatter", "AllToAll"}) {
    if (name.find(kind) != std::string_view::npos) return true;
  }
  return false;
}

std::string text_of(const Run& run, const std::optional<Value>& value) {
  if (!value || (value->type != ValueType::kText && value->type != ValueType::kJson)) return {};
  return std::string(run.strings[StringId(static_cast<std::uint64_t>(value->raw))]);
}

/// The collectives of each source, by end.
std::vector<std::vector<Collective>> find_collectives(const Run& run) {
  std::vector<std::uint8_t> is_wanted(run.strings.size(), 0);
  for (std::size_t i = 0; i < is_wanted.size(); ++i) {
    is_wanted[i] = is_symmetric(run.strings[StringId(i)]) ? 1 : 0;
  }
  struct Found {
    SourceId source;
    std::int64_t end_ns;
    std::size_t name;
  };
  std::vector<std::uint32_t> rows;
  std::vector<Found> found;
  const EventTable& slices = run.slices;
  for_each_slice(
      run, Captures::kLeaveOut, [](SliceKind kind) { return kind == SliceKind::kKernel; },
      std::array{&slices.name(), &slices.track(), &slices.start(), &slices.dur()},
      [&](std::size_t row, SliceKind, const auto& values) {
        const auto name = static_cast<std::size_t>(values[0]);
        const auto track = static_cast<std::size_t>(values[1]);
        if (name >= is_wanted.size() || is_wanted[name] == 0 || track >= run.tracks.size()) return;
        const Thread& thread = run.threads[run.tracks[track].thread.value];
        rows.push_back(static_cast<std::uint32_t>(row));
        found.push_back(
            {run.processes[thread.process.value].source, wrapping_add(values[2], values[3]), name});
      });
  const auto groups = args_of_slices(run, rows, "Process Group Name");
  const auto members = args_of_slices(run, rows, "Process Group Ranks");
  const auto sequence = args_of_slices(run, rows, "Seq");
  std::vector<std::vector<Collective>> of_source(run.sources.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Collective one{.key = text_of(run, groups[i]) + '\n' + text_of(run, members[i]),
                   .number = -1,
                   .end_ns = found[i].end_ns};
    if (sequence[i] && sequence[i]->type == ValueType::kInt) {
      one.number = sequence[i]->raw;
    } else {
      one.key += '\n' + std::string(run.strings[StringId(found[i].name)]);
    }
    of_source[found[i].source.value].push_back(std::move(one));
  }
  for (auto& list : of_source) {
    std::sort(list.begin(), list.end(),
              [](const Collective& a, const Collective& b) { return a.end_ns < b.end_ns; });
  }
  return of_source;
}

void sort_by_time(ClockPoints& points) {
  std::sort(points.begin(), points.end(),
            [](const ClockPoint& a, const ClockPoint& b) { return a.at_ns < b.at_ns; });
}

/// ClockPoints and, if they were found by their order, how sure that is.
struct Match {
  ClockPoints points;
  Pairing pairing;
};

/// Those with a sequence number, matched by group and number.
ClockPoints match_by_number(const std::vector<Collective>& reference,
                            const std::vector<Collective>& other) {
  std::map<std::pair<std::string_view, std::int64_t>, std::int64_t> ends;
  for (const Collective& one : reference) {
    if (one.number >= 0) ends[{one.key, one.number}] = one.end_ns;
  }
  ClockPoints points;
  for (const Collective& one : other) {
    const auto same = ends.find({one.key, one.number});
    if (one.number < 0 || same == ends.end()) continue;
    points.push_back({one.end_ns, wrapping_subtract(same->second, one.end_ns)});
  }
  sort_by_time(points);
  return points;
}

/// Those without a number, paired by their order and the times between them.
Match match_by_order(const std::vector<Collective>& reference,
                     const std::vector<Collective>& other) {
  // Collectives with ranks that are not in the other recording tell nothing.
  std::map<std::string_view, std::array<std::uint32_t, 2>> counts;
  for (const Collective& one : reference) ++counts[one.key][0];
  for (const Collective& one : other) ++counts[one.key][1];
  std::map<std::string_view, std::uint32_t> keys;
  for (const auto& [key, count] : counts) {
    if (count[0] > 0 && count[1] > 0)
      keys.try_emplace(key, static_cast<std::uint32_t>(keys.size()));
  }
  const auto moments_of = [&](const std::vector<Collective>& side) {
    std::vector<Moment> moments;
    for (const Collective& one : side) {
      const auto key = keys.find(one.key);
      if (one.number < 0 && key != keys.end()) moments.push_back({key->second, one.end_ns});
    }
    return moments;
  };
  const std::vector<Moment> a = moments_of(reference);
  const std::vector<Moment> b = moments_of(other);
  Match match;
  const std::optional<Pairing> pairing = pair_sequences(a, b);
  if (!pairing) return match;
  match.pairing = *pairing;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const std::int64_t place = static_cast<std::int64_t>(i) + pairing->shift;
    if (place < 0 || place >= static_cast<std::int64_t>(a.size())) continue;
    const Moment& same = a[static_cast<std::size_t>(place)];
    if (same.key != b[i].key) continue;
    match.points.push_back({b[i].at_ns, wrapping_subtract(same.at_ns, b[i].at_ns)});
  }
  return match;
}

bool may_differ(const Run& run, const Source& a, const Source& b) {
  const bool is_named = run.hosts[a.host.value].name.value != 0;
  return a.host != b.host || !is_named;
}

/// Both in one: first through the clock of the reference, which may be aligned to another itself.
Clock clock_by_way_of(const ClockPoints& points, const Clock& reference) {
  ClockPoints mapped = points;
  for (ClockPoint& point : mapped) {
    const std::int64_t end = wrapping_add(point.at_ns, point.delta_ns);
    point.delta_ns = wrapping_subtract(reference.to_run(end), point.at_ns);
  }
  return fit_clock(mapped);
}

class Aligner {
 public:
  Aligner(Run& run, Alignment alignment)
      : run_(run), alignment_(alignment), collectives_(find_collectives(run)) {}

  /// Aligns the sources of a job to the first of them; gives those that have nothing in common with
  /// any other.
  std::vector<std::uint32_t> align(std::span<const std::uint32_t> order) {
    aligned_ = {order.front()};
    std::vector<std::uint32_t> waiting(order.begin() + 1, order.end());
    // A rank may share a process group with another rank than the first: take who fits to anyone.
    for (std::size_t before = 0; before != waiting.size();) {
      before = waiting.size();
      std::erase_if(waiting, [&](std::uint32_t which) { return align_one(which); });
    }
    return waiting;
  }

 private:
  bool align_one(std::uint32_t which) {
    std::optional<Match> best;
    std::uint32_t reference = 0;
    std::size_t tried = 0;
    for (std::size_t i = 0; i < aligned_.size() && tried < kMostTried; ++i) {
      Match match = match_with(aligned_[i], which);
      if (match.points.size() < kFewestMoments) continue;
      ++tried;
      if (best && match.pairing.ways > 1) continue;
      reference = aligned_[i];
      best = std::move(match);
      if (best->pairing.ways == 1) break;
    }
    if (!best) return false;
    set_clock(which, reference, *best);
    aligned_.push_back(which);
    return true;
  }

  Match match_with(std::uint32_t reference, std::uint32_t which) const {
    Match match{.points = match_by_number(collectives_[reference], collectives_[which])};
    if (match.points.size() >= kFewestMoments) return match;
    return match_by_order(collectives_[reference], collectives_[which]);
  }

  void set_clock(std::uint32_t which, std::uint32_t reference, const Match& match) {
    const Source& to = run_.sources[reference];
    Source& source = run_.sources[which];
    const Clock clock = clock_by_way_of(match.points, to.clock);
    const bool is_needed =
        alignment_ == Alignment::kCollectives ||
        (may_differ(run_, source, to) && std::abs(clock.offset_ns) > 3 * *clock.residual_ns);
    if (is_needed) {
      source.clock = clock;
    } else {
      source.clock.points = clock.points;
      source.clock.residual_ns = residual_of(match.points, Clock());
    }
    if (match.pairing.ways > 1 && (is_needed || source.host != to.host)) {
      warn_of_choice(source, to, match.pairing);
    }
  }

  void warn_of_choice(const Source& source, const Source& to, const Pairing& pairing) {
    std::string apart_ms;
    append_fixed(static_cast<double>(pairing.apart_ns) * 1e-6, 3, apart_ms);
    run_.warnings.push_back(
        std::string(run_.strings[source.path]) + ": its collectives fit those of " +
        std::string(run_.strings[to.path]) + " in " + std::to_string(pairing.ways) + " ways, " +
        apart_ms +
        " ms apart: the recordings begin at different steps, and the steps are alike. The way that "
        "moves its clock least is used, and may be wrong by whole steps. Begin and end the "
        "recordings of all ranks with the same step");
  }

  Run& run_;
  Alignment alignment_;
  std::vector<std::vector<Collective>> collectives_;  ///< by source
  std::vector<std::uint32_t> aligned_;
};

}  // namespace

Status align_clocks(Run& run, Alignment alignment) {
  if (alignment == Alignment::kNone) return {};
  std::vector<std::uint32_t> order;  // sources of the job, by rank
  for (std::uint32_t i = 0; i < run.sources.size(); ++i) {
    const Source& source = run.sources[i];
    if (source.kind != "counters" && !source.is_capture) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return run.sources[a].rank.value_or(INT64_MAX) < run.sources[b].rank.value_or(INT64_MAX);
  });
  if (order.size() < 2) return {};
  const std::vector<std::uint32_t> alone = Aligner(run, alignment).align(order);
  const bool none_fits = alone.size() + 1 == order.size();
  if (none_fits && alignment == Alignment::kCollectives) {
    return input_error(
        "--align collectives: no collectives were found that two of the inputs took part in; "
        "record with the communication kernels (NCCL), or use --align none");
  }
  for (const std::uint32_t which : alone) {
    if (alignment != Alignment::kCollectives) break;
    run.warnings.push_back(std::string(run.strings[run.sources[which].path]) +
                           ": has no collectives in common with the others; its times are used as "
                           "they were recorded");
  }
  for (Source& source : run.sources) {
    if (source.beside.value < run.sources.size()) {
      source.clock = run.sources[source.beside.value].clock;
    }
  }
  return {};
}

}  // namespace tactus

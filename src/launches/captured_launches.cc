#include "launches/captured_launches.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/hash.h"
#include "launches/align.h"
#include "launches/launch_sites.h"
#include "run/args/arg_lookup.h"
#include "run/event_view.h"

namespace tactus {
namespace {

enum class CallKind : std::uint8_t { kOther, kLaunch, kBeginCapture, kEndCapture, kGraphLaunch };

CallKind kind_of_call(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("GraphLaunch")) return CallKind::kGraphLaunch;
  if (has("Launch") && has("Kernel")) return CallKind::kLaunch;
  if (has("BeginCapture")) return CallKind::kBeginCapture;
  if (has("EndCapture")) return CallKind::kEndCapture;
  return CallKind::kOther;
}

struct Call {
  std::uint32_t track = 0;
  std::int64_t start = 0;
  std::uint32_t row = 0;
  CallKind kind = CallKind::kOther;
};

/// Calls that launch, capture or replay, in the order of time per thread.
std::vector<Call> telling_calls(const Run& run) {
  std::vector<CallKind> kind_of_name(run.strings.size());
  for (std::size_t i = 0; i < kind_of_name.size(); ++i) {
    kind_of_name[i] = kind_of_call(run.strings[StringId(i)]);
  }
  std::vector<Call> calls;
  const EventTable& slices = run.slices;
  for_each_slice(
      run, Captures::kInclude,
      [](SliceKind kind) { return kind == SliceKind::kRuntime || kind == SliceKind::kDriver; },
      std::array{&slices.name(), &slices.track(), &slices.start()},
      [&](std::size_t row, SliceKind, const auto& values) {
        const auto name = static_cast<std::size_t>(values[0]);
        if (name >= kind_of_name.size() || kind_of_name[name] == CallKind::kOther) return;
        calls.push_back({static_cast<std::uint32_t>(values[1]), values[2],
                         static_cast<std::uint32_t>(row), kind_of_name[name]});
      });
  std::sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) {
    return std::tuple(a.track, a.start, a.row) < std::tuple(b.track, b.start, b.row);
  });
  return calls;
}

/// The calls that launched some device work.
std::vector<bool> calls_with_work(const Run& run) {
  std::vector<bool> has_work(run.slices.size(), false);
  for_each_launch(run, [&](std::uint32_t call, std::uint32_t) { has_work[call] = true; });
  return has_work;
}

std::vector<LaunchSequence> captured_sequences(const Run& run) {
  const std::vector<bool> has_work = calls_with_work(run);
  std::vector<LaunchSequence> sequences;
  bool capturing = false;
  std::uint32_t track = 0;
  for (const Call& call : telling_calls(run)) {
    if (call.track != track) capturing = false;
    track = call.track;
    if (call.kind == CallKind::kBeginCapture) {
      capturing = true;
      sequences.emplace_back();
    } else if (call.kind == CallKind::kEndCapture) {
      capturing = false;
    } else if (capturing && call.kind == CallKind::kLaunch && !has_work[call.row]) {
      sequences.back().calls.push_back(call.row);
    }
  }
  std::erase_if(sequences, [](const LaunchSequence& sequence) { return sequence.calls.empty(); });
  return sequences;
}

/// Fills in the names of the kernels if the calls carry them.
void name_kernels(const Run& run, std::vector<LaunchSequence>& sequences) {
  std::vector<std::uint32_t> rows;
  for (const LaunchSequence& sequence : sequences) {
    rows.insert(rows.end(), sequence.calls.begin(), sequence.calls.end());
  }
  std::sort(rows.begin(), rows.end());
  const std::vector<std::optional<Value>> names = args_of_slices(run, rows, "kernel");
  for (LaunchSequence& sequence : sequences) {
    for (const std::uint32_t call : sequence.calls) {
      const auto at = std::lower_bound(rows.begin(), rows.end(), call) - rows.begin();
      const std::optional<Value>& name = names[static_cast<std::size_t>(at)];
      sequence.kernels.push_back(
          name && name->type == ValueType::kText ? static_cast<std::uint32_t>(name->raw) : kNoRow);
    }
  }
}

/// Kernels that ran without a graph, by stream, in the order of time.
std::vector<LaunchSequence> eager_sequences(const Run& run) {
  struct Kernel {
    std::int64_t track, start;
    std::uint32_t name, call;
  };
  std::vector<Kernel> kernels;
  for_each_launch(run, [&](std::uint32_t call, std::uint32_t work) {
    if (run.kind_of(run.slices.category()[work]) != SliceKind::kKernel) return;
    const StringId api(static_cast<std::uint64_t>(run.slices.name()[call]));
    if (is_graph_launch(run.strings[api])) return;
    kernels.push_back({run.slices.track()[work], run.slices.start()[work],
                       static_cast<std::uint32_t>(run.slices.name()[work]), call});
  });
  std::stable_sort(kernels.begin(), kernels.end(), [](const Kernel& a, const Kernel& b) {
    return std::tuple(a.track, a.start) < std::tuple(b.track, b.start);
  });
  std::vector<LaunchSequence> sequences;
  std::int64_t track = -1;
  for (const Kernel& kernel : kernels) {
    if (sequences.empty() || kernel.track != track) sequences.emplace_back();
    track = kernel.track;
    sequences.back().kernels.push_back(kernel.name);
    sequences.back().calls.push_back(kernel.call);
  }
  return sequences;
}

constexpr std::size_t kGram = 4;

std::uint64_t gram_at(std::span<const std::uint32_t> symbols, std::size_t at) {
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < kGram; ++i) hash = hash * 0x9E3779B97F4A7C15ULL + symbols[at + i] + 1;
  return hash;
}

/// The most likely beginning of the sequence `part` in `all`: its four-kernel pieces vote.
std::ptrdiff_t likely_offset(std::span<const std::uint32_t> part,
                             std::span<const std::uint32_t> all) {
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> places;
  constexpr std::size_t kPlaces = 64;  // for a very frequent piece, a few places are enough
  for (std::size_t i = 0; i + kGram <= all.size(); ++i) {
    std::vector<std::uint32_t>& list = places[gram_at(all, i)];
    if (list.size() < kPlaces) list.push_back(static_cast<std::uint32_t>(i));
  }
  std::map<std::ptrdiff_t, std::size_t> votes;
  for (std::size_t i = 0; i + kGram <= part.size(); ++i) {
    const auto found = places.find(gram_at(part, i));
    if (found == places.end()) continue;
    for (const std::uint32_t place : found->second) {
      ++votes[static_cast<std::ptrdiff_t>(place) - static_cast<std::ptrdiff_t>(i)];
    }
  }
  std::ptrdiff_t best = 0;
  std::size_t most = 0;
  for (const auto& [offset, count] : votes) {
    if (count > most) std::tie(best, most) = std::pair(offset, count);
  }
  return best;
}

std::size_t matched(std::span<const std::uint32_t> calls) {
  return static_cast<std::size_t>(
      std::count_if(calls.begin(), calls.end(), [](std::uint32_t call) { return call != kNoRow; }));
}

std::vector<std::uint32_t> match_one(std::span<const std::uint32_t> replayed,
                                     std::span<const std::uint32_t> kernels,
                                     std::span<const std::uint32_t> calls) {
  std::vector<std::uint32_t> found(replayed.size(), kNoRow);
  for (const auto& [ours, theirs] : align(replayed, kernels)) found[ours] = calls[theirs];
  return found;
}

/// With a smaller share of common kernels it is another graph, not a variant of this one.
constexpr double kLeastInCommon = 0.5;

}  // namespace

bool is_graph_launch(std::string_view call) {
  return kind_of_call(call) == CallKind::kGraphLaunch;
}

CapturedLaunches::CapturedLaunches(const Run& run)
    : captured_(captured_sequences(run)), warm_up_(eager_sequences(run)) {
  name_kernels(run, captured_);
}

std::vector<std::uint32_t> CapturedLaunches::match(std::span<const std::uint32_t> replayed) const {
  std::vector<std::uint32_t> best(replayed.size(), kNoRow);
  const auto take_if_better = [&](std::vector<std::uint32_t> candidate) {
    if (matched(candidate) > matched(best)) best = std::move(candidate);
  };
  for (const LaunchSequence& sequence : captured_) {
    const bool named = sequence.kernels.front() != kNoRow;
    if (named) {
      take_if_better(match_one(replayed, sequence.kernels, sequence.calls));
    } else if (sequence.calls.size() == replayed.size() && matched(best) == 0) {
      best = sequence.calls;
    }
    if (matched(best) == replayed.size()) return best;
  }
  if (matched(best) < replayed.size()) take_if_better(match_warm_up(replayed));
  const double share = static_cast<double>(matched(best)) / static_cast<double>(replayed.size());
  if (share < kLeastInCommon) std::fill(best.begin(), best.end(), kNoRow);
  return best;
}

std::vector<std::uint32_t> CapturedLaunches::match_warm_up(
    std::span<const std::uint32_t> replayed) const {
  std::vector<std::uint32_t> best(replayed.size(), kNoRow);
  for (const LaunchSequence& sequence : warm_up_) {
    const auto size = static_cast<std::ptrdiff_t>(sequence.kernels.size());
    const auto slack = static_cast<std::ptrdiff_t>(replayed.size() / 8);
    const std::ptrdiff_t offset = likely_offset(replayed, sequence.kernels);
    const std::ptrdiff_t first = std::clamp<std::ptrdiff_t>(offset - slack, 0, size);
    const std::ptrdiff_t last = std::clamp<std::ptrdiff_t>(
        offset + static_cast<std::ptrdiff_t>(replayed.size()) + slack, first, size);
    const auto begin = static_cast<std::size_t>(first);
    const auto count = static_cast<std::size_t>(last - first);
    std::vector<std::uint32_t> candidate =
        match_one(replayed, std::span(sequence.kernels).subspan(begin, count),
                  std::span(sequence.calls).subspan(begin, count));
    if (matched(candidate) > matched(best)) best = std::move(candidate);
  }
  return best;
}

}  // namespace tactus

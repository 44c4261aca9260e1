#include "cycles/anchors/turns.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "base/arithmetic.h"
#include "base/hash.h"
#include "cycles/passes/loop_passes.h"
#include "cycles/repeats/repeats.h"
#include "names/function_type.h"
#include "run/event_view.h"
#include "stats/summary.h"

namespace tactus {
namespace {

constexpr std::size_t kFewestTurns = 3;
constexpr std::size_t kMostParts = 8;  // pieces of a turn; more than that is no pattern

/// Kernels that are launched between two results.
struct Piece {
  std::int64_t first_ns = 0;  ///< launch of the first kernel
  std::int64_t end_ns = 0;    ///< of what takes the result
  std::int64_t pause_ns = 0;  ///< before the first kernel, since the result before
  std::uint64_t kernels = 0;  ///< the same for the same kernels
  std::size_t count = 0;
  std::vector<std::int64_t> names;  ///< of its kernels, each once, ascending
};

/// When the results of each loop were taken, ascending.
class Results {
 public:
  Results(const Run& run, const Loops& loops) : of_loop_(loops.loops.size()) {
    read_waits(run, loops);
    // Copies that come back stand for waits that were not recorded.
    std::vector<std::vector<std::int64_t>> copies(loops.loops.size());
    for (const DeviceItem& item : loops.work) {
      if (item.is_kernel || !of_loop_[item.loop].empty()) continue;
      const auto name = static_cast<std::uint64_t>(run.slices.name()[item.row]);
      const std::string_view text = run.strings[StringId(name)];
      if (text.find("DtoH") == std::string_view::npos) continue;
      copies[item.loop].push_back(wrapping_add(item.at_ns, 1));
    }
    for (std::size_t loop = 0; loop < of_loop_.size(); ++loop) {
      if (of_loop_[loop].empty()) of_loop_[loop] = std::move(copies[loop]);
      std::sort(of_loop_[loop].begin(), of_loop_[loop].end());
    }
  }

  const std::vector<std::int64_t>& of(std::size_t loop) const { return of_loop_[loop]; }

 private:
  void read_waits(const Run& run, const Loops& loops) {
    std::map<std::uint32_t, std::uint32_t> loop_of_track;
    for (std::uint32_t loop = 0; loop < loops.loops.size(); ++loop) {
      if (loops.loops[loop].track) loop_of_track[*loops.loops[loop].track] = loop;
    }
    const EventTable& slices = run.slices;
    for_each_slice(
        run, Captures::kLeaveOut,
        [](SliceKind kind) { return kind == SliceKind::kRuntime || kind == SliceKind::kDriver; },
        std::array{&slices.track(), &slices.start(), &slices.dur(), &slices.name()},
        [&](std::size_t, SliceKind kind, const auto& values) {
          const auto loop = loop_of_track.find(static_cast<std::uint32_t>(values[0]));
          if (loop == loop_of_track.end()) return;
          const std::string_view name =
              run.strings[StringId(static_cast<std::uint64_t>(values[3]))];
          if (function_type_of(kind, "", name) != FunctionType::kCpuSync) return;
          of_loop_[loop->second].push_back(wrapping_add(values[1], values[2]));
        });
  }

  std::vector<std::vector<std::int64_t>> of_loop_;
};

/// The kernels of a loop in the order in which they were launched.
std::vector<std::vector<const DeviceItem*>> kernels_of_loops(const Loops& loops) {
  std::vector<std::vector<const DeviceItem*>> kernels(loops.loops.size());
  for (const DeviceItem& item : loops.work) {
    if (item.is_kernel) kernels[item.loop].push_back(&item);
  }
  for (std::vector<const DeviceItem*>& of_loop : kernels) {
    std::stable_sort(of_loop.begin(), of_loop.end(),
                     [](const DeviceItem* a, const DeviceItem* b) { return a->at_ns < b->at_ns; });
  }
  return kernels;
}

/// Kernels after the last result belong to a turn that the recording cut.
std::vector<Piece> pieces_of(const Run& run, const std::vector<const DeviceItem*>& kernels,
                             const std::vector<std::int64_t>& results) {
  std::vector<Piece> pieces;
  std::size_t next = 0;
  std::int64_t before = results.empty() ? 0 : results.front();
  for (const std::int64_t result : results) {
    Piece piece;
    std::vector<std::int64_t> names;
    for (; next < kernels.size() && kernels[next]->at_ns < result; ++next) {
      if (piece.count++ == 0) piece.first_ns = kernels[next]->at_ns;
      names.push_back(run.slices.name()[kernels[next]->row]);
    }
    // Waiting once more, without new work, is part of the same wait.
    if (piece.count == 0 && !pieces.empty()) pieces.back().end_ns = result;
    if (piece.count > 0) {
      piece.end_ns = result;
      piece.pause_ns = pieces.empty() ? 0 : wrapping_subtract(piece.first_ns, before);
      piece.kernels = hash_bytes(
          {reinterpret_cast<const char*>(names.data()), names.size() * sizeof(std::int64_t)});
      std::sort(names.begin(), names.end());
      names.erase(std::unique(names.begin(), names.end()), names.end());
      piece.names = std::move(names);
      pieces.push_back(std::move(piece));
    }
    before = result;
  }
  return pieces;
}

/// Two pieces that run mostly the same kernels are two turns, of more and of less work.
bool do_the_same(const Piece& a, const Piece& b) {
  std::vector<std::int64_t> both;
  std::set_intersection(a.names.begin(), a.names.end(), b.names.begin(), b.names.end(),
                        std::back_inserter(both));
  return 2 * both.size() > std::min(a.names.size(), b.names.size());
}

bool any_do_the_same(const std::vector<Piece>& pieces, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (do_the_same(pieces[i], pieces[j])) return true;
    }
  }
  return false;
}

/// How many pieces make a turn: the distance at which pieces come again, if those between do
/// something else.
std::size_t pieces_per_turn(const std::vector<Piece>& pieces) {
  for (std::size_t distance = 1; distance <= kMostParts; ++distance) {
    if (pieces.size() < kFewestTurns * distance) break;
    std::size_t same = 0;
    for (std::size_t i = distance; i < pieces.size(); ++i) {
      same += pieces[i].kernels == pieces[i - distance].kernels ? 1 : 0;
    }
    const std::size_t pairs = pieces.size() - distance;
    if (2 * same > pairs) return any_do_the_same(pieces, distance) ? 1 : distance;
  }
  return 1;
}

/// Of the places at which turns of several pieces may begin, the one after the longest pauses.
std::size_t first_piece(const std::vector<Piece>& pieces, std::size_t per_turn) {
  std::size_t best = 0;
  std::int64_t longest = -1;
  for (std::size_t first = 0; first < per_turn; ++first) {
    std::int64_t pauses = 0;
    for (std::size_t i = first; i < pieces.size(); i += per_turn) {
      pauses = wrapping_add(pauses, pieces[i].pause_ns);
    }
    if (pauses <= longest) continue;
    longest = pauses;
    best = first;
  }
  return best;
}

Anchor turns(std::string text) {
  return {.name = {.text = std::move(text)}, .kind = SliceKind::kOther, .loops = {}};
}

bool are_single_kernels(const std::vector<Piece>& pieces) {
  std::vector<double> counts;
  for (const Piece& piece : pieces) counts.push_back(static_cast<double>(piece.count));
  return median(std::move(counts)) < 2;
}

/// The repeats of a stream that hold most of its kernels and have the same period.
std::vector<Repeat> main_repeats(const KernelStream& stream) {
  std::map<std::size_t, std::vector<Repeat>> by_period;
  std::map<std::size_t, std::size_t> kernels;
  for (const Repeat& repeat : find_repeats(stream.names)) {
    by_period[repeat.period].push_back(repeat);
    kernels[repeat.period] += repeat.end() - repeat.first;
  }
  for (auto& [period, repeats] : by_period) {
    if (period > 1 && 2 * kernels[period] > stream.size()) return std::move(repeats);
  }
  return {};
}

/// Where turns begin. Repeats that come again and again, with something else between, are loops
/// inside of turns; a single one consists of turns, which begin where the device idles most.
std::vector<std::size_t> bounds_of(const KernelStream& stream, const std::vector<Repeat>& repeats) {
  std::vector<std::size_t> bounds;
  if (repeats.size() > kFewestTurns) {
    for (const Repeat& repeat : repeats) bounds.push_back(repeat.first);
    return bounds;
  }
  for (const Repeat& repeat : repeats) {
    std::vector<std::int64_t> idle(repeat.period, 0);
    for (std::size_t i = std::max<std::size_t>(1, repeat.first); i < repeat.end(); ++i) {
      const std::int64_t busy_until = wrapping_add(stream.starts[i - 1], stream.durs[i - 1]);
      std::int64_t& before = idle[(i - repeat.first) % repeat.period];
      const std::int64_t pause = wrapping_subtract(stream.starts[i], busy_until);
      before = wrapping_add(before, std::max<std::int64_t>(0, pause));
    }
    const auto longest = std::max_element(idle.begin(), idle.end()) - idle.begin();
    for (std::size_t i = repeat.first + static_cast<std::size_t>(longest); i < repeat.end();
         i += repeat.period) {
      bounds.push_back(i);
    }
  }
  return bounds;
}

}  // namespace

std::optional<Anchor> find_turns_by_results(const Run& run, const Loops& loops) {
  const Results results(run, loops);
  const std::vector<std::vector<const DeviceItem*>> kernels = kernels_of_loops(loops);
  Anchor found = turns("turn that ends with a result");
  for (std::uint32_t loop = 0; loop < loops.loops.size(); ++loop) {
    const std::vector<Piece> pieces = pieces_of(run, kernels[loop], results.of(loop));
    const std::size_t per_turn = pieces_per_turn(pieces);
    if (pieces.size() < kFewestTurns * per_turn || are_single_kernels(pieces)) continue;
    AnchoredLoop turns_of{.loop = loop, .instances = {}};
    for (std::size_t i = first_piece(pieces, per_turn); i + per_turn <= pieces.size();
         i += per_turn) {
      turns_of.instances.push_back(
          {.start_ns = pieces[i].first_ns, .end_ns = pieces[i + per_turn - 1].end_ns});
    }
    found.loops.push_back(std::move(turns_of));
  }
  return found.loops.empty() ? std::nullopt : std::optional(std::move(found));
}

std::optional<Anchor> find_turns_by_repeats(const Loops& loops,
                                            std::span<const KernelStream* const> streams) {
  Anchor found = turns("turn of kernels that repeat");
  std::map<std::uint32_t, AnchoredLoop> of_loops;
  for (const KernelStream* stream : streams) {
    const std::vector<std::size_t> bounds = bounds_of(*stream, main_repeats(*stream));
    if (bounds.size() <= kFewestTurns) continue;
    const DeviceItem* item = work_of_row(loops, stream->rows[bounds.front()]);
    if (item == nullptr) continue;
    AnchoredLoop turns_of{.loop = item->loop, .instances = {}};
    // What follows the last bound may be cut.
    for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
      const DeviceItem* first = work_of_row(loops, stream->rows[bounds[i]]);
      const DeviceItem* last = work_of_row(loops, stream->rows[bounds[i + 1] - 1]);
      if (first == nullptr || last == nullptr || last->at_ns < first->at_ns) continue;
      turns_of.instances.push_back(
          {.start_ns = first->at_ns, .end_ns = wrapping_add(last->at_ns, 1)});
    }
    // The stream with most kernels comes first.
    if (turns_of.instances.size() >= kFewestTurns) of_loops.try_emplace(item->loop, turns_of);
  }
  for (auto& [loop, turns_of] : of_loops) found.loops.push_back(std::move(turns_of));
  return found.loops.empty() ? std::nullopt : std::optional(std::move(found));
}

}  // namespace tactus

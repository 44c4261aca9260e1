#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "watch/latency_model.h"

namespace tactus::watch {

/// A bounded sample of the steps that a model learns from. Each kind of work keeps its own share of
/// the room, so that a night of small batches does not make it forget the large ones of the day.
///
/// What takes half as long as it did is another server: the one that was learnt was still loading,
/// compiling or filling its caches. No fault makes steps faster, so the slow ones are forgotten.
class StepMemory {
 public:
  explicit StepMemory(ModelKind kind) : kind_(kind) {}

  /// True if steps of this kind were forgotten, because they take far less time now.
  bool add(const Step& step);
  /// All that is kept.
  std::vector<Step> steps() const;
  std::uint64_t seen() const { return seen_; }

  /// What a model that was fitted now would know.
  void note_fit();
  /// True if the last fit had steps like this one. A model is trusted between what it learnt, not
  /// beyond: where tiles of a matrix product change, time jumps by an amount that nothing
  /// foretells. `at_any_context`: only the size of the batch or prompt counts.
  bool is_covered(const Step& step, bool at_any_context = false) const;
  /// True if there are enough steps of a kind that the last fit did not know.
  bool has_news() const { return has_news_; }

 private:
  /// Steps between two sizes at which time jumps.
  struct Region {
    std::uint32_t count = 0;
    float least = 0;  ///< of the size
    float most = 0;
    float most_context = 0;
  };
  static constexpr std::size_t kLatest = 64;  ///< longer than most moods of a machine
  struct Cell {
    std::vector<Step> steps;
    std::uint64_t seen = 0;    ///< of which each is kept with the same chance
    std::vector<Step> latest;  ///< in a ring
    std::uint64_t next = 0;    ///< its place there

    void note(const Step& step);
    bool forget_slow_ones(std::size_t room);
  };
  static constexpr std::size_t kRegions = kLaunchClasses;
  using Regions = std::array<Region, kRegions>;

  std::size_t region_of(const Step& step) const;
  double size_of(const Step& step) const;
  bool holds(const Region& region, const Step& step, bool at_any_context) const;
  std::size_t cell_of(const Step& step) const;
  void make_room();
  std::uint64_t random();

  ModelKind kind_;
  std::vector<Cell> cells_;
  Regions regions_{};
  Regions fitted_{};
  Regions fresh_{};  ///< what the last fit did not know
  std::size_t used_cells_ = 0;
  std::size_t per_cell_ = 0;
  std::uint64_t seen_ = 0;
  std::uint64_t random_ = 0x9E3779B97F4A7C15U;
  bool has_news_ = false;
};

}  // namespace tactus::watch

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "watch/level_rule.h"

namespace tactus::watch {

/// What a stream does without any fault: how far means of a few steps are off, and how often a step
/// is long by itself. Learnt from steps that nobody was called for.
class UsualNoise {
 public:
  static constexpr std::size_t kSizes = 9;  ///< means of 1, 2, 4, .. 256 steps

  explicit UsualNoise(const DetectorRules& rules) : rules_(rules) {}

  /// The usual spread of single steps, over 1.3%.
  void set_step_scale(double scale) { step_scale_ = scale; }
  /// A step without an alarm.
  void add(double residual);
  /// A step of an episode: it counts when the episode is over and nobody was called for it. What is
  /// over by itself is how this machine is; what lasts is not.
  void add_in_episode(double residual);
  void end_episode(bool was_alert);

  /// The smallest mean that spreads by 1.3% or less, or the one that spreads least, of those that
  /// there are enough of.
  struct Group {
    std::size_t steps = 1;
    double spread = 0;
  };
  /// Nothing known yet: 0 steps.
  const Group& group() const { return group_; }
  /// Steps that the means are of.
  std::uint64_t seen() const { return means_[0].seen; }

  /// The sum of steps that is suspicious, in units of the rules.
  double alarm_sum() const { return alarm_sum_; }
  /// One step is suspicious above.
  double spike_limit() const { return spike_limit_; }
  /// So many long steps of 40 are.
  int high_steps() const { return high_steps_; }

 private:
  static constexpr std::size_t kKept = 64;
  static constexpr std::size_t kRungs = 16;
  static constexpr std::size_t kBins = 22;  ///< of 0.01 times the scale, from -0.10 to 0.12
  /// Means of one number of steps.
  struct Means {
    double first = 0;  ///< of two means of half as many steps
    bool has_first = false;
    std::uint64_t seen = 0;
    std::array<float, kKept> sizes{};  ///< |mean|; each that was seen is kept with the same chance
  };
  struct Tail {
    double steps = 0;
    std::array<double, kRungs> above{};  ///< steps above each limit
    double highs = 0;
    std::array<double, kBins> bins{};  ///< steps by what they count in the sum

    void add(const Tail& other, double share);
  };

  double rung(std::size_t which) const;
  void count(double residual, Tail& tail) const;
  void choose_group();
  void choose_limits();
  double rare_sum() const;
  std::uint64_t random();

  DetectorRules rules_;
  double step_scale_ = 1;
  std::array<Means, kSizes> means_;
  Group group_{.steps = 0};
  std::size_t until_look_ = 0;  ///< at what is usual now
  Tail tail_;
  Tail pending_;
  double alarm_sum_ = rules_.alarm;
  double spike_limit_ = rules_.spike;
  int high_steps_ = rules_.high_steps;
  std::uint64_t random_ = 0x9E3779B97F4A7C15U;
};

}  // namespace tactus::watch

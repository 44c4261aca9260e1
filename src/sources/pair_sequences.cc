#include "sources/pair_sequences.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "base/arithmetic.h"
#include "base/median.h"
#include "sources/fit_clock.h"

namespace tactus {
namespace {

/// Clocks of devices tick by up to that, and ends scatter by it.
constexpr std::int64_t kTickNs = 1000;
/// Two clocks of computers run apart by less than this: each is better than 100 ppm.
constexpr double kLargestRunApart = 2e-4;
/// Moments of a recording that are looked at to find the shifts that are worth a full look.
constexpr std::size_t kSampled = 256;
/// No more times are compared, so that recordings of any size are paired in about a second. What
/// is left out then fits the sample worst.
constexpr std::size_t kMostCompared = 300'000'000;
constexpr std::size_t kPassesOfFit = 8;  // over the points, to fit a clock to them
constexpr std::int64_t kNoTime = INT64_MAX;

/// The times between neighbours of a recording.
struct Gaps {
  explicit Gaps(std::span<const Moment> of) : moments(of) {
    for (std::size_t i = 0; i + 1 < of.size(); ++i) {
      ns.push_back(wrapping_subtract(of[i + 1].at_ns, of[i].at_ns));
    }
  }
  std::span<const Moment> moments;
  std::vector<std::int64_t> ns;
};

/// A shift and how well it fits.
struct Fit {
  std::int64_t shift = 0;
  std::size_t gaps = 0;         ///< that are compared
  std::size_t broken = 0;       ///< that differ by more than chance makes
  std::int64_t sampled_ns = 0;  ///< nearly all of the sample differ by less
};

/// The mean of numbers and its standard error.
class Sample {
 public:
  void add(double value) {
    ++count_;
    sum_ += value;
    squares_ += value * value;
  }
  double mean() const { return count_ == 0 ? 0 : sum_ / count_; }
  double error() const {
    return count_ == 0 ? 0 : std::sqrt(std::max(0.0, squares_ / count_ - mean() * mean()) / count_);
  }

 private:
  double count_ = 0;
  double sum_ = 0;
  double squares_ = 0;
};

class Pairer {
 public:
  /// b must not be longer.
  Pairer(std::span<const Moment> a, std::span<const Moment> b) : a_(a), b_(b) {
    odd_first_.resize(b_.ns.size());
    std::iota(odd_first_.begin(), odd_first_.end(), std::size_t{0});
    const std::int64_t usual = upper_median(b_.ns);
    std::stable_sort(odd_first_.begin(), odd_first_.end(), [&](std::size_t x, std::size_t y) {
      return std::abs(wrapping_subtract(b_.ns[x], usual)) >
             std::abs(wrapping_subtract(b_.ns[y], usual));
    });
  }

  std::optional<Pairing> pair() {
    std::vector<Fit> fits = sample();
    if (fits.empty()) return std::nullopt;
    std::vector<Fit> likely = least_broken(fits);
    keep_closest(likely);
    std::erase_if(likely, [&](const Fit& fit) { return !has_same_keys(fit); });
    if (likely.empty()) return std::nullopt;
    return choose(likely);
  }

 private:
  struct Range {
    std::size_t begin;
    std::size_t end;  ///< of the gaps of b
    std::size_t size() const { return end - begin; }
    bool has(std::size_t i) const { return i >= begin && i < end; }
  };

  Range range_of(std::int64_t shift) const {
    const auto gaps_a = static_cast<std::int64_t>(a_.ns.size());
    const auto gaps_b = static_cast<std::int64_t>(b_.ns.size());
    const std::int64_t begin = std::max<std::int64_t>(0, -shift);
    const std::int64_t end = std::max(begin, std::min(gaps_b, gaps_a - shift));
    return {static_cast<std::size_t>(begin), static_cast<std::size_t>(end)};
  }

  static std::size_t shifted(std::size_t i, std::int64_t shift) {
    return static_cast<std::size_t>(static_cast<std::int64_t>(i) + shift);
  }

  /// By how much a time between neighbours differs under a shift.
  std::int64_t misfit(std::size_t i, std::int64_t shift) const {
    const std::size_t j = shifted(i, shift);
    if (a_.moments[j].key != b_.moments[i].key || a_.moments[j + 1].key != b_.moments[i + 1].key) {
      return kNoTime;
    }
    const std::int64_t apart = std::abs(wrapping_subtract(a_.ns[j], b_.ns[i]));
    const auto drift = static_cast<std::int64_t>(kLargestRunApart * static_cast<double>(b_.ns[i]));
    return std::max<std::int64_t>(0, apart - std::max<std::int64_t>(0, drift));
  }

  /// All shifts, best first by a sample: the gaps that are odd, which tell most, and some that are
  /// not. What nearly all of the sample differ by under the best one is chance.
  std::vector<Fit> sample() {
    std::vector<std::size_t> places(
        odd_first_.begin(), odd_first_.begin() + static_cast<std::ptrdiff_t>(
                                                     std::min(odd_first_.size(), kSampled / 2)));
    const std::size_t every = std::max<std::size_t>(1, b_.ns.size() / (kSampled / 2));
    for (std::size_t i = 0; i < b_.ns.size(); i += every) places.push_back(i);
    const std::size_t fewest = std::max(kFewestMoments, (b_.moments.size() + 1) / 2) - 1;
    std::vector<Fit> fits;
    std::vector<std::int64_t> misfits;
    const auto size_a = static_cast<std::int64_t>(a_.ns.size());
    const auto size_b = static_cast<std::int64_t>(b_.ns.size());
    for (std::int64_t shift = -size_b; shift <= size_a; ++shift) {
      const Range range = range_of(shift);
      if (range.size() < fewest) continue;
      misfits.clear();
      for (const std::size_t i : places) {
        if (range.has(i)) misfits.push_back(misfit(i, shift));
      }
      if (misfits.empty()) continue;
      const auto most = misfits.begin() + static_cast<std::ptrdiff_t>(misfits.size() * 19 / 20);
      std::nth_element(misfits.begin(), most, misfits.end());
      fits.push_back({.shift = shift, .gaps = range.size(), .sampled_ns = *most});
    }
    std::stable_sort(fits.begin(), fits.end(),
                     [](const Fit& x, const Fit& y) { return x.sampled_ns < y.sampled_ns; });
    if (!fits.empty() && fits.front().sampled_ns != kNoTime) {
      chance_ns_ = std::max(kTickNs, 2 * fits.front().sampled_ns);
    }
    return fits;
  }

  /// A share that the broken gaps of a fit hardly exceed in the long run.
  static double most_broken(const Fit& fit) {
    const auto broken = static_cast<double>(fit.broken);
    return (broken + 3 * std::sqrt(broken) + 2) / static_cast<double>(fit.gaps);
  }

  /// Counts the broken gaps of all shifts; gives those that have no more of them than the best one
  /// and chance explain.
  std::vector<Fit> least_broken(std::vector<Fit>& fits) {
    std::vector<Fit> counted;
    std::optional<Fit> best;
    for (Fit& fit : fits) {
      if (compared_ > kMostCompared) break;
      const double hopeless =
          best ? 2 * most_broken(*best) * static_cast<double>(fit.gaps) : INFINITY;
      const Range range = range_of(fit.shift);
      for (const std::size_t i : odd_first_) {
        if (!range.has(i)) continue;
        ++compared_;
        if (misfit(i, fit.shift) > chance_ns_) ++fit.broken;
        if (static_cast<double>(fit.broken) > hopeless) break;
      }
      if (static_cast<double>(fit.broken) > hopeless) continue;
      counted.push_back(fit);
      if (!best || most_broken(fit) < most_broken(*best)) best = fit;
    }
    std::erase_if(counted, [&](const Fit& fit) { return breaks_more(fit, *best); });
    return counted;
  }

  /// Whether gaps that are whole under the best shift are broken under this one, more than the
  /// other way round by chance.
  bool breaks_more(const Fit& fit, const Fit& best) {
    std::size_t only_here = 0;
    std::size_t only_there = 0;
    for_both(fit, best, [&](std::int64_t here, std::int64_t there) {
      if (here > chance_ns_ && there <= chance_ns_) ++only_here;
      if (there > chance_ns_ && here <= chance_ns_) ++only_there;
    });
    const auto chance = static_cast<double>(only_there);
    return static_cast<double>(only_here) > chance + 3 * std::sqrt(chance) + 2;
  }

  /// How far each end of b is from the line through all of them; -1 where nothing is paired.
  std::vector<std::int64_t> distances(const Fit& fit) {
    const Range range = range_of(fit.shift);
    ClockPoints points;
    std::vector<std::size_t> places;
    for (std::size_t i = range.begin; i <= range.end; ++i) {
      const Moment& same = a_.moments[shifted(i, fit.shift)];
      const Moment& mine = b_.moments[i];
      if (same.key != mine.key) continue;
      points.push_back({mine.at_ns, wrapping_subtract(same.at_ns, mine.at_ns)});
      places.push_back(i);
    }
    compared_ += kPassesOfFit * points.size();
    std::vector<std::int64_t> away(b_.moments.size(), -1);
    if (points.empty()) return away;
    const Clock clock = fit_line(points);
    for (std::size_t i = 0; i < points.size(); ++i) {
      away[places[i]] = distance_ns(points[i], clock);
    }
    return away;
  }

  /// Steps are never quite alike: under a shift by whole steps, the ends wander away from each
  /// other. Leaves the shifts under which they are not further apart than under the best one, by
  /// five standard deviations of chance.
  void keep_closest(std::vector<Fit>& fits) {
    if (fits.size() < 2) return;
    std::stable_sort(fits.begin(), fits.end(), [&](const Fit& x, const Fit& y) {
      return std::abs(offset_of(x)) < std::abs(offset_of(y));
    });
    std::vector<std::int64_t> best;
    double least = INFINITY;
    std::size_t looked_at = 0;
    for (; looked_at < fits.size() && compared_ < kMostCompared; ++looked_at) {
      std::vector<std::int64_t> away = distances(fits[looked_at]);
      Sample sample;
      for (const std::int64_t ns : away) {
        if (ns >= 0) sample.add(static_cast<double>(ns));
      }
      const double most = sample.mean() + 3 * sample.error();
      if (most >= least) continue;
      least = most;
      best = std::move(away);
    }
    fits.resize(std::max<std::size_t>(1, looked_at));
    std::erase_if(fits, [&](const Fit& fit) {
      const std::vector<std::int64_t> away = distances(fit);
      Sample more;
      for (std::size_t i = 0; i < std::min(away.size(), best.size()); ++i) {
        if (away[i] >= 0 && best[i] >= 0) more.add(static_cast<double>(away[i] - best[i]));
      }
      return more.mean() > 5 * more.error();
    });
  }
  template <class F>
  void for_both(const Fit& x, const Fit& y, F&& f) {
    const Range of_x = range_of(x.shift);
    const Range of_y = range_of(y.shift);
    const std::size_t end = std::min(of_x.end, of_y.end);
    for (std::size_t i = std::max(of_x.begin, of_y.begin); i < end; ++i) {
      ++compared_;
      f(misfit(i, x.shift), misfit(i, y.shift));
    }
  }

  /// Both recorded the same job, so nearly all of them are the same ones.
  bool has_same_keys(const Fit& fit) const {
    const Range range = range_of(fit.shift);
    std::size_t same = 0;
    for (std::size_t i = range.begin; i <= range.end; ++i) {
      same += a_.moments[shifted(i, fit.shift)].key == b_.moments[i].key ? 1u : 0u;
    }
    return same >= kFewestMoments && 10 * same >= 9 * (range.size() + 1);
  }

  /// How far a shift moves the clock, by the pair in its middle.
  std::int64_t offset_of(const Fit& fit) const {
    const Range range = range_of(fit.shift);
    const std::size_t middle = range.begin + range.size() / 2;
    return wrapping_subtract(a_.moments[shifted(middle, fit.shift)].at_ns,
                             b_.moments[middle].at_ns);
  }

  bool are_same_part() const {
    return std::equal(a_.moments.begin(), a_.moments.end(), b_.moments.begin(), b_.moments.end(),
                      [](const Moment& x, const Moment& y) { return x.key == y.key; });
  }

  Pairing choose(const std::vector<Fit>& fits) const {
    if (are_same_part()) {
      for (const Fit& fit : fits) {
        if (fit.shift == 0) return {};
      }
    }
    const Fit* nearest = nullptr;
    for (const Fit& fit : fits) {
      if (nearest == nullptr || std::abs(offset_of(fit)) < std::abs(offset_of(*nearest))) {
        nearest = &fit;
      }
    }
    Pairing pairing{.shift = nearest->shift, .ways = fits.size()};
    for (const Fit& fit : fits) {
      if (&fit == nearest) continue;
      const std::int64_t apart = std::abs(wrapping_subtract(offset_of(fit), offset_of(*nearest)));
      if (pairing.apart_ns == 0 || apart < pairing.apart_ns) pairing.apart_ns = apart;
    }
    return pairing;
  }

  Gaps a_;
  Gaps b_;
  std::vector<std::size_t> odd_first_;  ///< the gaps of b
  std::int64_t chance_ns_ = kTickNs;    ///< gaps that differ by more are broken
  std::size_t compared_ = 0;
};

}  // namespace

std::optional<Pairing> pair_sequences(std::span<const Moment> a, std::span<const Moment> b) {
  if (a.size() < kFewestMoments || b.size() < kFewestMoments) return std::nullopt;
  if (b.size() <= a.size()) return Pairer(a, b).pair();
  std::optional<Pairing> pairing = Pairer(b, a).pair();
  if (pairing) pairing->shift = -pairing->shift;
  return pairing;
}

}  // namespace tactus
